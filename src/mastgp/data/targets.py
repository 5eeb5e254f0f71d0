"""Several targets: one table with several columns of results becomes one table for each.

Every target keeps the rows that have a value of it. So a run that failed to give the drag still
tells of the lift.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, MissingWarning, listed, warn
from .arrays import Table, check_numbers
from .fidelities import is_missing


def has_several(y: Any) -> bool:
    """Whether responses have more than one column."""
    shape = getattr(y, "shape", None)
    if shape is None:
        shape = np.asarray(y, dtype=object).shape
    return len(shape) == 2 and shape[1] > 1


def names_of(Y: Any) -> list[str]:
    """Names of several targets: those of a DataFrame's columns, or ``y0``, ``y1`` and so on.

    >>> names_of(np.zeros((3, 2)))
    ['y0', 'y1']
    """
    columns = getattr(Y, "columns", None)
    if columns is None:
        return [f"y{i}" for i in range(np.shape(Y)[1])]
    names = [str(column) for column in columns]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise DataError(f"target {listed(repeated)} is there twice; rename one of them")
    return names


def split(table: Table) -> dict[str, Table]:
    """Make one table for each column of ``table.y``; rows without a value of it are left out.

    Parameters
    ----------
    table : Table
        Its `y` has several columns, some cells of which may be missing. Its `noise_std` is None or
        has as many columns.

    Returns
    -------
    dict of target name to Table
        A warning says how many rows a target lacks. A row without any value stays, so
        that it is refused as a row without a value is elsewhere.
    """
    names, there = names_of(table.y), _present(table.y)
    if len(there) != len(table.places):
        raise DataError(f"X has {len(table.places)} rows, but y has {len(there)}")
    there |= ~there.any(axis=1, keepdims=True)
    noise = _noise(table.noise_std, np.shape(table.y))
    tables = {}
    for i, name in enumerate(names):
        own = replace(
            table,
            y=table.y.iloc[:, i] if hasattr(table.y, "iloc") else np.asarray(table.y)[:, i],
            noise_std=None if noise is None else noise[:, i],
            target_name=name,
            streams={of: replace(stream, target=i) for of, stream in table.streams.items()},
        )
        tables[name] = own if there[:, i].all() else _rows(own, there[:, i])
    return tables


def _present(Y: Any) -> NDArray[np.bool_]:
    """Which cells hold something, shape (n, k)."""
    check_numbers(Y, "y")
    cells = np.asarray(Y, dtype=object)
    return np.array([[not is_missing(cell) for cell in row] for row in cells], dtype=bool)


def _noise(noise_std: Any, shape: tuple[int, ...]) -> Any:
    """Known noise of each target, shape (n, k); one column for all of them only if it is zero."""
    if noise_std is None:
        return None
    try:
        noise = np.asarray(noise_std, dtype=float)
    except (TypeError, ValueError):
        raise DataError("noise_std must be one number per row (NaN where unknown)") from None
    if noise.shape == shape:
        return noise
    check_no_unit(noise)
    return np.broadcast_to(noise.reshape(-1, 1), shape)


def check_no_unit(noise: Any) -> None:
    """Refuse known noise that is said of several targets at once, unless it is zero."""
    values = np.asarray(list(noise.values()) if hasattr(noise, "values") else noise, dtype=float)
    if (np.nan_to_num(values) != 0.0).any():
        raise DataError(
            "known noise is in the unit of one target, and there are several: fit targets of known "
            "noise one by one, or in Python give a column of noise_std for each target"
        )


def check_logarithms(table: Table) -> None:
    """Refuse a target with values that have no logarithm, and name the first of them."""
    _refuse(
        table,
        lambda y: y <= 0.0,
        "only positive values have a logarithm; correct the row, or do without the logarithm",
    )


def check_bounded(table: Table, low: float, high: float) -> None:
    """Refuse a target with values at its bounds or beyond, and name the first of them."""
    _refuse(
        table,
        lambda y: (y <= low) | (y >= high),
        f"it is said to lie between {low:g} and {high:g}, and never to reach them; correct the "
        "row, or give wider bounds",
    )


def _refuse(
    table: Table, is_wrong: Callable[[NDArray[np.float64]], NDArray[np.bool_]], reason: str
) -> None:
    """Name the first value of a target that is wrong, if there is one."""
    try:
        y = np.asarray(table.y, dtype=float).ravel()
    except (TypeError, ValueError):
        return  # others name what is no number
    wrong = np.flatnonzero(is_wrong(y))
    if len(wrong):
        row = int(wrong[0])
        named = table.target_name
        name = named if isinstance(named, str) else "the target"
        more = f" ({len(wrong)} such values in all)" if len(wrong) > 1 else ""
        raise DataError(f"{name} is {y[row]:g} in {table.places[row]}{more}: {reason}")


def _rows(table: Table, kept: NDArray[np.bool_]) -> Table:
    """Some of a table's rows, which keep their places; a warning says how many are left out."""
    rows = np.flatnonzero(kept)
    if not len(rows):
        raise DataError(
            f"no row has a value of target {table.target_name!r}, from {table.places[0]} on; leave "
            "it out"
        )
    n, first = int((~kept).sum()), int(np.argmin(kept))
    of = "" if table.fidelity is None else f" of fidelity {str(_at(table.fidelity, first))!r}"
    warn(
        f"{n} of {len(kept)} rows {'has' if n == 1 else 'have'} no value of {table.target_name!r}, "
        f"first {table.places[first]}{of}: used for the other targets only",
        MissingWarning,
    )
    return replace(
        table,
        X=table.X.iloc[rows] if hasattr(table.X, "iloc") else np.asarray(table.X)[rows],
        y=table.y.iloc[rows] if hasattr(table.y, "iloc") else table.y[rows],
        fidelity=None
        if table.fidelity is None
        else [_at(table.fidelity, int(row)) for row in rows],
        noise_std=None if table.noise_std is None else np.asarray(table.noise_std)[rows],
        places=[table.places[int(row)] for row in rows],
    )


def _at(labels: Any, row: int) -> Any:
    return labels.iloc[row] if hasattr(labels, "iloc") else labels[row]
