from __future__ import annotations

import pytest

from mastgp.bench.timelimit import UnitTimeoutError, time_limit


def for_ever():
    while True:
        pass


def test_work_that_takes_too_long_is_stopped():
    with pytest.raises(UnitTimeoutError), time_limit(0.05):
        for_ever()


@pytest.mark.parametrize("seconds", [None, 1000.0])
def test_work_within_its_time_is_left_alone(seconds):
    with time_limit(seconds):
        done = sum(range(10))
    assert done == 45
