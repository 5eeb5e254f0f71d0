"""Tables out: what is written is read back, by us and by pandas."""

from __future__ import annotations

import pandas as pd
import pytest

from mastgp import DataError
from mastgp.data.cells import as_frame, numeric
from mastgp.data.delimited import read_delimited
from mastgp.data.reading import read_table
from mastgp.data.writing import Dialect, check_ending, is_text, write_table


@pytest.fixture
def table(rng):
    return pd.DataFrame({"x": rng.standard_normal(4), "case": ["a,b", 'say "c"', "d;e", "f"]})


READERS = {
    "a.csv": pd.read_csv,
    "a.txt": pd.read_csv,
    "a.tsv": lambda path: pd.read_csv(path, sep="\t"),
    "a.xlsx": pd.read_excel,
    "a.parquet": pd.read_parquet,
    "a.feather": pd.read_feather,
}


@pytest.mark.parametrize("name", READERS)
def test_formats_go_both_ways(tmp_path, table, name):
    for library in {"a.xlsx": ["openpyxl"], "a.parquet": ["pyarrow"]}.get(name, []):
        pytest.importorskip(library)
    write_table(table, tmp_path / name)
    theirs = READERS[name](tmp_path / name)
    pd.testing.assert_frame_equal(theirs, table, rtol=1e-15)
    ours = as_frame(read_table(tmp_path / name))
    pd.testing.assert_frame_equal(ours, table, check_dtype=False, rtol=1e-15)
    if name != "a.xlsx":  # spreadsheets keep 16 digits
        assert ours["x"].tolist() == table["x"].tolist()


@pytest.mark.parametrize("name", ["p.xls", "p.json", "p.csv.gz", "p.mast", "p.docx"])
def test_other_endings_are_refused_before_work_is_done(name):
    with pytest.raises(DataError, match=r"cannot write a table as .*; choose one of '\.csv'"):
        check_ending(name)


def test_semicolons_and_decimal_commas_come_back(tmp_path, table):
    query = read_delimited("x;case\n1,5;a\n2;b\n", "q.csv")
    assert Dialect.of(query) == Dialect(";", ",")
    write_table(table, tmp_path / "p.csv", Dialect.of(query))
    ours = read_table(tmp_path / "p.csv")
    assert numeric(ours, ["x"])["x"].tolist() == table["x"].tolist()
    theirs = pd.read_csv(tmp_path / "p.csv", sep=";", decimal=",")
    pd.testing.assert_frame_equal(theirs, table)


@pytest.mark.parametrize("text", ["x;y\n1.5;2\n", "x\ty\n1,5\t2\n", "x,y\n1.5,2\n", "x y\n1 2\n"])
def test_all_others_are_written_with_commas_and_points(text):
    assert Dialect.of(read_delimited(text, "q.csv")) == Dialect(",", ".")


def test_tabs_have_decimal_points(tmp_path, table):
    write_table(table, tmp_path / "p.tsv", Dialect(";", ","))
    assert pd.read_csv(tmp_path / "p.tsv", sep="\t")["x"].dtype == float


def test_text_is_what_keeps_numbers_as_they_were_written():
    assert [
        is_text(name, Dialect()) for name in ("a", "a.csv", "a.TSV", "a.xlsx", "a.parquet")
    ] == [
        True,
        True,
        True,
        False,
        False,
    ]
