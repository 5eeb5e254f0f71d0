"""Mixtures of normal distributions, one at every query point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Mixture:
    """Weighted normal distributions.

    Attributes
    ----------
    weights : array of shape (k,) or (k, n)
        Positive, of sum one; the same at all points, or each point's own.
    means, variances : arrays of shape (k, n)
    """

    weights: Array
    means: Array
    variances: Array

    @property
    def mean(self) -> Array:
        """Mean at every point, shape (n,)."""
        return self._average(self.means)

    @property
    def variance(self) -> Array:
        """Variance: that of the members, and how far they disagree."""
        return self._average(self.variances + (self.means - self.mean) ** 2)

    def density(self, y: ArrayLike) -> Array:
        """Density of one value per point."""
        z = (np.asarray(y, dtype=float) - self.means) / self._stds
        return self._average(np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi * self.variances))

    def cdf(self, y: ArrayLike) -> Array:
        """Probability of less than one value per point."""
        return self._average(ndtr((np.asarray(y, dtype=float) - self.means) / self._stds))

    def quantile(self, q: float) -> Array:
        """Value below which the share q of the distribution lies, by bisection."""
        if not 0.0 < q < 1.0:
            raise ValueError(f"a quantile's level is between 0 and 1, not {q}")
        # Beyond so many standard deviations of every member lies less than q on either side.
        reach = 40.0 * self._stds
        low, high = (self.means - reach).min(axis=0), (self.means + reach).max(axis=0)
        for _ in range(80):
            middle = 0.5 * (low + high)
            below = self.cdf(middle) < q
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return 0.5 * (low + high)

    def dilated(self, factor: float) -> Mixture:
        """The same distribution, `factor` times as wide about its mean."""
        away = factor * (self.means - self.mean)
        return Mixture(self.weights, self.mean + away, factor**2 * self.variances)

    def _average(self, values: Array) -> Array:
        """Weighted mean over the members, shape (n,)."""
        if self.weights.ndim == 1:
            return self.weights @ values
        return np.einsum("kn,kn->n", self.weights, values)

    @property
    def _stds(self) -> Array:
        return np.sqrt(self.variances)
