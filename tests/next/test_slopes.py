"""Moments of transformed responses by Monte Carlo, and Stein's lemma."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp.gp.responses import Logarithm, YeoJohnson
from mastgp.next.slopes import forward, moments_of, slope_at

RESPONSES = [Logarithm(), YeoJohnson(0.5, 1.0, 2.0), YeoJohnson(1.6, 0.0, 1.0)]


@pytest.mark.parametrize("response", RESPONSES, ids=lambda r: r.short)
def test_the_mean_slope_is_the_covariance_over_the_variance(response, rng):
    z = 0.3 + 0.5 * rng.standard_normal(400_000)
    y = response.backward(z)
    mean, slope = moments_of(response, np.array([0.3]), np.array([0.25]))
    assert mean[0] == pytest.approx(y.mean(), rel=5e-3)
    assert slope[0] == pytest.approx(np.cov(y, z)[0, 1] / z.var(), rel=1e-2)


def test_without_a_transformation_nothing_happens():
    mean, slope = moments_of(None, np.array([3.0]), np.array([2.0]))
    assert (mean[0], slope[0]) == (3.0, 1.0)
    assert forward(None, np.array([2.0]))[0] == 2.0
    assert slope_at(None, np.array([2.0]))[0] == 1.0


@pytest.mark.parametrize("response", RESPONSES, ids=lambda r: r.short)
def test_slopes_are_those_of_differences(response):
    z, step = np.array([0.4]), 1e-6
    numeric = (response.backward(z + step) - response.backward(z - step)) / (2 * step)
    np.testing.assert_allclose(slope_at(response, z), numeric, rtol=1e-6)
    np.testing.assert_allclose(forward(response, response.backward(z)), z)
