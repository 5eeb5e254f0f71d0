"""The page of promises: each names tests that exist, and those that no other file holds."""

from __future__ import annotations

import ast
import getpass
import json
import platform
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from wing import WING

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "guide" / "rely-on.md"
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE.read_text(encoding="utf-8"))


def promises():
    """Paragraphs of the page that begin in bold."""
    return re.findall(
        r"^\*\*.*?(?=\n\n)", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


def test_every_promise_names_its_tests():
    assert len(promises()) > 20
    silent = [text for text in promises() if not re.search(r"`tests/[\w/]+\.py::\w+`", text)]
    assert not silent


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_the_test_of_a_promise_exists(path, name):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


#: A command that prints every connection that it opens and every name that it looks up.
WATCHED = """
import sys
def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "urllib.Request"):
        print("CONNECTION", event, arguments[-1], flush=True)
sys.addaudithook(watch)
from mastgp.cli.main import main
main()
"""


@pytest.mark.parametrize("extra", [[], ["--method", "auto"]])
def test_commands_open_no_connection(tmp_path, extra):
    def mast(*arguments):
        command = [sys.executable, "-c", WATCHED, *arguments]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert "CONNECTION" not in ran.stdout

    fit = ["fit", WING["panel"], WING["cfd"], "--target", "drag_counts", "--no-check"]
    mast(*fit, "--cost", "panel=1,cfd=20", "-o", "a.mast", *extra)
    mast("predict", "a.mast", WING["queries"], "-o", "out.csv")
    if not extra:
        mast("plot", "a.mast", "-o", "a.png", "--kind", "slices")
        mast("methods")


def test_a_connection_would_be_seen(tmp_path):
    code = WATCHED.replace("from mastgp.cli.main import main\nmain()", "import socket\n"
                           "socket.getaddrinfo('127.0.0.1', 80)")  # fmt: skip
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "CONNECTION socket.getaddrinfo" in ran.stdout


def test_a_model_file_says_nothing_of_its_author(tmp_path):
    folder = tmp_path / "a folder of mine"
    folder.mkdir()
    for name in ("panel", "cfd"):
        (folder / f"{name}.csv").write_bytes(Path(WING[name]).read_bytes())
    command = [sys.executable, "-m", "mastgp", "fit", folder / "panel.csv", folder / "cfd.csv"]
    options = ["--target", "drag_counts", "--cost", "panel=1,cfd=20", "--no-check"]
    output = folder / "model.mast"
    subprocess.run([*command, *options, "-o", output], check=True, capture_output=True)
    with zipfile.ZipFile(output) as archive:
        manifest = archive.read("model.json").decode()
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert not any(member.extra or member.comment for member in archive.infolist())
    texts = set(texts_in(json.loads(manifest)))
    assert "a folder of mine" not in manifest
    assert not any("/" in text or "\\" in text for text in texts - arrays_of(texts))
    for private in (getpass.getuser(), platform.node(), str(Path.home())):
        assert private not in texts


def texts_in(value):
    """All texts in plain data, keys included."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for entry in value:
            yield from texts_in(entry)
    elif isinstance(value, str):
        yield value


def arrays_of(texts):
    """Names of arrays, which have slashes of their own."""
    return {text for text in texts if re.fullmatch(r"(data|state|parameters)(/\d+)+", text)}
