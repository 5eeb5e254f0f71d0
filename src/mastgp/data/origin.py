"""Where a model comes from: commands, files and warnings, kept with the model.

Folders say who somebody is and how their machine looks, so names of files are kept without them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from .. import stored
from .opening import place_of

#: Most entries of each kind that are kept, and that a file may have.
MOST = 1_000
_CHUNK = 2**20


@dataclass(frozen=True)
class SourceFile:
    """A file that was read.

    Attributes
    ----------
    path : str
        As the user named it, with its sheet where it has several. Files have it without folders.
    sha256 : str or None
        Of the whole file; None for pipes, which can be read once only.
    """

    path: str
    sha256: str | None = None


@dataclass(frozen=True)
class Origin:
    """Where a model comes from.

    Attributes
    ----------
    version : str or None
        Version of the package that fitted the model; None where nobody knows.
    commands : tuple of str
        What was done, in order: commands of the shell, or words on what was done in Python.
    files : tuple of SourceFile
    warnings : tuple of str
        What the package said when the model was made.
    """

    version: str | None = None
    commands: tuple[str, ...] = ()
    files: tuple[SourceFile, ...] = ()
    warnings: tuple[str, ...] = ()

    def then(
        self,
        command: str | None,
        files: Iterable[SourceFile] = (),
        warnings: Iterable[str] = (),
    ) -> Origin:
        """The same with one more step; nothing is said twice.

        >>> Origin(commands=("mast fit a.csv",)).then("mast update b.csv").commands
        ('mast fit a.csv', 'mast update b.csv')
        """
        return replace(
            self,
            commands=(*self.commands, *([] if command is None else [command]))[:MOST],
            files=tuple(dict.fromkeys([*self.files, *files]))[:MOST],
            warnings=tuple(dict.fromkeys([*self.warnings, *warnings]))[:MOST],
        )


def source_file(word: str) -> SourceFile:
    """A file that the user named, with its hash."""
    place = place_of(word)
    if not os.path.isfile(place.path):
        return SourceFile(str(place))
    with open(place.path, "rb") as file:
        digest = hashlib.sha256()
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return SourceFile(str(place), digest.hexdigest())


def without_folders(word: str) -> str:
    """A word of a command; names of files in it lose their folders.

    >>> without_folders("cfd=/home/anna/runs/cfd.csv")
    'cfd=cfd.csv'
    >>> without_folders("lift/drag")
    'lift/drag'
    """
    path, name = place_of(word).path, os.path.basename(word.rstrip(os.sep))
    if os.path.isdir(os.path.dirname(path)):
        return name
    for between, most in ((",", -1), ("=", 1)):
        if between in word:
            return between.join(map(without_folders, word.split(between, most)))
    if word.startswith("-") and word[2:3] == os.sep:  # -o/home/anna/wing.mast
        return word[:2] + without_folders(word[2:])
    is_path = os.path.isabs(path) or os.path.isdir(path.partition(os.sep)[0])
    return name if is_path else word


def origin_state(origin: Origin) -> dict[str, Any]:
    """An origin as plain values, for files and summaries; no file is named with its folder."""
    folders = {os.path.dirname(file.path) for file in origin.files} - {""}
    prefixes = sorted((os.path.join(folder, "") for folder in folders), key=len, reverse=True)
    return {
        "version": origin.version,
        "commands": list(origin.commands),
        "files": [{"path": _without(prefixes, f.path), "sha256": f.sha256} for f in origin.files],
        "warnings": [_without(prefixes, warning) for warning in origin.warnings],
    }


def _without(prefixes: Iterable[str], text: str) -> str:
    for prefix in prefixes:
        text = text.replace(prefix, "")
    return text


def restored_origin(state: Any) -> Origin:
    """Inverse of :func:`origin_state`, once everything is checked."""
    keys = ("version", "commands", "files", "warnings")
    stored.mapping(state, "the origin", keys, more=False)
    commands, files, warnings = (
        stored.sequence(state[key], f"the {key} of the origin", most=MOST) for key in keys[1:]
    )
    return Origin(
        _text_or_none(state["version"], "the version of the origin"),
        tuple(stored.text(command, "a command") for command in commands),
        tuple(_restored_file(entry) for entry in files),
        tuple(stored.text(warning, "a warning") for warning in warnings),
    )


def _restored_file(entry: Any) -> SourceFile:
    stored.mapping(entry, "a source file", ("path", "sha256"), more=False)
    return SourceFile(
        stored.text(entry["path"], "the path of a source file"),
        _text_or_none(entry["sha256"], "the hash of a source file"),
    )


def _text_or_none(value: Any, what: str) -> str | None:
    return None if value is None else stored.text(value, what)
