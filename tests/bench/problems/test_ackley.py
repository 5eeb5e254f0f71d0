from __future__ import annotations

import numpy as np
import pytest

from mastgp.bench import problem


def test_at_a_point_of_whole_numbers_the_waves_are_at_their_top():
    p = problem("ackley")
    value = 20.0 - 20.0 * np.exp(-0.2)
    assert p.evaluate([[1.0, 1.0, 1.0, 1.0]])[0] == pytest.approx(value)


def test_the_cheap_version_differs_by_its_noise_alone(rng):
    X = rng.uniform(-5, 5, (20, 4))
    p = problem("ackley")
    np.testing.assert_array_equal(p.evaluate(X, 1.0), p.evaluate(X))
    assert p.noise_std(1.0) == pytest.approx(7.5 * p.noise_std(0.0))
