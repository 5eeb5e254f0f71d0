from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mastgp.bench.sources import sources
from mastgp.bench.tasks import Task

pytest.importorskip("botorch")

from mastgp.bench.strategies.with_botorch import search, start_counts


def small(name, budget):
    return Task(replace(sources(name), budget=budget), "optimum", 0)


def test_the_start_is_that_of_chem_mfbo():
    assert start_counts(Task(sources("branin-good"), "optimum", 0), False) == [15, 2]
    assert start_counts(Task(sources("branin-bad"), "optimum", 0), False) == [4, 1]
    assert start_counts(Task(sources("branin-bad"), "optimum", 0), True) == [0, 3]


@pytest.mark.parametrize("name", ["botorch-logei", "botorch-mfkg", "botorch-mfmes", "chem-mfei"])
def test_rivals_spend_their_budget_and_recommend_a_point(name):
    task = small("branin-bad", 4.0)
    search(task, name)
    assert 3.0 < task.spent <= 4.0 + 1e-9
    assert np.isfinite(task.scores()["regret"])
    assert (task.counts["low"] == 0) == (name == "botorch-logei")
