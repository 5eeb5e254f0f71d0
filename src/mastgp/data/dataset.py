"""Training data of named fidelities: checks, bounds, and scaling to the unit cube."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from ..errors import (
    ConstantInputWarning,
    ConstantTargetWarning,
    CopiesWarning,
    CostWarning,
    DataError,
    DuplicateWarning,
    FewPointsWarning,
    listed,
    points,
    warn,
)
from ..gp import target_scale
from .fidelities import Ranking, fidelity_name, is_missing, mapping_items, rank_fidelities

Array = NDArray[np.float64]
#: Targets beyond this cannot be squared.
LARGEST_TARGET = 1e150
#: Fewer points than this cannot tell the scale of their own target.
_FEW = 3
#: Inputs that differ by no more than this, in units of their ranges, are at one place.
SAME_PLACE = 1e-6
Bounds = Mapping[str, tuple[float, float]] | Sequence[Sequence[float]] | Array


@dataclass(frozen=True)
class Box:
    """The region that is mapped to the unit cube.

    An input that never varies has equal `low` and `high`; it is mapped to 0.5 whatever its value.
    """

    low: Array
    high: Array

    @property
    def widths(self) -> Array:
        """Width of every input's range; 1 where it does not vary."""
        return np.where(self.varies, self.high - self.low, 1.0)

    @property
    def varies(self) -> NDArray[np.bool_]:
        """Which inputs have a range at all."""
        return self.high > self.low

    def to_unit(self, X: Array) -> Array:
        """Map inputs in the user's units to the unit cube.

        What lies absurdly far outside is brought to a million widths, where nothing changes any
        more but squares can still be taken.
        """
        with np.errstate(over="ignore"):
            unit = (X - self.low) / self.widths
        return np.where(self.varies, np.clip(unit, -1e6, 1e6), 0.5)


@dataclass(frozen=True)
class Fidelity:
    """Observations of one fidelity, in the user's units.

    Rows are kept in a canonical order (sorted by inputs, then target), so that results do not
    depend on the order in which the user's rows came; `rows` leads back to it.

    Attributes
    ----------
    name : str
    X : array of shape (n, d)
    y : array of shape (n,)
    noise_var : array of shape (n,) or None
        Known noise variances; None where they are to be learned.
    rows : int array of shape (n,)
        Position of each observation in the user's table.
    """

    name: str
    X: Array
    y: Array
    noise_var: Array | None
    rows: NDArray[np.intp]

    def subset(self, keep: NDArray[np.bool_]) -> Fidelity:
        """Return the observations chosen by a mask."""
        noise_var = None if self.noise_var is None else self.noise_var[keep]
        return Fidelity(self.name, self.X[keep], self.y[keep], noise_var, self.rows[keep])


