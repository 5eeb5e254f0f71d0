from __future__ import annotations

import math

import pytest

from mastgp.bench.experiments import BASELINE
from mastgp.bench.report.agreement import agreement, differing_rows, rank_correlation
from mastgp.bench.report.cells import Cell, Key, cells


def ablation(values, name="ablation-radius"):
    """Cells by problem: pairs of ours and the paper's."""
    return {
        Key(name, problem, "mast", f"R{i}", "rmse"): Cell(ours, 0.1, 25, paper=theirs)
        for problem, pairs in values.items()
        for i, (ours, theirs) in enumerate(pairs)
    }


def test_rank_correlation_with_the_papers_ablation(record):
    records = [record("branin", BASELINE, 0, "", "ablation-radius")]
    for i, setting in enumerate(("R2", "R1", "R3", "R5")):  # the paper's ranking on Branin
        records.append(record("branin", "mast", 0, setting, "ablation-radius", rmse=1.0 + i))
    correlation = rank_correlation(cells(records))
    assert correlation.n_cells == 4
    assert correlation.pooled == correlation.within == pytest.approx(1.0)


def test_differing_rows_are_the_worst_first():
    rows = {"branin": (1.0, 1.0), "park1": (2.0, 1.0), "levy": (3.0, 1.0), "ackley": (0.5, 1.0)}
    table = {
        Key("two-fidelity", problem, "mast", "", "rmse"): Cell(ours, 0.1, 25, paper=paper)
        for problem, (ours, paper) in rows.items()
    }
    assert [key.problem for key, _ in differing_rows(table)] == ["levy", "park1", "ackley"]


def test_problems_that_differ_hide_variants_that_rank_the_other_way():
    low, high = [(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)], [(11.0, 13.0), (12.0, 12.0), (13.0, 11.0)]
    correlation = rank_correlation(ablation({"branin": low, "park1": high}))
    assert correlation.within == pytest.approx(-1.0)
    assert correlation.pooled > 0.5
    assert "-1.00 within a problem (mean over 2)" in str(correlation)


def test_problems_without_differences_have_no_correlation():
    flat = [(1.0, 3.0), (1.0, 2.0), (1.0, 1.0)]
    ranked = [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]
    correlation = rank_correlation(ablation({"branin": flat, "park1": ranked}))
    assert (correlation.within, correlation.n_problems) == (pytest.approx(1.0), 1)
    assert math.isnan(rank_correlation(ablation({"branin": flat})).within)


def test_agreement_in_sentences(runs):
    lines = agreement(cells(runs("branin", mast=[1.5])))
    assert lines[0] == (
        "- two-fidelity, MAST, rmse ratio: 0 of 1 rows within 0.15 (absolute) of the paper's; "
        "beyond: branin +0.31."
    )


def test_agreement_reports_correlations_of_each_ablation():
    ranked = [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]
    (line,) = agreement(ablation({"branin": ranked}))
    assert line.startswith("- ablation-radius, rmse: Spearman correlation with the paper: 1.00 wi")
