"""Samples of a multivariate normal."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class RandomSource(Protocol):
    """NumPy's generators, new and old."""

    def standard_normal(self, size: tuple[int, ...], /) -> Any:
        """Draw independent standard normal numbers."""
        ...


def draw_samples(mean: Array, cov: Array, n_samples: int, rng: RandomSource) -> Array:
    """Draw from a multivariate normal that may be nearly singular, shape (n, n_samples)."""
    values, vectors = np.linalg.eigh(cov)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    draws: Array = mean[:, None] + root @ rng.standard_normal((len(mean), n_samples))
    return draws
