from __future__ import annotations

import numpy as np
import pytest

from mastgp.next.failures import Failures


def test_without_failures_no_place_is_bad(rng):
    failures = Failures.of(rng.random((20, 2)), [False] * 20)
    np.testing.assert_array_equal(failures.probability(rng.random((5, 2))), 0.0)
    assert Failures.of(np.zeros((0, 2)), []).rate == 0.0


@pytest.mark.parametrize("seed", range(5))
def test_a_bad_corner_is_learned(seed):
    rng = np.random.default_rng(seed)
    places = rng.random((60, 2))
    bad = (places > 0.6).all(axis=1)
    failures = Failures.of(places, bad)
    assert failures.is_local
    inside, outside = failures.probability(np.array([[0.9, 0.9], [0.2, 0.2]]))
    assert inside > 0.7
    assert outside < 0.2


@pytest.mark.parametrize("seed", range(5))
def test_a_bad_half_of_one_input_among_many_is_learned(seed):
    rng = np.random.default_rng(seed)
    places = rng.random((30, 6))
    failures = Failures.of(places, places[:, 2] > 0.7)
    assert np.flatnonzero(np.isfinite(failures.widths)).tolist() == [2]


def test_failures_at_random_say_nothing_of_places():
    local = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        local += Failures.of(rng.random((40, 3)), rng.random(40) < 0.2).is_local
    assert local <= 6


def test_the_very_place_of_a_failure_is_avoided_whatever_the_rate():
    places = np.linspace(0.0, 1.0, 11)[:, None]
    failures = Failures.of(places, [i == 3 for i in range(11)])
    assert not failures.is_local
    at, beside, away = failures.probability(np.array([[0.3], [0.31], [0.5]]))
    assert at == pytest.approx(0.9)
    assert beside > 0.8
    assert away == pytest.approx(1 / 11)
