"""Rows with empty cells, as failed runs leave them: counted, named, and left out on request."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, MissingWarning, warn
from .cells import is_blank
from .source import Source
from .texts import is_blank_label


@dataclass
class MissingRows:
    """Leaves out rows in which a cell is empty, block by block, and counts them.

    Attributes
    ----------
    columns : sequence of str
        Columns that are needed; empty cells of others do not matter.
    texts : collection of str
        Those of them that hold labels.
    targets : sequence of str
        Columns of which one value is enough.
    total, left_out : int
        Numbers of rows so far.
    first : str
        Where the first of them is: ``line 7, column 'x'``.
    """

    columns: Sequence[str]
    texts: Collection[str] = ()
    targets: Sequence[str] = ()
    total: int = 0
    left_out: int = 0
    first: str = ""

    def kept(self, source: Source) -> Source:
        """The rows of a block in which no cell is empty."""
        blank = {
            column: (is_blank_label if column in self.texts else is_blank)(source.rows[column])
            for column in self.columns
        }
        if self.targets:
            blank[self.targets[0]] = no_value(source, self.targets)
        empty = np.logical_or.reduce(list(blank.values()), initial=False)
        n = int(np.sum(empty))
        self.total += len(source.rows)
        if not n:
            return source
        self.first = self.first or _first(source, blank, empty)
        self.left_out += n
        return source.with_rows(source.rows[~empty])

    def __add__(self, later: MissingRows) -> MissingRows:
        """The same, with the numbers of both."""
        return replace(
            self,
            total=self.total + later.total,
            left_out=self.left_out + later.left_out,
            first=self.first or later.first,
        )

    def warn(self, path: str) -> None:
        """Say how many rows were left out; an error if none is left."""
        n = self.left_out
        if not n:
            return
        if n == self.total:
            raise DataError(f"every row of {path} has an empty cell, so that none is left")
        warn(
            f"{n} of {self.total} rows of {path} {'has' if n == 1 else 'have'} an empty cell, "
            f"first {self.first}: left out",
            MissingWarning,
        )


def without_missing(
    source: Source,
    columns: Sequence[str],
    texts: Collection[str] = (),
    targets: Sequence[str] = (),
) -> Source:
    """Leave out rows in which a cell of these columns is empty, and say how many.

    See :class:`MissingRows`.
    """
    missing = MissingRows(columns, texts, targets)
    kept = missing.kept(source)
    missing.warn(source.path)
    return kept


def no_value(source: Source, targets: Sequence[str]) -> NDArray[np.bool_]:
    """Which rows have no value of any target."""
    blank = [is_blank(source.rows[column]) for column in targets]
    return np.asarray(np.logical_and.reduce(blank))


def _first(source: Source, blank: dict[str, NDArray[np.bool_]], empty: NDArray[np.bool_]) -> str:
    row = int(np.argmax(empty))
    column = next(name for name, cells in blank.items() if cells[row])
    label = source.rows.index[row]
    return f"{source.unit} {source.first + int(label)}, column {column!r}"
