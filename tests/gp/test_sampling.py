from __future__ import annotations

import numpy as np

from mastgp.gp.sampling import draw_samples


def test_samples_of_a_singular_covariance_agree_with_each_other(rng):
    draws = draw_samples(np.array([1.0, 2.0]), np.ones((2, 2)), 5, rng)
    assert draws.shape == (2, 5)
    np.testing.assert_allclose(draws[1] - draws[0], 1.0, atol=1e-7)
    assert draws[0].std() > 0.1
