"""Names of a package that are imported when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
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
