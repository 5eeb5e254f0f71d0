"""Files that are read a block at a time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mastgp import DataError
from mastgp.data import blockwise, columnar
from mastgp.data.blockwise import estimated_cells, read_blocks
from mastgp.data.cells import numeric
from mastgp.data.reading import read_table
from mastgp.errors import FileError


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Blocks so small that little files have many."""
    monkeypatch.setattr(blockwise, "TEXT_BLOCK", 200)
    monkeypatch.setattr(columnar, "BLOCK_CELLS", 20)


def frame(n=100):
    rng = np.random.default_rng(1)
    return pd.DataFrame({"x": rng.random(n), "m": ["al", "steel"] * (n // 2), "n": np.arange(n)})


def write(table, path):
    if path.suffix == ".csv":
        table.to_csv(path, index=False)
    elif path.suffix == ".parquet":
        table.to_parquet(path, row_group_size=33)
    else:
        table.to_feather(path)


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".feather"])
def test_blocks_are_the_rows_of_the_file(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    write(frame(), path)
    whole = read_table(path)
    blocks = list(read_blocks(path))
    assert len(blocks) > 5
    rows = pd.concat([block.rows for block in blocks], ignore_index=True)
    pd.testing.assert_frame_equal(rows, whole.rows.reset_index(drop=True))
    places = [block.place(label) for block in blocks for label in block.rows.index]
    assert places == [whole.place(label) for label in whole.rows.index]


@pytest.mark.parametrize(
    "text",
    [
        "# note\nx;y\nm;s\n" + "1,5;2\n" * 100,
        "# note\n\nx y\n" + "1.5 2\n# more\n\n" * 50,
        'x,y\n1.5,"2"\n' * 1 + '1.5,"a\nb, c"\n' * 60,
        '"x\n(m)",y\r\n' + "1.5,2\r\n" * 100,
        "x,y\n" + "1.5,2\n" * 100 + "1.5,2",
        "x,y\nLänge,2\n" + "Höhe,2\n" * 100,
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_blocks_of_any_text_are_the_rows_of_the_file(tmp_path, text, encoding):
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode(encoding))
    whole = read_table(path)
    blocks = list(read_blocks(path))
    assert (len(blocks) > 2) == (encoding != "utf-16")
    rows = pd.concat([block.rows for block in blocks], ignore_index=True)
    pd.testing.assert_frame_equal(rows, whole.rows.reset_index(drop=True))
    places = [block.place(label) for block in blocks for label in block.rows.index]
    assert places == [whole.place(label) for label in whole.rows.index]
    assert blocks[0].units == whole.units


def test_an_error_names_the_line_of_the_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n" + "1,2\n" * 98 + "1,bad\n" + "1,2\n" * 98)
    with pytest.raises(DataError, match=r"line 100 of .*a.csv, column 'y': 'bad' is not a number"):
        [numeric(block, ["x", "y"]) for block in read_blocks(path)]
    path.write_text("x,y\n" + "1,2\n" * 108 + "1,2,3\n" + "1,2\n" * 98)
    with pytest.raises(DataError, match=r"a.csv cannot be read .* line 110, saw 3"):
        list(read_blocks(path))


def test_a_broken_file_is_named(tmp_path):
    path = tmp_path / "a.parquet"
    write(frame(), path)
    data = path.read_bytes()
    path.write_bytes(data[:300] + b"\xff" * 60 + data[360:])
    with pytest.raises(DataError, match=r"a.parquet cannot be read as Parquet"):
        list(read_blocks(path))
    path.write_bytes(data[:300])
    with pytest.raises(DataError, match=r"a.parquet cannot be read as Parquet"):
        list(read_blocks(path))
    with pytest.raises(FileError, match=r"there is no file .*b.csv"):
        list(read_blocks(tmp_path / "b.csv"))


def test_a_file_without_rows_is_refused(tmp_path):
    write(frame(0), tmp_path / "a.parquet")
    with pytest.raises(DataError, match=r"a.parquet has no rows of data"):
        list(read_blocks(tmp_path / "a.parquet"))


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".feather"])
def test_cells_are_estimated_without_reading_them(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    write(frame(20_000), path)
    assert estimated_cells(path) == pytest.approx(60_000, rel=0.1)
    assert estimated_cells(tmp_path / "none.csv") == 0


def test_texts_are_counted_before_they_are_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(columnar, "MOST_TEXT", 100)
    pd.DataFrame({"m": ["x" * 50] * 6}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(DataError, match=r"a.parquet, column 'm': its texts have 300 bytes"):
        list(read_blocks(tmp_path / "a.parquet"))
