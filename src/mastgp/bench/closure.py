"""Which sources of a package compute something: modules, and what they import of the package.

Sources are read and not imported, so that this is cheap and works for a package that is not the one
that runs. An import from a folder, as in ``from ..gp import blas_threads``, leads to the module
that has the name. Imports for types alone are not followed.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

_INIT = "__init__.py"


def closure(
    package: Path, roots: Iterable[str], is_followed: Callable[[str, str], bool]
) -> dict[str, Path]:
    """Files that some modules of a package need, by their names, the modules themselves included.

    Parameters
    ----------
    package : path
        Folder of the package.
    roots : iterable of str
        Names of modules in it, as ``gp/model``. Those that do not exist are left out.
    is_followed : callable
        Whether an import of one module in another counts, by their names.

    Returns
    -------
    dict of str to path
        In the order of the names.
    """
    found: dict[str, Path] = {}
    todo = [path for root in roots if (path := _module(package, tuple(root.split("/"))))]
    while todo:
        path = todo.pop()
        name = _name(package, path)
        if name in found:
            continue
        found[name] = path
        todo += [p for p in imported(package, path) if is_followed(name, _name(package, p))]
    return {name: found[name] for name in sorted(found)}


def _name(package: Path, path: Path) -> str:
    return path.relative_to(package).with_suffix("").as_posix()


@cache
def imported(package: Path, path: Path) -> tuple[Path, ...]:
    """Files of a package that one of its files imports, in functions, too."""
    pairs = (
        _resolved(package, target, alias.name)
        for node in _imports(_parsed(path), with_types=False)
        if (target := _target(package, path, node)) is not None
        for alias in node.names
    )
    return tuple(dict.fromkeys(found for found in pairs if found is not None))


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


def _imports(node: ast.AST, with_types: bool) -> Iterator[ast.ImportFrom]:
    """Statements ``from x import y`` below a node, those for types alone only if asked for."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom):
            yield child
        elif with_types or not _is_for_types(child):
            yield from _imports(child, with_types)


def _is_for_types(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )


def _target(package: Path, path: Path, node: ast.ImportFrom) -> tuple[str, ...] | None:
    """What is imported from, as parts of a name in the package; None if it is elsewhere."""
    own = tuple(node.module.split(".")) if node.module else ()
    if node.level == 0:
        return own[1:] if own[0] == package.name else None
    folder = path.relative_to(package).parts[:-1]
    return (*folder[: len(folder) - node.level + 1], *own)


def _module(package: Path, parts: tuple[str, ...]) -> Path | None:
    """File of a module, or of a folder's own code, if there is one."""
    folder = package.joinpath(*parts)
    candidates = ((folder.with_suffix(".py"),) if parts else ()) + (folder / _INIT,)
    return next((path for path in candidates if path.is_file()), None)


def _resolved(package: Path, target: tuple[str, ...], name: str) -> Path | None:
    """The file that has an imported name: a module, or what a folder imports it from."""
    if (module := _module(package, (*target, name))) is not None:
        return module
    path = _module(package, target)
    if path is None or path.name != _INIT:
        return path
    for node in _imports(_parsed(path), with_types=True):
        further = _target(package, path, node)
        if further not in (None, target):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _resolved(package, further or (), alias.name)
    return path


@cache
def bare_source(path: Path) -> str:
    """Text of a source file without comments, docstrings and blank lines."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(_parsed(path)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for row in _docstring_rows(node):
                lines[row - 1] = ""
    return "\n".join(stripped for line in lines if (stripped := line.rstrip()))


def _docstring_rows(
    node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef,
) -> range:
    """Lines of a node's docstring, counted from one."""
    if ast.get_docstring(node, clean=False) is None:
        return range(0)
    first = node.body[0]
    return range(first.lineno, (first.end_lineno or first.lineno) + 1)
