from __future__ import annotations

from mastgp.bench.report.search_cells import search_cells
from mastgp.bench.report.search_figures import search_figures
from mastgp.bench.tasks import SHARES, score_name
from mastgp.bench.units import Unit


def test_a_figure_per_search_with_a_line_per_strategy():
    records = []
    for method, factor in (("study", 1.0), ("lhs", 2.0)):
        for seed in (1, 2):
            values = {score_name("regret", s): factor * seed / s for s in SHARES["optimum"][2:]}
            records.append(
                Unit("next-optimum", "branin-bad", method, seed).record(
                    status="ok", regret=0.0, search_seconds=1.0, **values
                )
            )
    drawn = search_figures(search_cells(records))
    assert list(drawn) == ["next-optimum"]
    text = drawn["next-optimum"].decode()
    assert "<!-- branin-bad -->" in text
    assert "<!-- study -->" in text
    assert drawn == search_figures(search_cells(records))
    assert search_figures({}) == {}
