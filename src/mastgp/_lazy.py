"""Names of a package that are imported when they are first used."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a package's ``__getattr__`` for names that its `modules` have.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    modules : mapping of name to module
        Modules relative to the package, as ``{"MAST": ".mast"}``.
    """

    def getattribute(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(modules[name], package), name)

    return getattribute
