"""What is more often a mistake than not: each suspicion is said once, with what to do.

The limits are wide: none of the package's examples and benchmark problems draws a word.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import (
    CountingInputWarning,
    FewPointsWarning,
    OutlierWarning,
    RangeWarning,
    UnitWarning,
    listed,
    points,
    warn,
)
from .fidelities import Fidelity
from .rows import Rows

Array = NDArray[np.float64]

#: With fewer expensive points than this, held-out points say next to nothing of intervals.
ENOUGH_TO_CHECK = 5
#: A range that is a smaller share of another source's is suspicious.
SLIVER = 0.03
#: Fewer points than this tell little of a range.
ENOUGH_FOR_A_RANGE = 5
#: Rows that must count up before an input is taken for their number.
ENOUGH_TO_COUNT = 6
#: Mean step of numbers of runs, some of which are missing.
MEAN_STEP = 1.25
#: Sources whose sizes differ by this power of ten or more may have different units.
POWER_OF_INPUTS, POWER_OF_TARGETS = 2, 3
#: How near to a power of ten their ratio must be, in decades.
NEAR_A_POWER = 0.3
#: Distance from the middle half of the values, in its widths, of codes for failure and of others.
FAR_FOR_A_CODE, FAR = 20.0, 1e8
_DEGREES = math.degrees(1.0)


def warn_of_suspicions(fidelities: Sequence[Fidelity], rows: Rows) -> None:
    """Warn of what looks like a mistake in the data.

    Parameters
    ----------
    fidelities : sequence of Fidelity
        Cheapest first.
    rows : Rows
        What the fidelities were made of.
    """
    inputs = {i: name for i, name in enumerate(rows.feature_names) if i not in rows.categorical}
    _suspect_few_points(fidelities[-1], rows)
    _suspect_counts(fidelities, rows, inputs)
    outlying = _suspect_outliers(fidelities, rows, inputs)
    for column, name in inputs.items():
        if name not in outlying:
            _suspect_ranges(fidelities, column, name, spans_decades=column in rows.logs)
    if None not in outlying:
        _suspect_targets(fidelities)


def _suspect_few_points(top: Fidelity, rows: Rows) -> None:
    """Say that there are fewer expensive points than inputs, if they are not too few anyway."""
    d = rows.X.shape[1]
    if ENOUGH_TO_CHECK <= len(top.y) < d:
        warn(
            f"fidelity {top.name!r} has {points(len(top.y))} for {d} inputs: with fewer points "
            "than inputs nobody can tell which inputs matter; leave inputs out, or add points",
            FewPointsWarning,
        )


def _suspect_counts(fidelities: Sequence[Fidelity], rows: Rows, inputs: Mapping[int, str]) -> None:
    """Say which inputs count the rows of every fidelity."""
    if rows.X.shape[1] == 1:
        return  # the only input may well be a time or a station
    longest = max(len(fidelity.y) for fidelity in fidelities)
    if longest < ENOUGH_TO_COUNT:
        return
    counting = [
        name
        for column, name in inputs.items()
        if _counts(rows.X[:, column])
        or all(_counts(rows.X[np.sort(f.rows), column]) for f in fidelities)
    ]
    if counting:
        warn(
            f"input {listed(counting)} counts the rows: is it the number of a run? Leave it out "
            f"then (--ignore {counting[0]}, or ignore=[{counting[0]!r}] in Python)",
            CountingInputWarning,
        )


def _counts(values: Array) -> bool:
    """Whether values are whole and go up by one from row to row, but for rows that are missing."""
    steps = np.diff(values)
    if not len(steps) or (values != np.round(values)).any():
        return False
    return bool(steps.min() >= 1.0 and steps.mean() <= MEAN_STEP)


def _suspect_outliers(
    fidelities: Sequence[Fidelity], rows: Rows, inputs: Mapping[int, str]
) -> set[str | None]:
    """Say where values are far from all others; return those columns, None for the target."""
    found: set[str | None] = set()
    for fidelity in fidelities:
        columns: list[tuple[str | None, Array]] = [(None, fidelity.y)]
        columns += [(name, fidelity.X[:, column]) for column, name in inputs.items()]
        for name, values in columns:
            far = outliers(values)
            if far.any() and name not in found:
                found.add(name)
                _say_outlier(fidelity, rows, name, values, far)
    return found


def _say_outlier(
    fidelity: Fidelity, rows: Rows, name: str | None, values: Array, far: NDArray[np.bool_]
) -> None:
    """Name the first of the outlying rows, in the user's order."""
    first = np.flatnonzero(far)[np.argmin(fidelity.rows[far])]
    what = f"the target of fidelity {fidelity.name!r}" if name is None else f"input {name!r}"
    n = int(far.sum())
    same = f" ({n} such rows)" if n > 1 else ""
    warn(
        f"{what} is {values[first]:g} in {rows.places[int(fidelity.rows[first])]}{same}, far from "
        "all other values: is it a code for a run that failed? Remove such rows, or empty the "
        "cells and use --skip-missing",
        OutlierWarning,
    )


