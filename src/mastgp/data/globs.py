"""Words that mean many files of one table: folders, and patterns such as ``runs/*.parquet``."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from pathlib import Path

from ..errors import DataError, FileError, listed
from .opening import FEATHER, PARQUET, STANDARD, place_of

#: Endings of the tables that are looked for in a folder.
_TABLES = (".csv", ".tsv", ".tab", ".txt", ".dat", *PARQUET, *FEATHER)


def paths_of(word: str) -> list[str]:
    """All files that a word means, sorted by their paths: itself unless it means many.

    >>> paths_of("coarse.csv")
    ['coarse.csv']
    """
    path = place_of(word).path
    if os.path.isdir(path):
        return _in_folder(path)
    if not _is_pattern(word):
        return [word]
    found = sorted(path for path in glob.glob(word, recursive=True) if os.path.isfile(path))
    if not found:
        raise FileError(f"no file matches {word}")
    return found


def is_many(word: str) -> bool:
    """Whether a word is a folder or a pattern."""
    return os.path.isdir(place_of(word).path) or _is_pattern(word)


def name_of_many(word: str) -> str:
    """Name of a fidelity whose files are in a folder: the folder's.

    >>> name_of_many("runs/coarse/*.parquet")
    'coarse'
    """
    folder = Path(word)
    while _has_wildcards(str(folder)):
        folder = folder.parent
    if _is_pattern(word) and folder == Path():
        raise DataError(f"the files {word} need a name: name={word}")
    return folder.resolve().name


def _is_pattern(word: str) -> bool:
    """Whether a word has wildcards, and is not a file whose own name has them."""
    return _has_wildcards(word) and word != STANDARD and not os.path.lexists(place_of(word).path)


def _has_wildcards(word: str) -> bool:
    return any(mark in word for mark in "*?[")


def _in_folder(folder: str) -> list[str]:
    """All tables in a folder and in those below it, which must be of one kind."""
    found = sorted(_tables_below(folder))
    if not found:
        raise FileError(f"the folder {folder} has no tables; they end in {listed(_TABLES)}")
    endings = sorted({_ending(path) for path in found})
    if len(endings) > 1:
        raise DataError(
            f"the folder {folder} has files of several kinds, {listed(endings)}; say which are "
            f"meant, as {os.path.join(folder, '*' + endings[0])}"
        )
    return found


def _tables_below(folder: str) -> Iterator[str]:
    """Tables in a folder; what begins with a dot or an underscore belongs to other programs."""
    for above, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        for name in files:
            if not name.startswith((".", "_")) and _ending(name) in _TABLES:
                yield os.path.join(above, name)


def _ending(path: str) -> str:
    return os.path.splitext(path)[1].lower()
