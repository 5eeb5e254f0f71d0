from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from mastgp.bench.problems import PROBLEMS
from mastgp.bench.sources import ADJUSTABLE, sources
from mastgp.errors import MastError


@pytest.mark.parametrize("name", [*ADJUSTABLE, *PROBLEMS])
def test_no_point_is_better_than_the_optimum(name, rng):
    found = sources(name)
    low, width = found.bounds[:, 0], np.ptp(found.bounds, axis=1)
    X = low + rng.random((2000, found.n_inputs)) * width
    sign = 1.0 if found.goal == "minimum" else -1.0
    start = X[np.argmin(sign * found.evaluate(X))]
    end = minimize(
        lambda x: sign * found.evaluate(x[None])[0], start, bounds=found.bounds, method="L-BFGS-B"
    )
    slack = 1e-6 * max(abs(found.optimum), 1.0)
    assert end.fun >= sign * found.optimum - slack
    assert found.regret(start) >= 0.0


@pytest.mark.parametrize("name", ["branin-good", "park-bad", "hartmann6-good", "wing-weight"])
def test_the_optimum_is_reached(name, rng):
    found = sources(name)
    sign = 1.0 if found.goal == "minimum" else -1.0
    low, width = found.bounds[:, 0], np.ptp(found.bounds, axis=1)
    X = low + rng.random((3000, found.n_inputs)) * width
    starts = X[np.argsort(sign * found.evaluate(X))[:5]]
    ends = [
        minimize(lambda x: sign * found.evaluate(x[None])[0], x, bounds=found.bounds)
        for x in starts
    ]
    best = min(ends, key=lambda end: end.fun)
    assert found.regret(best.x) < 1e-3 * max(abs(found.optimum), 1.0)


def test_good_sources_are_cheap_and_bad_ones_are_not(rng):
    U = rng.random((500, 2))
    for name, cost, favourable in (("branin-good", 0.1, True), ("branin-bad", 0.5, False)):
        found = sources(name)
        assert (found.costs["low"], found.favourable, found.budget) == (cost, favourable, 30.0)
    X = found.bounds[:, 0] + U * np.ptp(found.bounds, axis=1)
    correlation = {
        name: np.corrcoef(f(X), found.evaluate(X))[0, 1]
        for name, f in (
            ("good", sources("branin-good").functions["low"]),
            ("bad", found.functions["low"]),
        )
    }
    assert correlation["good"] > 0.99 > 0.9 > correlation["bad"]


def test_problems_of_the_paper_have_its_noise_and_its_budget(rng):
    found = sources("branin")
    assert (found.budget, found.top) == (10.0, "high")
    X = np.zeros((4000, 2))
    noise = found.observe(X, "low", rng)
    assert np.std(noise) == pytest.approx(found.noises["low"], rel=0.1)
    exact = sources("branin-good")
    np.testing.assert_array_equal(exact.observe(X[:3], "high", rng), exact.evaluate(X[:3]))


def test_an_unknown_problem_is_named():
    with pytest.raises(MastError, match="nowhere"):
        sources("nowhere")
