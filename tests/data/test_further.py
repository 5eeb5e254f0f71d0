"""Further rows: at the end of their fidelity, numbered on, refused where they do not fit."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp import DataError, Dataset
from mastgp.data.further import extended, further_rows

COSTS = {"coarse": 1, "fine": 10}


@pytest.fixture
def data(two_fidelities):
    X, y, labels, _ = two_fidelities
    return Dataset.from_arrays(X, y, labels, costs=COSTS)


def test_rows_come_last_and_other_fidelities_are_the_same_objects(data):
    grown = extended(data, further_rows(data, np.array([[0.1, 0.2]]), [3.0], ["fine"]))
    assert grown.fidelities[0] is data.fidelities[0]
    assert grown.top.y[-1] == 3.0
    assert grown.top.rows[-1] == 38
    np.testing.assert_array_equal(grown.top.X[:-1], data.top.X)
    assert grown.box is data.box


def test_one_label_serves_all_rows(data):
    found = further_rows(data, np.zeros((2, 2)), [1.0, 2.0], "coarse")
    assert list(found) == ["coarse"]
    assert found["coarse"].y.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("y", "fidelity", "message"),
    [
        ([1.0], ["medium"], "unknown fidelity 'medium'"),
        ([1.0], None, "several fidelities"),
        ([np.nan], ["fine"], "y"),
        ([1.0, 2.0], ["fine"], "1 rows"),
        (["a"], ["fine"], "numbers"),
        ([10**400], ["fine"], "numbers"),
        ([-1e300], ["fine"], "beyond what double precision can square"),
    ],
)
def test_what_does_not_fit_is_refused(data, y, fidelity, message):
    with pytest.raises(DataError, match=message):
        further_rows(data, np.zeros((1, 2)), y, fidelity)


@pytest.mark.parametrize("noise_std", [[-1.0], [np.inf], ["a"], [0.1, 0.2], [10**400]])
def test_noise_that_is_none_is_refused(data, noise_std):
    with pytest.raises(DataError, match="noise_std"):
        further_rows(data, np.zeros((1, 2)), [1.0], ["fine"], noise_std)


def test_known_noise_is_that_of_earlier_rows_or_has_to_be_given(two_fidelities):
    X, y, labels, _ = two_fidelities
    one = Dataset.from_arrays(X, y, labels, costs=COSTS, noise_std={"fine": 0.1})
    found = further_rows(one, X[:1], [1.0], ["fine"])
    np.testing.assert_allclose(found["fine"].noise_var, [0.01])
    rows = np.where(labels == "fine", np.linspace(0.1, 0.2, len(y)), np.nan)
    each = Dataset.from_arrays(X, y, labels, rows, costs=COSTS)
    with pytest.raises(DataError, match="row by row"):
        further_rows(each, X[:1], [1.0], ["fine"])
    given = further_rows(each, X[:1], [1.0], ["fine"], [0.5])
    np.testing.assert_allclose(given["fine"].noise_var, [0.25])
    with pytest.raises(DataError, match="learned"):
        further_rows(one, X[:1], [1.0], ["coarse"], [0.5])
