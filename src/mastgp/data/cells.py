"""Cells of a file as numbers, with errors that name the line and the column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import DataError
from .reading import Source


def numeric(
    source: Source,
    columns: Sequence[str],
    fix: Callable[[str], str] | None = None,
    may_be_missing: bool = False,
) -> pd.DataFrame:
    """Return columns as finite numbers, or raise an error that names the first other value.

    Parameters
    ----------
    source : Source
    columns : sequence of str
    fix : function, optional
        Advice, from the name of a column none of whose cells is a number.
    may_be_missing : bool
        Whether empty cells are allowed; they become NaN.
    """
    numbers = {}
    for column in columns:
        values = _as_floats(source.rows[column], source)
        wrong = np.isinf(values) if may_be_missing else ~np.isfinite(values)
        if may_be_missing:
            wrong |= np.isnan(values) & ~_is_blank(source.rows[column])
        if wrong.any():
            raise DataError(_complaint(source, column, np.flatnonzero(wrong), fix))
        numbers[column] = values
    return pd.DataFrame(numbers, index=source.rows.index)


def _as_floats(column: pd.Series[Any], source: Source) -> NDArray[np.float64]:
    """Values as numbers; NaN where they are none."""
    if column.dtype.kind in "mM":
        return np.full(len(column), np.nan)
    if not _is_text(column):
        return pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    try:  # NumPy reads decimals exactly, but not all or nothing
        return column.to_numpy(dtype=str).astype(float)
    except ValueError:
        text = column.str.replace(",", ".") if source.decimal_comma else column
        return pd.to_numeric(text, errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def _is_text(column: pd.Series[Any]) -> bool:
    return bool(pd.api.types.is_string_dtype(column.dtype))


def _is_blank(column: pd.Series[Any]) -> NDArray[np.bool_]:
    blank = column.isna()
    if _is_text(column):
        blank |= column.str.strip().str.lower().isin(["", "nan", "na"])
    return blank.to_numpy(dtype=bool)


def _complaint(
    source: Source, column: str, bad: NDArray[np.intp], fix: Callable[[str], str] | None
) -> str:
    """What is wrong with some cells of a column, and what to do."""
    cells = source.rows[column]
    value = cells.iloc[bad[0]]
    where = f"{source.place(cells.index[bad[0]])}, column {column!r}"
    more = f" ({len(bad)} such values in this column)" if len(bad) > 1 else ""
    if _is_blank(cells.iloc[bad[:1]])[0]:
        return f"{where}: the value is missing (NaN){more}; fill it in or remove the row"
    if isinstance(value, float | int) or str(value).strip().lower().lstrip("+-")[:3] == "inf":
        return f"{where}: the value is infinite{more}; correct it or remove the row"
    comma = " (is it a decimal comma?)" if "," in str(value) else ""
    advice = " or remove the row"
    if len(bad) == len(cells):  # to drop a whole column for a few bad cells would be poor advice
        advice = "" if fix is None else fix(column)
    return f"{where}: {str(value)!r} is not a number{comma}{more}; correct it{advice}"
