from __future__ import annotations

from mastgp.bench.report.html import web_page
from mastgp.bench.report.summaries import Results
from mastgp.bench.report.tables import build_tables


def test_one_page_that_needs_nothing_else(runs):
    tables = build_tables(Results.of(runs(mast=[0.5] * 10, hf_only=[0.7] * 10)))
    page = web_page(tables, ["no <luck>"], {"sweep": b"<svg/>"})
    assert "<td class='best'>0.50 ± 0.00 <span class='paper differs'>[1.19≠]</span></td>" in page
    assert "data:image/svg+xml;base64,PHN2Zy8+" in page
    assert "no &lt;luck&gt;" in page
    assert "http" not in page
