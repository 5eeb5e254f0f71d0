from __future__ import annotations

from mastgp.bench.report.markdown import markdown
from mastgp.bench.report.summaries import Results
from mastgp.bench.report.tables import build_tables


def test_a_page(runs):
    tables = build_tables(Results.of(runs(mast=[0.5] * 10, hf_only=[0.7] * 10)), ["rmse"])
    text = markdown(tables, ["A note."], ["sweep-budget"], "images/{}.png")
    assert "\nA note.\n" in text
    assert "| | mast | hf-only |\n|---|---|---|\n" in text
    assert "| branin | **0.50 ± 0.00 [1.19≠]** | 0.70 ± 0.00 |" in text
    assert "\nWins: mast 1.\n" in text
    assert "![sweep-budget](images/sweep-budget.png)" in text
