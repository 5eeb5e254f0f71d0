"""Expected improvement by Monte Carlo, by quadrature, and far out in the tails."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

from mastgp.next.improvement import improvement, log_h, log_improvement, log_near


@pytest.mark.parametrize("gap", [-1.5, -0.2, 0.0, 0.7, 3.0])
@pytest.mark.parametrize("std", [0.3, 2.0])
def test_improvement_by_monte_carlo(gap, std, rng):
    draws = np.maximum(gap + std * rng.standard_normal(2_000_000), 0.0)
    error = 4 * draws.std() / math.sqrt(len(draws))
    assert improvement(np.array([gap]), np.array([std]))[0] == pytest.approx(
        draws.mean(), abs=error + 1e-6
    )


def test_without_spread_it_is_the_gap():
    np.testing.assert_array_equal(improvement(np.array([2.0, -1.0]), np.zeros(2)), [2.0, 0.0])


@pytest.mark.parametrize("z", [-0.5, -1.0, -3.0, -8.0, -25.0, -60.0, -999.0, -1001.0])
def test_the_tail_is_right(z):
    """H(z) exp(z^2/2) = integral of t exp(zt - t^2/2) over t > 0, over the root of 2 pi."""
    integral, _ = quad(lambda t: t * math.exp(z * t - 0.5 * t**2), 0.0, 40.0 / abs(z), epsrel=1e-12)
    expected = math.log(integral / math.sqrt(2 * math.pi)) - 0.5 * z**2
    assert log_h(np.array([z]))[0] == pytest.approx(expected, rel=1e-9, abs=1e-5)


def test_the_logarithm_rises_everywhere():
    z = np.linspace(-2000, 5, 200_001)
    assert (np.diff(log_h(z)) > 0).all()


def test_units_come_out():
    one = log_improvement(np.array([0.4]), np.array([0.9]))
    ten = log_improvement(np.array([4.0]), np.array([9.0]))
    np.testing.assert_allclose(ten - one, math.log(10.0))


@pytest.mark.parametrize("gap", [-4.0, -1.0, 0.0, 0.3, 2.5])
def test_nearness_by_quadrature(gap):
    std, reach = 0.8, 1.0

    def integrand(s):
        return max((reach * std) ** 2 - (gap + std * s) ** 2, 0.0) * math.exp(-(s**2) / 2)

    ends = (-gap / std - reach, -gap / std + reach)
    expected = quad(integrand, *ends, epsrel=1e-12)[0] / math.sqrt(2 * math.pi)
    found = log_near(np.array([gap]), np.array([std]), reach)[0]
    assert found == pytest.approx(math.log(expected), rel=1e-6)


def test_nearness_far_away_still_falls():
    gaps = np.array([5.0, 7.0, 12.0, 40.0, 1000.0])
    assert (np.diff(log_near(gaps, np.ones(5))) < 0).all()
