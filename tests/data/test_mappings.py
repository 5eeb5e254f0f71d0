"""One table per fidelity."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mastgp
from mastgp import MAST, DataError
from mastgp.data.mappings import stacked
from support import COSTS

X2 = np.zeros((2, 1))


def test_tables_are_put_on_top_of_each_other():
    table = stacked({"a": ([[1.0], [2.0]], [[3.0], [4.0]]), "b": ([[5.0]], [6.0], 0.1)})
    np.testing.assert_array_equal(table.X, [[1.0], [2.0], [5.0]])
    np.testing.assert_array_equal(table.y, [3.0, 4.0, 6.0])
    np.testing.assert_array_equal(table.noise_std, [np.nan, np.nan, 0.1])
    assert table.fidelity == ["a", "a", "b"]
    assert list(table.places) == ["row 0", "row 1", "row 0"]


def test_noise_of_nobody_is_none():
    assert stacked({"a": (X2, [1, 2])}).noise_std is None


def test_the_target_has_a_name_if_all_tables_agree():
    drag, lift = (pd.Series([1.0, 2.0], name=name) for name in ("drag", "lift"))
    assert stacked({"a": (X2, drag), "b": (X2, drag)}).target_name == "drag"
    assert stacked({"a": (X2, drag), "b": (X2, lift)}).target_name is None
    assert stacked({"a": (X2, drag), "b": (X2, [1, 2])}).target_name is None


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "mapping of fidelity names"),
        ([X2], "mapping of fidelity names"),
        ({"a": 3}, r"fidelity 'a': expected \(X, y\)"),
        ({"a": (X2,)}, "got 1 things"),
        ({"a": pd.DataFrame({"u": [1.0], "y": [2.0]})}, "inputs and target apart"),
        ({"a": (np.zeros(3), np.zeros(3))}, r"X.reshape\(-1, 1\)"),
        ({"a": (np.zeros((3, 1)), np.zeros(4))}, "X has 3 rows, but y has 4"),
        ({"a": (np.zeros((4, 1)), np.zeros((2, 2)))}, "X has 4 rows, but y has 2 x 2"),
        ({"a": (np.zeros((4, 1)), np.zeros(4), 0.1, 3)}, "got 4 things"),
        ({"a": (np.zeros((4, 1)), ["x"] * 4)}, "fidelity 'a': y cannot be read as numbers"),
        ({"a": (X2, [1, 2], [0.1] * 3)}, "noise_std has 3 values, but y has 2"),
        ({"a": (X2, [1, np.nan])}, "y contains NaN in row 1"),
        ({1: (X2, [1, 2]), "1": (X2, [1, 2])}, "both read as '1'"),
        ({"a": (np.zeros((3, 1)), np.zeros(3)), "b": (np.zeros((3, 2)), np.zeros(3))}, "2 inputs"),
        (
            {
                "a": (pd.DataFrame({"u": [1.0]}), [1.0]),
                "b": (pd.DataFrame({"v": [1.0]}), [1.0]),
            },
            "differ in column 'u', 'v'",
        ),
        (
            {"a": (pd.DataFrame({"u": [1.0]}), [1.0]), "b": (np.zeros((1, 1)), [1.0])},
            "use one kind",
        ),
    ],
)
def test_mappings_that_cannot_be_used(data, words):
    with pytest.raises(DataError, match=words):
        mastgp.Dataset.from_tables(data, costs={"a": 1, "b": 2})
    with pytest.raises(DataError, match=words):
        mastgp.fit(data, costs={"a": 1, "b": 2})


def test_columns_of_dataframes_are_matched_by_name(two_fidelities):
    X, y, labels, _ = two_fidelities
    frame = pd.DataFrame(X, columns=["u", "v"])
    cheap, top = labels == "coarse", labels == "fine"
    model = mastgp.fit(
        {"coarse": (frame[cheap], y[cheap]), "fine": (frame[top][["v", "u"]], y[top], 0.01)},
        costs=COSTS,
        method="mast",
    )
    expected = MAST(COSTS, noise_std={"fine": 0.01}).fit(frame, y, fidelity=labels)
    np.testing.assert_array_equal(model.predict(frame), expected.predict(frame))
