"""Time limits, with a clock that the test moves."""

from __future__ import annotations

import pytest

from mastgp import DataError
from mastgp.baselines.clock import Clock


@pytest.fixture
def now(monkeypatch):
    """The time in seconds, as a list of one number."""
    time = [100.0]
    monkeypatch.setattr("mastgp.baselines.clock.monotonic", lambda: time[0])
    return time


def test_the_limit_counts_from_the_construction(now):
    clock = Clock(5.0)
    for moment, over in ((100.0, False), (105.0, False), (105.1, True)):
        now[0] = moment
        assert clock.is_over() is over


def test_it_remembers_that_somebody_asked_too_late(now):
    clock = Clock(5.0)
    now[0] = 200.0
    assert not clock.expired
    assert clock.is_over()
    now[0] = 100.0
    assert clock.expired
    assert clock.is_over()


def test_without_a_limit_it_is_never_over(now):
    clock = Clock(None)
    now[0] = 1e300
    assert not clock.is_over()


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan")])
def test_a_limit_is_above_zero(limit):
    with pytest.raises(DataError, match=r"time_limit is .*; it must be a number above zero"):
        Clock(limit)
