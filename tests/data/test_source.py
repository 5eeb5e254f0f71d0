"""Tables as they were read: names, blank rows, units."""

from __future__ import annotations

import pandas as pd
import pytest

from mastgp import DataError
from mastgp.data.source import Source, checked_names, text_source


def test_names_are_in_one_line():
    assert checked_names(["mach\nnumber", "  a  b "], "a.csv") == ["mach number", "a b"]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["x", "y", "x"], "a.csv has column 'x' twice"),
        (["x", "a\x1b[31m"], r"column 2 has control characters in its name, 'a\\x1b\[31m'"),
        (["x" * 200_000], "column 1 has a name of 200000 characters"),
    ],
    ids=["twice", "control", "long"],
)
def test_what_is_no_name(names, words):
    with pytest.raises(DataError, match=words):
        checked_names(names, "a.csv")


def source(names, rows):
    table = pd.DataFrame(rows, columns=range(len(names)), dtype=str)
    return text_source(names, table, "a.csv", first=2, unit="line")


def test_units_are_kept_apart():
    read = source(["x", "y", "case"], [["m", "[deg]", ""], ["1", "2", "A"]])
    assert read.units == {"x": "m", "y": "deg"}
    assert read.rows.to_numpy().tolist() == [["1", "2", "A"]]
    assert read.place(read.rows.index[0]) == "line 3 of a.csv"


def test_labels_that_look_like_units_are_labels():
    read = source(["tool", "blades"], [["A2", "1"], ["B3", "2"], ["C4", "1"]])
    assert read.units == {}
    assert len(read.rows) == 3
    assert len(source(["c0"], [["W0"], ["00"]]).rows) == 2
    failed = source(["x", "y"], [["m", "kg/m3"], ["0,5", "failed"], ["", "2"]])
    assert failed.units == {"x": "m", "y": "kg/m3"}


def test_a_lone_row_is_no_row_of_units():
    assert source(["case"], [["m"]]).rows.to_numpy().tolist() == [["m"]]


def test_some_of_the_rows():
    whole = Source("a.csv", pd.DataFrame({"x": ["1", "2"]}), first=2, unit="line")
    part = whole.with_rows(whole.rows[1:])
    assert [part.place(label) for label in part.rows.index] == ["line 3 of a.csv"]
