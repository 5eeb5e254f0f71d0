from __future__ import annotations

import math

import pytest

from mastgp.bench.report.cells import Key
from mastgp.bench.report.search_cells import search_cells
from mastgp.bench.tasks import SHARES, score_name
from mastgp.bench.units import Unit


def optimum(method, seed, values, problem="branin-bad"):
    """A search whose regret at each share of the budget is given."""
    curve = {score_name("regret", s): v for s, v in zip(SHARES["optimum"], values, strict=True)}
    unit = Unit("next-optimum", problem, method, seed)
    return unit.record(status="ok", regret=values[-1], search_seconds=1.0, **curve)


def accuracy(method, seed, rmse, problem="branin"):
    unit = Unit("next-accuracy", problem, method, seed)
    return unit.record(status="ok", rmse=rmse, search_seconds=1.0, rmse_100=rmse)


def test_the_share_of_the_budget_that_reaches_the_yardstick():
    falling = [20.0 - i for i in range(20)]
    records = [optimum("hf-logei", s, falling) for s in (1, 2)]
    records += [optimum("study", s, [f / 2 for f in falling]) for s in (1, 2)]
    records += [optimum("lhs", s, [30.0] * 20) for s in (2, 3)]
    found = search_cells(records)

    def share(method):
        return found[Key("next-optimum", "branin-bad", method, "", "regret_cost")]

    assert share("hf-logei").mean == 1.0
    assert share("study").mean == 0.95
    assert (share("lhs").mean, share("lhs").n) == (math.inf, 1)


def test_errors_are_compared_seed_by_seed():
    records = [accuracy("lhs", 1, 2.0), accuracy("lhs", 2, 4.0)]
    records += [accuracy("study", 1, 1.0), accuracy("study", 2, 1.0), accuracy("study", 3, 9.0)]
    cell = search_cells(records)[Key("next-accuracy", "branin", "study", "", "rmse_end_ratio")]
    assert (cell.mean, cell.n) == (pytest.approx(0.375), 2)
    other = search_cells([*records, accuracy("study-ar1", 1, 1.0), accuracy("lhs-ar1", 1, 4.0)])
    assert other[Key("next-accuracy", "branin", "study-ar1", "", "rmse_end_ratio")].mean == 0.25
