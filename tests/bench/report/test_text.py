from __future__ import annotations

import math

import pytest

from mastgp.bench.report.cells import Cell
from mastgp.bench.report.text import cell_text


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, ""),
        (Cell(0.5, 0.1, 25), "0.50 ± 0.10"),
        (Cell(0.05, 0.01, 25), "0.050 ± 0.010"),
        (Cell(0.5, math.nan, 1), "0.50"),
        (Cell(0.5, math.nan, 1, paper=1.19), "0.50 [1.19]"),
        (Cell(0.5, 0.1, 25, paper=1.19, paper_std=0.4), "0.50 ± 0.10 [1.19≠]"),
    ],
)
def test_cells(cell, text):
    assert cell_text(cell) == text


def test_small_regrets_have_more_digits_and_what_is_never_reached_says_so():
    cell = Cell(0.00123, 0.0004, 5)
    assert cell_text(cell) == "0.001 ± 0.000"
    assert cell_text(cell, "regret_end") == "0.0012 ± 0.0004"
    assert cell_text(Cell(float("inf"), float("nan"), 5)) == "never"
