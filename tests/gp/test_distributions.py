from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from mastgp.gp.blends import blended
from mastgp.gp.distributions import Mixture, Normal

Y = np.array([-1.0, 0.3, 2.5])


@pytest.fixture
def normal():
    return Normal(np.array([0.0, 0.5, -4.0]), np.array([1.0, 0.04, 9.0]))


def random_mixture(rng, k=4, n=3, own_weights=False) -> Mixture:
    weights = rng.dirichlet(np.ones(k), n).T if own_weights else rng.dirichlet(np.ones(k))
    return Mixture(weights, rng.normal(0, 2, (k, n)), rng.uniform(0.1, 2, (k, n)))


def integrated_crps(distribution, y) -> list[float]:
    """The integral of (cdf - step)^2, point by point."""

    def square(t, i, step):
        return (distribution.cdf(np.full(len(y), t))[i] - step) ** 2

    low, high = (distribution.quantile(q) for q in (1e-12, 1 - 1e-12))
    return [
        quad(square, min(low[i], y[i]), y[i], args=(i, 0.0), epsabs=1e-11, limit=200)[0]
        + quad(square, y[i], max(high[i], y[i]), args=(i, 1.0), epsabs=1e-11, limit=200)[0]
        for i in range(len(y))
    ]


def test_a_normal_distribution_is_scipys(normal):
    peer = norm(normal.mean, np.sqrt(normal.variance))
    np.testing.assert_allclose(normal.density(Y), peer.pdf(Y), rtol=1e-13)
    np.testing.assert_allclose(normal.log_density(Y), peer.logpdf(Y), rtol=1e-13)
    np.testing.assert_allclose(normal.cdf(Y), peer.cdf(Y), rtol=1e-13)
    np.testing.assert_allclose(normal.quantile(0.9), peer.ppf(0.9), rtol=1e-13)
    np.testing.assert_allclose(normal.interval(0.8), peer.interval(0.8), rtol=1e-13)


def test_log_density_of_the_normal_has_the_bits_of_its_formula(rng):
    mean, std, y = rng.normal(size=200), rng.uniform(1e-3, 9, 200), rng.normal(size=200)
    expected = -0.5 * ((mean - y) / std) ** 2 - np.log(std) - 0.5 * np.log(2.0 * np.pi)
    np.testing.assert_array_equal(Normal(mean, std**2).log_density(y), expected)


def test_a_normal_distribution_without_variance_is_a_point():
    point = Normal(np.array([2.0, 2.0]), np.zeros(2))
    y = np.array([2.0, 5.0])
    assert point.log_density(y)[0] > 700.0
    assert point.log_density(y)[1] == -np.inf
    np.testing.assert_array_equal(point.cdf(y), [0.5, 1.0])
    np.testing.assert_allclose(point.crps(y), [0.0, 3.0], atol=1e-300)


def test_crps_of_the_normal_is_its_integral(normal):
    np.testing.assert_allclose(normal.crps(Y), integrated_crps(normal, Y), rtol=1e-8)


@pytest.mark.parametrize("own_weights", [False, True])
def test_crps_of_a_mixture_is_its_integral(rng, own_weights):
    mixture = random_mixture(rng, own_weights=own_weights)
    np.testing.assert_allclose(mixture.crps(Y), integrated_crps(mixture, Y), rtol=1e-8)


@pytest.mark.parametrize("own_weights", [False, True])
def test_blocks_do_not_change_the_crps(rng, monkeypatch, own_weights):
    mixture, y = random_mixture(rng, n=23, own_weights=own_weights), rng.normal(size=23)
    whole = mixture.crps(y)
    monkeypatch.setattr("mastgp.gp.distributions._BLOCK_ENTRIES", 20)
    np.testing.assert_allclose(mixture.crps(y), whole, rtol=1e-13)


