"""The question for known vulnerabilities, and the lock that it is asked for."""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("audit", ROOT / "perf" / "audit.py")
    module = sys.modules["audit"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["audit"]


def test_known_vulnerabilities_are_printed(script, capsys):
    def ask(name, version):
        entries = [{"id": "X-1", "fixed_in": ["2.0"]}, {"id": "X-2", "withdrawn": "2026"}]
        return {"vulnerabilities": entries if name == "bad" else []}

    assert script.audit({"bad": "1.0", "good": "1.0"}, ask) == 1
    out = capsys.readouterr().out
    assert "bad 1.0: X-1, mended in 2.0\n" in out
    assert "1 known vulnerabilities in 2 of 2 packages" in out
    assert "X-2" not in out
    assert script.audit({"good": "1.0"}, ask) == 0


def test_a_registry_that_does_not_tell_is_said(script, capsys):
    def silent(name, version):
        raise script.SilentError("it answers 403")

    assert script.audit({"a": "1"}, silent) == 0
    assert script.audit({"a": "1"}, lambda name, version: None) == 0
    assert capsys.readouterr().out.count("Skipped: the registry does not say") == 2


def test_an_address_that_nobody_answers_is_silence(script):
    with pytest.raises(script.SilentError):
        script.asking("http://127.0.0.1:9")("a", "1")


def test_the_lock_has_every_package_that_the_project_asks_for(script):
    text = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    versions = {canonicalize_name(name): version for name, version in script.locked(text).items()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"]]
    for requirements in project["optional-dependencies"].values():
        asked += requirements
    for requirement in map(Requirement, asked):
        if requirement.name != "mastgp":
            version = versions[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(version), requirement


def test_the_lock_names_versions_and_no_places(script):
    text = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert lines
    for line in lines:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!]+", line)
