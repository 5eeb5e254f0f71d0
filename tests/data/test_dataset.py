"""What is refused, what is accepted with a warning, and how it is said."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import mastgp
from mastgp import MAST, DataError
from mastgp.data.fidelities import fidelity_name, rank_fidelities
from support import COSTS


@pytest.fixture
def table(two_fidelities):
    X, y, labels, _ = two_fidelities
    return X.copy(), y.copy(), labels.copy()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "which of the fidelities 'coarse', 'fine' is the most expensive"),
        ({"costs": {"coarse": 1}}, "costs says nothing of fidelity 'fine'"),
        ({"costs": {"coarse": 1, "fine": 10, "lab": 99}}, "no rows of it"),
        ({"costs": {"coarse": 0, "fine": 10}}, "cost of fidelity 'coarse' is 0; .* above zero"),
        ({"costs": {"coarse": -1, "fine": 10}}, "above zero"),
        ({"costs": {"coarse": np.nan, "fine": 10}}, "above zero"),
        ({"costs": {"coarse": "cheap", "fine": 10}}, "'cheap', not a number"),
        ({"costs": {"coarse": 10, "fine": 10}}, "'coarse' costs as much as 'fine'"),
        ({"costs": {"coarse": 1, "fine": 10}, "order": ["fine", "coarse"]}, "order puts 'fine'"),
        ({"order": ["coarse"]}, "order says nothing of fidelity 'fine'"),
        ({"order": ["coarse", "coarse", "fine"]}, "names a fidelity twice"),
        ({"costs": COSTS, "exponents": {"fine": 1.0}}, "only the cheaper fidelities have one"),
        ({"costs": COSTS, "exponents": {"coarse": -1.0}}, "above zero"),
        ({"costs": COSTS, "noise_std": {"lab": 1.0}}, "noise_std names fidelity 'lab'"),
        ({"costs": COSTS, "noise_std": {"fine": -1.0}}, "noise_std is -1 in row 30"),
        ({"costs": COSTS, "bounds": [(0, 1)]}, "bounds has shape"),
        ({"costs": COSTS, "bounds": [(0, 1), (1, 0)]}, r"bounds of column 'x1' are \(1, 0\)"),
        ({"costs": COSTS, "bounds": [(0, 1), (0, 1e-6)]}, "outside the bounds .* widen"),
        ({"costs": COSTS, "bounds": {"span": (0, 1)}}, "bounds names column 'span'"),
        ({"costs": COSTS, "bounds": [("a", "b"), (0, 1)]}, "pair of numbers"),
        ({"costs": COSTS, "noise_std": {"fine": "little"}}, "'little', not a number"),
        ({"costs": COSTS, "noise_std": {"fine": np.nan}}, "nan, not a number"),
        ({"costs": COSTS, "noise_std": 0.1}, "noise_std must be a mapping"),
        ({"costs": [1, 10]}, "costs must be a mapping"),
        ({"costs": {1: 1, "1": 10}}, "cost of fidelity '1' is given twice"),
        ({"costs": COSTS, "weight": lambda d, alpha, r: np.nan * d}, "gave NaN"),
    ],
)
def test_options_that_cannot_be_used(table, options, words):
    X, y, labels = table
    with pytest.raises(DataError, match=words):
        MAST(**options).fit(X, y, fidelity=labels)


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


def test_lengths_must_agree(table):
    X, y, labels = table
    with pytest.raises(DataError, match="37 labels, but X has 38 rows"):
        MAST(COSTS).fit(X, y, fidelity=labels[1:])
    with pytest.raises(DataError, match="noise_std has 3 values"):
        MAST(COSTS).fit(X, y, fidelity=labels, noise_std=[1, 2, 3])


def test_noise_is_known_for_all_rows_of_a_fidelity_or_none(table):
    X, y, labels = table
    noise = np.full(len(y), np.nan)
    noise[0] = 0.1
    with pytest.raises(DataError, match="known for 1 of the 30 rows of fidelity 'coarse'"):
        MAST(COSTS).fit(X, y, fidelity=labels, noise_std=noise)


def test_missing_labels(table):
    X, y, _ = table
    with pytest.raises(DataError, match="label of row 0 is missing"):
        MAST(COSTS).fit(X, y, fidelity=[None] * len(y))


def test_without_expensive_points_there_is_nothing_to_predict(table):
    X, y, labels = table
    cheap = labels == "coarse"
    with pytest.raises(DataError, match="names fidelity 'fine', but there are no rows of it"):
        MAST(COSTS).fit(X[cheap], y[cheap], fidelity=labels[cheap])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "mapping of fidelity names"),
        ({"a": 3}, r"fidelity 'a': expected \(X, y\)"),
        ({"a": pd.DataFrame({"u": [1.0], "y": [2.0]})}, "inputs and target apart"),
        ({"a": (np.zeros(3), np.zeros(3))}, r"X.reshape\(-1, 1\)"),
        ({"a": (np.zeros((3, 1)), np.zeros(4))}, "X has 3 rows, but y has 4"),
        ({"a": (np.zeros((4, 1)), np.zeros((2, 2)))}, "X has 4 rows, but y has 2 x 2"),
        ({"a": (np.zeros((4, 1)), np.zeros(4), 0.1, 3)}, "got 4 things"),
        ({"a": (np.zeros((4, 1)), ["x"] * 4)}, "fidelity 'a': y cannot be read as numbers"),
        ({"a": (np.zeros((2, 1)), [1, 2], [0.1] * 3)}, "noise_std has 3 values, but y has 2"),
        ({"a": (np.zeros((2, 1)), [1, np.nan])}, "y contains NaN in row 1"),
        ({1: (np.zeros((2, 1)), [1, 2]), "1": (np.zeros((2, 1)), [1, 2])}, "both read as '1'"),
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
        mastgp.fit(data, costs={"a": 1, "b": 2})


def test_columns_of_dataframes_are_matched_by_name(table):
    X, y, labels = table
    frame = pd.DataFrame(X, columns=["u", "v"])
    cheap, top = labels == "coarse", labels == "fine"
    model = mastgp.fit(
        {"coarse": (frame[cheap], y[cheap]), "fine": (frame[top][["v", "u"]], y[top], 0.01)},
        costs=COSTS,
    )
    expected = MAST(COSTS, noise_std={"fine": 0.01}).fit(frame, y, fidelity=labels)
    np.testing.assert_array_equal(model.predict(frame), expected.predict(frame))


def sensible(model, X):
    mean, std = model.predict(X, return_std=True)
    assert np.isfinite(mean).all()
    assert np.isfinite(std).all()
    assert (std > 0).all()
    return mean, std


@pytest.mark.parametrize("n_top", [1, 2])
def test_few_expensive_points(table, n_top):
    X, y, labels = table
    keep = slice(0, 30 + n_top)
    with pytest.warns(mastgp.FewPointsWarning, match=f"only {n_top} point"):
        model = MAST(COSTS).fit(X[keep], y[keep], fidelity=labels[keep])
    _, std = sensible(model, X)
    assert std.max() > 0.02 * np.std(y)


def test_one_point_in_all():
    with pytest.warns(mastgp.MastWarning):
        model = MAST().fit([[1.0, 2.0]], [3.0])
    mean, _ = sensible(model, np.array([[1.0, 2.0]]))
    assert mean[0] == pytest.approx(3.0)


def test_repeated_points(table):
    X, y, labels = table
    same = np.vstack([X, X[:3]]), np.append(y, y[:3]), np.append(labels, labels[:3])
    sensible(MAST(COSTS).fit(*same[:2], fidelity=same[2]), X)  # the same value: no warning
    words = r"3 row\(s\) of fidelity .coarse.*row 0 and row 38"
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
        sensible(MAST(COSTS).fit(X, y, fidelity=labels), X)


def test_labels_of_any_kind(table):
    X, y, labels = table
    by_name = MAST(COSTS).fit(X, y, fidelity=labels).predict(X)
    for values in ({"coarse": 0, "fine": 1}, {"coarse": 0.0, "fine": 1.0}):
        coded = [values[label] for label in labels]
        costs = {0: 1.0, 1: 10.0}
        np.testing.assert_array_equal(MAST(costs).fit(X, y, fidelity=coded).predict(X), by_name)


@pytest.mark.parametrize("scale", [1e160, 1e-160])
def test_units_that_cannot_be_squared(table, scale):
    X, y, labels = table
    with pytest.raises(DataError, match="express them in another unit"):
        MAST(COSTS).fit(X, scale * y, fidelity=labels)


def test_absurdly_far_queries(table):
    X, y, labels = table
    model = MAST(COSTS).fit(X, y, fidelity=labels)
    far = np.array([[1e200, -1e300], [0.5, 1e155]])
    with pytest.warns(mastgp.ExtrapolationWarning):
        mean, cov = model.predict(far, return_cov=True)
    assert np.isfinite(mean).all()
    assert np.isfinite(cov).all()
    with pytest.warns(mastgp.ExtrapolationWarning):
        assert np.isfinite(model.sample_y(far)).all()


def test_a_fit_that_fails_leaves_no_model(table):
    X, y, labels = table
    model = MAST(COSTS).fit(X, y, fidelity=labels)
    with pytest.raises(DataError, match="unknown metric"):
        model.set_params(metric="nonsense").fit(2 * X, 3 * y, fidelity=labels)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_cells_of_dataframes_are_located(table):
    X, y, labels = table
    frame = pd.DataFrame(X, columns=["u", "v"], index=[f"run {i}" for i in range(len(X))])
    frame["u"] = frame["u"].astype(object)
    frame.iloc[3, 0] = "broken"
    with pytest.raises(DataError, match="column 'u' of X holds 'broken' in run 3, not a number"):
        MAST(COSTS).fit(frame, y, fidelity=labels)
    series = pd.Series(y)
    series[31] = np.nan
    with pytest.raises(DataError, match="NaN in row 31 of fidelity 'fine'"):
        MAST(COSTS).fit(X, series, fidelity=labels)
    with pytest.raises(DataError, match="column 'u' twice"):
        MAST(COSTS).fit(pd.DataFrame(X, columns=["u", "u"]), y, fidelity=labels)
    with pytest.raises(DataError, match="y holds 'bad' in row 0"):
        MAST(COSTS).fit(X, ["bad", *y[1:]], fidelity=labels)


def test_names_of_inputs_never_hide_results(table):
    X, y, labels = table
    model = MAST(COSTS).fit(pd.DataFrame(X, columns=["trust", "y"]), y, fidelity=labels)
    columns = list(model.augmented_.columns)
    assert columns[:4] == ["fidelity", "trust (input)", "y (input)", "y"]
    assert len(set(columns)) == len(columns)


def test_swapped_costs_are_noticed(table):
    X, y, labels = table
    with pytest.warns(mastgp.CostWarning, match="wrong way round"):
        MAST({"coarse": 10, "fine": 1}).fit(X, y, fidelity=labels)


def test_forgotten_labels(table):
    X, y, _ = table
    with pytest.raises(DataError, match=r"pass fit\(X, y, fidelity=labels\)"):
        MAST(COSTS).fit(X, y)


def test_names_and_ranks():
    assert fidelity_name(np.int64(3)) == "3"
    assert fidelity_name(0.5) == "0.5"
    assert fidelity_name(True) == "True"
    assert fidelity_name(2**53 + 1) == str(2**53 + 1)
    for nothing in (None, np.nan, pd.NA, pd.NaT):
        with pytest.raises(DataError, match="missing"):
            fidelity_name(nothing)
    ranked = rank_fidelities(["b", "a", "c"], exponents={"a": 1.0, "b": 0.3})
    assert ranked.names == ("a", "b", "c")
    assert ranked.exponents == {"a": 1.0, "b": 0.3}
    assert rank_fidelities(["only"]).names == ("only",)
    given = rank_fidelities(["a", "b"], costs={"a": 1, "b": 1000}, exponents={"a": 0.1})
    assert given.exponents == {"a": 0.1}