def test_a_mixture_of_one_is_the_normal_distribution(normal):
    mixture = Mixture(np.ones(1), normal.mean[None], normal.variance[None])
    for name in ("density", "log_density", "cdf", "crps"):
        ours, theirs = getattr(mixture, name)(Y), getattr(normal, name)(Y)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, err_msg=name)
    np.testing.assert_allclose(mixture.quantile(0.9), normal.quantile(0.9), rtol=1e-12)
    np.testing.assert_allclose(mixture.interval(0.8), normal.interval(0.8), rtol=1e-12)
    np.testing.assert_allclose(mixture.mean, normal.mean)
    np.testing.assert_allclose(mixture.variance, normal.variance)


@pytest.mark.parametrize("own_weights", [False, True])
def test_a_mixture_averages_its_members(rng, own_weights):
    mixture = random_mixture(rng, own_weights=own_weights)
    members, stds = mixture.means, np.sqrt(mixture.variances)
    weights = mixture.weights if own_weights else mixture.weights[:, None]
    np.testing.assert_allclose(mixture.mean, (weights * members).sum(axis=0))
    second = (weights * (members**2 + mixture.variances)).sum(axis=0)
    np.testing.assert_allclose(mixture.variance, second - mixture.mean**2)
    density = (weights * norm.pdf(Y, members, stds)).sum(axis=0)
    np.testing.assert_allclose(mixture.density(Y), density)
    np.testing.assert_allclose(mixture.log_density(Y), np.log(density))
    np.testing.assert_allclose(mixture.cdf(Y), (weights * norm.cdf(Y, members, stds)).sum(axis=0))
    for q in (0.001, 0.5, 0.975):
        np.testing.assert_allclose(mixture.cdf(mixture.quantile(q)), q, rtol=1e-9)
    low, high = mixture.interval(0.9)
    np.testing.assert_allclose(mixture.cdf(high) - mixture.cdf(low), 0.9)


def test_log_density_of_a_mixture_stays_finite(rng):
    mixture = random_mixture(rng)
    smallest = np.log(np.finfo(float).tiny)
    np.testing.assert_array_equal(mixture.log_density(np.full(3, 1e4)), smallest)


@pytest.mark.parametrize("kind", ["normal", "mixture"])
def test_dilation_stretches_about_the_mean(rng, normal, kind):
    narrow = normal if kind == "normal" else random_mixture(rng)
    wide = narrow.dilated(3.0)
    np.testing.assert_allclose(wide.mean, narrow.mean)
    np.testing.assert_allclose(wide.variance, 9.0 * narrow.variance)
    away = narrow.quantile(0.9) - narrow.mean
    np.testing.assert_allclose(wide.quantile(0.9) - wide.mean, 3.0 * away, rtol=1e-8)


@pytest.mark.parametrize("kind", ["normal", "mixture"])
@pytest.mark.parametrize("level", [0.0, 1.0, 1.5])
def test_levels_are_between_zero_and_one(rng, normal, kind, level):
    distribution = normal if kind == "normal" else random_mixture(rng)
    with pytest.raises(ValueError, match="a quantile's level is between 0 and 1"):
        distribution.quantile(level)
    with pytest.raises(ValueError, match="an interval's level is between 0 and 1"):
        distribution.interval(level)


def test_a_blend_of_distributions_is_their_mixture(rng):
    normal = Normal(rng.normal(size=4), rng.random(4) + 0.1)
    mixture = Mixture(np.array([0.3, 0.7]), rng.normal(size=(2, 4)), rng.random((2, 4)) + 0.1)
    y = rng.normal(size=4)
    for weights in (np.array([0.4, 0.6]), np.array([[0.4, 0.1, 1.0, 0.5], [0.6, 0.9, 0.0, 0.5]])):
        both = blended(weights, [normal, mixture])
        share = weights if weights.ndim == 2 else weights[:, None]
        np.testing.assert_allclose(both.mean, share[0] * normal.mean + share[1] * mixture.mean)
        for what in ("density", "cdf"):
            parts = [getattr(d, what)(y) for d in (normal, mixture)]
            np.testing.assert_allclose(getattr(both, what)(y), np.sum(share * parts, axis=0))
