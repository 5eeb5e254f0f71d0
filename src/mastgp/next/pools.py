"""Pools: a table of candidates, which are the only places that can be run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError, listed
from .definition import RESERVED
from .inputs import Choice, Domain, Input, Range, as_input
from .store import Candidate, Proposal
from .trials import GIVEN

if TYPE_CHECKING:
    import pandas as pd

    from ..data.source import Source

#: A column of text with more different entries than this share of the rows names the rows.
_NAMING = 0.5
_REASON = "known from the table of candidates"


@dataclass(frozen=True)
class Pool:
    """Candidates, the inputs that they span, and what is known of them.

    Attributes
    ----------
    inputs : mapping of name to Input
    candidates : list of Candidate
    known : mapping of fidelity to {row: result}
        Results that the table has.
    """

    inputs: Mapping[str, Input]
    candidates: list[Candidate]
    known: Mapping[str, Mapping[int, float]] = field(default_factory=dict)

    def results(self, target: str) -> list[tuple[Proposal, Mapping[str, float]]]:
        """What is known, as results of a target."""
        return [
            (Proposal(self.candidates[row].inputs, fidelity, _REASON, GIVEN, row, {}), {target: y})
            for fidelity, found in self.known.items()
            for row, y in found.items()
        ]


def pool_of(
    table: Any,
    inputs: Mapping[str, Any] | Sequence[str] | None = None,
    fidelities: Sequence[str] = (),
    targets: Sequence[str] = (),
) -> Pool:
    """A pool of a table.

    Parameters
    ----------
    table : DataFrame or path
    inputs : mapping or sequence of names, optional
        Inputs with their ranges, or only their names. By default every column that varies is an
        input, but for columns of text that name the rows. Other columns are kept as notes.
    fidelities : sequence of str
        Columns with results of these fidelities, where the table has them; a cell may be empty.
    targets : sequence of str
        Columns that must be empty, where the table has them: they do not say of which fidelity a
        result is.
    """
    read = _read(table)
    frame = read.frame
    measured = [name for name in (*fidelities, *targets) if name in frame.columns]
    known = {name: _results(read, name) for name in fidelities if name in measured}
    _check_no_results(read, [name for name in targets if name in measured])
    frame = frame.drop(columns=measured)
    given = inputs if isinstance(inputs, Mapping) else {}
    names = _input_names(frame) if inputs is None else [str(name) for name in inputs]
    if missing := [name for name in names if name not in frame.columns]:
        raise DataError(f"{read.name}: no column {listed(missing)} among {listed(frame.columns)}")
    found = {name: as_input(name, _spanned(read, name) if given.get(name) is None else given[name])
             for name in names}  # fmt: skip
    if not found:
        raise DataError(f"{read.name}: no column varies, so there is no input")
    domain = Domain(found)
    notes = [name for name in frame.columns if name not in found and name not in RESERVED]
    candidates = [
        Candidate(domain.read(row, read.place(number)), {n: note(row[n]) for n in notes})
        for number, row in enumerate(frame.to_dict(orient="records"))
    ]
    return Pool(found, candidates, known)


@dataclass(frozen=True)
class _Read:
    """A table of candidates, and where it comes from.

    Attributes
    ----------
    frame : DataFrame
        With text for column names.
    source : Source or None
        The file.
    """

    frame: pd.DataFrame
    source: Source | None

    @property
    def name(self) -> str:
        """What messages call the table."""
        return "the candidates" if self.source is None else self.source.path

    def place(self, row: int) -> str:
        """What messages call a row."""
        if self.source is None:
            return f"candidate {row}"
        return self.source.place(self.source.rows.index[row])


def _read(table: Any) -> _Read:
    """Read the candidates."""
    from ..data.cells import as_frame
    from ..data.reading import read_table

    source = None
    if isinstance(table, str | os.PathLike):
        source = read_table(table)
        table = as_frame(source)
    if not hasattr(table, "columns"):
        raise DataError("candidates must be a table: a DataFrame, or the path of a file")
    if not len(table):
        raise DataError("there are no candidates")
    if not table.columns.is_unique:
        raise DataError("the candidates have two columns of the same name; rename one of them")
    return _Read(table.rename(columns=str), source)


def note(cell: Any) -> str:
    """A cell as text; a whole number without a point, as it names a row in any table."""
    if isinstance(cell, float | np.floating) and float(cell).is_integer():
        return str(int(cell))
    return str(cell).strip()


def _results(read: _Read, name: str) -> dict[int, float]:
    """Results of a column by the rows that have one."""
    import pandas as pd

    from ..data.cells import is_blank

    found = {}
    column = read.frame[name]
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float)
    for row in np.flatnonzero(~is_blank(column)).tolist():
        if not np.isfinite(numbers[row]):
            raise DataError(
                f"{read.place(row)}: the result in column {name!r} is "
                f"{str(column.iloc[row])[:40]!r}, not a number; correct it or leave it empty"
            )
        found[row] = float(numbers[row])
    return found


def _check_no_results(read: _Read, targets: Sequence[str]) -> None:
    """Refuse results that would be ignored."""
    from ..data.cells import is_blank

    for name in targets:
        if not is_blank(read.frame[name]).all():
            raise DataError(
                f"{read.name}: column {name!r} has results, but not their fidelity; name the "
                "column like the fidelity, or leave it out"
            )


def _input_names(frame: pd.DataFrame) -> list[str]:
    """Columns that vary, without those that name or number the rows."""
    found = [name for name in frame.columns if name not in RESERVED and _is_input(frame[name])]
    return [name for name in found if not _numbers_rows(frame[name])] or found


def _is_input(column: pd.Series[Any]) -> bool:
    """Whether a column varies and does not name the rows."""
    different = column.nunique()
    if different < 2:
        return False
    return column.dtype.kind in "fiu" or different <= max(_NAMING * len(column), 2)


def _numbers_rows(column: pd.Series[Any]) -> bool:
    """Whether a column counts the rows."""
    return column.dtype.kind in "fiu" and bool((np.diff(column.to_numpy()) == 1).all())


def _spanned(read: _Read, name: str) -> Any:
    """What a column spans: its range, or its levels."""
    column = read.frame[name]
    empty = (column.isna() | (column.astype(str).str.strip() == "")).to_numpy()
    if empty.any():
        where = read.place(int(empty.argmax()))
        more = f", nor have {empty.sum() - 1} other rows" if empty.sum() > 1 else ""
        raise DataError(
            f"{where} has nothing in column {name!r}{more}; fill it in, remove the row, or name "
            "the columns that are inputs"
        )
    if column.dtype.kind in "fiu":
        if column.min() == column.max():
            raise DataError(f"{read.name}: column {name!r} does not vary; it is no input")
        return Range(float(column.min()), float(column.max()))
    return Choice(tuple(sorted(set(column.tolist()), key=str)))
