"""Predictive distributions of transformed responses, and blends of any distributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from .distributions import Mixture, Normal, check_level, ends_of
from .responses import Response

Array = NDArray[np.float64]

#: Values at which the distribution function is known when a score is integrated numerically.
_GRID = 200
#: How far the grid goes, in standard deviations of the members.
_REACH = 6.0


class _Numerical:
    """What follows from moments, density, distribution function and quantiles alone."""

    def log_density(self, y: ArrayLike) -> Array:
        raise NotImplementedError

    def cdf(self, y: ArrayLike) -> Array:
        raise NotImplementedError

    def quantile(self, q: float) -> Array:
        raise NotImplementedError

    def grid(self) -> Array:
        """Values of y between which the distribution changes, shape (m, n)."""
        raise NotImplementedError

    def density(self, y: ArrayLike) -> Array:
        """Density of one value per point."""
        return np.exp(self.log_density(y))

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

        It is the integral of (cdf - step at y)^2, in the units of y, by the trapezoidal rule.
        """
        grid = self.grid()
        y = np.broadcast_to(np.asarray(y, dtype=float), grid.shape[1:])
        values = np.sort(np.vstack([grid, y]), axis=0)
        below = np.array([self.cdf(row) for row in values])
        squares = np.where(values[1:] <= y, 1.0, 0.0), below**2, (1.0 - below) ** 2
        left, under, over = squares
        heights = left * (under[1:] + under[:-1]) + (1.0 - left) * (over[1:] + over[:-1])
        return np.sum(0.5 * heights * np.diff(values, axis=0), axis=0)


@dataclass(frozen=True)
class Transformed(_Numerical):
    """The distribution of a response whose transformation has a known one.

    Attributes
    ----------
    inner : Normal or Mixture
        Distribution of the transformed response.
    response : Response
        The transformation.

    Examples
    --------
    >>> import numpy as np
    >>> from mastgp.gp.distributions import Normal
    >>> from mastgp.gp.responses import Logarithm
    >>> drag = Transformed(Normal(np.log([0.03]), np.array([0.04])), Logarithm())
    >>> low, high = drag.interval(0.95)
    >>> print(low.round(4), drag.median.round(4), high.round(4))
    [0.0203] [0.03] [0.0444]
    """

    inner: Normal | Mixture
    response: Response

    @property
    def mean(self) -> Array:
        """Mean at every point."""
        return self._moments()[0]

    @property
    def variance(self) -> Array:
        """Variance at every point."""
        first, second = self._moments()
        return np.maximum(second - first**2, 0.0)

    @property
    def median(self) -> Array:
        """Median at every point."""
        return self.quantile(0.5)

    def log_density(self, y: ArrayLike) -> Array:
        """Logarithm of the density of one value per point."""
        y = np.asarray(y, dtype=float)
        possible = self.response.accepts(y)
        with np.errstate(invalid="ignore", over="ignore"):
            inside = np.where(possible, y, self.response.backward(self.inner.mean))
            found = self.inner.log_density(self.response.forward(inside))
            return np.where(possible, found + self.response.log_slope(inside), -np.inf)

    def cdf(self, y: ArrayLike) -> Array:
        """Probability of less than one value per point."""
        return self.inner.cdf(self.response.forward(np.asarray(y, dtype=float)))

    def quantile(self, q: float) -> Array:
        """Value below which the share q of the distribution lies."""
        return self.response.backward(self.inner.quantile(q))

    def dilated(self, factor: float | Array) -> Transformed:
        """The same distribution, `factor` times as wide before the transformation."""
        return Transformed(self.inner.dilated(factor), self.response)

    def grid(self) -> Array:
        """Values that are evenly spaced before the transformation."""
        means, variances = _members(self.inner)[1:]
        reach = _REACH * np.sqrt(variances)
        low, high = (means - reach).min(axis=0), (means + reach).max(axis=0)
        return self.response.backward(np.linspace(low, high, _GRID))

    def _moments(self) -> tuple[Array, Array]:
        """Mean of y and of y²."""
        weights, means, variances = _members(self.inner)
        first, second = self.response.moments(means, variances)
        return np.sum(weights * first, axis=0), np.sum(weights * second, axis=0)


