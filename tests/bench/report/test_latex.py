from __future__ import annotations

from mastgp.bench.report.latex import latex
from mastgp.bench.report.summaries import Results
from mastgp.bench.report.tables import build_tables


def test_tables(runs):
    text = latex(build_tables(Results.of(runs(mast=[0.5] * 10, hf_only=[0.7] * 10))))
    assert r"branin & \textbf{0.50 $\pm$ 0.00 [1.19$\neq$]} & 0.70 $\pm$ 0.00 \\" in text
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") > 3
    assert r"50 \%" not in text  # no such results
    assert r"95 \%" in text
    assert "R$^2$" in text
