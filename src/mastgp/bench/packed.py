"""Results of units as one small table, the record: packed from stores, and read again."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..data.opening import place_of, read_bytes
from ..errors import FileError
from ..files import atomic_write
from .store import Store, what_is_wrong
from .units import Unit, latest

_UNIT = tuple(Unit.__dataclass_fields__)
_WHOLE = ("seed", "test_size")
_TEXTS = frozenset({*_UNIT, "status", "version", "error"} - set(_WHOLE))
#: Digits that are kept of a number.
_DIGITS = 8
#: Largest record that is read, in bytes.
MOST_BYTES = 2**26


def pack(records: Iterable[Mapping[str, Any]], path: str | Path) -> int:
    """Write the last result of every unit to a compressed CSV file; return how many there are.

    A failure does not replace an earlier success. The same results make the same bytes.
    """
    rows = sorted(latest(records).values(), key=lambda r: tuple(r[name] for name in _UNIT))
    names = sorted({name for row in rows for name in row} - {"version", *_UNIT, "status", "error"})
    text = _csv(["version", *_UNIT, "status", "error", *names], rows)
    with atomic_write(path) as file:
        file.write(gzip.compress(text.encode(), mtime=0))
    return len(rows)


def read_results(path: str | Path) -> list[dict[str, Any]]:
    """Results of units in a folder of `mast bench run`, or in a packed file."""
    return Store(path).read() if Path(path).is_dir() else unpack(path)


def _csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_shown(row.get(name)) for name in columns])
    return stream.getvalue()


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.{_DIGITS}g}" if isinstance(value, float) else str(value)


def is_packed(path: str | Path) -> bool:
    """Whether a file holds results of units, and not cells of a report."""
    header = _unpacked(path).partition("\n")[0].split(",")
    return "seed" in header


def unpack(path: str | Path) -> list[dict[str, Any]]:
    """Read results of units from a packed file, each checked."""
    found = []
    for number, row in enumerate(csv_rows(path), start=2):
        record = {"status": "ok", **{n: v for n, v in row.items() if n and v not in (None, "")}}
        try:
            read = {name: _value(name, value) for name, value in record.items()}
        except ValueError as error:
            raise FileError(f"{path}, line {number}: {error}") from None
        read.setdefault("setting", "")
        if (reason := what_is_wrong(read)) is not None:
            raise FileError(f"{path}, line {number} is no result of a unit: {reason}")
        found.append(read)
    return found


def _value(name: str, text: str) -> Any:
    if name in _TEXTS:
        return text
    return int(text) if name in _WHOLE else float(text)


def csv_rows(path: str | Path) -> Iterator[dict[str, str]]:
    """Rows of a CSV file by column, one by one; a name that ends in .gz is decompressed."""
    try:
        yield from csv.DictReader(io.StringIO(_unpacked(path)), restval="")
    except csv.Error as error:
        raise FileError(f"{path} cannot be read as CSV: {error}") from error


def _unpacked(path: str | Path) -> str:
    """The text of a file, unless it is too large."""
    packed = io.BytesIO(read_bytes(place_of(path)))
    try:
        with gzip.open(packed) if str(path).endswith(".gz") else packed as file:
            content: bytes = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise FileError(f"{path} has more than {MOST_BYTES // 2**20} MB, and no more are read")
        return content.decode()
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise FileError(f"cannot read {path}: {error}") from error
