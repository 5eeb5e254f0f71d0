from __future__ import annotations

import pytest

from mastgp.bench.sources import sources
from mastgp.bench.strategies.studies import expensive, study
from mastgp.bench.tasks import Task


def test_a_study_of_the_expensive_source_pays_for_nothing_else():
    task = Task(sources("park-bad"), "optimum", 0)
    expensive(task, "")
    assert task.counts == {"low": 0, "high": 30}
    assert task.scores()["regret"] < 1e-6  # the corner of all ones, which it finds


def test_a_study_spends_its_budget_on_both_sources():
    task = Task(sources("park-good"), "optimum", 0)
    study(task, "ar1-map")
    assert 29.0 < task.spent <= 30.0 + 1e-9
    assert min(task.counts.values()) > 0
    assert task.scores()["regret"] < 1e-6


def test_a_study_for_accuracy_goes_on_from_the_start_that_all_have():
    task = Task(sources("branin"), "accuracy", 0, test_size=100)
    study(task, "ar1-map")
    assert task.spent == pytest.approx(10.0, abs=0.1 + 1e-6)
    scores = task.scores()
    assert scores["rmse_100"] < scores["rmse_040"]