@dataclass(frozen=True)
class Blend(_Numerical):
    """A mixture of distributions of any kind.

    Attributes
    ----------
    shares : array of shape (m, n)
        Of each part at every point, of sum one.
    parts : tuple of m distributions
    """

    shares: Array
    parts: tuple[Mixture | Transformed, ...]

    @property
    def mean(self) -> Array:
        """Mean at every point."""
        return self._average([part.mean for part in self.parts])

    @property
    def variance(self) -> Array:
        """Variance at every point: the parts' own, plus how far their means disagree."""
        mean = self.mean
        return self._average([part.variance + (part.mean - mean) ** 2 for part in self.parts])

    @property
    def median(self) -> Array:
        """Median at every point."""
        return self.quantile(0.5)

    def log_density(self, y: ArrayLike) -> Array:
        """Logarithm of the density of one value per point."""
        logs = np.array([part.log_density(y) for part in self.parts])
        with np.errstate(divide="ignore"):
            return np.asarray(logsumexp(logs, axis=0, b=self.shares))

    def cdf(self, y: ArrayLike) -> Array:
        """Probability of less than one value per point."""
        return self._average([part.cdf(y) for part in self.parts])

    def quantile(self, q: float) -> Array:
        """Value below which the share q lies, by bisection between those of the parts."""
        check_level(q, "a quantile")
        ends = np.array([part.quantile(q) for part in self.parts])
        low, high = ends.min(axis=0), ends.max(axis=0)
        for _ in range(60):
            middle = 0.5 * (low + high)
            below = self.cdf(middle) < q
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return 0.5 * (low + high)

    def dilated(self, factor: float | Array) -> Blend:
        """The same distribution with parts that are `factor` times as wide."""
        return Blend(self.shares, tuple(part.dilated(factor) for part in self.parts))

    def grid(self) -> Array:
        """The parts' grids together."""
        plain = [p.grid() if isinstance(p, Transformed) else _plain_grid(p) for p in self.parts]
        return np.vstack(plain)

    def _average(self, values: Sequence[Array]) -> Array:
        return np.sum(self.shares * np.array(values), axis=0)


#: What predicts a value at every point.
Distribution = Normal | Mixture | Transformed | Blend


def blended(weights: ArrayLike, members: Sequence[Distribution]) -> Mixture | Transformed | Blend:
    """The mixture of some distributions.

    Members of the same transformation become one part. Without any transformation the result is
    a plain mixture of normal distributions.

    Parameters
    ----------
    weights : array of shape (m,) or (m, n)
        Of the members; the same at all points, or each point's own.
    members : sequence of m distributions at the same n points
    """
    shares = np.asarray(weights, dtype=float).reshape(len(members), -1)
    groups: dict[Response | None, list[tuple[Array, Array, Array]]] = {}
    for share, member in zip(shares, members, strict=True):
        for part_share, part in _parts(member):
            response, inner = _response_of(part)
            own_weights, means, variances = _members(inner)
            member_weights = share * part_share * own_weights
            groups.setdefault(response, []).append((member_weights, means, variances))
    mixed = {response: _together(group) for response, group in groups.items()}
    if len(mixed) == 1:
        ((response, mixture),) = mixed.items()
        return mixture if response is None else Transformed(mixture, response)
    totals = np.array([mixture.weights.sum(axis=0) for mixture in mixed.values()])
    parts = tuple(
        _normalised(mixture, total, response)
        for (response, mixture), total in zip(mixed.items(), totals, strict=True)
    )
    return Blend(totals / totals.sum(axis=0), parts)


def _parts(member: Distribution) -> list[tuple[Array, Normal | Mixture | Transformed]]:
    """Shares and parts of a blend; a distribution of another kind is its only part."""
    if isinstance(member, Blend):
        return list(zip(member.shares, member.parts, strict=True))
    return [(np.ones(1), member)]


def _response_of(part: Normal | Mixture | Transformed) -> tuple[Response | None, Normal | Mixture]:
    if isinstance(part, Transformed):
        return part.response, part.inner
    return None, part


def _members(inner: Normal | Mixture) -> tuple[Array, Array, Array]:
    """Weights, means and variances of a mixture's members, each of shape (k, n)."""
    if isinstance(inner, Normal):
        return np.ones((1, len(inner.mean))), inner.mean[None], inner.variance[None]
    weights = inner.weights if inner.weights.ndim == 2 else inner.weights[:, None]
    return np.broadcast_to(weights, inner.means.shape), inner.means, inner.variances


def _together(group: Sequence[tuple[Array, Array, Array]]) -> Mixture:
    """All members of a group as one mixture, whose weights need not add up to one."""
    weights, means, variances = zip(*group, strict=True)
    return Mixture(np.concatenate(weights), np.concatenate(means), np.concatenate(variances))


def _normalised(mixture: Mixture, total: Array, response: Response | None) -> Mixture | Transformed:
    """A part of a blend; where its share is zero, its members count alike."""
    even = np.full_like(mixture.weights, 1.0 / len(mixture.weights))
    weights = np.where(total > 0.0, mixture.weights / np.where(total > 0.0, total, 1.0), even)
    part = Mixture(weights, mixture.means, mixture.variances)
    return part if response is None else Transformed(part, response)


def _plain_grid(mixture: Mixture) -> Array:
    reach = _REACH * np.sqrt(mixture.variances)
    low, high = (mixture.means - reach).min(axis=0), (mixture.means + reach).max(axis=0)
    return np.linspace(low, high, _GRID)


def gathered(parts: Sequence[tuple[NDArray[np.intp], Distribution]], n: int) -> Distribution:
    """One distribution of n points from those of some of them each.

    All parts are normal, or all are transformed in the same way from normal ones.
    """
    mean, variance = np.full((2, n), np.nan)
    response: Response | None = None
    for rows, part in parts:
        if isinstance(part, Transformed):
            response, part = part.response, part.inner
        mean[rows], variance[rows] = part.mean, part.variance
    normal = Normal(mean, variance)
    return normal if response is None else Transformed(normal, response)
