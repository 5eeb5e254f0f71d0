"""Which files belong to which fidelity, from what the user gave."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import DataError
from ..files import name_and_path
from .fidelities import fidelity_name
from .globs import is_many, name_of_many, paths_of
from .opening import STANDARD, place_of, split_paths

#: Paths of the user's: one, several, or a list of them for each fidelity.
Files = (
    Sequence[str | os.PathLike[str]]
    | Mapping[Any, str | os.PathLike[str] | Sequence[str | os.PathLike[str]]]
)


class Named(NamedTuple):
    """A fidelity's name and one of its files.

    Attributes
    ----------
    name, path : str
    argument : int
        Number of the argument that named it; one argument may name several files.
    """

    name: str
    path: str
    argument: int = 0


def named_files(files: Files) -> list[Named]:
    """Every file with the name of its fidelity, from what the user gave.

    A folder or a pattern (``runs/*.parquet``) means all of its files.

    >>> [file.path for file in named_files(["panel=p1.csv,p2.csv", "fine.csv"])]
    ['p1.csv', 'p2.csv', 'fine.csv']
    """
    if isinstance(files, str | os.PathLike):
        raise DataError(f"files must be a list of paths, as [{os.fspath(files)!r}]")
    if not files:
        raise DataError("there are no files; give one for each fidelity")
    if isinstance(files, Mapping):
        return [
            Named(fidelity_name(label), path, number)
            for number, (label, given) in enumerate(files.items())
            for word in ([given] if isinstance(given, str | os.PathLike) else given)
            for path in paths_of(os.fspath(word))
        ]
    return [
        file for number, text in enumerate(files) for file in _of_argument(os.fspath(text), number)
    ]


def _of_argument(argument: str, number: int) -> list[Named]:
    """The files that one argument names: ``fine.csv``, ``panel=p1.csv,p2.csv``, ``coarse/``."""
    name, path = _name_and_path(argument)
    paths = split_paths(path)
    if len(paths) > 1 and path == argument:
        raise DataError(f"there is no file {argument}; several files need a name: name={argument}")
    return [Named(name, one, number) for word in paths for one in paths_of(word)]


def _name_and_path(argument: str) -> tuple[str, str]:
    """As :func:`mastgp.files.name_and_path`, with sheets and the standard input."""
    if argument == STANDARD:
        return "stdin", argument
    name, path = name_and_path(argument)
    if path != argument:
        return name, path
    if is_many(argument):
        return name_of_many(argument), argument
    place = place_of(argument)
    return place.sheet or Path(place.path).stem, argument


def check_distinct(named: Sequence[Named]) -> None:
    """Refuse a file that is given twice, and two arguments that have the same name."""
    seen: dict[str, Named] = {}
    for file in named:
        first = seen.setdefault(file.name, file)
        if first is file:
            continue
        if not (_exists(file.path) and _exists(first.path)):
            _refuse_option(file, first)
        elif _is_same(first.path, file.path):
            raise DataError(f"the file {file.path} is given twice; leave one out")
        elif first.argument != file.argument:
            raise DataError(
                f"two files are called {file.name!r}: {first.path} and {file.path}; name them, as "
                f"one={first.path} two={file.path}, or join them if they are of one fidelity, as "
                f"{file.name}={first.path},{file.path}"
            )


def _refuse_option(file: Named, first: Named) -> None:
    """Say what an argument is that is no file; files of one argument are named when read."""
    if first.argument != file.argument:
        raise DataError(
            f"{file.name}={file.path} was taken for a file. Options take one value each: join "
            "several by commas, as --cost coarse=1,fine=10"
        )


def _exists(path: str) -> bool:
    return path == STANDARD or Path(place_of(path).path).exists()


def _is_same(first: str, second: str) -> bool:
    """Whether two words mean the same file and the same sheet of it."""
    if STANDARD in (first, second):
        return first == second
    one, other = place_of(first), place_of(second)
    return one.sheet == other.sheet and Path(one.path).samefile(other.path)
