"""Files of typed columns: what small files may hold, and names as everywhere else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mastgp import DataError
from mastgp.data import columnar
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
