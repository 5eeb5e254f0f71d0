from __future__ import annotations

import numpy as np
import pytest

from mastgp.gp import Component, Model, batch
from mastgp.gp.batch import evaluate_many
from mastgp.gp.categorical import Categorical
from mastgp.gp.likelihood import Objective
from mastgp.gp.observations import Observations

CO_KRIGING = (
    Component((1.0, 1.0, 1.0), ((), (0,), (0, 1)), learn_scale=True),
    Component((0.0, 1.0, 1.0), ((), (), (1,)), kernel="matern52", learn_scale=True),
    Component((0.0, 0.0, 1.0), isotropic=True),
)
MODELS = {
    "plain": Model(3),
    "matern": Model(3, (Component(kernel="matern52"),), warp=True),
    "fixed noise": Model(3, learn_noise=False, warp=True),
    "three levels": Model(3, CO_KRIGING, warp=True, means="own"),
    "profiled": Model(3, CO_KRIGING, warp=True),
    "shared mean": Model(3, CO_KRIGING, means="shared"),
    "categorical": Model(3, (Component(),), categories=(Categorical(2, 3),)),
}


def objective_of(model, noise_var=None, n=18):
    rng = np.random.default_rng(0)
    X = rng.random((n, 3))
    X[0], X[1, 0] = 0.0, 1.0  # the warp leaves these alone
    X[:, 2] = np.rint(2.0 * X[:, 2]) / 2.0
    groups = np.sort(rng.integers(model.n_groups, size=n)).astype(np.intp)
    if noise_var is None and not model.learn_noise:
        noise_var = rng.uniform(0.0, 0.1, n)
    return Objective(model, Observations(X, rng.standard_normal(n), groups, noise_var))


def vectors(objective, k=5):
    start = objective.layout.start()
    return start + 0.3 * np.random.default_rng(1).standard_normal((k, len(start)))


@pytest.mark.parametrize("name", MODELS)
def test_many_vectors_at_once_are_each_of_them(name):
    objective = objective_of(MODELS[name])
    thetas = vectors(objective)
    values, gradients = evaluate_many(objective, thetas)
    for theta, value, gradient in zip(thetas, values, gradients, strict=True):
        expected, slope = objective(theta)
        assert value == pytest.approx(expected, rel=1e-12)
        np.testing.assert_allclose(gradient, slope, rtol=1e-9, atol=1e-11)


def test_noise_that_is_known_for_some_observations_only():
    noise_var = np.where(np.arange(18) < 9, 0.02, np.nan)
    objective = objective_of(MODELS["three levels"], noise_var)
    thetas = vectors(objective)
    values, gradients = evaluate_many(objective, thetas)
    expected, slopes = zip(*map(objective, thetas), strict=True)
    np.testing.assert_allclose(values, expected, rtol=1e-12)
    np.testing.assert_allclose(gradients, slopes, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("entries", [1, 2 * 18**2, 3 * 18**2, 4 * 18**2])
def test_it_does_not_matter_how_many_are_held_at_a_time(entries, monkeypatch):
    objective = objective_of(MODELS["profiled"])
    thetas = vectors(objective, 7)
    expected = evaluate_many(objective, thetas)
    monkeypatch.setattr(batch, "MOST_ENTRIES", entries)
    for one, other in zip(evaluate_many(objective, thetas), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11)


def test_a_matrix_that_cannot_be_factorised_spoils_no_other():
    objective = objective_of(MODELS["plain"])
    thetas = vectors(objective)
    thetas[2] = np.nan
    values, gradients = evaluate_many(objective, thetas)
    assert np.isinf(values[2])
    assert not gradients[2].any()
    others = [0, 1, 3, 4]
    np.testing.assert_allclose(values[others], [objective(thetas[i])[0] for i in others])
