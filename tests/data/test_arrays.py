"""Arrays and frames as users have them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mastgp import MAST, DataError, Dataset
from mastgp.data.arrays import Places, Table, as_arrays, checked_rows, names_of_rows
from mastgp.data.rows import Options
from support import COSTS


@pytest.fixture
def table(two_fidelities):
    X, y, labels, _ = two_fidelities
    return X.copy(), y.copy(), labels.copy()


def rows(*args, **options):
    return checked_rows(Table.of(*args), Options(**options))


def test_what_has_no_names_gets_some():
    checked = rows([[1, 2], [3, 4]], [5, 6])
    assert checked.names.tolist() == ["data", "data"]
    assert checked.feature_names == ("x0", "x1")
    assert not checked.feature_names_given
    assert checked.target_name is None
    assert checked.X.dtype == checked.y.dtype == float


def test_names_of_pandas_objects_are_kept():
    frame = pd.DataFrame({"u": [1, 2], "v": [3.0, 4.0]})
    checked = rows(frame, pd.Series([5, 6], name="drag"), ["a", "b"])
    assert checked.feature_names == ("u", "v")
    assert checked.feature_names_given
    assert checked.target_name == "drag"
    numbered = rows(pd.DataFrame([[1.0, 2.0]]), [3.0])
    assert numbered.feature_names == ("x0", "x1")
    assert not numbered.feature_names_given
    with pytest.raises(DataError, match="some columns of X have text as names"):
        rows(pd.DataFrame({"u": [1.0], 2: [1.0]}), [3.0])


def test_labels_of_any_kind():
    assert names_of_rows([0, 1, 1.0], 3).tolist() == ["0", "1", "1"]
    assert names_of_rows(pd.Series(["a", "b"], index=[7, 8]), 2).tolist() == ["a", "b"]
    assert names_of_rows(pd.Categorical(["a", "b"]), 2).tolist() == ["a", "b"]
    with pytest.raises(DataError, match="both read as '1'"):
        names_of_rows([1, "1"], 2)
    for nothing in (None, np.nan, pd.NA):
        with pytest.raises(DataError, match="label of row 1 is missing"):
            names_of_rows(["a", nothing], 2)
    with pytest.raises(DataError, match="3 labels, but X has 2 rows"):
        names_of_rows(["abc"] * 3, 2)


def test_labels_of_any_kind_give_the_same_data(table):
    X, y, labels = table
    named = Dataset.from_arrays(X, y, labels, costs=COSTS)
    for codes in ({"coarse": 0, "fine": 1}, {"coarse": 0.0, "fine": 1.0}):
        coded = [codes[label] for label in labels]
        data = Dataset.from_arrays(X, y, coded, costs={0: 1.0, 1: 10.0})
        for one, other in zip(data.fidelities, named.fidelities, strict=True):
            np.testing.assert_array_equal(one.rows, other.rows)


def test_forgotten_labels(table):
    X, y, _ = table
    for make in (
        lambda: MAST(COSTS).fit(X, y),
        lambda: Dataset.from_arrays(X, y, order=["coarse", "fine"]),
    ):
        with pytest.raises(DataError, match="pass fidelity=labels, one for each row"):
            make()


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (np.zeros(3), np.zeros(3), "Expected 2D array"),
        (np.zeros((3, 1)), np.zeros(4), "inconsistent numbers of samples"),
        (np.zeros((0, 1)), np.zeros(0), "minimum of 1 is required"),
        (np.zeros((2, 1)), np.array([1j, 2j]), "Complex data not supported"),
        (np.zeros((2, 1)), np.zeros((2, 2)), "should be a 1d array"),
        ([["a"], ["b"]], [1, 2], "could not convert string to float"),
        ([[1], [2]], None, "target y is None"),
    ],
)
def test_arrays_that_are_no_tables(X, y, words):
    with pytest.raises(DataError, match=words):
        as_arrays(X, y)


def test_cells_of_dataframes_are_located(table):
    X, y, labels = table
    frame = pd.DataFrame(X, columns=["u", "v"], index=[f"run {i}" for i in range(len(X))])
    frame["u"] = frame["u"].astype(object)
    frame.iloc[3, 0] = "broken"
    with pytest.raises(DataError, match="column 'u' of X holds 'broken' in run 3, not a number"):
        rows(frame, y, labels)
    series = pd.Series(y)
    series[31] = np.nan
    with pytest.raises(DataError, match="NaN in row 31 of fidelity 'fine'"):
        rows(X, series, labels)
    with pytest.raises(DataError, match="column 'u' twice"):
        rows(pd.DataFrame(X, columns=["u", "u"]), y, labels)
    with pytest.raises(DataError, match="y holds 'bad' in row 0"):
        rows(X, ["bad", *y[1:]], labels)


def test_noise_of_rows_is_numbers():
    np.testing.assert_array_equal(
        rows([[1], [2]], [3, 4], None, [[0.1], [0.2]]).noise_std, [0.1, 0.2]
    )
    with pytest.raises(DataError, match="one number per row"):
        rows([[1], [2]], [3, 4], None, ["little", 0.1])


def test_places_are_row_numbers_or_what_the_index_says():
    assert list(Places([[1], [2]])) == ["row 0", "row 1"]
    assert list(Places(pd.DataFrame({"u": [1, 2]}, index=[7, 9]))) == ["row 7", "row 9"]
    named = pd.DataFrame({"u": [1]}, index=["line 7 of a.csv"])
    assert list(Places(named)) == ["line 7 of a.csv"]
    assert len(Places(3.0)) == 0
    with pytest.raises(IndexError):
        Places(np.zeros((2, 1)))[2]


ODD = pd.Index(["a", "b\ud800"], dtype=object)
X, Y = np.arange(8.0).reshape(4, 2), np.arange(4.0)


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (np.ma.masked_greater(X, 6), Y, r"X has masked values; .*\.filled"),
        (X, np.ma.masked_greater(Y, 2), "y has masked values"),
        (X.astype("datetime64[s]"), Y, "X holds dates or times"),
        (X, Y.astype("timedelta64[s]"), "y holds dates or times"),
        (X + 1j, Y, "Complex data not supported: X is complex"),
        (X, Y + 1j, "Complex data not supported: y is complex"),
        ([[10**400, 1], [2, 3]], [1.0, 2.0], "too large"),
        ([[1, 2], [3, 4]], [10**400, 1], r"y holds '1000.*' in row 0"),
        (
            pd.DataFrame(X, columns=ODD),
            Y,
            r"the name 'b\\ud800' is no text in Unicode",
        ),
        (pd.DataFrame({"a": pd.to_datetime(["2026-01-01"] * 4)}), Y, "holds '2026-01-01 00:00:00'"),
    ],
)
def test_what_only_looks_like_numbers_is_refused(X, y, words):
    for fit in (MAST().fit, Dataset.from_arrays):
        with pytest.raises(DataError, match=words):
            fit(X, y)
    with pytest.raises(DataError):
        Dataset.from_tables({"a": (X, y)})


@pytest.mark.parametrize(
    ("queries", "words"),
    [
        (np.ma.masked_greater(X, 6), "X has masked values"),
        (X.astype("datetime64[s]"), "X holds dates or times"),
        (X + 1j, "Complex data not supported"),
        ([[10**400, 1]], "X cannot be read as numbers: .*too large"),
    ],
)
def test_queries_that_only_look_like_numbers_are_refused(queries, words):
    model = MAST().fit(np.vstack([X, X + 8.0]), np.append(Y, Y + 4.0))
    with pytest.raises(DataError, match=words):
        model.predict(queries)


def test_masks_that_hide_nothing_are_no_matter():
    table = np.vstack([X, X + 8.0])
    data = Dataset.from_arrays(np.ma.masked_array(table), np.ma.masked_array(np.arange(8.0)))
    np.testing.assert_array_equal(data.top.X, table)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([{"a": 1}] * 4, "label of row 0 is .*use names or numbers"),
        ([["a"], ["a"], ["b"], ["b", "c"]], "label of row 0 is"),
        (["\udcff"] * 4, r"the name '\\udcff' is no text in Unicode"),
    ],
)
def test_labels_that_cannot_be_names(labels, words):
    with pytest.raises(DataError, match=words):
        Dataset.from_arrays(X, Y, labels)
