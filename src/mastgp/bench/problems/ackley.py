"""Ackley (any dimension, 4-D in the paper): the fidelities differ by their noise alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .base import Problem, box

Array = NDArray[np.float64]


def high(X: Array) -> Array:
    """Return -20 exp(-0.2 rms(x)) - exp(mean cos 2 pi x) + 20 + e."""
    rms = np.sqrt(np.mean(X**2, axis=1))
    waves = np.mean(np.cos(2.0 * np.pi * X), axis=1)
    return -20.0 * np.exp(-0.2 * rms) - np.exp(waves) + 20.0 + np.e


def discrepancy(X: Array) -> Array:
    """Return zero: only the noise differs."""
    return np.zeros(len(X))


def make(n_inputs: int = 4) -> Problem:
    """Return the problem."""
    return Problem(
        "ackley",
        box(-5, 5, n_inputs),
        high,
        discrepancy,
        noise=0.02,
        extra_noise=0.13,
        known=(((0.0,) * n_inputs, 0.0),),
        source="Molga and Smutnicki 2005, Test functions for optimization needs",
    )
