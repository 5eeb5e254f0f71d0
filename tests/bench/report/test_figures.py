from __future__ import annotations

import math

import pytest

from mastgp.bench.experiments import BASELINE
from mastgp.bench.report.cells import cells
from mastgp.bench.report.figures import STYLES, sweep_figures
from mastgp.bench.strategies import STRATEGIES
from mastgp.methods import METHODS


@pytest.fixture
def one_seed(record):
    """A sweep of one seed, whose standard deviations are unknown."""
    records = []
    for name, problem in (("sweep-budget", "mine"), ("sweep-discrepancy", "branin")):
        for setting in ("0.5", "1"):
            records.append(record(problem, BASELINE, 0, setting, name))
            records.append(record(problem, "mast", 0, setting, name, rmse=0.9))
    return cells(records)


def test_a_figure_per_sweep_the_same_every_time(one_seed):
    assert all(math.isnan(cell.std) for cell in one_seed.values())
    figures = sweep_figures(one_seed)
    assert list(figures) == ["sweep-budget", "sweep-discrepancy"]
    assert figures["sweep-budget"].lstrip().startswith(b"<?xml")
    assert sweep_figures(one_seed) == figures


def test_other_formats(one_seed):
    assert sweep_figures(one_seed, "png")["sweep-budget"].startswith(b"\x89PNG")


def test_nothing_to_draw(runs):
    assert sweep_figures(cells(runs(mast=[1.0]))) == {}


def test_no_two_lines_look_alike():
    assert len(set(STYLES)) == len(STYLES) >= max(len(METHODS), len(STRATEGIES))
