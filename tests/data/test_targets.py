from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mastgp import MAST, DataError, Dataset, MissingWarning
from mastgp.data.arrays import Table
from mastgp.data.mappings import stacked
from mastgp.data.tables import training_table
from mastgp.data.targets import check_no_unit, has_several, names_of, split
from mastgp.models import SeveralTargets

X = np.arange(8.0).reshape(4, 2)
Y = np.array([[1.0, 10.0], [2.0, np.nan], [np.nan, 30.0], [4.0, 40.0]])


@pytest.mark.parametrize(
    ("y", "several"),
    [
        (np.zeros(3), False),
        (np.zeros((3, 1)), False),
        (np.zeros((3, 2)), True),
        ([[1, 2], [3, 4]], True),
        ([1, 2], False),
        (pd.Series([1.0]), False),
        (pd.DataFrame({"a": [1.0], "b": [2.0]}), True),
    ],
)
def test_several_columns_are_several_targets(y, several):
    assert has_several(y) is several


def test_targets_have_the_names_of_their_columns():
    assert names_of(pd.DataFrame({"cl": [1.0], "cd": [2.0]})) == ["cl", "cd"]
    with pytest.raises(DataError, match="target 'cl' is there twice"):
        names_of(pd.DataFrame([[1.0, 2.0]], columns=["cl", "cl"]))


def test_each_target_keeps_the_rows_that_have_it():
    labels = ["a", "a", "b", "b"]
    with pytest.warns(MissingWarning) as caught:
        tables = split(Table.of(X, Y, labels))
    assert [str(w.message) for w in caught] == [
        "1 of 4 rows has no value of 'y0', first row 2 of fidelity 'b': used for the other targets "
        "only",
        "1 of 4 rows has no value of 'y1', first row 1 of fidelity 'a': used for the other targets "
        "only",
    ]
    first, second = tables["y0"], tables["y1"]
    np.testing.assert_array_equal(first.X, X[[0, 1, 3]])
    np.testing.assert_array_equal(first.y, [1.0, 2.0, 4.0])
    assert first.fidelity == ["a", "a", "b"]
    np.testing.assert_array_equal(second.y, [10.0, 30.0, 40.0])
    assert list(second.places) == ["row 0", "row 2", "row 3"]
    assert second.target_name == "y1"


def test_a_target_without_gaps_has_the_very_table():
    table = Table.of(X, np.zeros((4, 2)))
    assert split(table)["y1"].X is table.X


def test_a_row_without_any_value_is_left_for_the_check_of_rows():
    tables = split(Table.of(X[:2], [[1.0, 2.0], [np.nan, np.nan]]))
    assert all(len(table.y) == 2 for table in tables.values())
    with pytest.raises(DataError, match=r"NaN in row 1"):
        SeveralTargets(MAST()).fit(X[:2], [[1.0, 2.0], [np.nan, np.nan]])


def test_noise_has_a_column_for_each_target_or_is_zero():
    Y = np.ones((4, 2))
    two = split(Table.of(X, Y, None, np.column_stack([np.full(4, 0.1), np.full(4, 0.2)])))
    np.testing.assert_array_equal(two["y1"].noise_std, np.full(4, 0.2))
    none = split(Table.of(X, Y, None, np.zeros(4)))
    np.testing.assert_array_equal(none["y0"].noise_std, np.zeros(4))
    with pytest.raises(DataError, match="in the unit of one target"):
        split(Table.of(X, Y, None, np.full(4, 0.1)))
    with pytest.raises(DataError, match="one number per row"):
        split(Table.of(X, Y, None, ["much"] * 4))
    check_no_unit({"fine": 0.0})
    with pytest.raises(DataError, match="in the unit of one target"):
        check_no_unit({"fine": 0.1})


def test_what_cannot_be_split_is_refused():
    with pytest.raises(DataError, match="X has 4 rows, but y has 2"):
        split(Table.of(X, Y[:2]))
    with pytest.raises(DataError, match="no row has a value of target 'y1'"):
        split(Table.of(X, np.column_stack([np.ones(4), np.full(4, np.nan)])))


def test_frames_of_targets_are_matched_by_name():
    one = pd.DataFrame({"cl": [1.0, 2.0], "cd": [3.0, 4.0]})
    table = stacked({"a": (X[:2], one), "b": (X[2:], one[["cd", "cl"]])})
    assert list(table.y.columns) == ["cl", "cd"]
    assert table.y.cl.tolist() == [1.0, 2.0, 1.0, 2.0]
    assert table.fidelity == ["a", "a", "b", "b"]
    with pytest.raises(DataError, match="differ in column 'c', 'cd'"):
        stacked({"a": (X[:2], one), "b": (X[2:], one.rename(columns={"cd": "c"}))})
    with pytest.raises(DataError, match="y is a DataFrame for some fidelities"):
        stacked({"a": (X[:2], one), "b": (X[2:], one.to_numpy())})
    with pytest.raises(DataError, match="several columns for some fidelities and one for others"):
        stacked({"a": (X[:2], one), "b": (X[2:], one.cl)})
    with pytest.raises(DataError, match="has 3 targets, but 'a' has 2"):
        stacked({"a": (X[:2], one.to_numpy()), "b": (X[2:], np.ones((2, 3)))})


def test_files_have_several_targets(tmp_path):
    path = tmp_path / "cfd.csv"
    path.write_text("mach,cl,cd\n0.5,0.1,0.02\n0.6,0.2,\n0.7,,0.04\n")
    table = training_table([str(path)], ["cl", "cd"])
    assert list(table.X.columns) == ["mach"]
    with pytest.warns(MissingWarning) as caught:
        tables = split(table)
    assert f"first line 4 of {path} of fidelity 'cfd'" in str(caught[0].message)
    assert tables["cd"].y.tolist() == [0.02, 0.04]
    with pytest.raises(DataError, match=r"a data set has one target, and here are 'cl', 'cd'"):
        Dataset.from_files([path], ["cl", "cd"])


def test_rows_without_any_target_are_refused_or_skipped(tmp_path):
    path = tmp_path / "cfd.csv"
    path.write_text("mach,cl,cd\n0.5,0.1,0.02\n0.6,,\n0.7,,0.04\n")
    with pytest.raises(DataError, match=r"line 3 of .*cfd.csv, column 'cl': the value is missing"):
        training_table([str(path)], ["cl", "cd"])
    with pytest.warns(MissingWarning, match=r"1 of 3 rows of .*cfd.csv has an empty cell"):
        table = training_table([str(path)], ["cl", "cd"], skip_missing=True)
    assert len(table.y) == 2


def test_a_wrong_cell_of_any_target_is_named(tmp_path):
    path = tmp_path / "cfd.csv"
    path.write_text("mach,cl,cd\n0.5,0.1,0.02\n0.6,0.2,two\n")
    with pytest.raises(DataError, match=r"line 3 of .*cfd.csv, column 'cd': 'two' is not a number"):
        training_table([str(path)], ["cl", "cd"])
    with pytest.raises(DataError, match="column 'cl' is named twice"):
        training_table([str(path)], ["cl", "cl"])
    with pytest.raises(DataError, match="has no column 'cm'"):
        training_table([str(path)], ["cl", "cm"])
