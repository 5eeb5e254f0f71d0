from __future__ import annotations

import numpy as np
import pytest

from mastgp.bench.protocol import TWO_FIDELITIES
from mastgp.bench.sources import sources
from mastgp.bench.strategies.designs import accuracy_start, counts_for, hypercube, random
from mastgp.bench.tasks import Task


@pytest.mark.parametrize("name", ["branin", "hartmann3", "borehole"])
def test_money_is_divided_as_in_the_paper(name):
    problem = sources(name)
    assert counts_for(problem, problem.budget) == TWO_FIDELITIES.counts(problem.budget)


def test_several_cheap_sources_share_their_money():
    assert counts_for(sources("wing-weight"), 10.0) == {
        "crude": 1000, "low": 100, "mid": 10, "high": 7
    }  # fmt: skip


def test_every_search_for_accuracy_begins_with_the_same_runs():
    first, second = (Task(sources("branin"), "accuracy", 5) for _ in range(2))
    for source, (X, y) in accuracy_start(first).items():
        np.testing.assert_array_equal(X, (other := accuracy_start(second)[source])[0])
        np.testing.assert_array_equal(y, other[1])
        second = Task(sources("branin"), "accuracy", 5)
    assert first.spent == pytest.approx(3 + 1.2)


@pytest.mark.parametrize("run", [hypercube, random])
def test_designs_for_an_optimum_spend_all_and_recommend_the_best_expensive_run(run):
    task = Task(sources("branin-good"), "optimum", 1)
    run(task, "ar1-map")
    assert task.counts == {"low": 90, "high": 21}
    scores = task.scores()
    assert scores["regret_100"] <= scores["regret_050"] <= scores["regret_025"]


@pytest.mark.filterwarnings("ignore::mastgp.errors.MastWarning")
@pytest.mark.parametrize("run", [hypercube, random])
def test_designs_for_accuracy_are_measured_at_every_share(run):
    task = Task(sources("branin"), "accuracy", 1, test_size=100)
    run(task, "ar1-map")
    scores = task.scores()
    assert scores["rmse_100"] == scores["rmse"] < scores["rmse_040"]
    assert task.counts == {"low": 30, "high": 7}
