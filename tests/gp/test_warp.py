from __future__ import annotations

import numpy as np
import pytest

from mastgp.gp.layout import WARP_BOUNDS
from mastgp.gp.warp import WarpInputs


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.3, 4.0), (5.0, 0.2), WARP_BOUNDS])
def test_warp_is_a_monotone_map_that_fixes_the_ends(a, b):
    x = np.concatenate([[-0.5, 0.0], np.linspace(1e-9, 1 - 1e-9, 101), [1.0, 1.7]])[:, None]
    warped = WarpInputs.of(x).value(np.array([a]), np.array([b]))[:, 0]
    assert (np.diff(warped) >= 0).all()
    np.testing.assert_array_equal(warped[[0, 1, -2, -1]], [-0.5, 0.0, 1.0, 1.7])
    expected = 1 - (1 - x[2:-2, 0] ** a) ** b
    np.testing.assert_allclose(warped[2:-2], expected, rtol=1e-6, atol=1e-9)
    if a == b == 1.0:
        np.testing.assert_allclose(warped, x[:, 0], atol=1e-15)


@pytest.mark.parametrize(("a", "b"), [(0.5, 2.0), (3.0, 0.7)])
def test_partials_and_slope_are_derivatives(rng, a, b):
    X = np.concatenate([rng.uniform(0.05, 0.95, (8, 2)), [[0.0, 1.0], [-0.2, 1.3]]])
    inputs, a, b, step = WarpInputs.of(X), np.full(2, a), np.full(2, b), 1e-6
    value, by_log_a, by_log_b = inputs.value_and_partials(a, b)
    np.testing.assert_allclose(value, inputs.value(a, b), rtol=1e-13)

    def difference(f):
        return (f(step) - f(-step)) / (2 * step)

    of_a = difference(lambda h: inputs.value(a * np.exp(h), b))
    of_b = difference(lambda h: inputs.value(a, b * np.exp(h)))
    of_x = difference(lambda h: WarpInputs.of(X + h).value(a, b))
    np.testing.assert_allclose(by_log_a, of_a, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(by_log_b, of_b, rtol=1e-6, atol=1e-9)
    away_from_the_ends = (X != 0.0) & (X != 1.0)
    slope = inputs.slope(a, b)
    np.testing.assert_allclose(slope[away_from_the_ends], of_x[away_from_the_ends], rtol=1e-6)
    assert np.isfinite(slope).all()
