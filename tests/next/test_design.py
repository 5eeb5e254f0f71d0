from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from mastgp.errors import DataError
from mastgp.next.design import fill_space, interleaved, shared_places, sizes, spread
from mastgp.next.inputs import integer
from studies import definition


def test_a_design_is_a_latin_hypercube(rng):
    made = definition(inputs={"a": (0.0, 8.0), "b": (0.0, 8.0), "m": ["u", "v"]})
    points = fill_space(made, 8, rng)
    for name in "ab":
        assert sorted(int(point[name]) for point in points) == list(range(8))
    assert Counter(point["m"] for point in points) == {"u": 4, "v": 4}


def test_whole_numbers_of_a_design_are_balanced(rng):
    made = definition(inputs={"n": integer(2, 5), "x": (0, 1)})
    assert set(Counter(point["n"] for point in fill_space(made, 12, rng)).values()) == {3}


def test_constraints_hold_in_every_point(rng):
    made = definition(inputs={"a": (0, 1), "b": (0, 1)}, constraints=["a + b <= 0.4"])
    points = fill_space(made, 10, rng)
    assert len(points) == 10
    assert all(point["a"] + point["b"] <= 0.4 + 1e-9 for point in points)
    assert len({tuple(point.values()) for point in points}) == 10


def test_constraints_that_leave_nothing_are_named(rng):
    with pytest.raises(DataError, match=r"a \+ b <= -1"):
        fill_space(
            definition(inputs={"a": (0, 1), "b": (0, 1)}, constraints=["a + b <= -1"]), 3, rng
        )


def test_points_keep_away_from_others(rng):
    made = definition(inputs={"a": (0, 1), "b": (0, 1)})
    others = [{"a": a, "b": b} for a in np.linspace(0, 0.5, 5) for b in np.linspace(0, 1, 5)]
    points = fill_space(made, 4, rng, others)
    assert sum(point["a"] > 0.5 for point in points) >= 3


def test_a_pool_is_used_up_and_no_row_twice(rng):
    made = definition(inputs={"a": (0, 1), "b": (0, 1)})
    pool = [{"a": float(a), "b": float(b)} for a, b in rng.random((7, 2))]
    points = fill_space(made, 10, rng, pool=pool)
    assert sorted(p["a"] for p in points) == sorted(p["a"] for p in pool)


def test_points_of_a_pool_fill_it_better_than_random_ones(rng):
    made = definition(inputs={"a": (0, 1), "b": (0, 1)})
    pool = [{"a": float(a), "b": float(b)} for a, b in rng.random((300, 2))]
    places = made.domain.unit(pool)

    def reach(points):
        U = made.domain.unit(points)
        return np.linalg.norm(places[:, None] - U[None], axis=2).min(axis=1).mean()

    chosen = reach(spread(made.domain, pool, 12, rng))
    at_random = [reach([pool[i] for i in rng.permutation(300)[:12]]) for _ in range(20)]
    assert chosen < min(at_random)


def test_sizes_respect_budget_scouting_and_what_is_there():
    made = definition(budget=200.0)
    counts = sizes(made)
    assert counts["cfd"] * 10 <= 0.25 * 200 + 10
    assert counts["panel"] <= 0.1 * 200
    assert sizes(made, {"cfd": 100, "panel": 3}) == {"cfd": 0, "panel": counts["panel"] - 3}
    assert sizes(definition(scouting=0.0))["panel"] == 0
    assert sizes(definition(budget=10.0))["cfd"] == 1
    assert sizes(definition(budget=None))["cfd"] == 4
    assert list(sizes(definition(costs={"only": 1.0}))) == ["only"]


def test_every_beginning_of_a_design_has_about_the_same_shares():
    order = interleaved({"panel": 30, "cfd": 10})
    for n in range(4, 41, 4):
        assert abs(order[:n].count("cfd") - n / 4) <= 1


@pytest.mark.parametrize(("cost", "runs"), [(1.0, 27), (5.0, 3), (9.0, 0)])
def test_the_less_a_cheap_run_saves_the_less_is_spent_to_find_out(cost, runs):
    made = definition(costs={"panel": cost, "cfd": 10.0}, budget=300.0)
    assert sizes(made)["panel"] == min(runs, 20)


def test_cheap_runs_share_places_in_a_search_for_an_optimum_only():
    made = definition(budget=300.0)
    wanted = sizes(made)
    assert shared_places(made, wanted, "panel") == wanted["cfd"]
    assert shared_places(made, wanted, "cfd") == 0
    assert shared_places(definition(budget=300.0, goal="accuracy"), wanted, "panel") == 0
