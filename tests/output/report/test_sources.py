"""Scripts of pages, and the rules that let no other run."""

from __future__ import annotations

import base64
import hashlib
import re

from mastgp.output.report.sources import policy, scripts, style


def test_only_the_scripts_of_a_page_may_run():
    names = ("charts", "gestures")
    written = [re.fullmatch(r"<script>(.*)</script>", s, re.DOTALL)[1] for s in scripts(names)]
    hashes = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in written]
    rules = policy(names)
    assert re.findall(r"'sha256-([^']*)'", rules) == hashes
    assert rules.startswith("default-src 'none';")


def test_nothing_of_a_page_is_loaded_from_elsewhere():
    assert "http" not in style()
    assert "@import" not in style()
    assert "url(" not in style()


def test_the_worker_finds_its_source():
    assert scripts(["worker"])[0].startswith('<script id="worker-source">')