@dataclass(frozen=True)
class Dataset:
    """Observations of all fidelities, cheapest first.

    Attributes
    ----------
    fidelities : tuple of Fidelity
    ranking : Ranking
    box : Box
    feature_names : tuple of str
    """

    fidelities: tuple[Fidelity, ...]
    ranking: Ranking
    box: Box
    feature_names: tuple[str, ...]

    @property
    def top(self) -> Fidelity:
        """The most expensive fidelity."""
        return self.fidelities[-1]

    @property
    def cheaper(self) -> tuple[Fidelity, ...]:
        """All fidelities but the most expensive."""
        return self.fidelities[:-1]

    @property
    def n_points(self) -> int:
        """Number of observations of all fidelities."""
        return sum(len(fidelity.y) for fidelity in self.fidelities)

    @property
    def y_scale(self) -> float:
        """Scale of the targets of all fidelities together."""
        return target_scale(np.concatenate([fidelity.y for fidelity in self.fidelities]))

    def scale_of(self, values: Array) -> float:
        """Scale of some targets or residuals; that of all fidelities where they cannot tell."""
        if len(values) >= min(_FEW, self.n_points) and np.ptp(values) > 0.0:
            return target_scale(values)
        return self.y_scale

    def unit(self, fidelity: Fidelity) -> Array:
        """Inputs of a fidelity in the unit cube."""
        return self.box.to_unit(fidelity.X)

    def only(self, wanted: Callable[[Fidelity], bool]) -> Dataset:
        """Return the data of some fidelities; the most expensive stays whatever is wanted."""
        return replace(self, fidelities=(*(f for f in self.cheaper if wanted(f)), self.top))

    def at_places_of(self, rows: NDArray[np.intp]) -> tuple[NDArray[np.bool_], ...]:
        """Which rows of each fidelity are to be held out together with rows of the top one.

        These, and cheap rows at the same places: they would tell more of what is held out than is
        known where predictions are wanted. No cheap fidelity is held out as a whole.
        """
        chosen = np.zeros(len(self.top.y), dtype=bool)
        chosen[rows] = True
        places = self.unit(self.top)[rows]
        masks = []
        for fidelity in self.cheaper:
            away = cdist(self.unit(fidelity), places, metric="chebyshev").min(axis=1)
            masks.append((away <= SAME_PLACE) & bool((away > SAME_PLACE).any()))
        return (*masks, chosen)

    def without(self, masks: Sequence[NDArray[np.bool_]]) -> Dataset:
        """Return the data without some rows of each fidelity; fidelities that lose none stay."""
        kept = (
            fidelity.subset(~mask) if mask.any() else fidelity
            for fidelity, mask in zip(self.fidelities, masks, strict=True)
        )
        return replace(self, fidelities=tuple(kept))


def without_copies(data: Dataset) -> Dataset:
    """Leave out cheap rows that repeat an expensive one, target included: they say nothing new.

    One alone may be chance, as where both responses are zero in a corner.
    """
    kept = {f.name: f.subset(~_copies(f, data.top)) for f in data.cheaper}
    copied = [f.name for f in data.cheaper if _copies(f, data.top).any()]
    if not copied:
        return data
    warn(
        f"rows of fidelity {listed(copied)} are copies of {data.top.name!r} rows, target "
        "included, and are left out",
        CopiesWarning,
    )
    fidelities = [kept[f.name] for f in data.cheaper if len(kept[f.name].y)]
    return replace(data, fidelities=(*fidelities, data.top))


def _copies(fidelity: Fidelity, top: Fidelity) -> NDArray[np.bool_]:
    """Which rows of a fidelity are rows of another, target included, unless it is only one."""
    expensive = {tuple(row) for row in np.column_stack([top.X, top.y])}
    rows = np.column_stack([fidelity.X, fidelity.y])
    copies = np.array([tuple(row) in expensive for row in rows], dtype=bool)
    return copies if copies.sum() > 1 else np.zeros(len(copies), dtype=bool)


def assemble(
    X: Array,
    y: Array,
    names: NDArray[np.str_],
    *,
    places: Sequence[str],
    feature_names: Sequence[str],
    costs: Mapping[Any, float] | None = None,
    order: Sequence[Any] | None = None,
    exponents: Mapping[Any, float] | None = None,
    bounds: Bounds | None = None,
    noise_std: Mapping[Any, float] | None = None,
    row_noise_std: Array | None = None,
) -> Dataset:
    """Check a table of observations and sort it by fidelity.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
    names : array of n fidelity names
        See :func:`names_of_rows`.
    places : sequence of n texts
        Where each row comes from, for messages: ``row 7``.
    feature_names : sequence of d names
    costs, order, exponents
        See :func:`mastgp.data.fidelities.rank_fidelities`.
    bounds : array of shape (d, 2) or mapping of feature name to (low, high), optional
        Ranges that are mapped to [0, 1]; the pooled range of the data for inputs not named.
    noise_std : mapping of fidelity name to standard deviation, optional
    row_noise_std : array of shape (n,), optional
        Known noise standard deviation of each row; NaN where it is to be learned.
    """
    check_finite(X, "X", feature_names, places, names)
    check_finite(y[:, None], "y", None, places, names)
    _check_magnitude(y)
    ranking = rank_fidelities(names.tolist(), costs, order, exponents)
    box = _box(X, bounds, feature_names, names, places)
    noise = _noise_var(names, noise_std, row_noise_std, ranking, places)
    fidelities = tuple(_fidelity(name, X, y, names, noise) for name in ranking.names)
    data = Dataset(fidelities, ranking, box, tuple(feature_names))
    _warn_about(data, places)
    return data


