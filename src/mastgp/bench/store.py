"""Results on disk: one line of JSON per finished unit, appended and never rewritten.

A line is written with one call and forced to the disk before the next unit counts as done, so a
crash or a kill can lose at most a line that was being written; such a torn last line is cut off
when the store is opened again.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import FileError

FILE_NAME = "results.jsonl"


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
        """All results, in the order in which they were finished."""
        if not self.path.exists():
            return []
        records = []
        lines = self.path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, start=1):
            if not line:
                continue
            try:
                records.append(json.loads(line))
            except ValueError:
                if number == len(lines):
                    continue  # torn by a crash; its unit will be computed again
                raise FileError(
                    f"{self.path}, line {number} is damaged; remove that line to go on"
                ) from None
        return records

    @contextmanager
    def appending(self) -> Iterator[Appender]:
        """Open for appending; only one process may do so at a time."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise FileError(f"another run is writing to {self.path}; wait for it") from None
            _cut_torn_line(descriptor)
            yield Appender(descriptor)
        finally:
            os.close(descriptor)


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
