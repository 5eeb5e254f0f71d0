from __future__ import annotations

import pandas as pd
import pytest

from mastgp.errors import DataError
from mastgp.next.trial_tables import asked_table, results_of, told, trial_table
from mastgp.next.trials import DONE, Trial
from studies import definition

TRIALS = [
    Trial(id=1, inputs={"x": 1 / 3, "material": "alu"}, fidelity="panel", cost=1.0, reason="why"),
    Trial(id=2, inputs={"x": 0.5, "material": "steel"}, fidelity="cfd", cost=10.0, reason="why"),
]


def read(path, text, **changed):
    path.write_text(text)
    return told(definition(**changed), TRIALS, path)


def test_what_is_asked_comes_back_with_results(tmp_path):
    path = tmp_path / "runs.csv"
    table = asked_table(definition(), TRIALS)
    table.to_csv(path, index=False)
    assert told(definition(), TRIALS, path).empty == 2
    table["drag"] = [1.5, ""]
    table["failure"] = ["", "diverged"]
    table.to_csv(path, index=False)
    assert told(definition(), TRIALS, path).outcomes == {1: {"drag": 1.5}, 2: "diverged"}


def test_a_spreadsheet_may_have_cut_digits_moved_columns_and_commas(tmp_path):
    text = "drag;x;trial\n1,5;0,333;1\n\n;0,5;2\n"
    found = read(tmp_path / "runs.csv", text)
    assert (found.outcomes, found.empty) == ({1: {"drag": 1.5}}, 1)


def test_nan_is_a_failure_and_a_row_without_a_trial_is_new(tmp_path):
    text = "trial,x,material,fidelity,drag\n1,,,,NaN\n,0.25,alu,cfd,2.5\n"
    found = read(tmp_path / "runs.csv", text)
    assert found.outcomes == {1: "drag is nan"}
    ((proposal, outcome),) = found.new
    assert (proposal.inputs, proposal.fidelity) == ({"x": 0.25, "material": "alu"}, "cfd")
    assert outcome == {"drag": 2.5}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("trial,drag\n9,1\n", "line 2 of .*there is no trial 9"),
        ("trial,drag\n1,1\n1,1\n", "line 3 of .*trial 1 is there twice"),
        ("trial,drag\none,1\n", "line 2 of .*'one' is no number of a trial"),
        ("trial,drag\n1.5,1\n", "no number of a trial"),
        ("trial,drag\n1,diverged\n", "line 2 .*column 'drag': 'diverged' is not a number"),
        ("trial,lift\n1,1\n", "no column 'drag'"),
        ("trial,x,drag\n1,0.9,1\n", "trial 1 was asked at x = 0.333"),
        ("trial,fidelity,drag\n1,cfd,1\n", "trial 1 was asked at 'panel'"),
        ("trial,material,drag\n1,steel,1\n", "trial 1 was asked at material = alu"),
        ("trial,material,drag\n1,wood,1\n", "trial 1 was asked at material = alu"),
        ("trial,drag\n,1\n", "neither a trial nor a fidelity"),
        ("fidelity,x,material,drag\nfine,1,alu,1\n", "unknown fidelity in line 2"),
        ("fidelity,x,material,drag\ncfd,7,alu,1\n", "line 2 .*outside 0 to 1"),
        ("fidelity,x,drag\ncfd,1,1\n", "no input 'material'"),
    ],
)
def test_what_does_not_fit_is_named_with_its_line(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read(tmp_path / "runs.csv", text)


def test_one_of_several_targets_may_not_be_missing(tmp_path):
    text = "trial,drag,stress\n1,1,\n"
    with pytest.raises(DataError, match="column 'stress': the value is missing"):
        read(tmp_path / "runs.csv", text, target=["drag", "stress"])


def test_earlier_results_need_everything():
    table = pd.DataFrame({"x": [0.1, 0.2], "material": ["alu", "steel"], "drag": [1.0, None]})
    (_, first), (second, missing) = results_of(definition(), table, "panel")
    assert first == {"drag": 1.0}
    assert isinstance(missing, str)
    assert second.fidelity == "panel"
    with pytest.raises(DataError, match=r"row 0 .*neither"):
        results_of(definition(), table)


def test_all_that_is_known_of_trials_is_in_one_table():
    done = Trial(id=1, inputs={"x": 0.5, "material": "alu"}, fidelity="cfd", cost=10.0, reason="",
                 status=DONE, values={"drag": 2.0}, attempts=1, ended_at=0.0)  # fmt: skip
    row = trial_table(definition(), [done]).iloc[0]
    assert (row.drag, row.status, row.ended_at) == (2.0, "done", "1970-01-01T00:00:00+00:00")