def names_of_rows(labels: Sequence[Any] | NDArray[Any] | None, n: int) -> NDArray[np.str_]:
    """Name of each row's fidelity; without labels all rows are of one fidelity, ``data``."""
    if labels is None:
        return np.full(n, "data")
    if len(labels) != n:
        raise DataError(f"fidelity has {len(labels)} labels, but X has {n} rows")
    names: dict[Any, str] = {}
    for row, label in enumerate(labels):
        if is_missing(label):
            raise DataError(f"the fidelity label of row {row} is missing; give every row a label")
        key = (isinstance(label, bool), label)
        if key not in names:
            name = fidelity_name(label)
            if name in names.values():
                raise DataError(f"two different fidelity labels both read as {name!r}; rename one")
            names[key] = name
    return np.array([names[isinstance(label, bool), label] for label in labels])


def check_finite(
    values: Array,
    what: str,
    columns: Sequence[str] | None,
    places: Sequence[str],
    names: NDArray[np.str_] | None = None,
) -> None:
    """Raise an error that names the first value that is not a finite number."""
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


def _check_magnitude(y: Array) -> None:
    """Squares of the targets must be numbers too."""
    size = float(np.abs(y).max())
    if size > LARGEST_TARGET or 0.0 < size < 1.0 / LARGEST_TARGET:
        raise DataError(
            f"targets around {size:.0e} are beyond what double precision can square; express "
            "them in another unit"
        )


def _box(
    X: Array,
    bounds: Bounds | None,
    feature_names: Sequence[str],
    names: NDArray[np.str_],
    places: Sequence[str],
) -> Box:
    low, high = X.min(axis=0), X.max(axis=0)
    if bounds is None:
        return Box(low, high)
    for i, (lower, upper) in _bounds_by_column(bounds, feature_names).items():
        if not (np.isfinite(lower) and np.isfinite(upper) and lower < upper):
            raise DataError(
                f"the bounds of column {feature_names[i]!r} are ({lower:g}, {upper:g}); "
                "they must be two numbers, the lower first"
            )
        outside = np.flatnonzero((X[:, i] < lower) | (X[:, i] > upper))
        if len(outside):
            row = int(outside[0])
            raise DataError(
                f"column {feature_names[i]!r} is {X[row, i]:g} in {places[row]} of fidelity "
                f"{str(names[row])!r}, outside the bounds ({lower:g}, {upper:g}); widen the "
                "bounds or remove the row"
            )
        low[i], high[i] = lower, upper
    return Box(low, high)


def _bounds_by_column(
    bounds: Bounds, feature_names: Sequence[str]
) -> dict[int, tuple[float, float]]:
    try:
        if isinstance(bounds, Mapping):
            pairs = {name: (float(low), float(high)) for name, (low, high) in bounds.items()}
        else:
            table = np.asarray(bounds, dtype=float)
            if table.shape != (len(feature_names), 2):
                raise DataError(
                    f"bounds has shape {table.shape}; expected one (low, high) for each of the "
                    f"{len(feature_names)} inputs"
                )
            pairs = dict(zip(feature_names, map(tuple, table.tolist()), strict=True))
    except DataError:
        raise
    except (TypeError, ValueError):
        raise DataError("each of the bounds must be a pair of numbers (low, high)") from None
    unknown = sorted(str(name) for name in set(pairs) - set(feature_names))
    if unknown:
        raise DataError(
            f"bounds names column {listed(unknown)}, but the inputs are {listed(feature_names)}"
        )
    return {list(feature_names).index(name): pair for name, pair in pairs.items()}


