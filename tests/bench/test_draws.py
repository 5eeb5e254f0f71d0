from __future__ import annotations

import numpy as np
import pytest

from mastgp import DataError
from mastgp.bench.experiments import EXPERIMENTS, experiment
from mastgp.bench.problems import problem
from mastgp.bench.protocol import Budget
from mastgp.bench.real import Pool, RealProblem


@pytest.fixture
def pools(rng):
    """A small problem given by data: 200 expensive rows, 300 cheap ones, 50 of them shared."""
    X = rng.random((200, 2))
    cheap = np.vstack([X[:50], rng.random((250, 2))])
    return RealProblem(
        "toy",
        {"low": Pool(cheap, cheap.sum(axis=1) + 1.0), "high": Pool(X, X.sum(axis=1))},
        Budget({"low": 0.3, "high": 0.7}, {"low": 0.1, "high": 1.0}, {}),
        np.array([[0.0, 1.0]] * 2),
        noise={"low": 0.02, "high": 0.01},
    )


def test_ends_of_the_allocation_sweep():
    draw = experiment("sweep-ratio").draw
    assert set(draw(problem("branin"), 0, "0.0", 20).fidelity) == {"low"}
    assert set(draw(problem("branin"), 0, "1.0", 20).fidelity) == {"high"}


def test_discrepancy_sweep_scales_the_cheap_points():
    draw = experiment("sweep-discrepancy").draw(problem("branin"), 0, "1.5", 20)
    assert int((draw.fidelity == "high").sum()) == 7
    assert int((draw.fidelity == "low").sum()) == 105
    assert len(draw.y_only) == 18  # 7 + 10.5, rounded up


@pytest.mark.parametrize("name", sorted(EXPERIMENTS))
def test_all_settings_of_a_seed_have_one_test_set_apart_from_all_training_rows(name, pools):
    """The yardstick is drawn in the first setting, or in each of them."""
    chosen = experiment(name)
    draws = [chosen.draw(pools, 4, setting, 20) for setting in chosen.settings_of("toy")]
    for draw in draws:
        np.testing.assert_array_equal(draw.X_test, draws[0].X_test)
        np.testing.assert_array_equal(draw.y_test, draws[0].y_test)
        trained = np.vstack([draw.X[draw.fidelity == "high"], draw.X_only])
        assert not set(map(tuple, trained)) & set(map(tuple, draw.X_test))
    assert len(draws[0].y_test) > 50


def test_main_tables_test_on_every_row_that_is_not_trained_on(pools):
    draw = experiment("two-fidelity").draw(pools, 0, "", 20)
    trained = {tuple(x) for x in np.vstack([draw.X[draw.fidelity == "high"], draw.X_only])}
    assert len(draw.y_test) == 200 - len(trained)


def test_collocated_is_for_pools():
    with pytest.raises(DataError, match="pools of data"):
        experiment("collocated").draw(problem("branin"), 0, "", 20)


def test_extra_uses_the_problems_own_counts():
    forrester = problem("forrester")
    draw = experiment("extra").draw(forrester, 0, "", 20)
    counts = {name: int((draw.fidelity == name).sum()) for name in set(draw.fidelity)}
    assert counts == forrester.counts
