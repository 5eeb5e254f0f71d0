"""Names of a package that are imported when they are first used."""

from __future__ import annotations

import sys

import pytest

from mastgp.lazy import lazily


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
