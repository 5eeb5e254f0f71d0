"""Levy (any dimension, 7-D in the paper): multimodal, with a small oscillation when cheap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .base import Problem, box, oscillation

Array = NDArray[np.float64]


def high(X: Array) -> Array:
    """Levy's function of w = 1 + (x - 1)/4."""
    w = 1.0 + (X - 1.0) / 4.0
    first, last = w[:, 0], w[:, -1]
    inner = (w[:, :-1] - 1.0) ** 2 * (1.0 + 10.0 * np.sin(np.pi * w[:, :-1] + 1.0) ** 2)
    end = (last - 1.0) ** 2 * (1.0 + np.sin(2.0 * np.pi * last) ** 2)
    return np.sin(np.pi * first) ** 2 + inner.sum(axis=1) + end


def make(n_inputs: int = 7) -> Problem:
    """Return the problem."""
    return Problem(
        "levy",
        box(-10, 10, n_inputs),
        high,
        oscillation,
        known=(((1.0,) * n_inputs, 0.0),),
        source="Laguna and Marti 2005, Experimental testing of advanced scatter search designs",
    )
