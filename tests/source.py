"""The package's source, read without running it: its modules, their imports, their functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef

#: A class or function named by a string, as ``models.mast:MAST``.
_REFERENCE = re.compile(r"(?P<module>\w+(\.\w+)*):[A-Za-z_]\w*")


@dataclass(frozen=True)
class Import:
    """One module's use of another of the same package.

    `name` is what it takes from there, if that is named; `lazily` says whether an ``__init__``
    file only hands it on, when somebody first asks for it.
    """

    by: str
    line: int
    module: str
    name: str | None = None
    lazily: bool = False

    def __str__(self) -> str:
        return f"{self.by}, line {self.line}, imports {self.module}"


class Package:
    """A package in a folder, parsed."""

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        self.paths = {self._dotted(folder, path): path for path in sorted(folder.rglob("*.py"))}
        self.trees = {
            name: ast.parse(path.read_text(encoding="utf-8")) for name, path in self.paths.items()
        }

    def _dotted(self, folder: Path, path: Path) -> str:
        parts = path.relative_to(folder).with_suffix("").parts
        return ".".join([self.name, *(part for part in parts if part != "__init__")])

    @cached_property
    def lazy_names(self) -> dict[str, dict[str, str]]:
        """Of every package that calls ``lazily``: its names, and the module that has each."""
        return {
            module: {
                name: self._absolute(relative, module)
                for relative, names in ast.literal_eval(node.args[1]).items()
                for name in names
            }
            for module, tree in self.trees.items()
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and _called(node) == "lazily"
        }

    @cached_property
    def imports(self) -> list[Import]:
        """Every import of a module of the package by another, by whatever means."""
        return [
            found
            for module, tree in self.trees.items()
            for node in ast.walk(tree)
            for found in self._imports_of(node, module)
        ]

    def _imports_of(self, node: ast.AST, by: str) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            yield from self._plain(node, by)
        elif isinstance(node, ast.ImportFrom):
            yield from self._from(node, by)
        elif isinstance(node, ast.Call):
            yield from self._called(node, by)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from self._named(node, by)

    def _plain(self, node: ast.Import, by: str) -> Iterator[Import]:
        """``import mastgp.a.b``."""
        for alias in node.names:
            if alias.name in self.trees:
                yield Import(by, node.lineno, alias.name)

    def _from(self, node: ast.ImportFrom, by: str) -> Iterator[Import]:
        """``from .a import b``, where b may be a module, a name of a module, or a lazy name."""
        base = self._absolute("." * node.level + (node.module or ""), by)
        if base not in self.trees:
            return
        for alias in node.names:
            lazy = self.lazy_names.get(base, {})
            inside = f"{base}.{alias.name}"
            module = inside if inside in self.trees else lazy.get(alias.name, base)
            if module in self.trees and not self._is_own_constant(module, alias.name, by):
                handed_on = alias.name in self.lazy_names.get(by, {})
                yield Import(by, node.lineno, module, alias.name, handed_on)

    def _called(self, node: ast.Call, by: str) -> Iterator[Import]:
        """``import_module(".a", ...)`` and the modules of ``lazily(...)``."""
        if _called(node) == "import_module" and isinstance(node.args[0], ast.Constant):
            module = self._absolute(node.args[0].value, by)
            if node.args[0].value.startswith(".") and module in self.trees:
                yield Import(by, node.lineno, module)
        elif _called(node) == "lazily":
            for name, module in self.lazy_names[by].items():
                yield Import(by, node.lineno, module, name, lazily=True)

    def _named(self, node: ast.Constant, by: str) -> Iterator[Import]:
        """``"mastgp.a.b"``, ``"mastgp.a.b:Name"`` and ``"a.b:Name"``."""
        reference = _REFERENCE.fullmatch(node.value)
        named = reference["module"] if reference else node.value
        names = {named, f"{self.name}.{named}"} if reference else {named}
        for module in sorted(names & set(self.trees) - {self.name}):
            yield Import(by, node.lineno, module)

    def _absolute(self, module: str, by: str) -> str:
        """A module's full name, from what a module of the package calls it."""
        level = len(module) - len(module.lstrip("."))
        if level == 0:
            return module
        parts = by.split(".")
        is_package = self.paths[by].name == "__init__.py"
        base = parts[: len(parts) - level + is_package]
        return ".".join([*base, *filter(None, [module.lstrip(".")])])

    def _is_own_constant(self, module: str, name: str, by: str) -> bool:
        """Whether a name is assigned in the ``__init__`` file of a package around the module.

        That file has run before any module inside, so that the import adds nothing.
        """
        return by.startswith(f"{module}.") and any(
            isinstance(node, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
            for node in self.trees[module].body
        )

    def cycles(self) -> list[list[str]]:
        """Circles of imports; of those that share an import only one is given.

        What an ``__init__`` file only hands on is left out: the import is that of the module that
        asks for the name.
        """
        graph: dict[str, set[str]] = {module: set() for module in self.trees}
        for found in self.imports:
            if not found.lazily and found.by != found.module:
                graph[found.by].add(found.module)
        circles = []
        while circle := _circle(graph):
            circles.append(circle)
            graph[circle[0]].discard(circle[1])
        return circles

    def functions(self) -> Iterator[tuple[str, Function]]:
        """Every function, nested ones included, with a name that says where it is."""
        for module, tree in self.trees.items():
            for node in ast.walk(tree):
                if isinstance(node, Function):
                    yield f"{module}:{node.lineno} {node.name}", node

    def public(self) -> Iterator[tuple[str, ast.AST]]:
        """Modules, and the classes, functions and methods that are for others."""
        for module, tree in self.trees.items():
            yield module, tree
            yield from _public_inside(tree, module)


def length(function: Function) -> int:
    """Lines of a function, signature included, without its docstring."""
    whole = (function.end_lineno or 0) - function.lineno + 1
    if ast.get_docstring(function) is None:
        return whole
    text = function.body[0]
    return whole - ((text.end_lineno or 0) - text.lineno + 1)


def is_annotated(function: Function) -> bool:
    """Whether every argument but self and cls has a type, and the result has one."""
    arguments = function.args
    listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    starred = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    typed = [a for a in (*listed, *starred) if a.arg not in ("self", "cls")]
    return function.returns is not None and all(a.annotation is not None for a in typed)


def _public_inside(node: ast.AST, place: str) -> Iterator[tuple[str, ast.AST]]:
    for child in getattr(node, "body", []):
        if isinstance(child, Function | ast.ClassDef) and not child.name.startswith("_"):
            if isinstance(child, ast.ClassDef):
                yield from _public_inside(child, f"{place}.{child.name}")
            if not _is_explained_elsewhere(child):
                yield f"{place}.{child.name}", child


def _is_explained_elsewhere(node: Function | ast.ClassDef) -> bool:
    """Whether it is the setter of a property, or one of a function's several signatures."""
    return any(
        getattr(mark, "attr", getattr(mark, "id", "")) in ("setter", "overload")
        for mark in node.decorator_list
    )


def _called(node: ast.Call) -> str:
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _circle(graph: dict[str, set[str]]) -> list[str] | None:
    """A circle in a graph, each entry an importer of the next, or None."""
    try:
        TopologicalSorter({module: sorted(used) for module, used in graph.items()}).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return None
