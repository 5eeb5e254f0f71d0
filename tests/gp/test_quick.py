from __future__ import annotations

import numpy as np
import pytest

from mastgp.gp.blends import Blend, Transformed
from mastgp.gp.distributions import Mixture, Normal
from mastgp.gp.quick import QuickBlend, QuickMixture, quick
from mastgp.gp.responses import Logarithm

LEVELS = [1e-6, 0.025, 0.5, 0.8, 0.975]


@pytest.fixture
def mixture(rng):
    """Members that agree, are far apart, or have very different widths."""
    weights = rng.dirichlet(np.ones(7))
    means = rng.standard_normal((7, 40)) * np.geomspace(1e-3, 30, 40)
    return Mixture(weights, 5.0 + means, rng.gamma(0.3, 1.0, (7, 40)) + 1e-8)


@pytest.mark.parametrize("q", LEVELS)
def test_quantiles_are_those_of_bisection(mixture, q):
    found, expected = quick(mixture).quantile(q), mixture.quantile(q)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(mixture.cdf(found), q, rtol=1e-6)


@pytest.mark.parametrize("q", LEVELS)
def test_those_of_blends_are_too(mixture, rng, q):
    logarithmic = Transformed(
        Mixture(np.array([0.4, 0.6]), rng.random((2, 40)), np.full((2, 40), 0.04)), Logarithm()
    )
    blend = Blend(np.array([[0.3], [0.5], [0.2]]), (mixture, logarithmic, Normal(
        np.zeros(40), np.ones(40))))  # fmt: skip
    found = quick(blend)
    assert isinstance(found, QuickBlend)
    np.testing.assert_allclose(found.quantile(q), blend.quantile(q), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(
        found.dilated(2.0).quantile(q), blend.dilated(2.0).quantile(q), rtol=1e-6, atol=1e-7
    )


def test_members_that_are_all_the_same_have_their_own_quantile():
    same = QuickMixture(np.array([0.5, 0.5]), np.ones((2, 3)), np.full((2, 3), 4.0))
    np.testing.assert_allclose(same.quantile(0.975), 1 + 2 * 1.959963984540054, rtol=1e-12)


def test_a_dilated_one_stays_quick(mixture):
    wide = quick(mixture).dilated(3.0)
    assert isinstance(wide, QuickMixture)
    np.testing.assert_allclose(wide.variance, 9.0 * mixture.variance)


def test_what_needs_no_search_is_returned_as_it_is():
    normal = Normal(np.zeros(2), np.ones(2))
    assert quick(normal) is normal


def test_few_evaluations_are_enough(mixture, monkeypatch):
    calls = []
    cdf = Mixture.cdf
    monkeypatch.setattr(Mixture, "cdf", lambda self, y: (calls.append(1), cdf(self, y))[1])
    narrow = Mixture(mixture.weights, mixture.means[:, :5], mixture.variances[:, :5] + 1.0)
    quick(narrow).quantile(0.975)
    assert len(calls) < 12
