"""How the house is kept: tests that mirror the code, small functions, words and types for all."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from source import Package, is_annotated, length

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "mastgp"

MOST_LINES_OF_A_FILE = 450
MEDIAN_LENGTH, LENGTH_OF_MOST = 7, 25


@pytest.fixture(scope="module")
def package():
    return Package(SOURCE)


def test_every_module_has_its_tests(package):
    """The tests of ``a/b.py`` are in ``tests/a/test_b.py``."""
    missing = []
    for path in package.paths.values():
        where = path.relative_to(SOURCE)
        if where.stem in ("__init__", "__main__"):
            continue
        mirrored = where.with_name(f"test_{where.name}")
        if not (ROOT / "tests" / mirrored).exists():
            missing.append(f"{where} has no tests/{mirrored}")
    assert not missing, "\n".join(missing)


def test_files_have_one_subject(package):
    long = {
        path.relative_to(SOURCE): lines
        for path in package.paths.values()
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > MOST_LINES_OF_A_FILE
    }
    assert not long, "\n".join(f"{path} has {lines} lines" for path, lines in long.items())


def test_functions_are_short(package):
    """Half of all functions have at most seven lines, and 95 of 100 at most 25."""
    lengths = {where: length(function) for where, function in package.functions()}
    median, most = np.percentile(list(lengths.values()), [50, 95])
    longest = sorted(lengths, key=lambda where: -lengths[where])[: len(lengths) // 20]
    assert median <= MEDIAN_LENGTH
    assert most <= LENGTH_OF_MOST, "\n".join(
        f"{lengths[where]} lines: {where}" for where in longest if lengths[where] > LENGTH_OF_MOST
    )


def test_every_public_name_is_explained(package):
    silent = [where for where, node in package.public() if ast.get_docstring(node) is None]
    assert not silent, "\n".join(silent)


def test_every_function_is_annotated(package):
    bare = [where for where, function in package.functions() if not is_annotated(function)]
    assert not bare, "\n".join(bare)


def measured(source: str):
    nodes = ast.walk(ast.parse(source))
    (function,) = (node for node in nodes if isinstance(node, ast.FunctionDef))
    return function


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("def f(): return 1", 1),
        ("def f(\n    a,\n    b,\n):\n    return 1", 5),
        ('def f():\n    """One\n\n    two.\n    """\n    return 1', 2),
        ("@cache\ndef f():\n\n    return 1", 3),
    ],
)
def test_lines_are_counted_without_docstrings(source, lines):
    assert length(measured(source)) == lines


@pytest.mark.parametrize(
    ("source", "whole"),
    [
        ("def f() -> None: ...", True),
        ("def f(): ...", False),
        ("def f(self, a: int, *b: int, c: int = 1, **d: int) -> None: ...", True),
        ("def f(a: int, b) -> None: ...", False),
        ("def f(*a) -> None: ...", False),
        ("def f(*, a) -> None: ...", False),
        ("def f(a, /) -> None: ...", False),
    ],
)
def test_annotations_are_asked_of_every_argument(source, whole):
    assert is_annotated(measured(source)) == whole


def test_public_names_are_those_for_others(tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "__init__.py").write_text(
        "class Open:\n"
        "    def method(self):\n"
        "        def inner(): ...\n"
        "    @property\n"
        "    def size(self): ...\n"
        "    @size.setter\n"
        "    def size(self, value): ...\n"
        "    def __len__(self): ...\n"
        "class _Closed:\n"
        "    def method(self): ...\n"
        "def _hidden(): ...\n"
    )
    names = [where for where, _ in Package(tmp_path / "toy").public()]
    assert names == ["toy", "toy.Open.method", "toy.Open.size", "toy.Open"]
