"""Columns of a file that hold labels instead of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from .categories import Kinds
from .cells import MISSING, is_blank
from .fidelities import is_missing
from .levels import is_label

if TYPE_CHECKING:
    import pandas as pd

    from .source import Source

_EMPTY = frozenset(MISSING) - {"none"}


def text_inputs(sources: Sequence[Source], inputs: Sequence[str], kinds: Kinds) -> list[str]:
    """Inputs to be read as labels: those the user says, and those without a single number.

    A column with some numbers is one of numbers: what is none there is a mistake to be named.
    """
    said = kinds.columns(inputs)
    return [
        name
        for i, name in enumerate(inputs)
        if said.get(i) == "categorical"
        or (i not in said and all(holds_labels(source.rows[name]) for source in sources))
    ]


def labels_of(source: Source, columns: Sequence[str]) -> dict[str, Any]:
    """Columns as they are in the file; an error names the first empty cell."""
    for column in columns:
        blank = np.flatnonzero(is_blank_label(source.rows[column]))
        if len(blank):
            place = source.place(source.rows.index[blank[0]])
            raise DataError(
                f"{place}, column {column!r}: the value is missing; a categorical input needs a "
                "level in every row: fill it in or remove the row, or leave out all such rows "
                "(--skip-missing, or skip_missing=True in Python)"
            )
    return {column: source.rows[column].astype(object) for column in columns}


def holds_labels(cells: pd.Series[Any]) -> bool:
    """Whether a column has labels, and not a single number."""
    if cells.dtype.kind == "b" or type(cells.dtype).__name__ == "CategoricalDtype":
        return True
    if cells.dtype.kind in "iufcmM":
        return False
    if is_blank(cells).all():
        return False
    present = (cell for cell in cells if not (is_missing(cell) or _is_empty_text(cell)))
    first = next(present, None)  # numbers are told by the first of them
    return first is not None and all(
        isinstance(cell, bool) or is_label(cell) for cell in chain([first], present)
    )


def is_blank_label(cells: pd.Series[Any]) -> NDArray[np.bool_]:
    """Which cells of a column of labels hold nothing; "none" is a label, as of a coating."""
    return np.array([is_missing(cell) or _is_empty_text(cell) for cell in cells], dtype=bool)


def _is_empty_text(cell: Any) -> bool:
    return isinstance(cell, str) and cell.strip().lower() in _EMPTY
