"""Wrapped regressors: their seeds, their recipes, and stages that are fitted again."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import BayesianRidge

from mastgp import MAST, DataError
from mastgp.stored import DamagedError
from mastgp.surrogates import FromSpread, FromStd
from support import COSTS


@pytest.fixture
def forest():
    return FromSpread(ExtraTreesRegressor(n_estimators=20, bootstrap=True))


def test_same_seed_same_forest(two_fidelities, forest):
    X, y, labels, _ = two_fidelities
    before = np.random.mtrand._rand.get_state()[1].copy()
    models = [
        MAST(COSTS, surrogate=forest, random_state=seed).fit(X, y, fidelity=labels)
        for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(before, np.random.mtrand._rand.get_state()[1])
    first, again, other = (model.predict(X, return_std=True) for model in models)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    seeds = [fitted.recipe.seed for fitted in models[0].stage1_.values()]
    assert len(set(seeds)) == len(seeds)


def test_without_a_seed_fits_differ(two_fidelities, forest):
    X, y, labels, _ = two_fidelities
    first, second = (
        MAST(COSTS, surrogate=forest).fit(X, y, fidelity=labels).predict(X) for _ in range(2)
    )
    assert not np.array_equal(first, second)


def test_state_is_data_and_seed_and_the_stage_is_fitted_again(forest, rng):
    X, y = rng.random((12, 2)), rng.random(12)
    fitted = forest.fit(X, y, random_state=4)
    state = forest.state_of(fitted)
    assert set(state) == {"X", "y", "noise_var", "seed", "checkpoint", "sha256"}
    again = forest.restore(state)
    assert "regressor" not in vars(again)  # not before it is needed
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))


def test_a_fit_is_not_changed_by_later_parameters(rng):
    X, y = rng.random((12, 2)), rng.random(12)
    surrogate = FromStd(BayesianRidge())
    fitted = surrogate.fit(X, y)
    before = fitted.predict(X)
    surrogate.set_params(regressor__max_iter=1)
    np.testing.assert_array_equal(fitted.predict(X), before)
    assert fitted.surrogate.regressor.max_iter == 300


def test_the_variance_has_a_floor_of_the_targets_own_scale(rng):
    """Trees that are fitted to all rows agree at these rows."""
    X, y = rng.random((12, 2)), 1e6 * rng.random(12)
    exact = FromSpread(ExtraTreesRegressor(n_estimators=5, bootstrap=False))
    _, var = exact.fit(X, y).predict(X)
    np.testing.assert_allclose(var, 1e-12 * y.var(), rtol=1e-6)


def test_targets_without_a_variance_are_refused(forest, rng):
    state = forest.state_of(forest.fit(rng.random((6, 2)), np.arange(6.0), random_state=4))
    with pytest.raises(DamagedError, match=r"y of a stage has the value 1e\+308"):
        forest.restore({**state, "y": np.append(state["y"][:-1], 1e308)})


def test_what_a_regressor_cannot_hold_is_an_error_of_ours(forest, rng):
    X = rng.random((8, 2))
    fitted = forest.fit(X, X[:, 0], random_state=0)
    with pytest.raises(DataError, match="cannot predict at these points"):
        fitted.predict(np.full((1, 2), 1e200))
