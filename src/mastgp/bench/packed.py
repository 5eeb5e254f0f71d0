"""Results of units as one small table, the record: packed from stores, and read again."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import FileError
from ..files import atomic_write
from .store import Store, what_is_wrong
from .units import Unit, latest

_UNIT = tuple(Unit.__dataclass_fields__)
_WHOLE = ("seed", "test_size")
_TEXTS = frozenset({*_UNIT, "status", "version", "error"} - set(_WHOLE))
#: Digits that are kept of a number.
_DIGITS = 8


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
    header = unpacked(path).partition("\n")[0].split(",")
    return "seed" in header


def unpack(path: str | Path) -> list[dict[str, Any]]:
    """Read results of units from a packed file, each checked."""
    found = []
    for number, row in enumerate(csv.DictReader(unpacked(path).splitlines()), start=2):
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


def unpacked(path: str | Path) -> str:
    """The text of a file; a name that ends in .gz is decompressed."""
    try:
        content = Path(path).read_bytes()
        return (gzip.decompress(content) if str(path).endswith(".gz") else content).decode()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read {path}: {error}") from error
