"""The values of everything that a fit learns."""

from __future__ import annotations

from dataclasses import dataclass, field

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
    warp_a, warp_b : arrays of shape (n_numeric,), or (0,) without a warp
    positions : array
        Learned coordinates of the levels of categorical inputs, one input after the other.
    apart : array
        For each of these inputs, the squared distance of two levels whatever their positions.
    """

    lengthscales: Array
    scales: Array
    factors: Array
    noise_var: Array
    warp_a: Array
    warp_b: Array
    positions: Array = field(default_factory=lambda: np.empty(0))
    apart: Array = field(default_factory=lambda: np.empty(0))

    @property
    def state(self) -> dict[str, Array]:
        """All values by name, for files; what is of categories only where there are some."""
        of_categories = () if self.positions.size else ("positions", "apart")
        return {
            name: np.asarray(value)
            for name, value in vars(self).items()
            if name not in of_categories
        }

    def loadings(self, model: Model) -> Array:
        """Loading of every group on every component, shape (n_components, n_groups)."""
        table = np.array([c.loadings for c in model.components], dtype=float)
        for row, component in zip(table, model.components, strict=True):
            for group, used in enumerate(component.factors):
                for i in used:
                    row[group] *= self.factors[i]
        return table
