"""CSV and Parquet files as users have them."""

from __future__ import annotations

import gzip
import sys

import pandas as pd
import pytest

from mastgp import DataError, FileError, MissingExtraError
from mastgp.data.cells import numeric
from mastgp.data.reading import read_table
from mastgp.data.writing import write_table


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("\ufeffx,y\n1.5,2\n", ["x", "y"]),  # byte-order mark of a spreadsheet
        ("x;y\n1,5;2\n", ["x", "y"]),  # decimal comma
        ("x\ty\n1,5\t2\n", ["x", "y"]),
        ("x;y\n1.5;2\n", ["x", "y"]),
        ("x\ty\n1.5\t2\n", ["x", "y"]),
        (" x , y \n1.5, 2\n", ["x", "y"]),
        ("x,y,\n1.5,2,\n", ["x", "y"]),  # trailing separators
        ('"x","y"\r\n1.5,2\r\n\r\n', ["x", "y"]),  # Windows line ends, blank last line
    ],
)
def test_dialects(tmp_path, text, columns):
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode())
    source = read_table(path)
    assert list(source.rows.columns) == columns
    assert numeric(source, ["x"])["x"].tolist() == [1.5]
    assert len(source.rows) == 1


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileError, match="there is no file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(FileError, match="is a folder"):
        read_table(tmp_path)


def test_binary_files(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"\x80\x81\xff\n\xfe")
    with pytest.raises(DataError, match="not a text file"):
        read_table(path)


def test_compressed_files(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(gzip.compress(b"x,y\n1,2\n"))
    with pytest.raises(DataError, match="compressed; decompress it first"):
        read_table(path)


def test_parquet_goes_both_ways(tmp_path):
    pytest.importorskip("pyarrow")
    table = pd.DataFrame({"x": [1.0, 2.0], "name": ["a", "b"]})
    write_table(table, tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(
        read_table(tmp_path / "a.parquet").rows, table, check_dtype=False, check_column_type=False
    )
    table.set_index("x").to_parquet(tmp_path / "indexed.parquet")
    assert list(read_table(tmp_path / "indexed.parquet").rows.columns) == ["x", "name"]
    dated = pd.DataFrame({"x": pd.to_datetime(["2026-01-01"])})
    dated.to_parquet(tmp_path / "dated.parquet")
    with pytest.raises(DataError, match=r"row 1 of .*'2026-01-01 00:00:00' is not a number"):
        numeric(read_table(tmp_path / "dated.parquet"), ["x"])
    (tmp_path / "bad.parquet").write_bytes(b"PAR1nonsense")
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        read_table(tmp_path / "bad.parquet")


def test_parquet_without_its_library_says_how_to_get_it(tmp_path, monkeypatch):
    (tmp_path / "a.parquet").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"a\.parquet needs .* 'mastgp\[files\]'"):
        read_table(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,2\n3,4\n", "is the header row missing"),
        ("x,x\n1,2\n", "has column 'x' twice"),
        ("x,y\n1,2,3\n4,5,6\n", "more cells than the header has names"),
        ("x,\n1,2\n", "column 2 has values but no name"),
        ("\n# note\nx,y\n", "has no rows of data"),
        ("x,y\n", "has no rows of data"),
    ],
)
def test_files_that_are_no_tables(tmp_path, text, words):
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=words):
        read_table(path)


def test_rows_know_their_lines(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x\n\n1\n2\n")
    source = read_table(path)
    assert [source.place(label) for label in source.rows.index] == [
        f"line 3 of {path}",
        f"line 4 of {path}",
    ]


def test_csv_goes_both_ways(tmp_path, rng):
    table = pd.DataFrame({"x": rng.standard_normal(5), "y": rng.standard_normal(5)})
    write_table(table, tmp_path / "a.csv")
    again = numeric(read_table(tmp_path / "a.csv"), ["x", "y"])
    pd.testing.assert_frame_equal(again, table, check_exact=True)
