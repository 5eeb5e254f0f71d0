from __future__ import annotations

from mastgp.bench.report.searches import search_tables
from mastgp.bench.report.summaries import Results
from mastgp.bench.units import Unit


def accuracy(method, seed, rmse, problem="branin"):
    unit = Unit("next-accuracy", problem, method, seed)
    return unit.record(status="ok", rmse=rmse, search_seconds=1.0, rmse_100=rmse)


def test_searches_have_tables_of_their_own_beside_others(runs):
    records = [accuracy("lhs", 1, 2.0), accuracy("study", 1, 1.0), *runs(mast=[0.5])]
    failed = Unit("next-accuracy", "branin", "random", 1).record(status="timeout", error="late")
    results = Results.of([*records, failed])
    titles = [table.title for table in search_tables(results.cells)]
    assert titles == [
        "next-accuracy: RMSE at the end, in the response's units (smaller is better)",
        "next-accuracy: RMSE at the end over that of a Latin hypercube with the same model (below "
        "1 is better)",
    ]
    ratio = search_tables(results.cells)[1]
    assert ratio.columns == ["study", "lhs"]
    assert (
        ratio.notes[1]
        == "Geometric mean of the rows, and how many: study 0.500 (1), lhs 1.000 (1)."
    )
    assert any("1 units failed or ran out of time" in note for note in results.notes)
