from __future__ import annotations

from mastgp.next.trials import ASKED, DONE, FAILED, GIVEN, RUNNING, SUGGESTED, Trial


def trial(**changed):
    return Trial(
        **{"id": 1, "inputs": {}, "fidelity": "cfd", "cost": 10.0, "reason": "", **changed}
    )


def test_every_attempt_that_has_ended_costs_money():
    assert trial(status=DONE, attempts=1, origin=SUGGESTED).spent == 10.0
    assert trial(status=FAILED, attempts=3).spent == 30.0
    assert trial(status=ASKED).spent == 0.0


def test_results_from_elsewhere_cost_nothing():
    assert trial(status=DONE, attempts=1, origin=GIVEN).spent == 0.0


def test_open_trials_are_promised_their_money():
    assert [trial(status=status).committed for status in (ASKED, RUNNING, DONE, FAILED)] == [
        10.0, 10.0, 0.0, 0.0,
    ]  # fmt: skip
    assert trial(status=RUNNING, attempts=1).spent + trial(status=RUNNING).committed == 20.0
