"""A Gaussian process of what a level leaves of the one above it.

In its own units what is left would look like a response of size one, and noise would be expected to
be a small part of it. With very many cheap rows it may be nearly all of it. So what is left is
modelled in the units of the response, as a discrepancy of a joint model is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Dataset
from ..gp import Component
from .structures import DISCREPANCY_PRIOR, JointModel, Traits

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LeftOver(JointModel):
    """What kind of Gaussian process models what is left of a response.

    Attributes
    ----------
    response_scale : float
        Scale of the response, in the target's units.
    """

    response_scale: float = 1.0

    def scales(self, data: Dataset, traits: Traits) -> Array:
        """That of the response."""
        return np.array([self.response_scale])

    def _components(self, n_levels: int, n_inputs: int) -> tuple[Component, ...]:
        """One component, which is expected to be small, and allowed not to be."""
        (only,) = super()._components(n_levels, n_inputs)
        return (replace(only, scale_prior=DISCREPANCY_PRIOR),)
