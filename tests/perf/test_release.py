"""What a release consists of names one version and the dependencies that are tested."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import mastgp

ROOT = Path(__file__).parents[2]


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "perf" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_citation_and_changelog_name_the_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.*)$", citation, re.MULTILINE)[1] == mastgp.__version__
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changes, re.MULTILINE)[1] == mastgp.__version__


def test_lowest_versions_are_those_of_the_project():
    found = script("lowest").lowest()
    assert [text.partition("==")[0] for text in found] == [
        *("numpy", "scipy", "scikit-learn", "pandas", "typer", "rich", "matplotlib")
    ]
    assert all(re.fullmatch(r"[\w-]+==\d+(\.\d+)*", text) for text in found)


def test_every_extra_has_its_licences():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = project.partition("[project.optional-dependencies]")[2].partition("\n[project")[0]
    extras = set(re.findall(r"^(\w+) = \[", section, re.MULTILINE)) - {"all", "docs", "dev"}
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    assert not {extra for extra in extras if f"[{extra}]" not in page}
