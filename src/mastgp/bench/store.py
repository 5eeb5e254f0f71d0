"""Results on disk: one line of JSON per finished unit, appended and never rewritten.

A line is written with one call and forced to the disk before the next unit counts as done, so a
crash or a kill can lose at most a line that was being written. Such a torn last line has no end of
line. It counts for nothing: it is never read, and the next run cuts it off, once it has locked the
file and before it reads what is done.
"""

from __future__ import annotations

import fcntl
import io
import json
import numbers
import os
import reprlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..data.opening import Place, read_bytes
from ..errors import FileError
from .units import Unit

FILE_NAME = "results.jsonl"
#: Largest file of results that is read, in bytes: records take several times their lines.
MOST_BYTES = 2**28
#: What may have become of a unit.
STATUSES = ("ok", "failed", "timeout")


class Store:
    """Results of benchmark units in a folder.

    Parameters
    ----------
    folder : path
        Made if it does not exist.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot use {folder} for results: {error.strerror}") from error
        self.path = self.folder / FILE_NAME

    def read(self) -> list[dict[str, Any]]:
        """All results, in the order in which they were finished, each checked."""
        if not self.path.exists():
            return []
        content = read_bytes(Place(str(self.path)))
        if len(content) > MOST_BYTES:
            raise FileError(f"{self.path} has more than {MOST_BYTES // 2**20} MB; use more folders")
        lines = io.BytesIO(content[: content.rfind(b"\n") + 1])  # what follows is torn
        return [self._record(line, i) for i, line in enumerate(lines, start=1) if line.strip()]

    def _record(self, line: bytes, number: int) -> dict[str, Any]:
        """A line's result, or an error that names the line."""
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            raise self._wrong(number, "is damaged") from None
        reason = what_is_wrong(record)
        if reason is not None:
            raise self._wrong(number, f"is not a result of mast bench: {reason}")
        found: dict[str, Any] = record
        return found

    def _wrong(self, number: int, how: str) -> FileError:
        return FileError(f"{self.path}, line {number} {how}; remove that line to go on")

    @contextmanager
    def appending(self) -> Iterator[Appender]:
        """Open for appending; only one process may do so at a time."""
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise FileError(f"cannot write {self.path}: {error.strerror}") from error
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise FileError(f"another run is writing to {self.path}; wait for it") from None
            _cut_torn_line(descriptor)
            yield Appender(descriptor)
        finally:
            os.close(descriptor)


def what_is_wrong(record: Any) -> str | None:
    """Why a value is no result of a unit, or None if it is one."""
    if not isinstance(record, dict):
        return f"it is a {type(record).__name__}, not an object"
    for name, field in Unit.__dataclass_fields__.items():
        kind = int if field.type == "int" else str
        if type(record.get(name)) is not kind:
            return f"{name!r} must be {'a whole number' if kind is int else 'a text'}"
    if record.get("status") not in STATUSES:
        return f"its status is {record.get('status')!r}"
    return _wrong_outcome(record)


def _wrong_outcome(record: dict[str, Any]) -> str | None:
    """Why a result says nothing: no score where it is ok, no error where it is not."""
    if record["status"] != "ok":
        return None if isinstance(record.get("error"), str) else "it has no text of its error"
    known = {*Unit.__dataclass_fields__, "status", "version", "error"}
    scores = {name: value for name, value in record.items() if name not in known}
    for name, value in scores.items():
        if not _is_number(value):
            return f"{name!r} is {reprlib.repr(value)}, not a number"
    return None if {"rmse", "regret"} & scores.keys() else "it has no 'rmse' and no 'regret'"


def _is_number(value: Any) -> bool:
    """Whether a value is a number that floats can hold."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


class Appender:
    """Writes results, one at a time."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def append(self, record: dict[str, Any]) -> None:
        """Write one result; when this returns, it is on the disk."""
        line = json.dumps(record, sort_keys=True).encode() + b"\n"
        written = os.write(self._descriptor, line)
        if written != len(line):
            raise FileError("the disk is full: a result could not be written")
        os.fsync(self._descriptor)


def _cut_torn_line(descriptor: int) -> None:
    """Remove what follows the last complete line."""
    size = os.fstat(descriptor).st_size
    position = size
    while position > 0:
        start = max(0, position - 4096)
        block = os.pread(descriptor, position - start, start)
        newline = block.rfind(b"\n")
        if newline >= 0:
            position = start + newline + 1
            break
        position = start
    if position < size:
        os.ftruncate(descriptor, position)
