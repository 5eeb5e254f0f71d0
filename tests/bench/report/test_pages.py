from __future__ import annotations

import pytest

from mastgp.bench.experiments import BASELINE
from mastgp.bench.report import Results, write_pages
from mastgp.bench.report.pages import DIFFERENCES, OVERVIEW, ROBUSTNESS, page_texts

COMMENT = (
    f"# Results\n\nIn short.\n\n{OVERVIEW}\n\nThese differ:\n\n{DIFFERENCES}\n\n{ROBUSTNESS}\n"
)


@pytest.fixture
def results(record):
    records = []
    for seed in range(10):
        for name, setting in (("two-fidelity", ""), ("sweep-budget", "1")):
            records.append(record("branin", BASELINE, seed, setting, name))
            records.append(record("branin", "mast", seed, setting, name, rmse=0.5))
    return Results.of(records)


def test_first_page(results):
    text = page_texts(results, "results", COMMENT)["results.md"]
    assert text.startswith("# Results\n\nIn short.\n\n![RMSE ratio")
    assert "| mast | 10 | 0.500 |  | 1.000 |  |" in text
    assert "| two-fidelity | branin | 0.50 ± 0.00, better | 10 | 1.19 |" in text
    assert "- [two-fidelity](results/two-fidelity.md): the paper's main table" in text
    assert "results/sweep-budget\n```" in text
    assert "| mast | 10 | 100% | 0% [76%] | 0.50 | 0.50 [2.04] |" in text


def test_a_page_of_tables_per_experiment(results, tmp_path):
    paths = write_pages(results, tmp_path / "results.md", COMMENT)
    names = {path.relative_to(tmp_path).as_posix() for path in paths}
    assert names == {
        *("results.md", "results/two-fidelity.md", "results/sweep-budget.md"),
        *("images/sweep-budget.png", "images/glance.png"),
    }
    main = (tmp_path / "results" / "two-fidelity.md").read_text()
    assert main.startswith("# Results: two-fidelity\n\nVersions of the code: baseline unknown")
    assert "| branin | 0.50 ± 0.00 [1.19≠] |" in main
    assert "sweep" not in main
    sweep = (tmp_path / "results" / "sweep-budget.md").read_text()
    assert "(../images/sweep-budget.png)" in sweep
    texts = page_texts(results, "results", COMMENT)
    assert {name: (tmp_path / name).read_text() for name in texts} == texts
