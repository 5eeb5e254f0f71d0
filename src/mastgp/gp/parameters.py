"""The values of everything that a fit learns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .model import Model

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Hyperparameters:
    """Values of everything a fit learns, in standardised target and unit-cube input units.

    Attributes
    ----------
    lengthscales : array of shape (n_components, n_inputs)
    scales : array of shape (n_components,)
    factors : array of shape (n_factors,)
    noise_var : array of shape (n_groups,), or (0,) where noise is given per observation
    warp_a, warp_b : arrays of shape (n_inputs,), or (0,) without a warp
    """

    lengthscales: Array
    scales: Array
    factors: Array
    noise_var: Array
    warp_a: Array
    warp_b: Array

    def loadings(self, model: Model) -> Array:
        """Loading of every group on every component, shape (n_components, n_groups)."""
        table = np.array([c.loadings for c in model.components], dtype=float)
        for row, component in zip(table, model.components, strict=True):
            for group, used in enumerate(component.factors):
                for i in used:
                    row[group] *= self.factors[i]
        return table
