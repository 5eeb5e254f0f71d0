from __future__ import annotations

import pytest

from mastgp.bench.sources import sources
from mastgp.bench.tasks import Task

pytest.importorskip("emukit")
pytest.importorskip("GPy")

from mastgp.bench.strategies.with_emukit import search


def test_it_spends_its_budget_and_learns():
    task = Task(sources("branin"), "accuracy", 0, test_size=100)
    search(task, "")
    assert task.spent == pytest.approx(10.0, abs=0.1)
    scores = task.scores()
    assert scores["rmse_100"] < scores["rmse_040"]
