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
        ("README.md", "[43 to 91 %", "[47 to 89 %", "says 47, but the record has 43"),
        ("README.md", "[28 times", "[25 times", "says 25, but the record has 28"),
        ("docs/results-notes.md", "0.527 with", "0.517 with", "says 0.517"),
        ("docs/results-notes.md", "eight of the ten", "nine of the ten", "says nine"),
        (
            "docs/results-notes.md",
            "What we make",
            "It is 0.3 or 7 %",
            "no claim is about 0.3",
        ),
        ("docs/results-notes.md", "times that GP", "of that", "no page says"),
        ("docs/guide/intervals.md", "hold 0.78 of", "hold 0.68 of", "says 0.68"),
        ("docs/notes/auto.md", "0.646 to 0.775", "0.646 to 0.765", "says 0.765"),
        ("docs/guide/mast.md", "it works in", "it has 0.3 of it and works in", "no claim is about"),
        ("docs/notes/engine.md", "within 0.3 of an", "close to an", "any more; mend"),
        ("docs/results.md", "auto 0.527", "auto 0.517", "docs/results.md is not what the record"),
        ("docs/performance.md", "| 66.6 |", "| 6.6 |", "Geometric mean of the ratios"),
    ],
)
def test_a_wrong_figure_is_found(claims, copy, page, old, new, words):
    wrong = claims.check(copy(page, old, new))
    assert any(words in sentence for sentence in wrong)


def test_digits_shown(claims):
    assert claims.holds("0.53", 0.5349)
    assert not claims.holds("0.53", 0.5351)
    assert claims.holds("eight", 8)
    assert claims.holds("213,008", 213008.4)
