from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import softmax

from mastgp.gp import GaussianProcess, Model
from mastgp.gp.ensemble import ProcessEnsemble, without_a_fold
from mastgp.gp.likelihood import Objective
from mastgp.gp.observations import Observations


@pytest.fixture
def process(rng):
    X = rng.random((14, 2))
    y = np.sin(5 * X[:, 0]) + X[:, 1] + 0.05 * rng.normal(size=14)
    return GaussianProcess.fit(Model(2), X, y)


@pytest.fixture
def ensemble(process):
    shorter = replace(process.parameters, lengthscales=0.6 * process.parameters.lengthscales)
    noisier = replace(process.parameters, noise_var=20.0 * process.parameters.noise_var)
    return ProcessEnsemble.of(process, [process.parameters, shorter, noisier], [0.5, 0.3, 0.2])


def test_one_draw_is_the_process_itself(process, rng):
    alone = ProcessEnsemble.of(process, [process.parameters], [1.0])
    Q = rng.random((5, 2))
    np.testing.assert_allclose(alone.predict(Q), process.predict(Q), rtol=1e-14)
    np.testing.assert_allclose(alone.predict_mean(Q), process.predict_mean(Q), rtol=1e-14)
    for got, own in zip(alone.predict_covariance(Q), process.predict_covariance(Q), strict=True):
        np.testing.assert_allclose(got, own, rtol=1e-12)
    np.testing.assert_allclose(alone.predict_gradient(Q), process.predict_gradient(Q), rtol=1e-12)
    np.testing.assert_allclose(alone.noise_var, process.noise_var)


def test_moments_are_those_of_the_mixture(ensemble, rng):
    Q = rng.random((5, 2))
    means, variances = np.moveaxis([p.predict(Q) for p in ensemble.processes], 1, 0)
    w = np.array([0.5, 0.3, 0.2])
    mean = w @ means
    var = w @ (variances + means**2) - mean**2
    np.testing.assert_allclose(ensemble.predict(Q), [mean, var], rtol=1e-9)
    np.testing.assert_allclose(ensemble.predict_mean(Q), mean)
    got_mean, cov = ensemble.predict_covariance(Q)
    np.testing.assert_allclose(got_mean, mean)
    np.testing.assert_allclose(cov.diagonal(), var, rtol=1e-9)
    np.testing.assert_allclose(
        ensemble.noise_var, w @ np.array([p.noise_var for p in ensemble.processes])
    )


def test_gradients_agree_with_differences(ensemble, rng):
    Q = rng.random((4, 2))
    step = 1e-6
    for d in range(2):
        shift = step * np.eye(2)[d]
        up, down = ensemble.predict(Q + shift), ensemble.predict(Q - shift)
        slopes = (np.array(up) - np.array(down)) / (2 * step)
        np.testing.assert_allclose(
            np.array(ensemble.predict_gradient(Q))[:, :, d], slopes, rtol=1e-4
        )


def test_samples_have_the_mixtures_moments(ensemble):
    Q = np.array([[0.2, 0.3], [0.9, 0.8]])
    samples = ensemble.sample(Q, 40_000, np.random.default_rng(0))
    mean, cov = ensemble.predict_covariance(Q)
    assert samples.shape == (2, 40_000)
    np.testing.assert_allclose(samples.mean(axis=1), mean, atol=4 * np.sqrt(cov.max() / 40_000))
    np.testing.assert_allclose(np.cov(samples), cov, rtol=0.05)


def test_leaving_out_a_point_is_the_posterior_without_it():
    """On a grid of lengthscales everything can be computed exactly, with the point and without."""
    X = np.linspace(0, 1, 7)[:, None]
    y = np.array([0.1, 0.9, 1.1, 0.3, -0.6, -1.0, -0.4])
    model = Model(1, means="shared")
    data = Observations(X, y, np.zeros(7, dtype=np.intp))
    objective = Objective(model, data)
    start = objective.layout.unpack(objective.layout.start(noise=0.05))
    grid = [replace(start, lengthscales=np.array([[v]])) for v in np.linspace(0.1, 0.6, 40)]

    def weights_of(kept):
        part = Objective(model, data.subset(kept))
        return softmax([part.log_likelihood(parameters) for parameters in grid])

    process = GaussianProcess(model, start, data, 0.0, 1.0)
    ensemble = ProcessEnsemble.of(process, grid, weights_of(np.arange(7)))
    folds = [np.array([1]), np.array([4, 5])]
    left_out = ensemble.leave_out(folds)
    for fold in folds:
        rest = np.setdiff1d(np.arange(7), fold)
        np.testing.assert_allclose(left_out.weights[:, fold[0]], weights_of(rest), rtol=1e-6)
        for k, parameters in enumerate(grid[::10]):
            part = GaussianProcess(model, parameters, data.subset(rest), 0.0, 1.0)
            mean, var = part.predict(X[fold])
            np.testing.assert_allclose(left_out.means[10 * k, fold], mean, atol=1e-8)
            np.testing.assert_allclose(left_out.variances[10 * k, fold], var + 0.05, rtol=1e-6)
    assert np.isnan(left_out.weights[:, 0]).all()


def test_weights_without_a_fold():
    weights = np.full(4, 0.25)
    np.testing.assert_allclose(without_a_fold(weights, np.zeros(4)), weights)
    densities = np.array([1.0, 1.0, 0.5, 0.5])
    np.testing.assert_allclose(
        without_a_fold(weights, np.log(densities) - 800.0), np.array([1, 1, 2, 2]) / 6
    )


def test_plain_data_and_back(ensemble, process, rng):
    again = ProcessEnsemble.from_state(process, ensemble.get_state())
    Q = rng.random((3, 2))
    np.testing.assert_array_equal(again.predict(Q), ensemble.predict(Q))


def test_weights_and_draws_must_match(process):
    with pytest.raises(ValueError, match="2 weights were given for 1"):
        ProcessEnsemble([process], [0.5, 0.5])
