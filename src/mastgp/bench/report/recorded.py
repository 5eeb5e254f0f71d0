"""Results as one CSV file, a line per cell or summary: written by a report, and read again.

A file that was read has means and standard deviations but no values per seed, so its cells are
compared only where they have equally many seeds.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from ...errors import FileError
from ..packed import csv_rows, is_packed, unpack
from ..version import UNKNOWN
from .cells import Cell, Key, marked
from .paper import paper_value
from .summaries import SUMMARIES, Results

_KEYS = ("experiment", "problem", "method", "setting", "metric")
_COLUMNS = (*_KEYS, "mean", "std", "seeds", "paper", "paper_std", "differs", "version")
_NEEDED = (*_KEYS, "mean", "std", "seeds")


def long_csv(results: Results) -> str:
    """Every cell and summary as a row of CSV."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(_COLUMNS)
    both = {**results.cells, **results.summaries}
    for key in sorted(both, key=lambda k: tuple(getattr(k, name) for name in _KEYS)):
        writer.writerow([*(getattr(key, name) for name in _KEYS), *_fields(both[key])])
    return stream.getvalue()


def _fields(cell: Cell) -> list[str]:
    """Columns of a cell after its key; what is unknown is empty."""
    return [
        repr(cell.mean),
        "" if cell.std != cell.std else repr(cell.std),
        str(cell.n),
        "" if cell.paper is None else repr(cell.paper),
        "" if cell.paper_std is None else repr(cell.paper_std),
        "yes" if cell.differs else "",
        " ".join(sorted(cell.versions - {UNKNOWN})),
    ]


def read_recorded(*paths: str | Path) -> Results:
    """Read results that a report wrote as CSV, or records of units; .gz files are decompressed.

    Of several files each adds the methods of an experiment that those before it do not have.
    Of a report the columns experiment, problem, method, setting, metric, mean, std and seeds are
    needed, others are not. The paper's values are looked up, not read.
    """
    first, *rest = (_read(path) for path in paths)
    for more in rest:
        first = _with_more(first, more)
    return first


def _with_more(first: Results, more: Results) -> Results:
    """Results, and those of methods in experiments that they do not have."""
    known = {(key.experiment, key.method) for key in first.cells}

    def new(table: Mapping[Key, Cell]) -> dict[Key, Cell]:
        return {k: c for k, c in table.items() if (k.experiment, k.method) not in known}

    cells = {**first.cells, **new(more.cells)}
    return Results(cells, {**first.summaries, **new(more.summaries)}, (*first.notes, *more.notes))


def _read(path: str | Path) -> Results:
    if is_packed(path):
        return Results.of(unpack(path))
    table: dict[Key, Cell] = {}
    row: Mapping[str, str] = {}
    for number, row in enumerate(csv_rows(path), start=2):
        _check_columns(row, path)
        try:
            table[Key(*(row[name] for name in _KEYS))] = _read_cell(row)
        except ValueError as error:
            raise FileError(f"{path}, line {number}: {error}") from None
    _check_columns(row, path)
    return Results(marked(_only(table, False)), _only(table, True))


def _check_columns(row: Mapping[str, str], path: str | Path) -> None:
    """Refuse a row that lacks a column; so does a table without rows."""
    if missing := [name for name in _NEEDED if name not in row]:
        raise FileError(f"{path} is no record of results: it has no column {missing[0]!r}")


def _read_cell(row: Mapping[str, str]) -> Cell:
    paper, paper_std = paper_value(*(row[name] for name in _KEYS))
    std = float(row["std"] or "nan")
    versions = frozenset((row.get("version") or UNKNOWN).split())
    differs = row["differs"] == "yes" if "differs" in row else None
    return Cell(float(row["mean"]), std, int(row["seeds"]), {}, paper, paper_std, versions, differs)


def _only(table: Mapping[Key, Cell], summaries: bool) -> dict[Key, Cell]:
    chosen: Iterable[Key] = (k for k in table if (k.problem in SUMMARIES) == summaries)
    return {key: table[key] for key in chosen}
