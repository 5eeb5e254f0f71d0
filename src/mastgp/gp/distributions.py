"""Predictive distributions: a normal one, or a mixture of them, at every query point."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

Array = NDArray[np.float64]

#: Standard deviations and densities are kept above this, so that they have a logarithm.
_TINY = np.finfo(float).tiny
#: Entries of the largest array that the CRPS of a mixture keeps at a time (8 bytes each).
_BLOCK_ENTRIES = 600_000


@dataclass(frozen=True)
class Normal:
    """Normal distributions, one at every point.

    Attributes
    ----------
    mean, variance : arrays of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> prediction = Normal(np.array([10.0]), np.array([4.0]))
    >>> low, high = prediction.interval(0.95)
    >>> print(low.round(2), high.round(2))
    [6.08] [13.92]
    """

    mean: Array
    variance: Array

    def density(self, y: ArrayLike) -> Array:
        """Density of one value per point."""
        return np.exp(self.log_density(y))

    def log_density(self, y: ArrayLike) -> Array:
        """Logarithm of the density of one value per point."""
        std = self._std
        with np.errstate(over="ignore"):
            distance = (self._error(y) / std) ** 2
        return -0.5 * distance - np.log(std) - 0.5 * np.log(2.0 * np.pi)

    def cdf(self, y: ArrayLike) -> Array:
        """Probability of less than one value per point."""
        with np.errstate(over="ignore"):
            return ndtr(-self._error(y) / self._std)

    def quantile(self, q: float) -> Array:
        """Value below which the share q of the distribution lies."""
        check_level(q, "a quantile")
        return self.mean + ndtri(q) * self._std

    def interval(self, level: float = 0.95) -> tuple[Array, Array]:
        """Ends of the central interval that holds the share `level`."""
        low, high = ends_of(level)
        return self.quantile(low), self.quantile(high)

    def width(self, level: float = 0.95) -> Array:
        """Width of the central interval that holds the share `level`."""
        return 2.0 * ndtri(ends_of(level)[1]) * self._std

    def crps(self, y: ArrayLike) -> Array:
        """Continuous ranked probability score of one value per point: smaller is better.

        It is the integral of (cdf - step at y)^2, in the units of y.
        """
        std = self._std
        return _mean_distance(self._error(y), std) - std / np.sqrt(np.pi)

    def dilated(self, factor: float | Array) -> Normal:
        """The same distribution, `factor` times as wide about its mean; one factor, or n."""
        return Normal(self.mean, factor**2 * self.variance)

    def _error(self, y: ArrayLike) -> Array:
        return self.mean - np.asarray(y, dtype=float)

    @property
    def _std(self) -> Array:
        return np.maximum(np.sqrt(self.variance), _TINY)


@dataclass(frozen=True)
class Mixture:
    """Weighted normal distributions: a mixture of k of them at every point.

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
        """Variance at every point: the members' own, plus how far their means disagree."""
        return self._average(self.variances + (self.means - self.mean) ** 2)

    def density(self, y: ArrayLike) -> Array:
        """Density of one value per point."""
        z = (np.asarray(y, dtype=float) - self.means) / self._stds
        return self._average(np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi * self.variances))

    def log_density(self, y: ArrayLike) -> Array:
        """Logarithm of the density of one value per point.

        A density too small for a floating-point number counts as the smallest one.
        """
        return np.log(np.maximum(self.density(y), _TINY))

    def cdf(self, y: ArrayLike) -> Array:
        """Probability of less than one value per point."""
        return self._average(ndtr((np.asarray(y, dtype=float) - self.means) / self._stds))

    def quantile(self, q: float) -> Array:
        """Value below which the share q of the distribution lies, by bisection."""
        check_level(q, "a quantile")
        # Beyond so many standard deviations of every member lies less than q on either side.
        reach = 40.0 * self._stds
        low, high = (self.means - reach).min(axis=0), (self.means + reach).max(axis=0)
        for _ in range(80):
            middle = 0.5 * (low + high)
            below = self.cdf(middle) < q
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return 0.5 * (low + high)

    def interval(self, level: float = 0.95) -> tuple[Array, Array]:
        """Ends of the central interval that holds the share `level`."""
        low, high = ends_of(level)
        return self.quantile(low), self.quantile(high)

    def width(self, level: float = 0.95) -> Array:
        """Width of the central interval that holds the share `level`."""
        low, high = self.interval(level)
        return high - low

    def crps(self, y: ArrayLike) -> Array:
        """Continuous ranked probability score of one value per point: smaller is better.

        It is the integral of (cdf - step at y)^2, in the units of y. The closed form of Grimit,
        Gneiting, Berrocal and Johnson (2006) takes k^2 operations per point.
        """
        y = np.broadcast_to(np.asarray(y, dtype=float), self.means.shape[1:])
        score = np.empty(y.shape)
        for rows in self._point_blocks():
            weights, means, variances = self._members(rows)
            to_value = _mean_distance(means - y[rows], np.maximum(np.sqrt(variances), _TINY))
            score[rows] = (weights * to_value).sum(axis=0)
            score[rows] -= _half_distance(weights, means, variances)
        return score

    def dilated(self, factor: float | Array) -> Mixture:
        """The same distribution, `factor` times as wide about its mean; one factor, or n."""
        away = factor * (self.means - self.mean)
        return Mixture(self.weights, self.mean + away, factor**2 * self.variances)

    def _average(self, values: Array) -> Array:
        """Weighted mean over the members, shape (n,)."""
        if self.weights.ndim == 1:
            return self.weights @ values
        return np.einsum("kn,kn->n", self.weights, values)

    def _point_blocks(self) -> Iterator[slice]:
        k, n = self.means.shape
        size = max(1, _BLOCK_ENTRIES // k)
        return (slice(start, start + size) for start in range(0, n, size))

    def _members(self, rows: slice) -> tuple[Array, Array, Array]:
        """Weights, means and variances at some of the points."""
        weights = self.weights[:, None] if self.weights.ndim == 1 else self.weights[:, rows]
        return weights, self.means[:, rows], self.variances[:, rows]

    @cached_property
    def _stds(self) -> Array:
        return np.sqrt(self.variances)


def _mean_distance(mean: Array, std: Array) -> Array:
    """E|Z| of normal variables Z."""
    with np.errstate(over="ignore"):
        z = mean / std
        near = 2.0 * std * np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
    return near + mean * (2.0 * ndtr(z) - 1.0)


def _half_distance(weights: Array, means: Array, variances: Array) -> Array:
    """E|Y - Y'| / 2 of two independent draws of each mixture, one member against all at a time."""
    total = np.zeros(means.shape[1])
    for i, (weight, mean, variance) in enumerate(zip(weights, means, variances, strict=True)):
        std = np.maximum(np.sqrt(variances[i:] + variance), _TINY)
        distances = weights[i:] * _mean_distance(means[i:] - mean, std)
        # Each pair stands for two, and a member with itself for one.
        total += weight * (distances.sum(axis=0) - 0.5 * distances[0])
    return total


def check_level(q: float, what: str) -> None:
    """Refuse a level that is not between 0 and 1."""
    if not 0.0 < q < 1.0:
        raise ValueError(f"{what}'s level is between 0 and 1, not {q}")


def ends_of(level: float) -> tuple[float, float]:
    """Levels of the two quantiles that bound a central interval."""
    check_level(level, "an interval")
    return 0.5 - 0.5 * level, 0.5 + 0.5 * level
