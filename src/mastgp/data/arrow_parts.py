"""How large the parts of an Arrow file are once they are unpacked, without unpacking them.

A Feather file is an Arrow file: parts, each with a description, and at the end a list of the parts.
Descriptions and list are FlatBuffers. Each compressed piece of a part begins with the size that it
will have.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

MAGIC = b"ARROW1"
#: Numbers of the fields that are needed, by the table that they are in.
_DICTIONARIES, _BATCHES = 2, 3  # of the list of parts
_HEADER_TYPE, _HEADER = 1, 2  # of a part's description
_BUFFERS, _COMPRESSION = 2, 3  # of a batch
_DICTIONARY_DATA = 1  # of a dictionary
_IS_DICTIONARY, _IS_BATCH = 2, 3
#: Largest description, and most parts of a file.
_LARGEST, _MOST_PARTS = 2**24, 2**20


def unpacked_sizes(file: Any) -> Iterator[int]:
    """Bytes of each part of an Arrow file, once it is unpacked.

    Parameters
    ----------
    file : binary file
        One that can be read at any place.
    """
    end = file.seek(0, 2)
    length = struct.unpack("<i", _read(file, end - 10, 4))[0]
    footer = _Flat(_read(file, end - 10 - length, length))
    for number in (_DICTIONARIES, _BATCHES):
        for at in footer.entries(footer.root, number, 24):
            offset, description = struct.unpack_from("<qi", footer.data, at)
            yield _unpacked(file, offset, description)


def _read(file: Any, at: int, length: int) -> bytes:
    if at < 0 or not 0 <= length <= _LARGEST:
        raise ValueError("a part of it is where none can be")
    file.seek(at)
    data: bytes = file.read(length)
    return data


def _unpacked(file: Any, offset: int, description: int) -> int:
    """Bytes of the part whose description begins at `offset`."""
    data = _read(file, offset, description)
    part = _Flat(data[8 if data[:4] == b"\xff\xff\xff\xff" else 4 :])
    kind, batch = part.byte(part.root, _HEADER_TYPE), part.table(part.root, _HEADER)
    if kind == _IS_DICTIONARY:
        batch = part.table(batch, _DICTIONARY_DATA)
    elif kind != _IS_BATCH:
        raise ValueError("a part of it is no batch of rows")
    size, packed = 0, part.place(batch, _COMPRESSION) is not None
    for at in part.entries(batch, _BUFFERS, 16):
        start, length = struct.unpack_from("<qq", part.data, at)
        if packed and length >= 8:
            claimed = struct.unpack("<q", _read(file, offset + description + start, 8))[0]
            length = claimed if claimed >= 0 else length - 8  # as it is, if it says -1
        size += max(length, 0)
    return size


class _Flat:
    """A FlatBuffer: tables of fields, each found by its number."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.root = self._number("<I", 0)

    def _number(self, kind: str, at: int) -> int:
        if at < 0:
            raise ValueError("a description of a part is damaged")
        return int(struct.unpack_from(kind, self.data, at)[0])

    def place(self, table: int, number: int) -> int | None:
        """Where a field of a table is; None if the table has none."""
        fields = table - self._number("<i", table)
        if 4 + 2 * number >= self._number("<H", fields):
            return None
        offset = self._number("<H", fields + 4 + 2 * number)
        return table + offset if offset else None

    def byte(self, table: int, number: int) -> int:
        """A field of one byte; zero if there is none."""
        at = self.place(table, number)
        return 0 if at is None else self._number("<B", at)

    def table(self, table: int, number: int) -> int:
        """Where the table is that a field names."""
        at = self.place(table, number)
        if at is None:
            raise ValueError("a description of a part is incomplete")
        return at + self._number("<I", at)

    def entries(self, table: int, number: int, size: int) -> range:
        """Where the entries of a list are, each of `size` bytes."""
        if self.place(table, number) is None:
            return range(0)
        start = self.table(table, number)
        n = self._number("<I", start)
        if n > _MOST_PARTS or start + 4 + n * size > len(self.data):
            raise ValueError("a list of parts is longer than the file")
        return range(start + 4, start + 4 + n * size, size)
