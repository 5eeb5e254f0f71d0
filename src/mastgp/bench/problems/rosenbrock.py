"""Rosenbrock (any dimension, 20-D in the paper): a curved valley."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .base import Problem, box, oscillation

Array = NDArray[np.float64]


def high(X: Array) -> Array:
    """Return sum 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2."""
    a, b = X[:, :-1], X[:, 1:]
    return (100.0 * (b - a**2) ** 2 + (1.0 - a) ** 2).sum(axis=1)


def make(n_inputs: int = 20) -> Problem:
    """Return the problem."""
    return Problem(
        "rosenbrock",
        box(-5, 10, n_inputs),
        high,
        oscillation,
        known=(((1.0,) * n_inputs, 0.0),),
        source="Molga and Smutnicki 2005, Test functions for optimization needs",
    )
