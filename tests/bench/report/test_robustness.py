from __future__ import annotations

import pytest

from mastgp.bench.experiments import BASELINE
from mastgp.bench.report.robustness import robustness_table
from mastgp.bench.report.summaries import Results


@pytest.fixture
def results(record):
    records = []
    for name, baseline in (("sweep-ratio", ""), ("sweep-budget", "0.5")):
        records.append(record("branin", BASELINE, 0, baseline, name))
        for method, error in (("mast", 0.5), ("ar1", 1.5)):
            scores = {"rmse": error, "mean_pdf": 1.0 / error}
            records.append(record("branin", method, 0, "0.5", name, **scores))
    scores = {"rmse": 3.0, "mean_pdf": 2.0}
    records += [record("branin", "mast", 0, "0.3", "sweep-ratio", **scores)]
    return Results.of(records)


def test_rates_and_worst_cases_stand_beside_the_papers(results):
    assert robustness_table(results) == [
        "| | seeds | ratio: RMSE | ratio: density | ratio: worst | budget: RMSE | budget: density "
        "| budget: worst | worst of all |",
        "|---|---|---|---|---|---|---|---|---|",
        "| mast | 1 | 50% | 100% [77%] | 3.00 | 100% | 100% [76%] | 0.50 | 3.00 [2.04] |",
        "| ar1 | 1 | 0% | 0% | 1.50 | 0% | 0% | 1.50 | 1.50 |",
    ]


def test_no_table_without_sweeps(runs):
    assert robustness_table(Results.of(runs(mast=[0.5]))) == []
