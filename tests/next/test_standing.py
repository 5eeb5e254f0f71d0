from __future__ import annotations

import json

import pytest

from studies import finish, new_study


def test_before_anything_has_run(tmp_path):
    standing = new_study(tmp_path).standing()
    assert (standing.spent, standing.best, standing.check, standing.prospect) == (
        0.0,
        None,
        None,
        None,
    )
    assert [tally.fidelity for tally in standing.tallies] == ["cfd", "panel"]


@pytest.mark.parametrize("goal", ["minimum", "accuracy"])
def test_where_a_study_stands(tmp_path, goal):
    study = finish(new_study(tmp_path, budget=100.0, goal=goal), 3)
    standing = study.standing()
    assert standing.spent == sum(tally.spent for tally in standing.tallies) == study.spent
    assert standing.scouted <= 0.1 * 100
    assert standing.check.rmse >= 0.0
    assert standing.prospect.runs == 0
    assert not standing.prospect.worth_it
    from mastgp import Study

    more = Study(study.path, budget=150.0).standing().prospect
    assert more.runs == int((150 - study.spent) / 10)
    assert more.gain >= 0.0
    assert "cfd" in more.sentence
    json.dumps(standing.facts(), allow_nan=False)


def test_failures_are_told(tmp_path):
    study = new_study(tmp_path, budget=60.0)
    for trial in study.ask(20):
        study.tell(trial, failed="no") if trial.id == 1 else study.tell(
            trial, 1.0 + trial.inputs["x"]
        )
    assert study.standing().failures.startswith("1 of ")
