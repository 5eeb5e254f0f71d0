"""Names, costs and trust exponents of fidelities."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mastgp import DataError, Dataset
from mastgp.data.fidelities import ASSUMED_RATIO, Fidelity, fidelity_name, rank_fidelities

NAMES = ["coarse", "fine"]
COSTS = {"coarse": 1, "fine": 10}


def test_labels_become_names():
    assert fidelity_name(np.int64(3)) == "3"
    assert fidelity_name(0.5) == "0.5"
    assert fidelity_name(True) == "True"
    assert fidelity_name(2**53 + 1) == str(2**53 + 1)
    for nothing in (None, np.nan, pd.NA, pd.NaT):
        with pytest.raises(DataError, match="missing"):
            fidelity_name(nothing)


def test_one_fidelity_needs_nothing():
    assert rank_fidelities(["only"]).names == ("only",)


def test_an_order_stands_for_a_cost_ratio_per_step():
    ranked = rank_fidelities("abc", order=["b", "c", "a"])
    assert ranked.names == ("b", "c", "a")
    assert ranked.costs == {"b": 1.0, "c": ASSUMED_RATIO, "a": ASSUMED_RATIO**2}
    assert ranked.costs_assumed
    assert not rank_fidelities(NAMES, costs=COSTS, order=NAMES).costs_assumed


def test_exponents_rank_fidelities_without_costs():
    ranked = rank_fidelities(["b", "a", "c"], exponents={"a": 1.0, "b": 0.3})
    assert ranked.names == ("a", "b", "c")
    assert ranked.exponents == {"a": 1.0, "b": 0.3}
    assert ranked.costs == {}


def test_given_exponents_go_before_costs():
    costs = {"a": 1, "b": 100, "c": 10_000}
    ranked = rank_fidelities("abc", costs=costs, exponents={"a": 0.1})
    assert ranked.exponents == pytest.approx({"a": 0.1, "b": 1.0})


@settings(deadline=None)
@given(
    costs=st.lists(st.floats(1e-3, 1e6), min_size=2, max_size=6, unique=True),
    unit=st.floats(1e-3, 1e3),
)
def test_exponents_follow_ratios_of_costs_in_any_unit(costs, unit):
    named = {f"f{i}": cost for i, cost in enumerate(costs)}
    ranked = rank_fidelities(named, costs=named)
    assert [named[name] for name in ranked.names] == sorted(costs)
    scaled = rank_fidelities(named, costs={name: unit * cost for name, cost in named.items()})
    for name, alpha in ranked.exponents.items():
        assert alpha == pytest.approx(0.5 * np.log10(max(costs) / named[name]), abs=1e-12)
        assert scaled.exponents[name] == pytest.approx(alpha, abs=1e-12)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "which of the fidelities 'coarse', 'fine' is the most expensive"),
        ({"costs": {"coarse": 1}}, "costs says nothing of fidelity 'fine'"),
        ({"costs": {"coarse": 1, "fine": 10, "lab": 99}}, "no rows of it"),
        ({"costs": {"coarse": 0, "fine": 10}}, "cost of fidelity 'coarse' is 0; .* above zero"),
        ({"costs": {"coarse": -1, "fine": 10}}, "above zero"),
        ({"costs": {"coarse": np.nan, "fine": 10}}, "above zero"),
        ({"costs": {"coarse": "cheap", "fine": 10}}, "'cheap', not a number"),
        ({"costs": {"coarse": 1, "fine": 10**400}}, "not a number"),
        ({"costs": {"coarse": 10, "fine": 10}}, "'coarse' costs as much as 'fine'"),
        ({"costs": COSTS, "order": ["fine", "coarse"]}, "order puts 'fine'"),
        ({"order": ["coarse"]}, "order says nothing of fidelity 'fine'"),
        ({"order": ["coarse", "coarse", "fine"]}, "names a fidelity twice"),
        ({"costs": COSTS, "exponents": {"fine": 1.0}}, "only the cheaper fidelities have one"),
        ({"costs": COSTS, "exponents": {"coarse": -1.0}}, "exponent of .* above zero"),
        ({"costs": [1, 10]}, "costs must be a mapping"),
        ({"costs": {1: 1, "1": 10}}, "cost of fidelity '1' is given twice"),
    ],
)
def test_rankings_that_cannot_be_made(options, words):
    with pytest.raises(DataError, match=words):
        rank_fidelities(NAMES, **options)


def test_without_expensive_points_there_is_nothing_to_predict():
    with pytest.raises(DataError, match="names fidelity 'fine', but there are no rows of it"):
        rank_fidelities(["coarse"], costs=COSTS)


def test_part_of_a_fidelity_keeps_rows_together():
    fidelity = Fidelity(
        "fine", np.arange(6.0).reshape(3, 2), np.arange(3.0), np.ones(3), np.arange(3)
    )
    part = fidelity.subset(np.array([True, False, True]))
    np.testing.assert_array_equal(part.X, [[0.0, 1.0], [4.0, 5.0]])
    for values in (part.y, part.rows):
        np.testing.assert_array_equal(values, [0, 2])
    assert part.noise_var is not None
    assert len(part.noise_var) == 2
    assert repr(part) == "<Fidelity 'fine': 2 points>"


@pytest.mark.parametrize("order", [5, "coarse,fine", 1.5])
def test_an_order_is_a_list(order):
    with pytest.raises(DataError, match="order must be a list of fidelity names"):
        rank_fidelities(["coarse", "fine"], order=order)


def test_a_long_table_may_lack_its_column_of_fidelities(rng):
    with pytest.raises(DataError, match=r"says nothing of fidelity 'long'.*--fidelity-column"):
        Dataset.from_tables({"long": (rng.random((6, 2)), rng.random(6))}, order=["low", "high"])
