"""Suggestions as a user gets them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mastgp
from mastgp import DataError
from mastgp.models import MAST, SingleFidelity
from mastgp.next import choosing
from next.fitted import BEST, COSTS, bowl, bowl_data, mixed


def points(found):
    return np.array([list(one.inputs.values()) for one in found])


@pytest.mark.parametrize("goal", ["accuracy", "minimum", "maximum", ("target", 0.3)])
def test_a_suggestion_says_everything(drawn_model, goal):
    (one,) = mastgp.suggest(drawn_model, goal=goal)
    assert set(one.inputs) == {"x0", "x1"}
    assert one.cost == COSTS[one.fidelity]
    mean = drawn_model.predict(points([one]))[0]
    low, high = drawn_model.predict_interval(points([one]))
    assert one.mean == pytest.approx(mean)
    assert one.interval == pytest.approx((low[0], high[0]))
    assert one.gain >= 0
    assert one.reason.endswith(".")


def test_the_minimum_and_the_maximum_are_looked_for_where_they_are(drawn_model):
    (low,) = mastgp.suggest(drawn_model, goal="minimum", allow=["fine"])
    assert np.linalg.norm(points([low])[0] - BEST) < 0.15
    (high,) = mastgp.suggest(drawn_model, goal="maximum", allow=["fine"])
    np.testing.assert_allclose(points([high])[0], [0.0, 1.0], atol=0.02)
    assert low.fidelity == high.fidelity == "fine"


def test_the_last_run_is_made_where_the_prediction_is_best(drawn_model):
    (last,) = mastgp.suggest(drawn_model, goal="minimum", allow=["fine"], last=True)
    best = mastgp.optimum(drawn_model, "minimum")
    assert last.mean == pytest.approx(best.mean, abs=2e-4)
    first, second = mastgp.suggest(drawn_model, 2, "minimum", allow=["fine"], last=True)
    assert (first.inputs, first.mean) == (last.inputs, last.mean)
    assert second.mean > first.mean


def test_where_no_prediction_is_better_the_last_run_is_like_any_other(drawn_model):
    known = drawn_model.training_data_.top
    worst = np.argsort(known.y)[-3:]
    pool = pd.DataFrame(known.X[worst] + 0.001, columns=["x0", "x1"])
    usual = mastgp.suggest(drawn_model, goal="minimum", candidates=pool, allow=["fine"])
    assert usual == mastgp.suggest(drawn_model, goal="minimum", candidates=pool, allow=["fine"],
                                   last=True)  # fmt: skip


def test_where_much_is_expected_the_last_run_is_like_any_other(drawn_model, monkeypatch):
    usual = mastgp.suggest(drawn_model, goal="minimum", allow=["fine"])
    assert usual != mastgp.suggest(drawn_model, goal="minimum", allow=["fine"], last=True)
    monkeypatch.setattr(choosing, "LITTLE", 1e-100)
    assert usual == mastgp.suggest(drawn_model, goal="minimum", allow=["fine"], last=True)


def test_a_batch_does_not_crowd_and_respects_what_is_under_way(drawn_model):
    batch = mastgp.suggest(drawn_model, 4, allow=["fine"])
    X = points(batch)
    distances = np.linalg.norm(X[:, None] - X[None], axis=-1)[np.triu_indices(4, 1)]
    assert distances.min() > 0.1
    gains = [one.gain for one in batch]
    assert gains[0] > 0
    pending = [(one.inputs, one.fidelity) for one in batch[:2]]
    (third,) = mastgp.suggest(drawn_model, 1, pending=pending, allow=["fine"])
    assert np.linalg.norm(points([third]) - X[:2], axis=1).min() > 0.1


def test_pending_runs_are_as_good_as_suggested_ones(drawn_model):
    first, second = mastgp.suggest(drawn_model, 2, goal="accuracy", random_state=1)
    frame = pd.DataFrame([{**first.inputs, "fidelity": first.fidelity}])
    (after,) = mastgp.suggest(drawn_model, 1, goal="accuracy", pending=frame, random_state=1)
    assert after.fidelity == second.fidelity
    assert after.gain == pytest.approx(second.gain, rel=0.2)


def test_a_budget_is_kept_and_spent(drawn_model):
    """What is left when no expensive run can be paid for goes to cheap ones."""
    found = mastgp.suggest(drawn_model, 9, "accuracy", budget=18.5, costs={"coarse": 8.0})
    assert {one.fidelity for one in found} == {"coarse", "fine"}
    spent = sum(one.cost for one in found)
    assert spent == 18.0
    assert mastgp.suggest(drawn_model, 2, "accuracy", budget=0.5) == []


def test_results_are_the_same_each_time(optimum_model):
    one, two = (mastgp.suggest(optimum_model, 2) for _ in range(2))
    assert one == two
    np.testing.assert_array_equal(
        points(mastgp.suggest(optimum_model, random_state=5)),
        points(mastgp.suggest(optimum_model, random_state=5)),
    )


def test_units_do_not_matter(rng):
    """The same runs, in other units of inputs and response."""
    X, y, labels = bowl_data()
    here = SingleFidelity(costs=COSTS).fit(X, y, labels)
    there = SingleFidelity(costs=COSTS).fit(1000.0 * X + 5.0, 50.0 * y - 3.0, labels)
    for goal in ("accuracy", "minimum"):
        a, b = (points(mastgp.suggest(model, goal=goal))[0] for model in (here, there))
        np.testing.assert_allclose((b - 5.0) / 1000.0, a, atol=1e-3)


def test_constraints_and_bounds_hold(optimum_model):
    options = {"constraints": ["x0 + x1 <= 0.8"], "bounds": {"x1": (0.2, 0.9)}}
    X = points(mastgp.suggest(optimum_model, 3, "minimum", **options))
    assert (X.sum(axis=1) <= 0.8 + 1e-8).all()
    assert (X[:, 1] >= 0.2).all()


def test_limits_on_targets_keep_away(optimum_model):
    """The response itself as its limit: no run where it is probably broken."""
    (free,) = mastgp.suggest(optimum_model, goal="minimum", allow=["fine"])
    (held,) = mastgp.suggest(optimum_model, goal="minimum", allow=["fine"], limits=["y >= 0.2"])
    assert free.mean < 0.1
    assert held.mean > 0.15


def test_categories_and_whole_numbers(mixed_model):
    (one,) = mastgp.suggest(mixed_model, goal="minimum", allow=["high"])
    assert isinstance(one.inputs["n"], int)
    frame = pd.DataFrame([one.inputs])
    assert mixed(frame)[0] < 0.06, "n = 4 and kind b, x near 0.5"
    batch = mastgp.suggest(mixed_model, 3)
    assert all(run.inputs["kind"] in "abc" for run in batch)


def test_the_best_of_a_pool(drawn_model):
    rng = np.random.default_rng(11)
    pool = pd.DataFrame(rng.random((300, 2)), columns=["x0", "x1"])
    pool.index = [f"m{i}" for i in range(300)]
    truth = bowl(pool.to_numpy())
    found = mastgp.suggest(drawn_model, 5, "minimum", candidates=pool, allow=["fine"])
    assert len({one.candidate for one in found}) == 5
    ranks = [int((truth < truth[pool.index.get_loc(one.candidate)]).sum()) for one in found]
    assert min(ranks) <= 3
    known = pool.iloc[:2]
    left = mastgp.suggest(drawn_model, 9, candidates=known, allow=["fine"])
    assert len(left) == 2


def test_a_pool_is_not_paid_for_twice(drawn_model):
    data = drawn_model.training_data_
    pool = pd.DataFrame(data.top.X, columns=["x0", "x1"])
    found = mastgp.suggest(drawn_model, 3, candidates=pool)
    assert {one.fidelity for one in found} == {"coarse"}
    assert mastgp.suggest(drawn_model, 3, "minimum", candidates=pool) == []


def test_methods_without_covariance_have_suggestions_too():
    model = MAST(costs=COSTS, bounds=[[0, 1], [0, 1]]).fit(*bowl_data())
    (one,) = mastgp.suggest(model, goal="minimum", allow=["fine"])
    assert np.linalg.norm(points([one])[0] - BEST) < 0.3
    assert len(mastgp.suggest(model, 2)) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "at least one"),
        ({"goal": "best"}, "unknown goal"),
        ({"target": "lift"}, "unknown target"),
        ({"bounds": {"x9": (0, 1)}}, "x9"),
        ({"constraints": ["x0*x1 <= 1"]}, "not linear"),
        ({"limits": ["lift <= 1"]}, "lift"),
        ({"candidates": pd.DataFrame({"x0": [1.0]})}, "no column 'x1'"),
        ({"costs": {"fine": -1}}, "must be above zero"),
    ],
)
def test_mistakes_are_named(optimum_model, options, message):
    with pytest.raises(DataError, match=message):
        mastgp.suggest(optimum_model, **options)


def test_a_pool_and_bounds_are_not_given_together(optimum_model):
    pool = pd.DataFrame({"x0": [0.5], "x1": [0.5]})
    with pytest.raises(DataError, match="not both"):
        mastgp.suggest(optimum_model, candidates=pool, bounds={"x0": (0, 1)})


def test_one_fidelity_needs_no_costs(rng):
    x = rng.random((10, 1))
    model = SingleFidelity().fit(x, x[:, 0] ** 2)
    (one,) = mastgp.suggest(model)
    assert (one.fidelity, one.cost) == ("data", 1.0)
