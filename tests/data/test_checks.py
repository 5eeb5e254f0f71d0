"""What is refused, what is accepted with a warning, and how it is said."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import mastgp
from mastgp import MAST, DataError, Dataset
from mastgp.data.places import SAME_PLACE
from support import COSTS


@pytest.fixture
def table(two_fidelities):
    X, y, labels, _ = two_fidelities
    return X.copy(), y.copy(), labels.copy()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_numbers_are_located(table, value):
    X, y, labels = table
    X[33, 1] = value
    with pytest.raises(DataError, match=r"row 33, column 'x1' of fidelity 'fine'"):
        MAST(COSTS).fit(X, y, fidelity=labels)
    X[33, 1] = 0.5
    y[7] = value
    with pytest.raises(DataError, match=r"y contains .* in row 7"):
        MAST(COSTS).fit(X, y, fidelity=labels)


def test_queries_are_checked_too(table):
    X, y, labels = table
    model = MAST(COSTS).fit(X, y, fidelity=labels)
    with pytest.raises(DataError, match="NaN in row 0, column 'x1'"):
        model.predict([[0.5, np.nan]])


@pytest.mark.parametrize("scale", [1e160, 1e-160])
def test_units_that_cannot_be_squared(table, scale):
    X, y, labels = table
    with pytest.raises(DataError, match="express them in another unit"):
        MAST(COSTS).fit(X, scale * y, fidelity=labels)


def test_inputs_outside_the_bounds_are_located(table):
    X, y, labels = table
    X[31, 1] = 2.0
    words = r"column 'x1' is 2 in row 31 of fidelity 'fine', outside the bounds \(0, 1\); widen"
    with pytest.raises(DataError, match=words):
        Dataset.from_arrays(X, y, labels, costs=COSTS, bounds=[(0, 1), (0, 1)])


def sensible(model, X):
    mean, std = model.predict(X, return_std=True)
    assert np.isfinite(mean).all()
    assert np.isfinite(std).all()
    assert (std > 0).all()
    return mean, std


@pytest.mark.parametrize("n_top", [1, 2, 3, 4])
def test_few_expensive_points(table, n_top):
    X, y, labels = table
    keep = slice(0, 30 + n_top)
    with pytest.warns(mastgp.FewPointsWarning, match=f"only {n_top} point"):
        model = MAST(COSTS).fit(X[keep], y[keep], fidelity=labels[keep])
    _, std = sensible(model, X)
    assert std.max() > 0.02 * np.std(y)


def test_five_expensive_points_are_no_longer_few(table):
    X, y, labels = table
    Dataset.from_arrays(X[:35], y[:35], labels[:35], costs=COSTS)
    with pytest.warns(mastgp.FewPointsWarning, match="do not rely on the intervals; 5 or more"):
        Dataset.from_arrays(X[:34], y[:34], labels[:34], costs=COSTS)


def test_one_point_in_all():
    with pytest.warns(mastgp.MastWarning):
        model = MAST().fit([[1.0, 2.0]], [3.0])
    mean, _ = sensible(model, np.array([[1.0, 2.0]]))
    assert mean[0] == pytest.approx(3.0)


def test_repeated_points(table):
    X, y, labels = table
    same = np.vstack([X, X[:3]]), np.append(y, y[:3]), np.append(labels, labels[:3])
    sensible(MAST(COSTS).fit(*same[:2], fidelity=same[2]), X)  # the same value: no warning
    words = r"3 rows of fidelity .coarse.*row 0 and row 38"
    with pytest.warns(mastgp.DuplicateWarning, match=words):
        model = MAST(COSTS).fit(same[0], np.append(y, y[:3] + 1.0), fidelity=same[2])
    sensible(model, X)


def test_all_points_the_same():
    with pytest.warns(mastgp.MastWarning):
        model = MAST().fit(np.ones((10, 2)), np.arange(10.0))
    mean, _ = sensible(model, np.ones((1, 2)))
    assert mean[0] == pytest.approx(4.5, abs=0.5)


@pytest.mark.parametrize("value", [0.0, 5.0, -3e-12, 7e12])
def test_constant_target(table, value):
    X, _, labels = table
    with pytest.warns(
        mastgp.ConstantTargetWarning, match="the target of fidelity '(fine|coarse)' is"
    ):
        model = MAST(COSTS).fit(X, np.full(len(X), value), fidelity=labels)
    mean, _ = sensible(model, X)
    np.testing.assert_allclose(mean, value, rtol=1e-6, atol=1e-12)


def test_constant_input(table):
    X, y, labels = table
    wider = np.column_stack([X, np.full(len(X), 7.0)])
    with pytest.warns(mastgp.ConstantInputWarning, match="input 'x2' never varies"):
        model = MAST(COSTS).fit(wider, y, fidelity=labels)
    sensible(model, wider)
    moved = wider.copy()
    moved[:, 2] = 7.3
    np.testing.assert_array_equal(model.predict(moved), model.predict(wider))


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_extreme_units(table, scale):
    X, y, labels = table
    plain = MAST(COSTS).fit(X, y, fidelity=labels)
    scaled = MAST(COSTS).fit(X, scale * y, fidelity=labels)
    sensible(scaled, X)
    np.testing.assert_allclose(scaled.predict(X), scale * plain.predict(X), rtol=1e-3)


def test_many_inputs(rng):
    X = rng.random((60, 55))
    labels = np.repeat(["coarse", "fine"], [45, 15])
    y = X[:, 0] + 0.1 * X[:, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", mastgp.FewPointsWarning)
        sensible(MAST(COSTS).fit(X, y, fidelity=labels), X)


def test_swapped_costs_are_noticed(table):
    X, y, labels = table
    with pytest.warns(mastgp.CostWarning, match="wrong way round"):
        MAST({"coarse": 10, "fine": 1}).fit(X, y, fidelity=labels)


def test_rows_at_nearly_one_place_are_repeats(table):
    """The first input sorts other rows between the two; they are a repeat all the same."""
    X, y, labels = table
    near = X[3] + [0.3 * SAME_PLACE, -0.3 * SAME_PLACE]
    between = [X[3, 0] + 0.1 * SAME_PLACE, 1.0 - X[3, 1]]
    X, labels = np.vstack([X, near, between]), np.append(labels, ["coarse"] * 2)
    with pytest.warns(mastgp.DuplicateWarning, match=r"1 row .* repeats .* first row 3 and row 38"):
        Dataset.from_arrays(X, np.append(y, [y[3] + 1.0, 0.0]), labels, costs=COSTS)


def test_repeats_are_counted_in_each_place(table):
    X, y, labels = table
    X[10], X[20], X[11] = X[0], X[0], X[1]
    with pytest.warns(mastgp.DuplicateWarning, match=r"^3 rows of fidelity 'coarse' repeat the"):
        Dataset.from_arrays(X, y, labels, costs=COSTS)


@pytest.mark.parametrize("end", [1.2e308, 1.7e308])
def test_ranges_beyond_double_precision(end):
    X = np.array([[-end, 0.0], [end, 1.0], [0.0, 2.0]])
    with pytest.raises(mastgp.DataError, match=r"column 'x0' goes from -1\..*beyond what double"):
        MAST().fit(X, np.arange(3.0))
    with pytest.raises(mastgp.DataError, match="another unit"):
        MAST(bounds=[(-end, end), (0, 5)]).fit(X / 1e308, np.arange(3.0))
