"""Modules and names of a package that are loaded when they are first used."""

from __future__ import annotations

import importlib
import sys

import pytest

from mastgp.lazy import defer, lazily


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with two modules, none of which has been imported."""
    folder = tmp_path / "lazy_example"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "one.py").write_text("a, b = 1, 2")
    (folder / "two.py").write_text("c = 3")
    monkeypatch.syspath_prepend(tmp_path)
    yield "lazy_example"
    for name in [name for name in sys.modules if name.startswith("lazy_example")]:
        del sys.modules[name]


def test_a_module_is_imported_when_one_of_its_names_is_used(package):
    find = lazily(package, {".one": ["a", "b"], ".two": ("c",)})
    assert f"{package}.one" not in sys.modules
    assert find("b") == 2
    assert f"{package}.one" in sys.modules
    assert f"{package}.two" not in sys.modules
    assert find("c") == 3


def test_other_names_are_missing_as_in_every_module(package):
    find = lazily(package, {".one": ["a"]})
    with pytest.raises(AttributeError, match="module 'lazy_example' has no attribute 'b'"):
        find("b")
    assert f"{package}.one" not in sys.modules


def test_a_deferred_module_is_loaded_when_it_is_used(package):
    defer(f"{package}.one")
    defer(f"{package}.one")  # once is enough
    module = importlib.import_module(package).one
    assert "a" not in object.__getattribute__(module, "__dict__")
    assert module.b == 2
    assert "a" in object.__getattribute__(module, "__dict__")
    assert importlib.import_module(f"{package}.one") is module


def test_what_is_not_there_or_is_loaded_is_not_deferred(package):
    defer(f"{package}.three")
    assert f"{package}.three" not in sys.modules
    module = importlib.import_module(f"{package}.two")
    defer(f"{package}.two")
    assert sys.modules[f"{package}.two"] is module
