"""Very many rows of one response, in an order that does not depend on how they were given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...gp import target_scale
from ...gp.observations import Observations

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]

#: Seed of every random part: the same rows always give the same parts.
_SEED = 20_261
#: Least noise variance, in standardised units: rows that are said to be exact have this.
LEAST_NOISE = 1e-8


@dataclass(frozen=True)
class Rows:
    """Rows in standardised units.

    Attributes
    ----------
    X : array of shape (n, d)
        In the unit cube.
    y : array of shape (n,)
        Standardised.
    noise_var : array of shape (n,) or None
        Known noise variances in standardised units.
    """

    X: Array
    y: Array
    noise_var: Array | None = None

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.y)

    def some(self, numbers: Numbers | slice) -> Rows:
        """Some of the rows."""
        noise = None if self.noise_var is None else self.noise_var[numbers]
        return Rows(self.X[numbers], self.y[numbers], noise)

    @property
    def observations(self) -> Observations:
        """The rows as the engine takes them."""
        return Observations(self.X, self.y, np.zeros(len(self.y), np.intp), self.noise_var)


@dataclass(frozen=True)
class Units:
    """What standardised the targets."""

    mean: float
    scale: float


def shuffled(X: Array, y: Array, noise_var: Array | None) -> tuple[Rows, Units]:
    """Rows in a random order that is the same however they were given, standardised.

    They are sorted by their contents first. So any leading rows are a random part, and two orders
    of the same rows give the same results to the last bit.
    """
    sort = np.lexsort((y, *X.T[::-1]))
    order = sort[np.random.default_rng(_SEED).permutation(len(y))]
    X, y = np.ascontiguousarray(X[order]), y[order]
    mean, scale = float(y.mean()), target_scale(y)
    noise = None if noise_var is None else standardised(noise_var[order], scale)
    return Rows(X, (y - mean) / scale, noise), Units(mean, scale)


def standardised(noise_var: Array, scale: float) -> Array:
    """Known noise variances in standardised units; rows that are said to be exact have a little."""
    return np.maximum(noise_var / scale**2, LEAST_NOISE)
