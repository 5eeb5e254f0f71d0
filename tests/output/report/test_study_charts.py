"""What the charts of a study's page show."""

from __future__ import annotations

import pytest

from mastgp.output.report.study_charts import study_data, study_pictures
from mastgp.output.studies import best_so_far, spent_until
from studies import drag, finish, new_study


@pytest.fixture
def study(tmp_path):
    return finish(new_study(tmp_path, budget=40.0))


def test_trials_are_shown_over_what_was_spent(study):
    data = study_data(study, study.trials())
    assert [own["spent"] for own in data["trials"]] == sorted(
        own["spent"] for own in data["trials"]
    )
    assert data["trials"][-1]["spent"] == pytest.approx(study.spent)
    for own in data["trials"]:
        assert own["value"] == pytest.approx(drag(**own["inputs"], level=own["fidelity"]))


def test_the_best_is_that_of_the_study(study):
    data = study_data(study, study.trials())
    assert data["best"] == [list(step) for step in best_so_far(study, *spent_until(study.trials()))]
    assert data["best"][-1] == [pytest.approx(study.spent), study.best().value]
    values = [value for _, value in data["best"]]
    assert values == sorted(values, reverse=True)


def test_a_study_without_results_has_no_check_and_no_best(tmp_path):
    study = new_study(tmp_path)
    trial, *_ = study.ask(1)
    study.tell(trial, failed="the mesh was bad")
    data = study_data(study, study.trials())
    assert data["heldOut"] is None
    assert data["best"] == []
    assert [own["failed"] for own in data["trials"]] == [True]
    pictures = study_pictures(data)
    assert "failed" in pictures
    assert "Held-out" not in pictures


def test_levels_and_ranges_have_their_axes(study):
    x, material = study_data(study, study.trials())["inputs"]
    assert (x["low"], x["high"]) == (0.0, 1.0)
    assert sorted(material["levels"]) == ["alu", "steel"]
