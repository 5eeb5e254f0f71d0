"""Branin (2-D): three global minima; the cheap version has another curvature b."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .base import Problem

Array = NDArray[np.float64]
_B = 5.1 / (4.0 * np.pi**2)


def branin(X: Array, curvature_change: float = 0.0) -> Array:
    """Return (x2 - b x1^2 + 5 x1/pi - 6)^2 + 10 (1 - 1/(8 pi)) cos x1 + 10, with b changed."""
    x1, x2 = X.T
    bowl = (x2 - (_B + curvature_change) * x1**2 + 5.0 / np.pi * x1 - 6.0) ** 2
    return bowl + 10.0 * (1.0 - 1.0 / (8.0 * np.pi)) * np.cos(x1) + 10.0


def discrepancy(X: Array) -> Array:
    """Return the difference to b - 0.1."""
    return branin(X, -0.1) - branin(X)


def make() -> Problem:
    """Return the problem."""
    minimum = 0.39788735772973816
    return Problem(
        "branin",
        np.array([[-5.0, 10.0], [0.0, 15.0]]),
        branin,
        discrepancy,
        known=(
            ((-np.pi, 12.275), minimum),
            ((np.pi, 2.275), minimum),
            ((3 * np.pi, 2.475), minimum),
        ),
        source="Forrester et al. 2008, Engineering Design via Surrogate Modelling",
    )
