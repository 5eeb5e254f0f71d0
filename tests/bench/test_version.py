from __future__ import annotations

import re

import mastgp
from mastgp.bench.version import UNKNOWN, code_version, fingerprint, version_of


def package(tmp_path, files):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_version_and_fingerprint():
    assert re.fullmatch(re.escape(mastgp.__version__) + r"\+[0-9a-f]{8}", code_version())


def test_what_computes_changes_the_fingerprint_and_what_shows_does_not(tmp_path):
    files = {"gp/model.py": "a = 1", "cli/main.py": "", "output/x.py": "", "bench/report/t.py": ""}
    before = fingerprint(package(tmp_path, files))
    for shows_only in ("cli/main.py", "output/x.py", "bench/report/t.py"):
        assert fingerprint(package(tmp_path, {**files, shows_only: "b = 2"})) == before
    assert fingerprint(package(tmp_path, {**files, "gp/model.py": "a = 2"})) != before
    assert fingerprint(package(tmp_path, {**files, "bench/runner.py": ""})) != before


def test_a_moved_file_changes_the_fingerprint(tmp_path):
    before = fingerprint(package(tmp_path / "a", {"gp/model.py": "a = 1"}))
    assert fingerprint(package(tmp_path / "b", {"gp/other.py": "a = 1"})) != before


def test_older_results_have_no_version():
    assert version_of({"rmse": 1.0}) == UNKNOWN == "unknown"
    assert version_of({"version": "0.1.0+12345678"}) == "0.1.0+12345678"
