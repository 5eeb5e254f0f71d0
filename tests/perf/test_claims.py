"""Figures in README and docs are those of the recorded results."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def claims():
    spec = importlib.util.spec_from_file_location("claims", ROOT / "perf" / "claims.py")
    module = sys.modules["claims"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copy(tmp_path):
    """A copy of README and docs that a test may change: replace(page, old, new)."""
    shutil.copy(ROOT / "README.md", tmp_path)
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("images"))

    def replace(page, old, new):
        path = tmp_path / page
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
        return tmp_path

    return replace


def test_all_figures_are_those_of_the_record(claims):
    assert claims.check(ROOT) == []


@pytest.mark.parametrize(
    ("page", "old", "new", "words"),
    [
        ("README.md", "[23 times", "[25 times", "says 25, but the record has 22"),
        ("docs/notes/paper.md", "3.47 on Borehole", "3.46 on Borehole", "says 3.46"),
        ("docs/notes/paper.md", "0.81 to 0.97 (Spearman)", "0.71 to 0.97 (Spearman)", "says 0.71"),
        ("docs/results-notes.md", "In the table", "It is 0.3 or 7 %", "no claim is about 0.3"),
        ("docs/results-notes.md", "Those of MAST hold", "MAST has", "no page says"),
        ("docs/results-notes.md", "Levy and Rosenbrock", "Some rows", "does not name levy"),
        ("docs/guide/intervals.md", "hold 0.78 of", "hold 0.68 of", "says 0.68"),
        ("docs/notes/auto.md", "0.646 to 0.775", "0.646 to 0.765", "says 0.765"),
        ("docs/guide/mast.md", "it works in", "it has 0.3 of it and works in", "no claim is about"),
        ("docs/notes/engine.md", "within 0.3 of an", "close to an", "any more; mend"),
        ("docs/results.md", "| auto |", "| otto |", "docs/results.md is not what the record"),
        ("docs/results/two-fidelity.md", "| auto |", "| otto |", "two-fidelity.md is not what"),
        ("docs/performance.md", "| 49.5 |", "| 4.5 |", "Geometric mean of the ratios"),
    ],
)
def test_a_wrong_figure_is_found(claims, copy, page, old, new, words):
    wrong = claims.check(copy(page, old, new))
    assert any(words in sentence for sentence in wrong)


def test_wrong_figures_are_mended(claims, copy):
    root = copy("docs/notes/paper.md", "3.47 on Borehole", "3.01\n  on Borehole")
    right = (ROOT / "docs" / "results.md").read_text()
    (root / "docs" / "results.md").write_text("old")
    claims.mend(root)
    assert "3.47\n  on Borehole" in (root / "docs" / "notes" / "paper.md").read_text()
    assert (root / "docs" / "results.md").read_text() == right
    assert claims.check(root) == []


def test_numbers_are_written_as_they_were_shown(claims):
    claim = claims.Claim("{} of {} rows, {} %", lambda r: [9, 20, 4.26])
    match = claim.anywhere.search("eight of 19\n rows, 3.1 %")
    assert claims.with_numbers(match, [9, 20, 4.26]) == "nine of 20\n rows, 4.3 %"
    match = claim.anywhere.search("eight of 19 rows, 3 %")
    assert claims.with_numbers(match, [8, 19, 3.4]) == "eight of 19 rows, 3 %"


def test_digits_shown(claims):
    assert claims.holds("0.53", 0.5349)
    assert not claims.holds("0.53", 0.5351)
    assert claims.holds("eight", 8)
    assert claims.holds("213,008", 213008.4)
