"""``mast report``: one page of one or several models."""

from __future__ import annotations

import hashlib
import html
import shlex
import shutil
from pathlib import Path

import mastgp
from mastgp.data.origin import without_folders
from wing import COSTS, FIT, WING


def test_a_page_is_written(mast, model_file, tmp_path):
    code, out, _ = mast("report", "wing.mast", "--runs", "0")
    assert code == 0
    assert "Wrote wing.html" in out
    page = (tmp_path / "wing.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "mast report wing.mast --runs 0" in page


def test_the_page_names_files_and_the_command_of_the_fit(mast, model_file, tmp_path):
    mast("report", "wing.mast", "--runs", "0")
    page = html.unescape((tmp_path / "wing.html").read_text())
    words = map(without_folders, [*FIT, *COSTS, "-o", "wing.mast", "--no-check"])
    command = shlex.join(["mast", *words])
    assert command in page
    for path in (WING["panel"], WING["cfd"]):
        assert Path(path).name in page
        assert path not in page
        assert hashlib.sha256(Path(path).read_bytes()).hexdigest() in page
    assert mastgp.load(model_file).origin_.commands == (command,)


def test_several_models_stand_side_by_side(mast, model_file, tmp_path):
    shutil.copy(model_file, tmp_path / "other.mast")
    code, _, _ = mast("report", "wing.mast", "other.mast", "--runs", "0", "--title", "Two wings")
    assert code == 0
    page = (tmp_path / "wing.html").read_text()
    assert "<h1>Two wings</h1>" in page
    assert page.count('data-chart="parity"') == 2


def test_wrong_requests(mast, model_file):
    assert "two of the models are called 'wing'" in mast("report", "wing.mast", "wing.mast")[2]
    assert "does not exist" in mast("report", "wing.mast", "-o", "nowhere/a.html")[2]
    assert mast("report", "wing.mast", "-o", "wing.mast")[0] != 0
