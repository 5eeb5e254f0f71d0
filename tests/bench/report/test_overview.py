from __future__ import annotations

import math

import pytest

from mastgp.bench.experiments import BASELINE
from mastgp.bench.report.cells import cells
from mastgp.bench.report.overview import geometric, overview_table, standings


@pytest.fixture
def table(record):
    """Two problems: auto with two seeds, mast with three, ar1 on one problem only."""
    errors = {"auto": (1.0, 2.0), "mast": (2.0, 4.0, 8.0)}
    records = []
    for problem, factor in (("branin", 1.0), ("park1", 4.0), ("concrete", 100.0)):
        records += [record(problem, BASELINE, seed) for seed in range(3)]
        records += [
            record(problem, method, seed, rmse=factor * value, nlpd=value, coverage95=0.9)
            for method, values in errors.items()
            for seed, value in enumerate(values)
        ]
    return cells([*records, record("branin", "ar1", 0)])


def test_standings_are_of_the_synthetic_problems_and_of_common_seeds(table):
    found = standings(table, "two-fidelity")
    assert list(found) == ["auto", "mast"]  # ar1 has not all problems
    assert found["auto"].rmse == pytest.approx(math.sqrt(1.5 * 6.0))
    assert found["auto"].rmse_std == pytest.approx(math.sqrt(2.0))  # 2 and 4
    assert found["auto"].seeds == (2, 2)
    assert found["mast"].seeds == (3, 3)
    assert found["mast"].rmse_over_auto == pytest.approx(2.0)
    assert found["mast"].nlpd_over_auto == pytest.approx(1.5)
    assert found["mast"].coverage == pytest.approx(0.9)
    assert standings(table, "extra") == {}


def test_table(table):
    lines = overview_table(table, ["two-fidelity", "extra"])
    assert lines[0] == "| | seeds | RMSE ratio | over auto's | coverage | NLPD |"
    assert lines[2] == "| auto | 2 | 3.000 ± 1.414 | 1.00 | 0.900 | +0.00 |"
    assert overview_table(table, ["extra"]) == []


def test_one_seed_has_no_spread(record):
    one = [record("branin", method, 0) for method in (BASELINE, "mast")]
    *_, line = overview_table(cells(one), ["two-fidelity"])
    assert line == "| mast | 1 | 1.000 |  | 1.000 |  |"


def test_geometric_mean():
    assert geometric([1.0, 4.0]) == pytest.approx(2.0)
    assert math.isnan(geometric([]))
