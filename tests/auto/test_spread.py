from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mastgp.auto.spread import (
    FEW,
    LEAST,
    MOST,
    PRIOR_POINTS,
    USUAL_SIZE,
    spread_factor,
    spread_without_each,
)

residuals = st.lists(st.floats(-50.0, 50.0), min_size=1, max_size=40).map(np.array)


def test_residuals_of_the_usual_size_change_nothing_but_for_few_points():
    for n in (5, 50, 5000):
        factor = spread_factor(np.full(n, USUAL_SIZE))
        before = (1.0 + FEW / n) ** 2
        assert factor**2 == pytest.approx((n + PRIOR_POINTS * before) / (n + PRIOR_POINTS))
    assert factor == pytest.approx(1.0, abs=1e-6)


def test_many_points_decide_alone():
    z = np.full(100_000, 1.3 * USUAL_SIZE)
    assert spread_factor(z) == pytest.approx(1.3, abs=1e-4)


def test_without_points_nothing_is_known():
    assert spread_factor(np.empty(0)) == 1.0
    assert spread_factor(np.array([np.nan])) == 1.0


@given(residuals)
def test_factors_stay_in_their_range_and_know_no_sign(z):
    assert LEAST <= spread_factor(z) <= MOST
    assert spread_factor(z) == spread_factor(-z)
    assert spread_factor(z) <= spread_factor(1.5 * z)


def test_a_point_has_no_say_in_its_own_factor(rng):
    z, groups = rng.normal(size=6), np.array([0, 0, 1, 2, 2, 3])
    factors = spread_without_each(z, groups)
    for group in range(4):
        np.testing.assert_array_equal(factors[groups == group], spread_factor(z[groups != group]))
