"""Gains of runs by Monte Carlo and in their limits."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp.next.beliefs import Belief
from mastgp.next.goals import Extreme, Level, learned_stds, spreads
from mastgp.next.improvement import log_near
from mastgp.next.outlook import Outlook
from next.fitted import BEST

NONE = np.zeros((0, 2)), np.zeros(0, dtype=np.intp)


def anywhere(U):
    return np.zeros(len(U))


def extreme(model, sign=1.0, runs=NONE):
    belief = Belief(model)
    outlook = Outlook(belief, *runs)
    seen = belief.at(belief.data.unit(belief.data.top), belief.top)
    return Extreme(outlook, anywhere, sign, seen)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_expected_improvement_by_monte_carlo(drawn_model, rng, sign):
    """Of the mixture over all draws, each against its own best expensive value."""
    criterion = extreme(drawn_model, sign)
    U = np.array([[0.72, 0.33], [0.02, 0.98], [0.4, 0.4]])
    belief = criterion.outlook.belief
    values = np.exp(criterion.values(U))
    top = belief.data.unit(belief.data.top)
    total = np.zeros(3)
    for part in belief.processes:
        mean, var = part.process.predict(U, 1)
        best = (sign * part.process.predict_mean(top, 1)).min()
        draws = mean[:, None] + np.sqrt(var)[:, None] * rng.standard_normal((3, 400_000))
        total += part.share * np.maximum(best - sign * draws, 0.0).mean(axis=1)
    np.testing.assert_allclose(values, total, rtol=0.03, atol=1e-7)
    np.testing.assert_allclose(criterion.gain(U[0], 1), values[0], rtol=1e-9)


def test_the_most_promising_point_is_near_the_minimum(optimum_model, rng):
    U = rng.random((2000, 2))
    best = U[np.argmax(extreme(optimum_model).values(U))]
    assert np.linalg.norm(best - BEST) < 0.15


def test_a_cheap_run_is_worth_less_than_an_expensive_one_and_less_once_it_is_under_way(
    optimum_model,
):
    criterion = extreme(optimum_model)
    u = np.array([0.7, 0.3])
    assert 0.0 < criterion.gain(u, 0) < criterion.gain(u, 1)
    running = extreme(optimum_model, runs=(u[None], np.array([0])))
    told = [c.gain(u, 0) / c.gain(u, 1) for c in (criterion, running)]
    assert told[1] < 0.9 * told[0]


def test_what_is_learned_at_the_top_is_all_that_is_uncertain(optimum_model, rng):
    belief = Belief(optimum_model)
    outlook = Outlook(belief, *NONE)
    seen = belief.at(rng.random((5, 2)), 1)
    found = spreads(outlook, seen)
    noise = belief.noises[0][1]
    expected = found.stds**2 / np.sqrt(found.stds**2 + noise)
    np.testing.assert_allclose(learned_stds(outlook, seen, 1, found), expected, rtol=1e-6)
    assert (learned_stds(outlook, seen, 0, found) < found.stds).all()


def test_a_level_is_looked_for_where_it_may_be(optimum_model, rng):
    belief = Belief(optimum_model)
    criterion = Level(Outlook(belief, *NONE), anywhere, 0.2)
    U = rng.random((2000, 2))
    values = criterion.values(U)
    mean, std = optimum_model.predict(U, return_std=True)
    np.testing.assert_allclose(values, log_near(mean - 0.2, std), rtol=1e-6)
    best = U[np.argmax(values)]
    assert abs(optimum_model.predict(best[None])[0] - 0.2) < 3 * std.max()
    assert 0.0 <= criterion.gain(best, 0) <= criterion.gain(best, 1)


def test_a_transformed_response_has_the_same_place_of_improvement(log_model, rng):
    criterion = extreme(log_model)
    U = rng.random((1500, 2))
    assert np.linalg.norm(U[np.argmax(criterion.values(U))] - BEST) < 0.2


def test_a_prediction_counts_by_how_probably_it_does(optimum_model, rng):
    U = rng.random((40, 2))
    certain = extreme(optimum_model)
    half = extreme(optimum_model)
    half.feasibility = lambda U: np.full(len(U), np.log(0.5))
    better = certain.predicted(U)
    assert (better <= 0.0).any()
    near = np.array([[0.7, 0.3]])
    assert certain.predicted(near)[0] > 0.0
    np.testing.assert_allclose(half.predicted(near), 0.5 * certain.predicted(near))
    np.testing.assert_allclose(half.predicted(U)[better <= 0.0], better[better <= 0.0])
