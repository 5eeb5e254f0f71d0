"""Further rows of fidelities that are known: the same box, the same names, rows at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, unknown
from ..gp.observations import LARGEST_TARGET
from .arrays import check_numbers, names_of_rows
from .checks import check_finite, check_size
from .dataset import Dataset, Fidelity

Array = NDArray[np.float64]
#: New rows by the name of their fidelity.
Further = Mapping[str, Fidelity]


def further_rows(
    data: Dataset, X: Array, y: Any, fidelity: Any = None, noise_std: Any = None
) -> Further:
    """Check rows that are to be added to a data set.

    Parameters
    ----------
    data : Dataset
    X : array of shape (n, d)
        Checked inputs, in the user's units.
    y : array of shape (n,)
    fidelity : n labels, optional
        Needed where the data have several fidelities.
    noise_std : array of shape (n,), optional
        Known noise of each row; by default the one that all earlier rows of its fidelity have.
    """
    names = _names(data, fidelity, len(X))
    targets = _targets(y, len(X), names)
    stds = _stds(noise_std, len(X))
    found = {}
    for old in data.fidelities:
        own = np.flatnonzero(names == old.name)
        if len(own):
            noise_var = _noise_var(old, stds[own])
            rows = _next_row(data) + own
            found[old.name] = Fidelity(old.name, X[own], targets[own], noise_var, rows)
    return found


def extended(data: Dataset, further: Further) -> Dataset:
    """The data with further rows at the end of each fidelity; fidelities without any stay."""
    known = {fidelity.name for fidelity in data.fidelities}
    if not set(further) & known:
        return data
    grown = (_joined(f, further[f.name]) if f.name in further else f for f in data.fidelities)
    return replace(data, fidelities=tuple(grown))


def _joined(old: Fidelity, new: Fidelity) -> Fidelity:
    noise_var = None
    if old.noise_var is not None and new.noise_var is not None:
        noise_var = np.concatenate([old.noise_var, new.noise_var])
    return Fidelity(
        old.name,
        np.vstack([old.X, new.X]),
        np.concatenate([old.y, new.y]),
        noise_var,
        np.concatenate([old.rows, new.rows]),
        None if old.total is None else old.total + len(new.y),
    )


def _next_row(data: Dataset) -> int:
    """Number of the first row after all those that the user has given."""
    return 1 + max(int(fidelity.rows.max(initial=-1)) for fidelity in data.fidelities)


def _names(data: Dataset, fidelity: Any, n: int) -> NDArray[np.str_]:
    known = [f.name for f in data.fidelities]
    if fidelity is None:
        if len(known) > 1:
            raise DataError("the model has several fidelities; pass fidelity=labels")
        return np.full(n, known[0])
    names = names_of_rows(np.full(n, fidelity) if isinstance(fidelity, str) else fidelity, n)
    for name in np.unique(names):
        if name not in known:
            raise unknown("fidelity", name, known, "; a new one takes a new fit")
    return names


def _targets(y: Any, n: int, names: NDArray[np.str_]) -> Array:
    check_numbers(y, "y")
    try:
        targets = np.asarray(y, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise DataError("y cannot be read as numbers") from None
    if targets.shape != (n,):
        raise DataError(f"y has shape {targets.shape}, but X has {n} rows")
    check_finite(targets[:, None], "y", None, [f"row {row}" for row in range(n)], names)
    check_size(targets)
    return targets


def _stds(noise_std: Any, n: int) -> Array:
    """Known noise of every row; NaN where it is not known."""
    try:
        stds = np.broadcast_to(np.asarray(np.nan if noise_std is None else noise_std, float), (n,))
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"noise_std must be one number for each of the {n} rows") from None
    if ((stds < 0.0) | (stds > LARGEST_TARGET)).any():
        raise DataError("noise_std has a value that is no standard deviation of at least zero")
    return stds


def _noise_var(old: Fidelity, stds: Array) -> Array | None:
    """Known noise of new rows, all or none as in the rows before them."""
    if old.noise_var is None:
        if not np.isnan(stds).all():
            raise DataError(
                f"the noise of {old.name!r} was learned; known noise of new rows takes a new fit"
            )
        return None
    usual = old.noise_var[0] if np.ptp(old.noise_var) == 0.0 else np.nan
    noise_var = np.where(np.isnan(stds), usual, stds**2)
    if np.isnan(noise_var).any():
        raise DataError(
            f"the noise of {old.name!r} is known row by row; give noise_std of the new rows too"
        )
    return noise_var
