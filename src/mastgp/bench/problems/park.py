"""Park functions (4-D): a bumpy and a smooth one, with tilted and rescaled cheap versions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .base import Problem, box

Array = NDArray[np.float64]


def high1(X: Array) -> Array:
    """Park1, its first term written so that it is stable at x1 = 0."""
    x1, x2, x3, x4 = X.T
    root = np.sqrt(x1**2 + (x2 + x3**2) * x4)
    return 0.5 * (root - x1) + (x1 + 3.0 * x4) * np.exp(1.0 + np.sin(x3))


def discrepancy1(X: Array) -> Array:
    """Return sin(x1)/10 f - 2 x1 + x2^2 + x3^2 + 0.5."""
    x1, x2, x3, _ = X.T
    return np.sin(x1) / 10.0 * high1(X) - 2.0 * x1 + x2**2 + x3**2 + 0.5


def high2(X: Array) -> Array:
    """Park2: (2/3) exp(x1 + x2) - x4 sin(x3) + x3."""
    x1, x2, x3, x4 = X.T
    return 2.0 / 3.0 * np.exp(x1 + x2) - x4 * np.sin(x3) + x3


def discrepancy2(X: Array) -> Array:
    """Return 0.2 f - 1, so that the cheap version is 1.2 f - 1."""
    return 0.2 * high2(X) - 1.0


def make1() -> Problem:
    """Return Park1."""
    return Problem(
        "park1",
        box(0, 1, 4),
        high1,
        discrepancy1,
        known=(((1.0, 1.0, 1.0, 1.0), 25.5892541158606),),
        source="Park 1991; value of Surjanovic and Bingham's implementation",
    )


def make2() -> Problem:
    """Return Park2."""
    return Problem(
        "park2",
        box(0, 1, 4),
        high2,
        discrepancy2,
        known=(((1.0, 1.0, 1.0, 0.0), 2.0 / 3.0 * np.exp(2.0) + 1.0),),
        source="Park 1991; maximum of Surjanovic and Bingham",
    )
