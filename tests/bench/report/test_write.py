from __future__ import annotations

import pytest

from mastgp import FileError
from mastgp.bench.experiments import BASELINE
from mastgp.bench.report import Results, read_recorded, write_page, write_report
from mastgp.errors import MixedVersionsWarning


@pytest.fixture
def results(record, runs):
    records = [
        *runs(mast=[0.5] * 10, hf_only=[0.7] * 10),
        {**record("park1", "mast", 0), "status": "failed", "error": "no <luck>"},
        record("branin", BASELINE, 0, "0.5", "sweep-budget"),
        record("branin", "mast", 0, "0.5", "sweep-budget", rmse=0.9),
        record("branin", BASELINE, 0, "", "ablation-weight"),
        record("branin", "mast", 0, "W1", "ablation-weight"),
    ]
    return Results.of(records)


def test_report_in_all_formats(results, tmp_path):
    names = {path.name for path in write_report(results, tmp_path)}
    assert names == {"report.md", "report.tex", "report.csv", "report.html", "sweep-budget.svg"}
    text = (tmp_path / "report.md").read_text()
    assert "| branin | **0.50 ± 0.00 [1.19≠]** | 0.70 ± 0.00 |" in text
    assert "1 units failed" in text
    assert "hf-only unknown, mast unknown. Seeds 0 to 9." in text
    assert "Cells are compared on the seeds that all of them have, at least 10" in text
    assert "not recorded here" not in text
    assert "no &lt;luck&gt;" in (tmp_path / "report.html").read_text()
    assert r"\textbf{0.50" in (tmp_path / "report.tex").read_text()


def test_page_of_documentation(results, tmp_path):
    paths = write_page(results, tmp_path / "results.md", "What was tried.")
    text = (tmp_path / "results.md").read_text()
    assert "What was tried." in text
    assert "## Agreement with the paper" in text
    assert "0 of 1 rows within 0.15 (absolute) of the paper's; beyond: branin -0.69." in text
    assert "(images/sweep-budget.png)" in text
    assert "width of the 95 % interval" not in text  # the report has it
    assert paths == [tmp_path / "results.md", tmp_path / "images" / "sweep-budget.png"]
    assert all(path.exists() for path in paths)


def test_a_recorded_report_gives_the_same_tables(results, tmp_path):
    write_report(results, tmp_path)
    write_page(read_recorded(tmp_path / "report.csv"), tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text()
    assert "| branin | **0.50 ± 0.00 [1.19≠]** | 0.70 ± 0.00 |" in text
    assert "Wins: mast 1." in text
    assert "The values of the single seeds are not recorded here" in text


def test_mixed_versions_are_warned_about(record, tmp_path):
    records = [record("branin", "mast", 0), record("park1", "mast", 0, version="1+a", nlpd=2.0)]
    records += [record("park1", "mast", 1), record("branin", "ar1", 0, version="1+c")]
    with pytest.warns(MixedVersionsWarning, match=r"versions .* computed the results of 'mast';"):
        write_report(Results.of(records), tmp_path)
    text = (tmp_path / "report.md").read_text()
    assert "| park1 | 1.50 ± 0.71° |" in text
    assert "°: some seeds come from other code" in text


def test_report_needs_a_place(results, tmp_path):
    with pytest.raises(FileError, match="does not exist"):
        write_report(results, tmp_path / "nowhere")
