"""Which files a word of the user's means, and what is in them as bytes.

A word is a path, a path and a sheet (``runs.xlsx:Sheet2``), several paths joined by commas, or
``-`` for standard input. Pipes are read once. What is no file, or never ends, is refused.
"""

from __future__ import annotations

import os
import select
import stat
import sys
import time
from typing import NamedTuple

from ..errors import FileError

#: The word for standard input and output.
STANDARD = "-"
#: Endings of files that have sheets.
SHEETED = (".xlsx", ".xlsm", ".xls")
#: Endings of files of typed columns.
PARQUET, FEATHER = (".parquet", ".pq"), (".feather", ".arrow")
#: A pipe that is silent for this long, in seconds, is given up.
SILENCE = 30.0
#: More than this many bytes through a pipe are taken for a stream without an end.
MOST_THROUGH_A_PIPE = 256 * 2**20
#: Files of more bytes are not read: as a table they would need many times their size.
MOST_IN_A_FILE = 1024 * 2**20
_CHUNK = 2**20
_KINDS = {
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
    stat.S_ISSOCK: "a socket",
    stat.S_ISDIR: "a folder",
}


class Place(NamedTuple):
    """A file, and a sheet of it where it has sheets.

    Attributes
    ----------
    path : str
    sheet : str or None
        None for the first one.
    """

    path: str
    sheet: str | None = None

    def __str__(self) -> str:
        if self.path == STANDARD:
            return "standard input"
        path = os.fsencode(self.path).decode("utf-8", "backslashreplace")
        return path if self.sheet is None else f"{path}:{self.sheet}"


def place_of(word: str | os.PathLike[str]) -> Place:
    """Take a sheet's name off a path.

    >>> place_of("runs.xlsx:Sheet2")
    Place(path='runs.xlsx', sheet='Sheet2')
    >>> place_of("C:/runs.csv")
    Place(path='C:/runs.csv', sheet=None)
    """
    text = os.fspath(word)
    path, colon, sheet = text.rpartition(":")
    if colon and path.lower().endswith(SHEETED) and not os.path.exists(text):
        return Place(path, sheet)
    return Place(text)


def split_paths(text: str) -> list[str]:
    """Paths that are joined by commas; a file whose own name has a comma stays whole.

    >>> split_paths("p1.csv,p2.csv")
    ['p1.csv', 'p2.csv']
    """
    if "," not in text or os.path.exists(place_of(text).path):
        return [text]
    return [part.strip() for part in text.split(",") if part.strip()]


def read_bytes(place: Place) -> bytes:
    """Everything that a file or a pipe holds; an error says why it cannot be read."""
    if place.path == STANDARD:
        return _standard_input()
    try:
        mode = os.stat(place.path).st_mode
        if stat.S_ISFIFO(mode):
            return _through_pipe(os.open(place.path, os.O_RDONLY | os.O_NONBLOCK), str(place))
        for is_one, name in _KINDS.items():
            if is_one(mode):
                raise FileError(f"{place} is {name}, not a file")
        return _whole_file(place)
    except FileNotFoundError:
        raise FileError(f"there is no file {place}") from None
    except FileError:
        raise
    except ValueError as error:  # a NUL in the path
        raise FileError(f"{place.path!r} is no path: {error}") from None
    except OSError as error:
        raise FileError(f"cannot read {place}: {error.strerror}") from error


def _whole_file(place: Place) -> bytes:
    """What an ordinary file holds; some of the system's files have no size, no end, or wait."""
    size = os.stat(place.path).st_size
    with open(place.path, "rb", opener=without_waiting) as file:
        data = file.read(MOST_IN_A_FILE + 1) if size <= MOST_IN_A_FILE else b""
    if data is None:
        raise FileError(f"{place} waits for somebody to write to it; it is no file of data")
    if max(size, len(data)) > MOST_IN_A_FILE:
        raise FileError(
            f"{place} has more than {MOST_IN_A_FILE // 2**20} MB, and no larger file is read; "
            "keep the rows and columns that are needed"
        )
    return data


def without_waiting(path: str, flags: int) -> int:
    """Open a file such that reading never waits for somebody to write to it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _standard_input() -> bytes:
    """What comes through standard input, unless somebody would have to type it."""
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None or stream.closed:
        raise FileError("there is no standard input")
    if stream.isatty():
        raise FileError(
            "standard input is the keyboard; send a file, as in: mast predict m.mast - < q.csv"
        )
    data: bytes = stream.read(MOST_THROUGH_A_PIPE + 1)
    if not data:
        raise FileError("standard input is empty, or has been read already")
    return _not_endless(data, "standard input")


def _through_pipe(descriptor: int, name: str) -> bytes:
    """What comes through a pipe until its writer closes it."""
    chunks, size, heard = [], 0, time.monotonic()
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    try:
        while size <= MOST_THROUGH_A_PIPE:
            if poll.poll(100):
                chunk = os.read(descriptor, _CHUNK)
                if not chunk:
                    break
                chunks.append(chunk)
                size, heard = size + len(chunk), time.monotonic()
            elif time.monotonic() - heard > SILENCE:
                raise FileError(
                    f"nothing has come through the pipe {name} for {SILENCE:g} seconds; write to "
                    "a file first"
                )
    finally:
        os.close(descriptor)
    if not chunks:
        raise FileError(f"the pipe {name} is empty, or has been read already")
    return _not_endless(b"".join(chunks), name)


def _not_endless(data: bytes, name: str) -> bytes:
    if len(data) > MOST_THROUGH_A_PIPE:
        raise FileError(
            f"more than {MOST_THROUGH_A_PIPE // 2**20} MB came through {name}; write them to a "
            "file first, if there is an end to them"
        )
    return data