def outliers(values: Array) -> NDArray[np.bool_]:
    """Values that are codes for failure, or that no measurement reaches."""
    if len(values) < ENOUGH_FOR_A_RANGE:
        return np.zeros(len(values), dtype=bool)
    codes = _codes(values)
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
    width = high - low or (np.ptp(values[~codes]) if not codes.all() else 0.0) or abs(middle) or 1.0
    with np.errstate(over="ignore"):
        distance = np.maximum(values - high, low - values) / width
    return np.asarray((distance > FAR) | (codes & (distance > FAR_FOR_A_CODE)))


def _codes(values: Array) -> NDArray[np.bool_]:
    """Which values are codes; only those just below a power of ten, or huge, are looked at."""
    size = np.abs(values)
    maybe = size >= 1e9
    ordinary = (size >= 999.0) & ~maybe
    maybe[ordinary] = np.log10(size[ordinary]) % 1.0 > 0.9995
    codes = np.zeros(len(values), dtype=bool)
    codes[maybe] = [_is_code(value) for value in values[maybe]]
    return codes


def _is_code(value: float) -> bool:
    """Whether a number is one of those that stand for nothing: nines, or a huge power of ten."""
    size = abs(value)
    if 999.0 <= size < 1e9:
        return set(f"{size:.10g}".replace(".", "")) == {"9"}
    return size >= 1e9 and (math.log10(size) % 1.0 < 1e-12 or size > 1e30 or size == 2**31 - 1)


def _suspect_ranges(
    fidelities: Sequence[Fidelity], column: int, name: str, spans_decades: bool
) -> None:
    """Say where the ranges of an input in two sources cannot be in the same unit."""
    top = fidelities[-1]
    for other in fidelities[:-1]:
        expensive, cheap = top.X[:, column], other.X[:, column]
        if min(len(expensive), len(cheap)) < ENOUGH_FOR_A_RANGE:
            continue
        power = _power_of_ten(expensive, cheap, POWER_OF_INPUTS)
        if power and not _overlap(expensive, cheap) and not _are_angles(expensive, cheap):
            warn(
                f"input {name!r} is about 1e{power:+d} times as large in fidelity {top.name!r} as "
                f"in {other.name!r}: are the units the same? Convert one of them",
                UnitWarning,
            )
            return
        if not spans_decades and (sentence := _sliver(top, other, column, name)) is not None:
            warn(sentence, RangeWarning)
            return


def _sliver(top: Fidelity, other: Fidelity, column: int, name: str) -> str | None:
    """What to say where one source covers next to nothing of the other's range."""
    widths = {f.name: float(np.ptp(f.X[:, column])) for f in (top, other)}
    narrow, wide = sorted((top, other), key=lambda f: widths[f.name])
    if widths[wide.name] == 0.0 or widths[narrow.name] >= SLIVER * widths[wide.name]:
        return None
    angles = _are_angles(wide.X[:, column], narrow.X[:, column])
    asked = ", or degrees in one and radians in the other" if angles else ""
    ends = {f.name: (f.X[:, column].min(), f.X[:, column].max()) for f in (narrow, wide)}
    return (
        f"input {name!r} goes from {ends[narrow.name][0]:g} to {ends[narrow.name][1]:g} in "
        f"fidelity {narrow.name!r}, a sliver of {ends[wide.name][0]:g} to {ends[wide.name][1]:g} "
        f"in {wide.name!r}: are the units the same{asked}? If they are, predict near the "
        "expensive points only"
    )


def _are_angles(values: Array, others: Array) -> bool:
    """Whether one of two ranges would be the other's in degrees."""
    narrow, wide = sorted((float(np.ptp(values)), float(np.ptp(others))))
    return 0.7 < wide / _DEGREES / (narrow or 1.0) < 1.45


def _suspect_targets(fidelities: Sequence[Fidelity]) -> None:
    """Say where the targets of two sources differ by a power of ten, in size and in spread."""
    top = fidelities[-1]
    for other in fidelities[:-1]:
        if min(len(top.y), len(other.y)) < ENOUGH_FOR_A_RANGE:
            continue
        power = _power_of_ten(top.y, other.y, POWER_OF_TARGETS)
        spread = _decades_between(top.y - np.median(top.y), other.y - np.median(other.y))
        if power and spread is not None and abs(power - spread) <= 1.0:
            warn(
                f"the target is about 1e{power:+d} times as large in fidelity {top.name!r} as in "
                f"{other.name!r}: are the units the same? Convert one of them",
                UnitWarning,
            )
            return


def _power_of_ten(values: Array, others: Array, least: int) -> int:
    """The power of ten between the sizes of two columns; 0 if it is none, or a small one."""
    decades = _decades_between(values, others) or 0.0
    power = round(decades)
    return power if abs(power) >= least and abs(decades - power) <= NEAR_A_POWER else 0


def _decades_between(values: Array, others: Array) -> float | None:
    """How many decades the size of one column is above that of another; None without sizes."""
    sizes = [float(np.median(np.abs(column))) for column in (values, others)]
    return math.log10(sizes[0]) - math.log10(sizes[1]) if min(sizes) > 0.0 else None


def _overlap(values: Array, others: Array) -> bool:
    return bool(values.min() <= others.max() and others.min() <= values.max())
