"""The box of inputs that is mapped to the unit cube, and the bounds that users give for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, listed

Array = NDArray[np.float64]
Bounds = Mapping[str, tuple[float, float]] | Sequence[Sequence[float]] | Array
#: The lower and the upper bound of some inputs, by column number.
Limits = Mapping[int, tuple[float, float]]

#: Inputs further outside the box than this, in widths, are brought to this distance.
_FAR_AWAY = 1e6


@dataclass(frozen=True, eq=False)
class Box:
    """The region that is mapped to the unit cube.

    An input that never varies has equal `low` and `high`; it is mapped to 0.5 whatever its value.

    Attributes
    ----------
    low, high : arrays of shape (d,)
        Ends of every input's range, in the user's units.
    """

    low: Array
    high: Array

    @classmethod
    def around(cls, X: Array, limits: Limits | None = None) -> Box:
        """Return the box of the given limits; inputs without limits have the range of the data.

        >>> Box.around(np.array([[1.0, 5.0], [3.0, 6.0]]), {1: (0.0, 10.0)}).widths
        array([ 2., 10.])
        """
        low, high = X.min(axis=0), X.max(axis=0)
        for column, (lower, upper) in (limits or {}).items():
            low[column], high[column] = lower, upper
        return cls(low, high)

    @property
    def widths(self) -> Array:
        """Width of every input's range; 1 where it does not vary."""
        return np.where(self.varies, self.high - self.low, 1.0)

    @property
    def varies(self) -> NDArray[np.bool_]:
        """Which inputs have a range at all."""
        return self.high > self.low

    def to_unit(self, X: Array) -> Array:
        """Map inputs of shape (n, d) in the user's units to the unit cube.

        Inputs absurdly far outside are brought to a distance of a million widths. Nothing changes
        any more that far away, and its square is still a number.
        """
        with np.errstate(over="ignore"):
            unit = (X - self.low) / self.widths
        return np.where(self.varies, np.clip(unit, -_FAR_AWAY, _FAR_AWAY), 0.5)


def limits_of(bounds: Bounds | None, feature_names: Sequence[str]) -> Limits:
    """Check the bounds that a user gave.

    Parameters
    ----------
    bounds : array of shape (d, 2) or mapping of feature name to (low, high), optional
    feature_names : sequence of d names

    Returns
    -------
    mapping of column number to (low, high)
        Only the columns that `bounds` names.
    """
    if bounds is None:
        return {}
    pairs = _pairs(bounds, feature_names)
    unknown = sorted(str(name) for name in set(pairs) - set(feature_names))
    if unknown:
        raise DataError(
            f"bounds names column {listed(unknown)}, but the inputs are {listed(feature_names)}"
        )
    for name, (low, high) in pairs.items():
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise DataError(
                f"the bounds of column {name!r} are ({low:g}, {high:g}); they must be two "
                "numbers, the lower first"
            )
    return {list(feature_names).index(name): pair for name, pair in pairs.items()}


def _pairs(bounds: Bounds, feature_names: Sequence[str]) -> dict[Any, tuple[float, float]]:
    """Lower and upper bound by the column's name, as numbers."""
    try:
        if isinstance(bounds, Mapping):
            return {name: (float(low), float(high)) for name, (low, high) in bounds.items()}
        table = np.asarray(bounds, dtype=float)
    except (TypeError, ValueError):
        raise DataError("each of the bounds must be a pair of numbers (low, high)") from None
    if table.shape != (len(feature_names), 2):
        raise DataError(
            f"bounds has shape {table.shape}; expected one (low, high) for each of the "
            f"{len(feature_names)} inputs"
        )
    return {name: (low, high) for name, (low, high) in zip(feature_names, table, strict=True)}
