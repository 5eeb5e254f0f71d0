from __future__ import annotations

import numpy as np
import pytest

from mastgp.bench import PROBLEMS, problem
from mastgp.bench.problems.base import box, oscillation


@pytest.mark.parametrize("name", PROBLEMS)
def test_degradation_adds_the_discrepancy(name, rng):
    p = problem(name)
    X = rng.uniform(*p.bounds.T, (50, p.n_inputs))
    high, half, low = (p.evaluate(X, d) for d in (0.0, 0.5, 1.0))
    np.testing.assert_array_equal(high, p.high(X))
    np.testing.assert_allclose(half, (high + low) / 2, rtol=1e-12)


@pytest.mark.parametrize("name", PROBLEMS)
def test_noise_has_the_papers_standard_deviation(name, rng):
    p = problem(name)
    X = rng.uniform(*p.bounds.T, (20_000, p.n_inputs))
    fractions = {0.0: 0.02, 1.0: 0.15} if name == "ackley" else {0.0: 0.01, 1.0: 0.03, 0.5: 0.02}
    for degradation, fraction in fractions.items():
        values = p.evaluate(X, degradation)
        std = np.std(p.observe(X, degradation, rng) - values)
        assert std == pytest.approx(p.noise_std(degradation), rel=0.03)
        assert std == pytest.approx(fraction * abs(values.mean()), rel=0.05)


def test_box_and_oscillation():
    np.testing.assert_array_equal(box(-1, 2, 3), [[-1.0, 2.0]] * 3)
    assert oscillation(np.array([[0.1, 0.2, 9.0]]))[0] == pytest.approx(0.1 * np.sin(2.0))
