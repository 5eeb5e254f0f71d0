"""Best marks: only cells over common seeds, ten at least."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp.bench.report.cells import Cell
from mastgp.bench.report.marks import best, comparable, is_better


def cell(values, seeds=None):
    values = [float(v) for v in values]
    by_seed = dict(zip(seeds or range(len(values)), values, strict=True))
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
    return Cell(float(np.mean(values)), spread, len(values), by_seed)


def recorded(mean, n, std=0.1):
    return Cell(mean, std, n)


def test_the_best_of_enough_seeds_is_marked():
    assert best([cell([0.5] * 10), cell([0.7] * 10), None], "rmse") == [0]
    assert best([cell([0.5] * 10), cell([0.7] * 10), None], "mean_pdf") == [1]


def test_one_seed_or_nine_never_win():
    row = [cell([0.1]), cell([0.1] * 9), cell([0.5] * 10), cell([0.7] * 10)]
    assert best(row, "rmse") == [2]


def test_nothing_is_marked_where_nothing_can_be_compared():
    assert best([cell([0.5] * 10), cell([0.1] * 9)], "rmse") == []
    assert best([cell([0.5] * 25)], "rmse") == []
    assert best([], "rmse") == []


def test_cells_are_compared_on_common_seeds():
    """The second is better over its own 25 seeds, but worse on the twelve that both have."""
    few, many = cell([0.5] * 12), cell([0.6] * 12 + [0.1] * 13)
    assert many.mean < few.mean
    assert best([few, many], "rmse") == [0]
    assert comparable([few, many]) == pytest.approx({0: 0.5, 1: 0.6})


def test_a_cell_with_too_few_common_seeds_is_left_out():
    other_seeds = cell([0.1] * 20, range(15, 35))  # ten in common with the first, none with both
    row = [cell([0.5] * 25), cell([0.7] * 15), other_seeds]
    assert best(row, "rmse") == [0]
    assert comparable(row) == pytest.approx({0: 0.5, 1: 0.7})


def test_a_method_that_shares_its_mean_counts_as_the_first():
    auto = cell(np.linspace(0.4, 0.6, 25))
    calibrated = cell(np.linspace(0.4, 0.6, 25)[:12])
    assert best([auto, calibrated, cell([0.9] * 25)], "rmse") == [0]
    assert best([cell([0.9] * 25), auto, auto], "rmse") == [1]


def test_ties_to_the_digits_shown_are_marked():
    assert best([cell([0.501] * 10), cell([0.499] * 10)], "rmse") == [0, 1]
    assert best([cell([0.011] * 10), cell([0.014] * 10)], "fit_seconds") == [0]


@pytest.mark.parametrize("metric", ["width95", "r2"])
def test_widths_and_r2_ratios_are_not_ranked(metric):
    assert best([cell([0.5] * 10), cell([0.7] * 10)], metric) == []


def test_coverage_is_best_where_it_is_nearest():
    assert is_better("coverage95", 0.96, 0.93)
    assert best([cell([0.99] * 10), cell([0.94] * 10)], "coverage95") == [1]


def test_values_that_are_no_numbers_do_not_win():
    assert best([cell([np.nan] * 10), cell([0.5] * 10), cell([0.6] * 10)], "rmse") == [1]


def test_recorded_cells_need_equal_numbers_of_seeds():
    row = [recorded(0.1, 12), recorded(0.5, 25), recorded(0.7, 25), recorded(0.2, 1)]
    assert best(row, "rmse") == [1]
    assert best([recorded(0.1, 12), recorded(0.5, 25)], "rmse") == []
    assert best([recorded(0.1, 3), recorded(0.5, 3)], "rmse") == []


def test_recorded_methods_of_equal_numbers_count_as_the_first():
    """Reification and MISO are the same in a table of one noise; both would be marked."""
    row = [recorded(0.5, 25), recorded(0.5, 25), recorded(0.5, 25, std=0.2), recorded(0.7, 25)]
    assert best(row, "rmse") == [0, 2]
    assert comparable(row) == {0: 0.5, 2: 0.5, 3: 0.7}
