"""Rows of a file by fidelity."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mastgp import DataError
from mastgp.data.columns import Roles
from mastgp.data.parts import Inputs, RowPlaces, parts_of
from mastgp.data.source import Source

ROWS = pd.DataFrame({"x": ["1", "2", "3"], "m": ["a", "b", "a"], "y": ["4", "5", ""], "z": "7"})
SOURCE = Source("a.csv", ROWS, first=2, unit="line")


def test_rows_have_inputs_targets_labels_and_places():
    source = SOURCE.with_rows(ROWS.iloc[:2])
    (part,) = parts_of(source, "coarse", Roles("y"), Inputs(["x", "m"], ["m"]))
    assert part.X["x"].tolist() == [1.0, 2.0]
    assert part.X["m"].tolist() == ["a", "b"]
    assert part.y.tolist() == [4.0, 5.0]
    assert part.labels == ["coarse"] * 2
    assert part.places == list(part.lazy_places) == ["line 2 of a.csv", "line 3 of a.csv"]
    later = part.subset(np.array([False, True]))
    assert later.places == list(later.lazy_places) == ["line 3 of a.csv"]


def test_every_fidelity_may_have_a_column_of_results():
    parts = list(parts_of(SOURCE, "", Roles({"low": "y", "high": "z"}), Inputs(["x"])))
    assert [(part.labels, part.y.tolist()) for part in parts] == [
        (["low"] * 2, [4.0, 5.0]),
        (["high"] * 3, [7.0] * 3),
    ]


def test_a_missing_value_is_named():
    with pytest.raises(DataError, match=r"line 4 of a.csv, column 'y': the value is missing"):
        list(parts_of(SOURCE, "coarse", Roles("y"), Inputs(["x"])))


def test_places_end_where_the_rows_do():
    places = RowPlaces(["a.csv"], ["row"], [1])
    assert len(places) == 1
    with pytest.raises(IndexError):
        places[1]
