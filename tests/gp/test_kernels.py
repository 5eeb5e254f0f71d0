from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from mastgp.gp.kernels import KERNELS, scaled_distances


def test_kernels_are_their_textbook_formulas():
    R = np.array([[0.0, 0.3, 1.0, 7.0]])
    s = np.sqrt(5 * R)
    np.testing.assert_allclose(KERNELS["rbf"](-R / 2)[0], np.exp(-R / 2), rtol=1e-14)
    matern = (1 + s + s**2 / 3) * np.exp(-s)
    np.testing.assert_allclose(KERNELS["matern52"](-R / 2)[0], matern, rtol=1e-14)


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_slope_is_minus_two_times_the_derivative(name):
    kernel, R, step = KERNELS[name], np.linspace(0.01, 9.0, 40)[None], 1e-6
    numeric = -2 * (kernel(-(R + step) / 2)[0] - kernel(-(R - step) / 2)[0]) / (2 * step)
    np.testing.assert_allclose(kernel(-R / 2)[1], numeric, rtol=1e-7, atol=1e-9)


def test_distances_are_half_the_negative_squared_ones(rng):
    A, B = rng.random((6, 3)), rng.random((9, 3))
    expected = -0.5 * cdist(A, B, "sqeuclidean")
    np.testing.assert_allclose(scaled_distances(A, B), expected, rtol=1e-12)


def test_a_point_is_at_distance_zero_of_itself_however_far_out(rng):
    for centre in (0.0, 1e3, 1e8):
        E = scaled_distances(centre + rng.random((50, 3)))
        np.testing.assert_array_equal(E.diagonal(), 0.0)
        assert (E <= 0.0).all()
