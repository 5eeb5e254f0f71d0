from __future__ import annotations

import pytest

from mastgp.bench.runner import run_unit
from mastgp.bench.searches import SEARCHES
from mastgp.bench.store import what_is_wrong
from mastgp.bench.units import Unit, searches_of
from mastgp.errors import MastError


def test_strategies_have_the_goal_of_the_search():
    optimum, accuracy = SEARCHES["next-optimum"], SEARCHES["next-accuracy"]
    assert {"study", "hf-logei", "lhs"} <= set(optimum.strategies)
    assert "hf-logei" not in accuracy.strategies
    accuracy.check_strategy("lhs-ar1")
    with pytest.raises(MastError, match="does not search for accuracy"):
        accuracy.check_strategy("hf-logei")
    with pytest.raises(MastError, match="dreaming"):
        optimum.check_strategy("dreaming")


def test_units_of_a_search_have_no_yardstick():
    units = searches_of(
        SEARCHES["next-optimum"], methods=["lhs", "random"], problems=["branin-bad"], seeds=[1, 2]
    )
    assert [(u.method, u.seed) for u in units] == [
        ("lhs", 1), ("random", 1), ("lhs", 2), ("random", 2)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("experiment", "method"), [("next-optimum", "random"), ("next-accuracy", "lhs-ar1")]
)
def test_a_search_is_a_unit_that_can_be_stored(experiment, method):
    record = run_unit(Unit(experiment, "branin", method, 3, test_size=50))
    assert record["status"] == "ok", record
    assert what_is_wrong(record) is None
    again = run_unit(Unit(experiment, "branin", method, 3, test_size=50))
    assert {k: v for k, v in again.items() if k != "search_seconds"} == {
        k: v for k, v in record.items() if k != "search_seconds"
    }


def test_a_search_that_takes_too_long_is_recorded_as_such():
    record = run_unit(Unit("next-optimum", "branin-good", "study-ar1", 0), time_limit=0.05)
    assert record["status"] == "timeout"
