from __future__ import annotations

import pytest

from mastgp.next.patience import Patience
from studies import new_study


@pytest.fixture
def study(tmp_path):
    return new_study(tmp_path)


def test_a_run_that_may_hang_is_told_of_once(study):
    now = [0.0]
    first, second = study.ask(2)
    assert first.fidelity == second.fidelity == "panel"
    patience = Patience({}, lambda: now[0])
    patience.started(first)
    now[0] = 599.0
    assert patience.lost(first) is None
    now[0] = 600.0
    assert patience.lost(first) == ("it has taken 600 s; if it hangs, --time-limit ends such runs")
    assert patience.lost(first) is None
    now[0] = 700.0
    patience.started(first)
    now[0] = 705.0
    patience.ended(first)
    patience.started(second)
    now[0] = 705.0 + 10 * 5.0 - 0.1
    assert patience.lost(second) is None
    now[0] += 0.1
    assert "50 s, the longest of panel so far 5;" in patience.lost(second)


def test_runs_with_a_time_limit_are_ended_by_it_and_not_told_of(study):
    now = [0.0]
    (trial,) = study.ask(1)
    patience = Patience({trial.fidelity: 5.0}, lambda: now[0])
    patience.started(trial)
    now[0] = 1e6
    assert patience.lost(trial) is None
