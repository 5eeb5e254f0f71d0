from __future__ import annotations

import pytest

from mastgp.bench.experiments import BASELINE
from mastgp.bench.report.cells import Key
from mastgp.bench.report.summaries import BEATS, GEOMETRIC_MEAN, OVER_AUTO, WORST, Results


def summary(records, experiment, what, method, metric="rmse"):
    found = Results.of(records).summaries.get(Key(experiment, what, method, "", metric))
    return None if found is None else found.mean


def test_geometric_mean_over_the_synthetic_rows(runs):
    records = runs("branin", mast=[0.5], ar1=[1.0]) + runs("park1", mast=[2.0])
    records += runs("concrete", mast=[100.0])
    assert summary(records, "two-fidelity", GEOMETRIC_MEAN, "mast") == pytest.approx(1.0)
    assert summary(records, "two-fidelity", GEOMETRIC_MEAN, "ar1") is None  # it lacks a row


def test_over_auto_on_the_seeds_that_both_have(runs):
    records = runs(auto=[1.0, 1.0, 9.0], mast=[2.0, 2.0], seeds={"auto": [3, 4, 0], "mast": [3, 4]})
    assert summary(records, "two-fidelity", OVER_AUTO, "mast") == pytest.approx(2.0)
    apart = runs(auto=[1.0], mast=[2.0], seeds={"auto": [0], "mast": [1]})
    assert summary(apart, "two-fidelity", OVER_AUTO, "mast") is None
    assert summary(records, "two-fidelity", OVER_AUTO, "auto") is None


def test_consistency_and_worst_case_of_a_sweep(record):
    records = [record("branin", BASELINE, 0, "", "sweep-ratio")]
    for setting, value in (("0.0", 9.0), ("0.1", 5.0), ("0.5", 0.5), ("0.9", 1.5), ("1.0", 1.0)):
        records.append(record("branin", "mast", 0, setting, "sweep-ratio", rmse=value))
    assert summary(records, "sweep-ratio", BEATS, "mast") == pytest.approx(1 / 3)
    assert summary(records, "sweep-ratio", WORST, "mast") == 1.5


def test_notes_name_seeds_and_failures(record):
    failed = {**record("park1", "mast", 7), "status": "failed", "error": "no luck"}
    notes = Results.of([record("branin", "mast", 5), failed]).notes
    assert notes[0] == "Seeds 5 to 7."
    assert notes[1].startswith("1 units failed")
    assert notes[1].endswith("mast on park1, seed 7: no luck")
    again = record("park1", "mast", 7)
    assert len(Results.of([failed, again]).notes) == 1  # it worked the second time


def test_versions(record):
    records = [record("branin", "mast", 0), record("branin", "ar1", 0, version="1+a")]
    results = Results.of(records)
    assert results.versions == {"ar1": ["1+a"], "mast": ["unknown"]}
    assert results.mixed == []
    other = record("branin", "ar1", 1, version="1+b")
    assert Results.of([*records, other]).mixed == ["ar1"]
