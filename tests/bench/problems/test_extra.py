from __future__ import annotations

import numpy as np
import pytest

from mastgp.bench.problems import EXTRA, problem


@pytest.mark.parametrize(
    ("name", "x", "value"),
    [
        ("forrester", [0.757249], -6.020740),
        ("camel", [0.0898, -0.7126], -1.0316),
        ("camel", [-0.0898, 0.7126], -1.0316),
        ("unrelated", [np.pi / 2, np.pi / 2, 1.0], 1.0 + 7.0 + 0.1),
        ("opposite", [0.5, 1.0, 0.5, 0.0, 0.0], 10.0),
        ("nonlinear", [1.0 / 16], 1.0 / 16 - np.sqrt(2.0)),
    ],
)
def test_published_values_and_values_by_hand(name, x, value):
    assert problem(name).evaluate([x])[0] == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize("name", EXTRA)
def test_both_versions_are_finite_and_differ(name, rng):
    p = problem(name)
    X = rng.uniform(*p.bounds.T, (200, p.n_inputs))
    high, low = p.evaluate(X), p.evaluate(X, 1.0)
    assert np.isfinite(high).all()
    assert np.isfinite(low).all()
    assert np.std(high - low) > 0.001 * np.std(high)
    assert set(p.counts) == {"low", "high"}
