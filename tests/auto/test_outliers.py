from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mastgp
from mastgp import AutoSurrogate, DataError, Dataset, OutlierWarning
from mastgp.auto.outliers import without_outliers
from mastgp.bench.experiments import experiment, find_problem
from mastgp.data.copies import without_copies
from mastgp.errors import silenced
from mixed import mixed_dataset

ORDER = ["cheap", "dear"]


def table(rng, bad=(), value=9999.0, n=60):
    """Inputs, targets and labels of two fidelities, some of the cheap rows being no results."""
    X = rng.random((n + 10, 2))
    y = np.sin(4 * X[:, 0]) + X[:, 1]
    y[list(bad)] = value
    return X, y, np.array(["cheap"] * n + ["dear"] * 10)


@pytest.mark.parametrize("value", [9999.0, -1e30, 20.0])
def test_codes_of_failed_runs_are_left_out_and_said(rng, value):
    with silenced(OutlierWarning):
        data = Dataset.from_arrays(*table(rng, [3, 17], value), order=ORDER)
    with pytest.warns(OutlierWarning, match="2 of the 60 rows of 'cheap' are far from all others"):
        cleaned = without_outliers(data)
    assert len(cleaned.cheaper[0].y) == 58
    assert set(data.cheaper[0].rows) - set(cleaned.cheaper[0].rows) == {3, 17}
    assert cleaned.top is data.top


@pytest.mark.parametrize("name", ["branin", "hartmann3", "hartmann6", "borehole", "rastrigin"])
def test_clean_data_stay_as_they_are(name):
    for seed in (100, 101):
        draw = experiment("two-fidelity").draw(find_problem(name), seed, "", 10)
        data = without_copies(Dataset.from_arrays(draw.X, draw.y, draw.fidelity, costs=draw.costs))
        assert without_outliers(data) is data


def test_levels_are_no_numbers(rng):
    data = mixed_dataset(n_low=40)
    assert without_outliers(data) is data
    low = data.cheaper[0]
    spoiled = replace(low, y=np.where(np.arange(40) == 7, -50.0, low.y))
    with pytest.warns(OutlierWarning, match="1 of the 40 rows of 'low'"):
        cleaned = without_outliers(replace(data, fidelities=(spoiled, data.top)))
    assert len(cleaned.cheaper[0].y) == 39


def test_responses_over_decades_are_no_outliers(rng):
    X, y, labels = table(rng)
    data = Dataset.from_arrays(X, np.exp(8 * y), labels, order=ORDER)
    assert without_outliers(data) is data


def test_expensive_rows_and_few_rows_are_never_left_out(rng):
    with silenced(OutlierWarning):
        spoiled = Dataset.from_arrays(*table(rng, [65]), order=ORDER)
    assert without_outliers(spoiled) is spoiled
    with silenced(OutlierWarning):
        few = Dataset.from_arrays(*table(rng, [3], n=12), order=ORDER)
    assert without_outliers(few) is few


def test_auto_is_as_good_as_without_the_spoiled_rows(rng, tmp_path):
    X, y, labels = table(rng, [3, 17, 40])
    rest = np.setdiff1d(np.arange(len(y)), [3, 17, 40])
    with pytest.warns(OutlierWarning):
        model = AutoSurrogate(order=ORDER).fit(X, y, fidelity=labels)
    bounds = np.column_stack([X.min(axis=0), X.max(axis=0)])
    clean = AutoSurrogate(order=ORDER, bounds=bounds).fit(X[rest], y[rest], fidelity=labels[rest])
    Q = rng.random((20, 2))
    np.testing.assert_allclose(model.predict(Q), clean.predict(Q), rtol=1e-6)
    model.save(tmp_path / "a.mast")
    again = mastgp.load(tmp_path / "a.mast")
    np.testing.assert_array_equal(again.predict(Q), model.predict(Q))
    assert len(model.training_data_.cheaper[0].y) == 60


def test_an_unknown_choice_is_refused(rng):
    with pytest.raises(DataError, match="unknown outliers 'mend'; use 'drop' or 'keep'"):
        AutoSurrogate(order=ORDER, outliers="mend").fit(*table(rng)[:2], fidelity=table(rng)[2])
