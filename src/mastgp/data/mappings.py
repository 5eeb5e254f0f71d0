"""Mappings in: one table of inputs and targets per fidelity becomes one table of all rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, listed
from .arrays import Table, check_numbers, name_of
from .targets import check_no_unit, has_several

Array = NDArray[np.float64]

_EXPECTED = "expected (X, y) or (X, y, noise_std)"


class _Entry(NamedTuple):
    """The table of one fidelity."""

    X: Any
    y: Any
    noise_std: Array
    target_name: str | None


def stacked(tables: Mapping[Any, Sequence[Any]]) -> Table:
    """Put the tables of all fidelities on top of each other.

    Parameters
    ----------
    tables : mapping of fidelity name to (X, y) or (X, y, noise_std)
        Columns of DataFrames are matched by name; `noise_std` is one number or one per row. A y of
        several columns has several targets.

    Returns
    -------
    Table
        Its rows are called by their numbers in their own table. The target has a name if it has
        the same one in all tables.
    """
    if not isinstance(tables, Mapping) or not tables:
        raise DataError(
            "expected a mapping of fidelity names to (X, y), such as "
            '{"coarse": (X1, y1), "fine": (X2, y2)}'
        )
    entries = {label: _entry(label, entry) for label, entry in tables.items()}
    targets = _stacked_targets({label: entry.y for label, entry in entries.items()})
    noise = np.concatenate([entry.noise_std for entry in entries.values()])
    target_names = {entry.target_name for entry in entries.values()}
    return Table(
        _stacked_inputs({label: entry.X for label, entry in entries.items()}),
        targets,
        [label for label, entry in entries.items() for _ in range(len(entry.y))],
        None if np.isnan(noise).all() else noise,
        [f"row {row}" for entry in entries.values() for row in range(len(entry.y))],
        target_names.pop() if len(target_names) == 1 else None,
    )


def _entry(label: Any, entry: Any) -> _Entry:
    """Check the table of one fidelity, with errors that name it."""
    of = f"fidelity {str(label)!r}"
    X, y, *rest = _parts(entry, of)
    target_name = name_of(y)
    X = X if hasattr(X, "columns") else _inputs(X, f"{of}: X")
    if X.ndim != 2:
        raise DataError(
            f"{of}: X has shape {X.shape}; expected a table of shape (n, d), for a single "
            "input X.reshape(-1, 1)"
        )
    y = _targets(y, len(X), of)
    noise = _array(rest[0], f"{of}: noise_std") if rest else np.array(np.nan)
    if y.ndim == 2 and noise.ndim < 2:
        check_no_unit(noise)
    if noise.shape not in ((), y.shape):
        raise DataError(f"{of}: noise_std has {noise.size} values, but y has {len(y)}")
    return _Entry(X, y, np.broadcast_to(noise, y.shape), target_name)


def _targets(y: Any, n: int, of: str) -> Any:
    """Targets of one fidelity: an array of shape (n,), or n rows of several columns."""
    values = _array(y, f"{of}: y")
    if len(values.shape) not in (1, 2) or len(values) != n or values.shape[1:] == (0,):
        raise DataError(f"{of}: X has {n} rows, but y has {' x '.join(map(str, values.shape))}")
    if not has_several(values):
        return values.ravel()
    return y if hasattr(y, "columns") else values


def _stacked_targets(targets: Mapping[Any, Any]) -> Any:
    """Targets of all fidelities, matching the columns of DataFrames by name."""
    several = {has_several(y) for y in targets.values()}
    if several == {False}:
        return np.concatenate(list(targets.values()))
    if len(several) > 1:
        raise DataError("y has several columns for some fidelities and one for others")
    return _stacked(targets, "y", "targets")


def _parts(entry: Any, of: str) -> list[Any]:
    """X, y and perhaps the noise of one fidelity."""
    if hasattr(entry, "columns"):
        raise DataError(
            f'{of}: got one table; give inputs and target apart, as (df[["a", "b"]], df["y"])'
        )
    try:
        parts = list(entry)
    except TypeError:
        raise DataError(f"{of}: {_EXPECTED}") from None
    if len(parts) not in (2, 3):
        raise DataError(f"{of}: {_EXPECTED}, got {len(parts)} things")
    return parts


def _array(values: Any, what: str) -> Array:
    check_numbers(values, what)
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{what} cannot be read as numbers: {error}") from None


def _inputs(values: Any, what: str) -> Any:
    """Inputs as an array of numbers, or of anything where some columns are labels."""
    try:
        return _array(values, what)
    except DataError as error:
        table = _objects(values)
        if table is None or not any(isinstance(cell, str | bool) for cell in table.flat):
            raise error
        return table


def _objects(values: Any) -> Any:
    """Values as a table of anything, if they are one."""
    try:
        table = np.asarray(values, dtype=object)
    except ValueError:
        return None
    return table if table.ndim == 2 else None


def _stacked_inputs(tables: Mapping[Any, Any]) -> Any:
    """Inputs of all fidelities, matching the columns of DataFrames by name."""
    return _stacked(tables, "X", "inputs")


def _stacked(tables: Mapping[Any, Any], what: str, columns: str) -> Any:
    framed = {hasattr(table, "columns") for table in tables.values()}
    if len(framed) > 1:
        raise DataError(
            f"{what} is a DataFrame for some fidelities and an array for others; use one kind"
        )
    if framed == {True}:
        return _stacked_frames(tables)
    _check_widths(tables, columns)
    return np.concatenate(list(tables.values()))


def _stacked_frames(tables: Mapping[Any, Any]) -> Any:
    import pandas as pd

    first_label, first = next(iter(tables.items()))
    for label, table in tables.items():
        differing = set(table.columns) ^ set(first.columns)
        if differing:
            raise DataError(
                f"fidelity {str(label)!r} and {str(first_label)!r} differ in column "
                f"{listed(sorted(map(str, differing)))}"
            )
    return pd.concat([table[first.columns] for table in tables.values()], ignore_index=True)


def _check_widths(tables: Mapping[Any, Array], columns: str) -> None:
    first_label, first = next(iter(tables.items()))
    for label, table in tables.items():
        if table.shape[1] != first.shape[1]:
            raise DataError(
                f"fidelity {str(label)!r} has {table.shape[1]} {columns}, but {str(first_label)!r} "
                f"has {first.shape[1]}"
            )
