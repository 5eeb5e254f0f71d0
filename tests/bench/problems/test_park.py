from __future__ import annotations

import numpy as np
import pytest

from mastgp.bench import problem


def test_park1_is_smooth_at_zero():
    p = problem("park1")
    near, at = p.evaluate([[1e-12, 0.5, 0.5, 0.5], [0.0, 0.5, 0.5, 0.5]])
    assert at == pytest.approx(near)


def test_park1_as_published(rng):
    X = rng.uniform(0.1, 1.0, (20, 4))
    x1, x2, x3, x4 = X.T
    published = x1 / 2 * (np.sqrt(1 + (x2 + x3**2) * x4 / x1**2) - 1)
    published += (x1 + 3 * x4) * np.exp(1 + np.sin(x3))
    np.testing.assert_allclose(problem("park1").evaluate(X), published, rtol=1e-12)


def test_the_cheap_park2_is_rescaled(rng):
    X = rng.random((20, 4))
    p = problem("park2")
    np.testing.assert_allclose(p.evaluate(X, 1.0), 1.2 * p.evaluate(X) - 1.0, rtol=1e-12)
