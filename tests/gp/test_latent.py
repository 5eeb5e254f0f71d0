"""Latent values of any groups: means, variances and covariances by the dense formula."""

from __future__ import annotations

import numpy as np
import pytest

from gp.structures import of_two_groups
from mastgp.gp.ensemble import ProcessEnsemble
from mastgp.gp.latent import smallest_var
from mastgp.gp.model import MEAN_VAR
from mastgp.gp.observations import noise_of


def dense(gp, X1, groups1, X2, groups2):
    """Prior covariance of latent values from its definition, for inputs that are not warped."""
    total = np.zeros((len(X1), len(X2)))
    loadings = gp.parameters.loadings(gp.model)
    for c, component in enumerate(gp.model.components):
        difference = (X1[:, None] - X2[None]) / gp.parameters.lengthscales[c]
        R = np.sum(difference**2, axis=-1)
        s = np.sqrt(5 * R)
        k = np.exp(-R / 2) if component.kernel == "rbf" else (1 + s + s**2 / 3) * np.exp(-s)
        outer = np.outer(loadings[c, groups1], loadings[c, groups2])
        total += gp.parameters.scales[c] * outer * k
    if gp.model.means == "own":
        total += MEAN_VAR * np.equal.outer(groups1, groups2)
    if gp.model.means == "shared":
        total += MEAN_VAR
    return total


@pytest.mark.parametrize("means", ["profiled", "own", "shared"])
def test_covariance_across_groups_is_that_of_the_dense_formula(rng, means):
    gp = of_two_groups(rng, means, warp=False)
    X, groups = gp._data.X, gp.groups
    X1, g1 = rng.random((5, 2)), np.array([0, 1, 1, 0, 1])
    X2, g2 = rng.random((4, 2)), np.array([1, 0, 0, 1])
    K = dense(gp, X, groups, X, groups) + np.diag(noise_of(gp.parameters, gp._data))
    k1, k2 = dense(gp, X, groups, X1, g1), dense(gp, X, groups, X2, g2)
    expected = dense(gp, X1, g1, X2, g2) - k1.T @ np.linalg.solve(K, k2)
    expected *= np.outer(gp.y_scale[g1], gp.y_scale[g2])
    found = gp.latent_covariance(gp.latent(X1, g1), gp.latent(X2, g2))
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9 * MEAN_VAR)


@pytest.mark.parametrize("group", [0, 1])
def test_one_group_is_what_predict_says(rng, group):
    gp = of_two_groups(rng, "own")
    Q = rng.random((7, 2))
    latent = gp.latent(Q, group)
    mean, cov = gp.predict_covariance(Q, group)
    np.testing.assert_allclose(latent.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(latent.var, gp.predict(Q, group)[1], rtol=1e-9)
    np.testing.assert_allclose(gp.latent_covariance(latent, latent), cov, atol=1e-10)


def test_a_joint_covariance_is_symmetric_and_positive(rng):
    gp = of_two_groups(rng, "own")
    latent = gp.latent(rng.random((12, 2)), np.arange(12) % 2)
    cov = gp.latent_covariance(latent, latent)
    np.testing.assert_allclose(cov, cov.T, atol=1e-12)
    assert np.linalg.eigvalsh(cov).min() > -1e-8


def test_an_ensembles_covariance_counts_where_its_draws_disagree(rng):
    gp = of_two_groups(rng, "own")
    ensemble, _ = ProcessEnsemble.drawn(gp, 4, 1)
    Q = rng.random((6, 2))
    _, cov = ensemble.predict_covariance(Q, 1)
    np.testing.assert_allclose(ensemble.cross_covariance(Q, 1, Q, 1), cov, atol=1e-9)
    cross = ensemble.cross_covariance(Q, 0, Q[:3], np.array([1, 0, 1]))
    back = ensemble.cross_covariance(Q[:3], np.array([1, 0, 1]), Q, 0)
    np.testing.assert_allclose(cross, back.T, atol=1e-10)


def test_no_variance_is_smaller_than_rounding_allows():
    assert smallest_var(2.0) == 2e-13
