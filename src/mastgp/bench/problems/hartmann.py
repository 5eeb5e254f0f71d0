"""Hartmann functions (3-D, 6-D) with the sign of the paper: four bumps to be found.

The cheap version perturbs the heights of the bumps.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from .base import Problem, box

Array = NDArray[np.float64]

_HEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
_HEIGHT_CHANGE = np.array([0.01, -0.01, -0.1, 0.1])
_A3 = np.array([[3.0, 10, 30], [0.1, 10, 35], [3.0, 10, 30], [0.1, 10, 35]])
_P3 = 1e-4 * np.array(
    [[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]]
)
_A6 = np.array(
    [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
)
_P6 = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def bumps(X: Array, A: Array, P: Array, heights: Array) -> Array:
    """Return sum_i h_i exp(-sum_j A_ij (x_j - P_ij)^2)."""
    exponents = np.einsum("ij,nij->ni", A, (X[:, None, :] - P) ** 2)
    total: Array = np.exp(-exponents) @ heights
    return total


def hartmann6_heights(X: Array, change: Array) -> Array:
    """Return Hartmann6 with other heights of its bumps."""
    return bumps(X, _A6, _P6, _HEIGHTS + change)


def make3() -> Problem:
    """Return Hartmann3."""
    return Problem(
        "hartmann3",
        box(0, 1, 3),
        partial(bumps, A=_A3, P=_P3, heights=_HEIGHTS),
        partial(bumps, A=_A3, P=_P3, heights=_HEIGHT_CHANGE),
        known=(((0.114614, 0.555649, 0.852547), 3.86278),),
        source="Surjanovic and Bingham, Virtual Library of Simulation Experiments (negated)",
    )


def make6() -> Problem:
    """Return Hartmann6."""
    return Problem(
        "hartmann6",
        box(0, 1, 6),
        partial(bumps, A=_A6, P=_P6, heights=_HEIGHTS),
        partial(bumps, A=_A6, P=_P6, heights=_HEIGHT_CHANGE),
        known=(((0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573), 3.32237),),
        source="Surjanovic and Bingham, Virtual Library of Simulation Experiments (negated)",
    )
