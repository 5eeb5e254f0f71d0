from __future__ import annotations

import numpy as np
import pytest

from mastgp.bench import problem
from mastgp.bench.problems.hartmann import bumps


def test_one_bump_by_hand():
    value = bumps(np.array([[0.5, 0.5]]), np.array([[2.0, 4.0]]), np.zeros((1, 2)), np.array([3.0]))
    assert value[0] == pytest.approx(3.0 * np.exp(-(2.0 + 4.0) * 0.25))


@pytest.mark.parametrize("name", ["hartmann3", "hartmann6"])
def test_the_published_place_is_a_maximum(name, rng):
    p = problem(name)
    ((x, value),) = p.known
    around = np.clip(np.array(x) + 0.02 * rng.standard_normal((50, p.n_inputs)), 0, 1)
    assert (p.evaluate(around) < value).all()
