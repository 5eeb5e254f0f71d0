from __future__ import annotations

import os

import pytest

from mastgp.errors import DataError
from mastgp.next.opening import at_least, check_same, options_of, seconds_of, who
from studies import definition


def test_who_asks_has_a_process():
    assert who().endswith(f":{os.getpid()}")
    assert "@" in who()


def test_only_the_budget_may_differ(tmp_path):
    check_same(tmp_path, definition(), definition(budget=70.0))
    with pytest.raises(DataError, match="other 'goal', 'random_state'"):
        check_same(tmp_path, definition(), definition(goal="maximum", random_state=3))
    assert definition(**options_of(definition(goal="maximum"))) == definition(goal="maximum")


def test_seconds_are_for_all_fidelities_or_by_name():
    costs = {"panel": 1.0, "cfd": 2.0}
    assert seconds_of(None, costs) == {}
    assert seconds_of(5, costs) == {"panel": 5.0, "cfd": 5.0}
    assert seconds_of({"cfd": 5}, costs) == {"cfd": 5.0}
    with pytest.raises(DataError, match="unknown fidelity"):
        seconds_of({"fine": 5}, costs)
    with pytest.raises(DataError, match="above zero"):
        seconds_of(0, costs)


@pytest.mark.parametrize("value", [0, 1.5, True, "2"])
def test_numbers_of_things_are_whole_and_large_enough(value):
    with pytest.raises(DataError, match="jobs"):
        at_least(value, 1, "jobs")
    assert at_least(2, 1, "jobs") == 2
