from __future__ import annotations

import numpy as np
import pytest

from mastgp.bench.sources import sources
from mastgp.bench.tasks import SHARES, Task

BEST = [np.pi, 2.275]


def test_runs_are_paid_for_and_counted():
    task = Task(sources("branin-good"), "optimum", 0)
    assert task.run(BEST, "high") == pytest.approx(0.397887, abs=1e-5)
    task.run(BEST, "low")
    assert (task.spent, task.left) == (pytest.approx(1.1), pytest.approx(28.9))
    assert task.counts == {"low": 1, "high": 1}
    for _ in range(28):
        task.run(BEST, "high")
    assert task.affords("low")
    assert not task.affords("high")


def test_what_is_recommended_holds_from_then_on():
    task = Task(sources("branin-good"), "optimum", 0)
    for number in range(30):
        task.run([0.0, 0.0], "high")
        if number == 0:
            task.recommend([0.0, 0.0])
        if number == 14:
            task.recommend(BEST)
    scores = task.scores()
    first = task.problem.regret([0.0, 0.0])
    assert scores["regret_005"] == scores["regret_045"] == first
    assert scores["regret_050"] == scores["regret_100"] == scores["regret"] < 1e-6
    assert scores["runs_high"] == 30


def test_before_anything_is_recommended_there_is_no_value():
    task = Task(sources("branin-good"), "optimum", 0)
    for _ in range(6):
        task.run(BEST, "high")
    task.recommend(BEST)
    scores = task.scores()
    assert "regret_015" not in scores
    assert "regret_020" in scores
    with pytest.raises(ArithmeticError, match="no regret"):
        Task(sources("branin-good"), "optimum", 0).scores()


def test_accuracy_is_measured_when_it_is_due():
    problem = sources("branin")
    task = Task(problem, "accuracy", 0, test_size=200)
    for _ in range(4):
        task.run(BEST, "high")
    assert task.is_due
    task.assess(lambda X: problem.evaluate(X) + 2.0)
    assert not task.is_due
    for _ in range(6):
        task.run(BEST, "high")
    assert task.is_due
    task.assess(problem.evaluate)
    scores = task.scores()
    assert scores["rmse_040"] == pytest.approx(2.0)
    assert scores["rmse_055"] == scores["rmse"] == pytest.approx(0.0, abs=1e-12)
    assert [name for name in scores if name.startswith("rmse_")] == [
        f"rmse_{share:03d}" for share in SHARES["accuracy"]
    ]


def test_random_numbers_depend_on_seed_and_purpose_only():
    first, again, other = (Task(sources("branin"), "optimum", seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.hypercube("low", 5), again.hypercube("low", 5))
    assert not np.allclose(first.hypercube("low", 5), other.hypercube("low", 5))
    assert not np.allclose(first.hypercube("low", 5), first.hypercube("high", 5))
