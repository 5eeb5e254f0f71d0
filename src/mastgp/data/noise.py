"""Noise that the user knows: by fidelity, or row by row."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, listed
from ..gp.observations import LARGEST_TARGET
from .fidelities import Ranking, fidelity_name, mapping_items
from .rows import Rows

Array = NDArray[np.float64]


def known_noise_var(
    rows: Rows, ranking: Ranking, noise_std: Mapping[Any, float] | None = None
) -> Array | None:
    """Known noise variance of every row, in the target's squared unit.

    Parameters
    ----------
    rows : Rows
        What they say of their own noise goes before what `noise_std` says of their fidelity.
    ranking : Ranking
    noise_std : mapping of fidelity name to standard deviation, optional

    Returns
    -------
    array of shape (n,) or None
        NaN for fidelities whose noise is not known; None if no fidelity's is.
    """
    std = _by_fidelity(rows, ranking, noise_std)
    if rows.noise_std is not None:
        std = np.where(np.isnan(rows.noise_std), std, _by_row(rows, rows.noise_std))
    _check_range(std, rows)
    _check_all_or_none(std, rows, ranking)
    return None if np.isnan(std).all() else std**2


def _by_fidelity(rows: Rows, ranking: Ranking, noise_std: Mapping[Any, float] | None) -> Array:
    """Standard deviation of every row, as its fidelity says; NaN where it says nothing."""
    std = np.full(len(rows.y), np.nan)
    for label, value in () if noise_std is None else mapping_items(noise_std, "noise_std"):
        name = fidelity_name(label)
        if name not in ranking.names:
            raise DataError(
                f"noise_std names fidelity {name!r}, but the data have {listed(ranking.names)}"
            )
        std[rows.names == name] = _number(name, value)
    return std


def _number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number):
        raise DataError(f"noise_std of fidelity {name!r} is {reprlib.repr(value)}, not a number")
    if math.isinf(number):
        raise DataError(
            f"noise_std of fidelity {name!r} is {number:g}; a standard deviation must be a number "
            "of at least zero"
        )
    return number


def _by_row(rows: Rows, std: Array) -> Array:
    if std.shape != rows.y.shape:
        raise DataError(f"noise_std has {std.size} values, but there are {len(rows.y)} rows")
    return std


def _check_range(std: Array, rows: Rows) -> None:
    wrong = np.flatnonzero((std < 0.0) | (std > LARGEST_TARGET))
    if len(wrong):
        row = int(wrong[0])
        raise DataError(
            f"noise_std is {std[row]:g} in {rows.where(row)}; a standard deviation must be a "
            "number of at least zero"
        )


def _check_all_or_none(std: Array, rows: Rows, ranking: Ranking) -> None:
    """Refuse a fidelity whose noise is known for some of its rows only."""
    for name in ranking.names:
        known = ~np.isnan(std[rows.names == name])
        if known.any() and not known.all():
            raise DataError(
                f"noise_std is known for {int(known.sum())} of the {len(known)} rows of fidelity "
                f"{name!r}; give it for all of them or for none"
            )
