"""Cells of files as numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mastgp import DataError
from mastgp.data.cells import as_frame, numeric
from mastgp.data.reading import Source, read_table


def test_decimals_are_read_exactly(tmp_path, rng):
    values = rng.standard_normal(200) * 10.0 ** rng.integers(-12, 12, 200)
    path = tmp_path / "a.csv"
    path.write_text("x\n" + "\n".join(repr(float(v)) for v in values) + "\n")
    np.testing.assert_array_equal(numeric(read_table(path), ["x"])["x"], values)


def source(*cells, **options):
    return Source("a.csv", pd.DataFrame({"x": list(cells)}), first=2, unit="line", **options)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["1", "two"], r"line 3 of a.csv, column 'x': 'two' is not a number; .* remove the row"),
        (["1", ""], r"line 3 .*: the value is missing \(NaN\); fill it in"),
        (["nan", "1"], "line 2 .*: the value is missing"),
        (["-inf", "1"], "line 2 .*: the value is infinite; correct it"),
        (["1,5", "1"], r"'1,5' is not a number \(is it a decimal comma\?\)"),
        (["a", "b", "1"], r"\(2 such values in this column\)"),
    ],
)
def test_the_first_wrong_cell_is_named(cells, words):
    with pytest.raises(DataError, match=words):
        numeric(source(*cells), ["x"])


def test_advice_on_a_column_is_for_columns_without_any_number():
    def advice(column):
        return f", or forget {column}"

    with pytest.raises(DataError, match="correct it, or forget x"):
        numeric(source("a", "b"), ["x"], fix=advice)
    with pytest.raises(DataError, match="correct it or remove the row"):
        numeric(source("a", "1"), ["x"], fix=advice)


def test_empty_cells_are_allowed_on_request():
    values = numeric(source("1", "", "NA"), ["x"], may_be_missing=True)["x"]
    np.testing.assert_array_equal(values, [1.0, np.nan, np.nan])
    for wrong in ("two", "inf"):
        with pytest.raises(DataError, match="line 2"):
            numeric(source(wrong, ""), ["x"], may_be_missing=True)


def test_a_decimal_comma_where_it_is_no_separator():
    assert numeric(source("1,5", "2", decimal_comma=True), ["x"])["x"].tolist() == [1.5, 2.0]


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (
            ["1.5", "1,234"],
            r"decimal comma \('1,234' in line 3 .*\) and a decimal point \('1\.5'",
        ),
        (["1,5", "2", "2.25e3"], r"'2\.25e3' in line 4 of a\.csv, column 'x'"),
    ],
)
def test_two_decimal_marks_in_one_column(cells, words):
    with pytest.raises(DataError, match=words):
        numeric(source(*cells, decimal_comma=True), ["x"])


def test_two_decimal_marks_in_one_table():
    rows = pd.DataFrame({"x": ["1.5"], "y": ["1,234"], "version": ["1.2"]})
    table = Source("a.csv", rows, first=2, unit="line", decimal_comma=True)
    with pytest.raises(DataError, match="is one of them a mark between thousands"):
        numeric(table, ["x", "y"])
    assert numeric(table, ["y"])["y"].tolist() == [1.234]


def test_the_advice_for_empty_cells_names_the_option():
    with pytest.raises(DataError, match=r"\(2 such values .*--skip-missing, or skip_missing=True"):
        numeric(source("1", "", "n/a"), ["x"])


def test_columns_of_numbers_become_numbers():
    rows = pd.DataFrame({"x": ["1", ""], "case": ["a", "1"], "empty": ["", ""]})
    frame = as_frame(Source("a.csv", rows, units={"x": "m"}))
    np.testing.assert_array_equal(frame["x"], [1.0, np.nan])
    assert frame["case"].tolist() == ["a", "1"]
    assert frame["empty"].tolist() == ["", ""]
    assert frame.attrs["units"] == {"x": "m"}


def test_whole_numbers_beyond_the_range_of_floats():
    rows = pd.DataFrame({"x": pd.Series([10**400, 1], dtype=object)})
    with pytest.raises(DataError, match=r"row 1 of a\.parquet, column 'x': the value is infinite"):
        numeric(Source("a.parquet", rows), ["x"])
