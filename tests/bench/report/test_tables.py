from __future__ import annotations

from mastgp.bench.experiments import BASELINE
from mastgp.bench.report.summaries import Results
from mastgp.bench.report.tables import build_tables


def build(records, *metrics):
    results = Results.of(records)
    return build_tables(results, metrics) if metrics else build_tables(results)


def test_methods_and_problems_are_in_the_registrys_order(runs):
    records = runs("park1", hf_only=[1.0], mast=[1.0]) + runs("branin", mast=[1.0])
    (table,) = build(records, "rmse")
    assert table.columns == ["mast", "hf-only"]
    assert [name for name, _ in table.rows] == ["branin", "park1"]
    assert table.rows[0][1][1] is None


def test_wins_count_marked_cells_alone(runs):
    records = runs(mast=[0.5] * 10, hf_only=[0.7] * 10, mf_dgp=[0.1])
    (table,) = build(records, "rmse")
    assert "Wins: mast 1." in table.notes
    assert "Seeds: mast 10, hf-only 10, mf-dgp 1." in table.notes
    (few,) = build(runs(mast=[0.5], hf_only=[0.7]), "rmse")
    assert "Wins: none." in few.notes


def test_no_wins_of_what_is_not_ranked(runs):
    for table in build(runs(mast=[0.5] * 10, ar1=[0.7] * 10), "r2", "width95"):
        assert not any(note.startswith("Wins") for note in table.notes)


def test_auto_calibrated_does_not_win_with_the_error_of_auto(runs):
    records = runs(auto_calibrated=[0.5] * 10, auto=[0.5] * 25, mast=[0.7] * 25)
    (table,) = build(records, "rmse")
    assert "Wins: auto 1." in table.notes


def test_ablations_report_the_correlation_within_problems(record):
    records = [record("branin", BASELINE, 0, "", "ablation-weight")]
    records += [
        record("branin", "mast", 0, f"W{i}", "ablation-weight", rmse=float(i)) for i in range(1, 10)
    ]
    (table,) = build(records, "rmse")
    assert table.columns == [f"W{i}" for i in range(1, 10)]
    assert "within a problem (mean over 1)" in table.notes[0]


def test_sweeps_have_a_table_per_method(record):
    records = [record("branin", BASELINE, 0, "0.5", "sweep-budget")]
    records += [record("branin", m, 0, "0.5", "sweep-budget", rmse=0.9) for m in ("mast", "ar1")]
    titles = [table.title.partition(":")[0] for table in build(records, "rmse", "nlpd")]
    assert titles == ["sweep-budget, mast", "sweep-budget, ar1"]
    notes = build(records, "rmse")[0].notes
    assert notes == [
        "Beats the HF-only GP in 100% of the interior points.",
        "Worst RMSE ratio: 0.90.",
    ]


def test_a_table_that_mixes_versions_says_so(record):
    records = [record("branin", BASELINE, seed) for seed in range(2)]
    records += [record("branin", "mast", 0, version="2+b"), record("branin", "mast", 1)]
    mixed, *_ = build(records, "rmse")
    assert mixed.all_notes[-1].startswith("°: some seeds come from other code")
    pure, *_ = build([record("branin", "mast", 0)], "nlpd")
    assert pure.all_notes == pure.notes
