"""Cells of a file as numbers, with errors that name the line and the column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import DataError
from .source import Source

#: What stands in cells that hold nothing, in small letters.
MISSING = ("", "nan", "na", "n/a", "#n/a", "null", "none")
_COMMA = r"\s*[+-]?\d*,\d*(?:[eE][+-]?\d+)?\s*"
_POINT = r"\s*[+-]?\d*\.\d*(?:[eE][+-]?\d+)?\s*"


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
        values = as_floats(source.rows[column], source)
        wrong = np.isinf(values) if may_be_missing else ~np.isfinite(values)
        if may_be_missing:
            wrong |= np.isnan(values) & ~is_blank(source.rows[column])
        if wrong.any():
            raise DataError(_complaint(source, column, np.flatnonzero(wrong), fix))
        numbers[column] = values
    _check_one_mark(source, columns)
    return pd.DataFrame(numbers, index=source.rows.index)


def as_frame(source: Source) -> pd.DataFrame:
    """A table whose columns are numbers where all of their cells are numbers or empty."""
    columns = {name: _numbers_or_text(source, name) for name in source.rows.columns}
    frame = pd.DataFrame(columns, index=source.rows.index).reset_index(drop=True)
    frame.attrs["units"] = dict(source.units)
    return frame


def _numbers_or_text(source: Source, column: str) -> pd.Series[Any]:
    cells = source.rows[column]
    text = cells.astype(str) if _is_text(cells) else cells
    if is_blank(cells).all():
        return text
    try:
        return numeric(source, [column], may_be_missing=True)[column]
    except DataError:
        return text


def as_floats(column: pd.Series[Any], source: Source) -> NDArray[np.float64]:
    """Values as numbers; NaN where they are none."""
    if column.dtype.kind in "mMc":
        return np.full(len(column), np.nan)
    if not _is_text(column):
        return _of_any(column)
    text = column.to_numpy(dtype=str)
    try:  # NumPy reads decimals exactly, but not all or nothing, and underscores as nothing
        if not (np.strings.find(text, "_") >= 0).any():
            return text.astype(float)
    except ValueError:
        pass
    return _of_text(column.str.replace(",", ".") if source.decimal_comma else column)


def _of_text(column: pd.Series[Any]) -> NDArray[np.float64]:
    """Numbers in text as Python reads them, but without underscores between digits."""
    return np.array([_number(cell) for cell in column], dtype=float)


def _number(cell: Any) -> float:
    try:
        return np.nan if "_" in cell else float(cell)
    except (TypeError, ValueError):
        return np.nan


def _of_any(column: pd.Series[Any]) -> NDArray[np.float64]:
    try:
        return pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError, OverflowError):  # whole numbers beyond the range of floats
        return np.full(len(column), np.nan)


def _is_text(column: pd.Series[Any]) -> bool:
    return bool(pd.api.types.is_string_dtype(column))


def is_blank(column: pd.Series[Any]) -> NDArray[np.bool_]:
    """Which cells hold nothing."""
    blank = column.isna()
    if _is_text(column):
        blank |= column.str.strip().str.lower().isin(MISSING)
    return blank.to_numpy(dtype=bool)


def _check_one_mark(source: Source, columns: Sequence[str]) -> None:
    """Refuse decimal commas beside decimal points: one of them divides thousands."""
    if not source.decimal_comma:
        return
    seen: dict[str, str] = {}
    for column in columns:
        cells = source.rows[column]
        if not _is_text(cells):
            continue
        for mark, pattern in ((",", _COMMA), (".", _POINT)):
            found = cells.str.fullmatch(pattern).to_numpy(dtype=bool)
            if found.any() and mark not in seen:
                row = int(found.argmax())
                place = source.place(cells.index[row])
                seen[mark] = f"{cells.iloc[row].strip()!r} in {place}, column {column!r}"
    if len(seen) == 2:
        raise DataError(
            f"there is a decimal comma ({seen[',']}) and a decimal point ({seen['.']}): is one of "
            "them a mark between thousands? Write all numbers in one way"
        )


def _complaint(
    source: Source, column: str, bad: NDArray[np.intp], fix: Callable[[str], str] | None
) -> str:
    """What is wrong with some cells of a column, and what to do."""
    cells = source.rows[column]
    value = cells.iloc[bad[0]]
    where = f"{source.place(cells.index[bad[0]])}, column {column!r}"
    more = f" ({len(bad)} such values in this column)" if len(bad) > 1 else ""
    if is_blank(cells.iloc[bad[:1]])[0]:
        return (
            f"{where}: the value is missing (NaN){more}; fill it in or remove the row, or leave "
            "out all such rows (--skip-missing, or skip_missing=True in Python)"
        )
    if _is_infinite(value):
        return f"{where}: the value is infinite{more}; correct it or remove the row"
    comma = " (is it a decimal comma?)" if "," in str(value) else ""
    advice = " or remove the row"
    if len(bad) == len(cells):  # to drop a whole column for a few bad cells would be poor advice
        advice = "" if fix is None else fix(column)
    return f"{where}: {_shown(value)!r} is not a number{comma}{more}; correct it{advice}"


def _is_infinite(value: Any) -> bool:
    try:
        return bool(np.isinf(float(value)))
    except (TypeError, ValueError):
        return False
    except OverflowError:
        return True


def _shown(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
