"""Modules and names of a package that are loaded when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from importlib.util import LazyLoader, find_spec, module_from_spec
from typing import Any


def lazily(package: str, modules: Mapping[str, Iterable[str]]) -> Callable[[str], Any]:
    """Make a package's ``__getattr__``, which imports a name when it is first asked for.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    modules : mapping of module to names
        Modules relative to the package and the names they define, as in ``{".mast": ["MAST"]}``.

    Examples
    --------
    >>> find = lazily("os", {".path": ["join"]})
    >>> find("join")("a", "b")
    'a/b'
    """
    module_of = {name: module for module, names in modules.items() for name in names}

    def getattribute(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(module_of[name], package), name)

    return getattribute


def defer(module: str) -> None:
    """Have a module of a package loaded when it is first used, however early it is imported.

    Nothing happens where there is no such module, or where it has been loaded.

    Parameters
    ----------
    module : str
        Full name. The package it belongs to is imported.
    """
    package, _, name = module.rpartition(".")
    spec = None if module in sys.modules else find_spec(module)
    if spec is None or spec.loader is None:
        return
    spec.loader = LazyLoader(spec.loader)
    found = sys.modules[module] = module_from_spec(spec)
    spec.loader.exec_module(found)
    setattr(import_module(package), name, found)
