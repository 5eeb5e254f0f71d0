from __future__ import annotations

import numpy as np
import pytest

from mastgp.bench import problem


def test_three_minima_with_one_value():
    p = problem("branin")
    places = np.array([x for x, _ in p.known])
    np.testing.assert_allclose(p.evaluate(places), 0.39788735772973816, rtol=1e-9)
    around = places + 0.01 * np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 1.0]])
    assert (p.evaluate(around) > p.evaluate(places)).all()


def test_the_cheap_version_has_another_curvature():
    """At x1 = 1, x2 = 0 the bowl is (-b + 5/pi - 6)^2; b is smaller by 0.1."""
    p = problem("branin")
    b = 5.1 / (4 * np.pi**2)
    change = (-b + 0.1 + 5 / np.pi - 6) ** 2 - (-b + 5 / np.pi - 6) ** 2
    x = [[1.0, 0.0]]
    assert (p.evaluate(x, 1.0) - p.evaluate(x))[0] == pytest.approx(change)