def _noise_var(
    names: NDArray[np.str_],
    by_fidelity: Mapping[Any, float] | None,
    by_row: Array | None,
    ranking: Ranking,
    places: Sequence[str],
) -> Array | None:
    """Known noise variance of every row; NaN where unknown, None if all are."""
    std = np.full(len(names), np.nan)
    if by_fidelity is not None:
        for label, value in mapping_items(by_fidelity, "noise_std"):
            name = fidelity_name(label)
            if name not in ranking.names:
                raise DataError(
                    f"noise_std names fidelity {name!r}, but the data have {listed(ranking.names)}"
                )
            std[names == name] = _noise_number(name, value)
    if by_row is not None:
        if by_row.shape != names.shape:
            raise DataError(f"noise_std has {by_row.size} values, but there are {len(names)} rows")
        std = np.where(np.isnan(by_row), std, by_row)
    wrong = np.flatnonzero((std < 0.0) | (std > LARGEST_TARGET))
    if len(wrong):
        row = int(wrong[0])
        raise DataError(
            f"noise_std is {std[row]:g} in {places[row]} of fidelity {str(names[row])!r}; a "
            "standard deviation must be a number of at least zero"
        )
    for name in ranking.names:
        known = ~np.isnan(std[names == name])
        if known.any() and not known.all():
            raise DataError(
                f"noise_std is known for {int(known.sum())} of the {len(known)} rows of fidelity "
                f"{name!r}; give it for all of them or for none"
            )
    return None if np.isnan(std).all() else std**2


def _noise_number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        raise DataError(f"noise_std of fidelity {name!r} is {value!r}, not a number")
    return number


def _fidelity(
    name: str, X: Array, y: Array, names: NDArray[np.str_], noise: Array | None
) -> Fidelity:
    rows = np.flatnonzero(names == name)
    keys = (y[rows], *X[rows].T[::-1])
    if noise is not None:
        keys = (noise[rows], *keys)
    rows = rows[np.lexsort(keys)]
    known = noise is not None and not np.isnan(noise[rows]).any()
    return Fidelity(
        name, X[rows], y[rows], noise[rows] if noise is not None and known else None, rows
    )


def _warn_about(data: Dataset, places: Sequence[str]) -> None:
    """Tell the user what is legitimate but odd."""
    several = len(data.fidelities) > 1
    if len(data.top.y) < 3:
        warn(
            f"fidelity {data.top.name!r} has only {points(len(data.top.y))}: its scale is taken "
            "from all fidelities together, and the uncertainty is little more than a guess",
            FewPointsWarning,
        )
    if several and len(data.top.y) > max(len(fidelity.y) for fidelity in data.cheaper):
        warn(
            f"fidelity {data.top.name!r} is the most expensive and has the most points: are the "
            "costs or the order the wrong way round?",
            CostWarning,
        )
    for name, varies in zip(data.feature_names, data.box.varies, strict=True):
        if not varies:
            warn(
                f"input {name!r} never varies: nothing can be learned about it, and it is ignored",
                ConstantInputWarning,
            )
    for fidelity in data.fidelities:
        of = f" of fidelity {fidelity.name!r}" if several else ""
        if len(fidelity.y) > 1 and np.ptp(fidelity.y) <= 1e-14 * np.abs(fidelity.y).max():
            warn(
                f"the target{of} is {fidelity.y[0]:g} in every row",
                ConstantTargetWarning,
            )
        same_inputs = (np.diff(fidelity.X, axis=0) == 0.0).all(axis=1)
        differing = same_inputs & (np.diff(fidelity.y) != 0.0)
        if differing.any():
            first = int(np.flatnonzero(differing)[0])
            rows = [places[row] for row in sorted(fidelity.rows[first : first + 2])]
            warn(
                f"{int(differing.sum())} row(s){of} repeat the inputs of another with a different "
                f"target, first {rows[0]} and {rows[1]}: their difference is taken as noise",
                DuplicateWarning,
            )
