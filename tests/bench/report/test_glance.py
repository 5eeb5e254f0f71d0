from __future__ import annotations

from mastgp.bench.experiments import BASELINE
from mastgp.bench.report.cells import cells
from mastgp.bench.report.glance import glance


def test_every_method_problem_and_number_is_drawn(record):
    records = []
    for problem in ("branin", "park1"):
        for seed in range(10):
            records.append(record(problem, BASELINE, seed))
            records.append(record(problem, "mast", seed, rmse=0.5))
            records.append(record(problem, "lf-only", seed, rmse=12.0))
    records += [record("levy", BASELINE, 0), record("levy", "mast", 0, rmse=0.75)]
    table = cells(records)
    figure = glance(table, "svg").decode()
    for text in ("mast", "lf-only", "branin", "levy", "0.50", "0.75", "12", "two-fidelity"):
        assert f"<!-- {text} -->" in figure
    assert f"<!-- {BASELINE} -->" not in figure
    assert glance(table, "svg").decode() == figure
    picture = glance(table)
    assert picture.startswith(b"\x89PNG")
    assert len(picture) < 100_000


def test_nothing_to_draw(record):
    assert glance(cells([record("branin", BASELINE, 0)])) is None
