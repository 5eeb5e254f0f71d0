"""Universal kriging with one regressor, by its textbook formulas."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp.gp import GaussianProcess, Model
from mastgp.models.explained import Explained


def below(X):
    return np.sin(3.0 * X[:, 0]) + X[:, 1]


def slope_below(X):
    return np.column_stack([3.0 * np.cos(3.0 * X[:, 0]), np.ones(len(X))])


@pytest.fixture
def process(rng):
    X = rng.random((14, 2))
    y = 5.0 * (2.0 * below(X) + np.cos(4.0 * X[:, 1]))
    return GaussianProcess.fit(Model(2, warp=True, means="own"), X, y)


@pytest.fixture
def explained(process):
    return Explained.of(process, below(process.objective.data.X))


def test_the_factor_is_that_of_generalised_least_squares(process, explained):
    L = process.objective.factorise(process.parameters).L
    K, data = L @ L.T, process.objective.data
    h = below(data.X) / process.y_scale[0]
    precision = h @ np.linalg.solve(K, h)
    assert explained.precision == pytest.approx(precision, rel=1e-8)
    assert explained.correction == pytest.approx(
        h @ np.linalg.solve(K, data.y) / precision, rel=1e-8
    )
    np.testing.assert_allclose(explained.slope(process), np.linalg.solve(K, h), rtol=1e-6)


def test_the_diagonal_of_the_covariance_is_the_variance(process, explained, rng):
    X = rng.random((7, 2))
    cov = explained.covariance(process, X, below(X))
    _, var = explained.moments(process, X, below(X))
    np.testing.assert_allclose(cov.diagonal(), var, rtol=1e-12)
    assert np.linalg.eigvalsh(cov).min() > -1e-9 * var.max()


def test_an_uncertain_factor_is_shared_by_all_points(process, explained, rng):
    """The covariance is that of the process, and of the factor times what is not explained."""
    X = rng.random((5, 2))
    L = process.objective.factorise(process.parameters).L
    latent, scale = process.latent(X, 0), process.y_scale[0]
    h = below(process.objective.data.X) / scale
    u = below(X) / scale - np.linalg.solve(L, h) @ latent.solved
    expected = process.predict_covariance(X)[1] + scale**2 * np.outer(u, u) / explained.precision
    np.testing.assert_allclose(explained.covariance(process, X, below(X)), expected, rtol=1e-7)


def test_gradients_are_those_of_the_moments(process, explained, rng):
    X, step = rng.uniform(0.1, 0.9, (6, 2)), 1e-5
    d_mean, d_var = explained.gradient(process, X, below(X), slope_below(X))
    for j in range(2):
        shift = step * np.eye(2)[j]
        high = explained.moments(process, X + shift, below(X + shift))
        low = explained.moments(process, X - shift, below(X - shift))
        np.testing.assert_allclose(d_mean[:, j], (high[0] - low[0]) / (2 * step), rtol=1e-5)
        np.testing.assert_allclose(
            d_var[:, j], (high[1] - low[1]) / (2 * step), rtol=1e-4, atol=1e-6
        )
