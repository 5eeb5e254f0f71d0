from __future__ import annotations

from mastgp.cli.study_printing import print_event, print_standing
from mastgp.next.runner import Event
from studies import new_study


def test_a_standing_is_printed_in_words(tmp_path, wide, capsys):
    study = new_study(
        tmp_path, target=["drag", "stress"], constraints=["stress <= -1"], budget=300.0
    )
    for trial in study.ask(25):
        study.tell(trial, {"drag": trial.inputs["x"], "stress": trial.inputs["x"]})
    print_standing(study.standing(), "wing.study")
    said = capsys.readouterr().out
    assert "wing.study: minimum of drag" in said
    assert "to find out whether cheap fidelities help" in said
    assert "No run satisfies all limits yet" in said
    assert "of the range of cfd values" in said


def test_events_are_lines_with_the_money_spent(tmp_path, wide, capsys):
    study = new_study(tmp_path)
    (trial,) = study.ask()
    for what in ("started", "found", "slow", "again", "failed", "done"):
        print_event(study, Event(what, trial, "text"))
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "trial 1 panel: may hang: text (spent 0 of 100)",
        "trial 1 panel: is tried again: text (spent 0 of 100)",
        "trial 1 panel: failed: text (spent 0 of 100)",
        "trial 1 panel: text (spent 0 of 100)",
    ]
