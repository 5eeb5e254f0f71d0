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
    logs : tuple of int
        Columns that are mapped by their logarithms; their values are positive.
    """

    low: Array
    high: Array
    logs: tuple[int, ...] = ()

    @classmethod
    def around(cls, X: Array, limits: Limits | None = None, logs: Sequence[int] = ()) -> Box:
        """Return the box of the given limits; inputs without limits have the range of the data.

        >>> Box.around(np.array([[1.0, 5.0], [3.0, 6.0]]), {1: (0.0, 10.0)}).widths
        array([ 2., 10.])
        """
        low, high = X.min(axis=0), X.max(axis=0)
        for column, (lower, upper) in (limits or {}).items():
            low[column], high[column] = lower, upper
        return cls(low, high, tuple(logs))

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
        low, widths = self._scaled(self.low), self._scaled_widths
        with np.errstate(over="ignore"):
            unit = (self._scaled(X) - low) / widths
        return np.where(self.varies, np.clip(unit, -_FAR_AWAY, _FAR_AWAY), 0.5)

    @property
    def _scaled_widths(self) -> Array:
        """As `widths`, on the scale that is mapped: of logarithms where there are any."""
        if not self.logs:
            return self.widths
        width = self._scaled(self.high) - self._scaled(self.low)
        return np.where(self.varies, width, 1.0)

    def _scaled(self, X: Array) -> Array:
        """Inputs of shape (..., d), or their logarithms in the columns that have them."""
        if not self.logs:
            return X
        scaled = np.array(X, dtype=float)
        columns = list(self.logs)
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled[..., columns] = np.log(scaled[..., columns])
        return scaled

    def slopes(self, U: Array) -> Array:
        """How fast unit-cube inputs change with the user's: shape (d,), or (n, d) with logarithms.

        >>> Box(np.array([1.0]), np.array([np.e]), (0,)).slopes(np.array([[0.0], [1.0]])).round(3)
        array([[1.   ],
               [0.368]])
        """
        slopes = np.where(self.varies, 1.0 / self._scaled_widths, 0.0)
        if not self.logs:
            return slopes
        columns = list(self.logs)
        low, high = self.low[columns], self.high[columns]
        values = np.ones_like(U)
        values[:, columns] = low * (high / low) ** U[:, columns]
        return slopes / values

    def spaced(self, column: int, n: int) -> Array:
        """Evenly spaced values of an input, from end to end of its range, on its own scale."""
        between = np.geomspace if column in self.logs else np.linspace
        return np.asarray(between(self.low[column], self.high[column], n))

    def beyond(self, values: Array, column: int, low: float, high: float, share: float) -> Any:
        """Which values of an input are outside (low, high) by more than a share of its range."""
        scale = np.log if column in self.logs else np.asarray
        slack = share * self._scaled_widths[column]
        at = scale(values)
        return (at < scale(low) - slack) | (at > scale(high) + slack)


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
    except (TypeError, ValueError, OverflowError):
        raise DataError("each of the bounds must be a pair of numbers (low, high)") from None
    if table.shape != (len(feature_names), 2):
        raise DataError(
            f"bounds has shape {table.shape}; expected one (low, high) for each of the "
            f"{len(feature_names)} inputs"
        )
    return {name: (low, high) for name, (low, high) in zip(feature_names, table, strict=True)}
