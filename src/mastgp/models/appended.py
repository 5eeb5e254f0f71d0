"""Inputs that carry what a cheaper model says: z = [x, mean, variance]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import stored
from ..gp.observations import LARGEST_TARGET

Array = NDArray[np.float64]


@dataclass(frozen=True)
class AppendedColumns:
    """Scaling that brings further input columns to [0, 1], as the inputs themselves are.

    A lengthscale prior then means the same for all columns. The ranges are those of the points
    that it was made from; others may fall outside.

    Attributes
    ----------
    low, span : arrays of shape (k,)
    """

    low: Array
    span: Array

    @classmethod
    def over(cls, *sets: tuple[Array, ...]) -> AppendedColumns:
        """Learn the ranges from several sets of points, each given as its k columns."""
        pooled = np.concatenate([np.column_stack(columns) for columns in sets])
        low, span = pooled.min(axis=0), np.ptp(pooled, axis=0)
        # What varies by rounding only must not be blown up to an input of its own.
        span[span <= 1e-9 * np.abs(pooled).max(axis=0)] = 1.0
        return cls(low, span)

    @classmethod
    def raw(cls, k: int) -> AppendedColumns:
        """Leave k columns as they are."""
        return cls(np.zeros(k), np.ones(k))

    @classmethod
    def from_state(cls, state: Any, k: int) -> AppendedColumns:
        """Make one from the plain values of a file, for k columns."""
        stored.mapping(state, "a scaling of columns", ("low", "span"), more=False)
        most = LARGEST_TARGET**2  # a column may hold variances
        what, spans = "the least values of columns", "the spans of columns"
        low = stored.array(state["low"], what, (k,), low=-most, high=most)
        return cls(low, stored.array(state["span"], spans, (k,), low=1.0 / most, high=most))

    def append(self, X: Array, *columns: Array) -> Array:
        """Inputs with the scaled columns beside them, shape (n, d + k)."""
        return np.hstack([X, (np.column_stack(columns) - self.low) / self.span])
