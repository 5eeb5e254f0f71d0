"""Rows with empty cells, as failed runs leave them: counted, named, and left out on request."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, MissingWarning, warn
from .cells import is_blank
from .source import Source
from .texts import is_blank_label


def without_missing(
    source: Source,
    columns: Sequence[str],
    texts: Collection[str] = (),
    targets: Sequence[str] = (),
) -> Source:
    """Leave out rows in which a cell of these columns is empty, and say how many.

    Parameters
    ----------
    source : Source
    columns : sequence of str
        Columns that are needed; empty cells of others do not matter.
    texts : collection of str
        Those of them that hold labels.
    targets : sequence of str
        Columns of which one value is enough.
    """
    blank = {
        column: (is_blank_label if column in texts else is_blank)(source.rows[column])
        for column in columns
    }
    if targets:
        blank[targets[0]] = no_value(source, targets)
    empty = np.logical_or.reduce(list(blank.values()), initial=False)
    n = int(np.sum(empty))
    if not n:
        return source
    total = len(source.rows)
    if n == total:
        raise DataError(f"every row of {source.path} has an empty cell, so that none is left")
    warn(
        f"{n} of {total} rows of {source.path} {'has' if n == 1 else 'have'} an empty cell, first "
        f"{_first(source, blank, empty)}: left out",
        MissingWarning,
    )
    return source.with_rows(source.rows[~empty])


def no_value(source: Source, targets: Sequence[str]) -> NDArray[np.bool_]:
    """Which rows have no value of any target."""
    blank = [is_blank(source.rows[column]) for column in targets]
    return np.asarray(np.logical_and.reduce(blank))


def _first(source: Source, blank: dict[str, NDArray[np.bool_]], empty: NDArray[np.bool_]) -> str:
    row = int(np.argmax(empty))
    column = next(name for name, cells in blank.items() if cells[row])
    label = source.rows.index[row]
    return f"{source.unit} {source.first + int(label)}, column {column!r}"
