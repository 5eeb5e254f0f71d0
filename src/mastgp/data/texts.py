"""Columns of a file that hold labels instead of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import DataError
from .categories import Kinds
from .fidelities import is_missing
from .levels import is_label

if TYPE_CHECKING:
    import pandas as pd

    from .reading import Source


def text_inputs(sources: Sequence[Source], inputs: Sequence[str], kinds: Kinds) -> list[str]:
    """Inputs to be read as labels: those the user says, and those without a single number.

    A column with some numbers is one of numbers: what is none there is a mistake to be named.
    """
    said = kinds.columns(inputs)
    return [
        name
        for i, name in enumerate(inputs)
        if said.get(i) == "categorical"
        or (i not in said and all(_holds_labels(source.rows[name]) for source in sources))
    ]


def labels_of(source: Source, columns: Sequence[str]) -> dict[str, Any]:
    """Columns as they are in the file; an error names the first empty cell."""
    for column in columns:
        for label, cell in source.rows[column].items():
            if _is_blank(cell):
                raise DataError(
                    f"{source.place(label)}, column {column!r}: the value is missing; a "
                    "categorical input needs a level in every row: fill it in or remove the row"
                )
    return {column: source.rows[column].astype(object) for column in columns}


def _holds_labels(cells: pd.Series[Any]) -> bool:
    if cells.dtype.kind == "b" or type(cells.dtype).__name__ == "CategoricalDtype":
        return True
    if cells.dtype.kind in "iufcmM":
        return False
    present = [cell for cell in cells if not _is_blank(cell)]
    return bool(present) and all(isinstance(cell, bool) or is_label(cell) for cell in present)


def _is_blank(cell: Any) -> bool:
    return is_missing(cell) or (isinstance(cell, str) and not cell.strip())
