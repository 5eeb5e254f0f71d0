"""More observations: the same as conditioning on all of them at the same hyperparameters."""

from __future__ import annotations

import numpy as np
import pytest

from gp.structures import of_two_groups, smooth
from mastgp.gp import Categorical, GaussianProcess, Model
from mastgp.gp.ensemble import ProcessEnsemble, reweighted
from mastgp.gp.extension import extended, noise_of_groups


def conditioned(gp, grown):
    """The process of the grown data, factorised anew."""
    return GaussianProcess(gp.model, gp.parameters, grown._data, gp.y_mean, gp.y_scale)


@pytest.mark.parametrize("means", ["profiled", "own", "shared"])
@pytest.mark.parametrize("n", [1, 4])
def test_extension_is_conditioning(rng, means, n):
    gp = of_two_groups(rng, means)
    X = rng.random((n, 2))
    grown = extended(gp, X, smooth(X) + 0.1, np.arange(n) % 2)
    assert grown.n_points == gp.n_points + n
    anew, Q = conditioned(gp, grown), rng.random((20, 2))
    for group in (0, 1):
        for found, expected in zip(grown.predict(Q, group), anew.predict(Q, group), strict=True):
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


def test_the_process_before_stays(rng):
    gp = of_two_groups(rng)
    Q = rng.random((5, 2))
    before = gp.predict(Q, 1)
    extended(gp, Q, np.ones(5), 1)
    np.testing.assert_array_equal(gp.predict(Q, 1), before)


def test_known_noise_of_new_rows_counts(rng):
    X = rng.random((12, 2))
    gp = GaussianProcess.fit(Model(2, learn_noise=False), X, smooth(X), noise_var=np.full(12, 0.01))
    precise, vague = (extended(gp, [[0.5, 0.5]], [3.0], noise_var=[v]) for v in (1e-4, 10.0))
    assert precise.predict_mean([[0.5, 0.5]])[0] > 2.5
    assert abs(vague.predict_mean([[0.5, 0.5]])[0] - gp.predict_mean([[0.5, 0.5]])[0]) < 0.1


def test_a_repeat_without_noise_is_survived(rng):
    X = rng.random((8, 1))
    model = Model(1, learn_noise=False, categories=(Categorical(0, 8),))
    codes = np.arange(8.0)[:, None] / 7
    gp = GaussianProcess.fit(model, codes, X[:, 0], noise_var=np.zeros(8))
    grown = extended(gp, codes[:1], X[:1, 0], noise_var=[0.0])
    assert np.isfinite(grown.predict(codes)[0]).all()


def test_draws_are_weighted_by_the_density_of_the_new_rows(rng):
    gp = of_two_groups(rng, "own")
    ensemble, _ = ProcessEnsemble.drawn(gp, 6, 0)
    X, y = np.array([[0.4, 0.6]]), np.array([1.7])
    grown = ensemble.extended(X, y, 1)
    logs = []
    for draw in ensemble.processes:
        mean, var = draw.predict(X, 1)
        var = var + noise_of_groups(draw)[1]
        logs.append((-0.5 * (y - mean) ** 2 / var - 0.5 * np.log(var))[0])
    expected = ensemble.weights * np.exp(np.array(logs) - max(logs))
    np.testing.assert_allclose(grown.weights, expected / expected.sum(), rtol=1e-6)
    assert grown.effective_draws <= ensemble.effective_draws + 1e-9


def test_weights_far_apart_do_not_overflow():
    np.testing.assert_allclose(reweighted(np.array([0.5, 0.5]), np.array([-5000.0, 0.0])), [0, 1])


def test_noise_of_groups_is_in_units(rng):
    gp = of_two_groups(rng)
    expected = [np.mean(gp.noise_var[gp.groups == group]) for group in (0, 1)]
    np.testing.assert_allclose(noise_of_groups(gp), expected)
