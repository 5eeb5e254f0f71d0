"""Rastrigin (any dimension, 15-D in the paper): a bowl full of dents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .base import Problem, box, oscillation

Array = NDArray[np.float64]


def high(X: Array) -> Array:
    """Return 10 n + sum x^2 - 10 cos(2 pi x)."""
    return 10.0 * X.shape[1] + (X**2 - 10.0 * np.cos(2.0 * np.pi * X)).sum(axis=1)


def make(n_inputs: int = 15) -> Problem:
    """Return the problem."""
    return Problem(
        "rastrigin",
        box(-5.12, 5.12, n_inputs),
        high,
        oscillation,
        known=(((0.0,) * n_inputs, 0.0),),
        source="Molga and Smutnicki 2005, Test functions for optimization needs",
    )
