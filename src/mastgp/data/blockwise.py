"""Files in, a block of rows at a time: memory does not depend on the number of rows.

A block is a :class:`~mastgp.data.source.Source` like a whole file, and it counts its rows as the
file does. So cells are checked, and errors name the line, as for files that are read whole.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

import numpy as np

from ..errors import DataError, FileError
from .columnar import column_blocks, columnar_cells, is_columnar
from .delimited import TextHeader, after_line, find_header, read_lines
from .opening import MOST_IN_A_FILE, SHEETED, STANDARD, Place, place_of, without_waiting
from .reading import need_library, read_table
from .source import Source
from .text import decoded, is_wide

#: Bytes of text that are read at a time, and no smaller file is divided.
TEXT_BLOCK = 8 * 2**20
#: Bytes of a text whose lines are counted to know how many rows the file has.
_LOOKED_AT = 2**16


def read_blocks(path: str | os.PathLike[str]) -> Iterator[Source]:
    """Read a file in blocks of rows, in their order; an error names the file.

    Parameters
    ----------
    path : path
        Text, Parquet or Feather. Files of other kinds, pipes and small files are one block.
    """
    place = place_of(path)
    if not _can_be_divided(place):
        yield read_table(path)
        return
    need_library(place)
    n_rows = 0
    for block in column_blocks(place) if is_columnar(place) else _text_blocks(place):
        n_rows += len(block.rows)
        if len(block.rows):
            yield block
    if not n_rows:
        raise DataError(f"{place} has no rows of data")


def estimated_cells(path: str | os.PathLike[str]) -> int:
    """About how many cells a file has, from its size and its first rows; 0 if nobody can tell."""
    place = place_of(path)
    if not _is_ordinary(place) or _ending(place) in SHEETED:
        return 0
    if is_columnar(place):
        need_library(place)
        return columnar_cells(place)
    beginning = next(_whole_lines(place, _LOOKED_AT), b"")
    cells = beginning.count(b"\n") + sum(beginning.count(mark) for mark in (b",", b";", b"\t"))
    return int(os.path.getsize(place.path) * cells / max(len(beginning), 1))


def _can_be_divided(place: Place) -> bool:
    """Whether a file is large enough for several blocks, and of a kind that has them."""
    if not _is_ordinary(place) or _ending(place) in SHEETED:
        return False
    if is_columnar(place):
        return True
    return os.path.getsize(place.path) > TEXT_BLOCK and not is_wide(_beginning(place))


def _is_ordinary(place: Place) -> bool:
    try:
        return place.path != STANDARD and stat.S_ISREG(os.stat(place.path).st_mode)
    except (OSError, ValueError):
        return False  # whoever reads it says why


def _ending(place: Place) -> str:
    return os.path.splitext(place.path)[1].lower()


def _beginning(place: Place) -> bytes:
    return next(_chunks(place, 200), b"")


def _text_blocks(place: Place) -> Iterator[Source]:
    """Blocks of a text with separators; only the first has a header."""
    header: TextHeader | None = None
    for data in _whole_lines(place, TEXT_BLOCK):
        text, begins = decoded(data, str(place)), header is None
        if header is None:
            header = find_header(text, str(place))
            text = after_line(text, header.lines)
        yield read_lines(text, header, str(place), begins)
        header = header._replace(lines=header.lines + text.count("\n"))


def _whole_lines(place: Place, size: int) -> Iterator[bytes]:
    """What a file holds in pieces of about a size, each of which ends where a record does."""
    rest = b""
    for chunk in _chunks(place, size):
        data = rest + chunk
        end = _last_end(data)
        if end:
            yield data[:end]
        rest = data[end:]
        if len(rest) > MOST_IN_A_FILE:
            raise FileError(
                f"{place} has a line of more than {MOST_IN_A_FILE // 2**20} MB; is it a table?"
            )
    if rest:
        yield rest


def _chunks(place: Place, size: int) -> Iterator[bytes]:
    try:
        with open(place.path, "rb", opener=without_waiting) as file:
            while chunk := file.read(size):
                yield chunk
    except OSError as error:
        raise FileError(f"cannot read {place}: {error.strerror}") from error


def _last_end(data: bytes) -> int:
    r"""Where the last record ends: behind a line feed with all quotation marks before it closed.

    >>> _last_end(b'1,2\n3,"a\nb')
    4
    """
    if b'"' not in data:
        return data.rfind(b"\n") + 1
    codes = np.frombuffer(data, dtype=np.uint8)
    is_open = np.cumsum(codes == ord('"'), dtype=np.int32) % 2
    ends = np.flatnonzero((codes == ord("\n")) & (is_open == 0))
    return int(ends[-1]) + 1 if len(ends) else 0
