"""Rows with empty cells."""

from __future__ import annotations

import pandas as pd
import pytest

from mastgp import DataError, MissingWarning
from mastgp.data.missing import without_missing
from mastgp.data.source import Source


def source(**columns):
    return Source("a.csv", pd.DataFrame(columns), first=2, unit="line")


def test_rows_are_left_out_and_counted():
    table = source(x=["1", "", "3", "n/a"], y=["1", "2", "3", "4"], case=["", "a", "b", "c"])
    words = r"2 of 4 rows of a.csv have an empty cell, first line 3, column 'x': left out"
    with pytest.warns(MissingWarning, match=words):
        kept = without_missing(table, ["x", "y"])
    assert kept.rows["x"].tolist() == ["1", "3"]
    assert kept.place(kept.rows.index[1]) == "line 4 of a.csv"


def test_nothing_is_said_where_nothing_is_missing():
    table = source(x=["1", "2"], case=["", ""])
    assert without_missing(table, ["x"]) is table


def test_some_row_must_be_left():
    with pytest.raises(DataError, match=r"every row of a\.csv has an empty cell"):
        without_missing(source(x=["", "NaN"]), ["x"])
