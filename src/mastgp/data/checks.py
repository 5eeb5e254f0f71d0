"""Checks of the observations: what is refused, and what is odd enough for a warning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import (
    ConstantInputWarning,
    ConstantTargetWarning,
    CostWarning,
    DataError,
    DuplicateWarning,
    FewPointsWarning,
    RangeWarning,
    points,
    warn,
)
from ..gp.observations import LARGEST_TARGET
from .box import Box, Limits
from .categories import check_positive, check_whole
from .fidelities import Fidelity
from .places import place_labels
from .rows import Rows
from .suspicion import ENOUGH_TO_CHECK, warn_of_suspicions

Array = NDArray[np.float64]

#: Fewer points than this cannot tell the scale of their own target.
FEW_POINTS = 3
#: Bounds of which the data fill a smaller share are worth a word.
LEAST_FILLED = 0.05
#: A target that varies less than this, relative to its size, is constant.
_CONSTANT = 1e-14


def check_rows(rows: Rows) -> None:
    """Refuse inputs and targets that are no finite numbers, or are too large to be squared."""
    check_finite(rows.X, "X", rows.feature_names, rows.places, rows.names)
    check_finite(rows.y[:, None], "y", None, rows.places, rows.names)
    check_whole(rows.X, rows.integers, rows.feature_names, rows.places)
    check_positive(rows.X, rows.logs, rows.feature_names, rows.places)
    check_size(rows.y, 1.0 / LARGEST_TARGET)


def check_size(y: Array, least: float = 0.0) -> None:
    """Refuse targets that are too large to be squared, or all of them too small."""
    size = float(np.abs(y).max())
    if size > LARGEST_TARGET or 0.0 < size < least:
        raise DataError(
            f"targets around {size:.0e} are beyond what double precision can square; express "
            "them in another unit"
        )


def check_finite(
    values: Array,
    what: str,
    columns: Sequence[str] | None,
    places: Sequence[str],
    names: NDArray[np.str_] | None = None,
) -> None:
    """Raise an error that names the first value that is not a finite number.

    Parameters
    ----------
    values : array of shape (n, k)
    what : str
        What the table is called in the message: ``X``.
    columns : sequence of k names, optional
    places : sequence of n texts
        Where each row comes from: ``row 7``.
    names : array of n fidelity names, optional
    """
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    row, column = (int(i) for i in np.argwhere(bad)[0])
    kind = "NaN" if np.isnan(values[row, column]) else "infinity (inf)"
    where = places[row] + (f", column {columns[column]!r}" if columns is not None else "")
    of = f" of fidelity {str(names[row])!r}" if names is not None and len(set(names)) > 1 else ""
    more = f" ({int(bad.sum())} such values in all)" if bad.sum() > 1 else ""
    raise DataError(
        f"Input {what} contains {kind} in {where}{of}{more}; remove the row or fill in the value"
    )


def check_inside(rows: Rows, limits: Limits) -> None:
    """Refuse inputs outside the bounds that the user gave, and ranges too wide for numbers.

    Categories have no bounds.
    """
    for category in rows.categories:
        if category.column in limits:
            raise DataError(f"input {category.name!r} is categorical and has no bounds")
    _check_widths(rows, limits)
    for column, (low, high) in limits.items():
        if column in rows.logs and low <= 0.0:
            raise DataError(
                f"the bounds of column {rows.feature_names[column]!r} are ({low:g}, {high:g}); it "
                "is a log input, and its bounds are positive"
            )
        values = rows.X[:, column]
        outside = np.flatnonzero((values < low) | (values > high))
        if len(outside):
            row = int(outside[0])
            raise DataError(
                f"column {rows.feature_names[column]!r} is {values[row]:g} in {rows.where(row)}, "
                f"outside the bounds ({low:g}, {high:g}); widen the bounds or remove the row"
            )


def _check_widths(rows: Rows, limits: Limits) -> None:
    """Refuse ranges whose width is no number, and say where the data fill hardly any of one."""
    low, high = rows.X.min(axis=0), rows.X.max(axis=0)
    for column, name in enumerate(rows.feature_names):
        ends = limits.get(column, (low[column], high[column]))
        with np.errstate(over="ignore"):
            width, filled = np.subtract(*ends[::-1]), high[column] - low[column]
        if not np.isfinite(width):
            raise DataError(
                f"column {name!r} goes from {ends[0]:g} to {ends[1]:g}, which is beyond what "
                "double precision can subtract; express it in another unit"
            )
        if 0.0 < filled < LEAST_FILLED * width and column not in rows.logs:
            warn(
                f"the data fill only {filled / width:.2g} of the bounds of {name!r} "
                f"({low[column]:g} to {high[column]:g} of {ends[0]:g} to {ends[1]:g}): are they in "
                "the same unit? Correct the bounds if not",
                RangeWarning,
            )


def warn_about_oddities(fidelities: Sequence[Fidelity], box: Box, rows: Rows) -> None:
    """Warn of what is legitimate, but more often a mistake.

    Parameters
    ----------
    fidelities : sequence of Fidelity
        Cheapest first.
    box : Box
    rows : Rows
        What the fidelities were made of.
    """
    _warn_about_top(fidelities)
    warn_of_suspicions(fidelities, rows)
    for name, varies in zip(rows.feature_names, box.varies, strict=True):
        if not varies:
            warn(
                f"input {name!r} never varies: nothing can be learned about it, and it is ignored",
                ConstantInputWarning,
            )
    for fidelity in fidelities:
        of = f" of fidelity {fidelity.name!r}" if len(fidelities) > 1 else ""
        _warn_about_constant(fidelity, of)
        _warn_about_repeats(fidelity, box, rows.places, of)


def _warn_about_top(fidelities: Sequence[Fidelity]) -> None:
    """Warn of a most expensive fidelity that has very few points, or the most of all."""
    *cheaper, top = fidelities
    if len(top.y) < FEW_POINTS:
        warn(
            f"fidelity {top.name!r} has only {points(len(top.y))}: its scale is taken "
            "from all fidelities together, and the uncertainty is little more than a guess",
            FewPointsWarning,
        )
    elif len(top.y) < ENOUGH_TO_CHECK:
        warn(
            f"fidelity {top.name!r} has only {points(len(top.y))}: that is too few to check "
            f"predictions with, so do not rely on the intervals; {ENOUGH_TO_CHECK} or more are "
            "better",
            FewPointsWarning,
        )
    if cheaper and len(top.y) > max(len(fidelity.y) for fidelity in cheaper):
        warn(
            f"fidelity {top.name!r} is the most expensive and has the most points: are the "
            "costs or the order the wrong way round?",
            CostWarning,
        )


def _warn_about_constant(fidelity: Fidelity, of: str) -> None:
    y = fidelity.y
    if len(y) > 1 and np.ptp(y) <= _CONSTANT * np.abs(y).max():
        warn(f"the target{of} is {y[0]:g} in every row", ConstantTargetWarning)


def _warn_about_repeats(fidelity: Fidelity, box: Box, places: Sequence[str], of: str) -> None:
    """Warn of rows at one place whose targets differ."""
    place = place_labels(box.to_unit(fidelity.X))
    by_place = np.argsort(place, kind="stable")
    same = np.diff(place[by_place]) == 0
    differing = np.flatnonzero(same & (np.diff(fidelity.y[by_place]) != 0.0))
    if len(differing):
        pair = by_place[differing[0] : differing[0] + 2]
        first, second = (places[row] for row in sorted(fidelity.rows[pair]))
        n = len(differing)
        rows = f"1 row{of} repeats" if n == 1 else f"{n} rows{of} repeat"
        warn(
            f"{rows} the inputs of another with a different "
            f"target, first {first} and {second}: their difference is taken as noise",
            DuplicateWarning,
        )
