"""Files of typed columns: what small files may hold, and names as everywhere else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mastgp import DataError
from mastgp.data import columnar
from mastgp.data.opening import Place
from mastgp.data.reading import read_table

pyarrow = pytest.importorskip("pyarrow")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")

WRITERS = {".parquet": parquet.write_table, ".feather": feather.write_feather}


@pytest.fixture(params=sorted(WRITERS))
def written(request, tmp_path):
    """A function that writes columns to a file of either format."""

    def write(columns):
        path = tmp_path / f"table{request.param}"
        WRITERS[request.param](pyarrow.table(columns), path)
        return path

    return write


def test_texts_and_numbers_come_back(written):
    text = ["a", "b", None, "a"]
    table = {"x": [1.0, 2.0, 3.0, 4.0], "text": text, "n": pyarrow.array([1, None, 3, 4])}
    table["code"] = pyarrow.array(["u", "v", "u", "v"]).dictionary_encode()
    rows = read_table(written(table)).rows
    assert rows["x"].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert rows["text"].dropna().tolist() == ["a", "b", "a"]
    assert not isinstance(rows["text"].dtype, pd.CategoricalDtype)
    assert isinstance(rows["code"].dtype, pd.CategoricalDtype)
    assert rows["code"].tolist() == ["u", "v", "u", "v"]


def test_values_are_counted_before_they_are_read(written, monkeypatch):
    path = written({"x": np.zeros(1000), "y": np.zeros(1000)})
    assert len(read_table(path).rows) == 1000
    monkeypatch.setattr(columnar, "MOST_VALUES", 1999)
    with pytest.raises(DataError, match="has 2000 values, and no more than 1999 are read"):
        read_table(path)


@pytest.mark.parametrize("coded", [False, True])
def test_a_long_text_counts_as_often_as_it_occurs(written, monkeypatch, coded):
    text = pyarrow.array(["x" * 1000] * 50)
    path = written({"x": np.zeros(50), "t": text.dictionary_encode() if coded else text})
    monkeypatch.setattr(columnar, "MOST_TEXT", 49_999)
    with pytest.raises(DataError, match="column 't': its texts have 50000 bytes"):
        read_table(path)


def test_many_views_of_one_long_text_count_each(tmp_path, monkeypatch):
    text = pyarrow.array(["x" * 1000] * 50, pyarrow.string_view())
    feather.write_feather(pyarrow.table({"t": text}), tmp_path / "t.feather")
    assert read_table(tmp_path / "t.feather").rows["t"].tolist() == ["x" * 1000] * 50
    monkeypatch.setattr(columnar, "MOST_TEXT", 49_999)
    with pytest.raises(DataError, match="column 't': its texts have 50000 bytes"):
        read_table(tmp_path / "t.feather")


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_a_part_is_not_unpacked_if_it_would_be_too_large(tmp_path, monkeypatch, compression):
    path = tmp_path / "bomb.feather"
    table = pyarrow.table({"x": np.zeros(100_000)})
    feather.write_feather(table, path, compression=compression, chunksize=100_000)
    assert path.stat().st_size < 20_000
    assert len(read_table(path).rows) == 100_000
    monkeypatch.setattr(columnar, "MOST_UNPACKED", 799_999)
    monkeypatch.setattr(pyarrow.ipc, "open_file", None)  # nobody asks for rows
    for read in (read_table, lambda path: list(columnar.column_blocks(Place(str(path))))):
        with pytest.raises(DataError, match="would be 1 MB unpacked"):
            read(path)
    assert columnar.columnar_cells(Place(str(path))) == 0


def test_of_lists_and_the_like_only_the_kind_is_kept(written):
    endless = pyarrow.array([[None] * 3, None], pyarrow.list_(pyarrow.null(), 3))
    rows = read_table(written({"x": [1.0, 2.0], "l": [[1.0], []], "e": endless})).rows
    for name, kind in (("l", "list<"), ("e", "fixed_size_list<")):
        assert all(cell.startswith(kind) for cell in rows[name].astype(str))
    assert rows["x"].tolist() == [1.0, 2.0]


def test_places_outside_of_a_text_are_an_error_of_ours(tmp_path):
    path = tmp_path / "t.feather"
    table = pyarrow.table({"t": ["abcd", "efgh"]})
    feather.write_feather(table, path, compression="uncompressed")
    ends = np.array([0, 4, 8], dtype="<i4").tobytes()
    content = path.read_bytes()
    assert content.count(ends) == 1
    wrong = np.array([0, 10**6, 8], dtype="<i4").tobytes()
    path.write_bytes(content.replace(ends, wrong))
    with pytest.raises(DataError, match="cannot be read as Feather"):
        read_table(path)


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["x\x1b[31m", "y"], "control characters"),
        (["x" * 20_000, "y"], "a name of 20000 characters"),
        (["", "y"], "a column without a name"),
        ([f"c{i}" for i in range(5001)], "5001 columns"),
    ],
)
def test_names_are_checked_as_those_of_text_files(written, names, reason):
    with pytest.raises(DataError, match=reason):
        read_table(written({name: np.zeros(2) for name in names}))


def test_an_index_that_is_called_like_a_column_is_an_error_of_ours(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0]}, index=pd.Index([3, 4], name="b"))
    frame.to_parquet(tmp_path / "good.parquet")
    assert list(read_table(tmp_path / "good.parquet").rows.columns) == ["b", "a"]
    two = pd.MultiIndex.from_tuples([(1, 2), (3, 4)], names=["a", "z"])
    frame.set_axis(two).to_parquet(tmp_path / "bad.parquet")
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        read_table(tmp_path / "bad.parquet")
