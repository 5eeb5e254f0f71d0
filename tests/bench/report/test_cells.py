from __future__ import annotations

import math

import numpy as np
import pytest

from mastgp.bench.experiments import BASELINE
from mastgp.bench.report.cells import Cell, Key, cells, marked

RMSE = Key("two-fidelity", "branin", "mast", "", "rmse")


def test_ratios_are_paired_per_seed_then_averaged(record):
    records = [
        record("branin", BASELINE, 0, rmse=1.0), record("branin", BASELINE, 1, rmse=4.0),
        record("branin", "mast", 0, rmse=2.0), record("branin", "mast", 1, rmse=2.0),
    ]  # fmt: skip
    cell = cells(records)[RMSE]
    assert cell.mean == pytest.approx((2.0 + 0.5) / 2)
    assert cell.std == pytest.approx(np.std([2.0, 0.5], ddof=1))
    assert cell.paper == 1.19
    assert not cell.differs


def test_a_cell_carries_its_seeds(runs):
    cell = cells(runs(mast=[0.5, 0.7], seeds={"mast": [30, 25]}))[RMSE]
    assert cell.by_seed == {25: 0.7, 30: 0.5}
    assert list(cell.by_seed) == [25, 30]


def test_the_standard_deviation_of_one_seed_is_unknown(runs):
    cell = cells(runs(mast=[9.0]))[RMSE]
    assert math.isnan(cell.std)
    assert not cell.differs


def test_difference_is_marked_beyond_two_standard_errors(runs):
    def cell(value):
        key = Key("two-fidelity", "hartmann3", "mast", "", "rmse")
        return cells(runs("hartmann3", mast=[value] * 25))[key]

    assert not cell(0.69 + 0.07).differs  # the paper's standard error is 0.19 / 5
    assert cell(0.69 + 0.08).differs


def test_a_recorded_difference_is_kept():
    assert Cell(1.0, 0.1, 25, paper=1.0, recorded_differs=True).differs
    assert not Cell(1.0, 0.1, 25, paper=9.0, recorded_differs=False).differs


def test_ratios_need_a_yardstick_other_metrics_do_not(record):
    found = cells([record("branin", "mast", 0), {**record("park1", "mast", 0), "status": "failed"}])
    assert {key.problem for key in found} == {"branin"}
    assert "nlpd" in {key.metric for key in found}
    assert "rmse" not in {key.metric for key in found}


def test_versions_are_those_of_the_method(record):
    records = [
        record("branin", BASELINE, 0),
        record("branin", "mast", 0, version="0.2.0+aaaaaaaa"),
    ]
    assert cells(records)[RMSE].versions == {"0.2.0+aaaaaaaa"}


def test_cells_of_other_code_than_the_rest_are_marked(record):
    made = [(p, seed, "0.1+a") for p in ("branin", "park1") for seed in (0, 1)]
    made += [("ackley", 0, "0.2+a"), ("levy", 0, "0.1+a"), ("levy", 1, "0.1+b")]
    records = [record(p, "mast", seed, version=version) for p, seed, version in made]
    found = marked(cells([*records, record("branin", "ar1", 0, version="0.1+b")]))
    assert {(key.problem, key.method) for key, cell in found.items() if cell.other_code} == {
        ("levy", "mast")
    }
