"""Prior densities of hyperparameters, as functions of the optimiser's coordinate.

The coordinate of a positive parameter is its logarithm; that of any other is the parameter
itself. A prior gives the log density of the *parameter*, not of its logarithm: so the optimum is
the maximum a posteriori in the parameter's own units, as in BoTorch. It also gives the derivative
of that with respect to the coordinate. Any object with these methods will do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Prior(Protocol):
    """What the engine asks of a prior; `u` is the coordinate, an array."""

    @property
    def start(self) -> float:
        """A sensible first value of the coordinate."""
        ...

    def log_density(self, u: Array) -> Array:
        """Log density of the parameter at coordinate `u`."""
        ...

    def slope(self, u: Array) -> Array:
        """Derivative of `log_density` with respect to `u`."""
        ...


@dataclass(frozen=True)
class LogNormal:
    """Log-normal density: log(parameter) has mean `loc` and standard deviation `scale`."""

    loc: float
    scale: float

    @property
    def start(self) -> float:
        """Logarithm of the mode."""
        return self.loc - self.scale**2

    def log_density(self, u: Array) -> Array:
        """Log density of exp(u)."""
        z = (u - self.loc) / self.scale
        return -0.5 * z * z - u - math.log(self.scale * math.sqrt(2.0 * math.pi))

    def slope(self, u: Array) -> Array:
        """Derivative with respect to u = log(parameter)."""
        return -(u - self.loc) / self.scale**2 - 1.0


@dataclass(frozen=True)
class Gamma:
    """Gamma density with `shape` and `rate` of a positive parameter."""

    shape: float
    rate: float

    @property
    def start(self) -> float:
        """Logarithm of the mode, or of the mean where there is none."""
        return math.log((self.shape - 1.0 if self.shape > 1.0 else self.shape) / self.rate)

    def log_density(self, u: Array) -> Array:
        """Log density of exp(u)."""
        constant = self.shape * math.log(self.rate) - math.lgamma(self.shape)
        return constant + (self.shape - 1.0) * u - self.rate * np.exp(u)

    def slope(self, u: Array) -> Array:
        """Derivative with respect to u = log(parameter)."""
        return (self.shape - 1.0) - self.rate * np.exp(u)


@dataclass(frozen=True)
class Normal:
    """Normal density of a parameter that may be negative: the coordinate is the parameter."""

    loc: float
    scale: float

    @property
    def start(self) -> float:
        """The mean."""
        return self.loc

    def log_density(self, u: Array) -> Array:
        """Log density of u."""
        z = (u - self.loc) / self.scale
        return -0.5 * z * z - math.log(self.scale * math.sqrt(2.0 * math.pi))

    def slope(self, u: Array) -> Array:
        """Derivative with respect to u."""
        return -(u - self.loc) / self.scale**2


@dataclass(frozen=True)
class Cauchy:
    """Cauchy density of a parameter that may be negative: the coordinate is the parameter.

    Its tails are heavier than the normal ones, so that it hardly holds back data which put the
    parameter far from `loc`.
    """

    loc: float
    scale: float

    @property
    def start(self) -> float:
        """The mode."""
        return self.loc

    def log_density(self, u: Array) -> Array:
        """Log density of u."""
        z = (u - self.loc) / self.scale
        return -np.log1p(z * z) - math.log(self.scale * math.pi)

    def slope(self, u: Array) -> Array:
        """Derivative with respect to u."""
        z = (u - self.loc) / self.scale
        return -2.0 * z / ((1.0 + z * z) * self.scale)


@dataclass(frozen=True)
class Flat:
    """No prior: plain Type-II maximum likelihood, starting from `start`."""

    start: float

    def log_density(self, u: Array) -> Array:
        """Zero everywhere."""
        return np.zeros_like(u)

    def slope(self, u: Array) -> Array:
        """Zero everywhere."""
        return np.zeros_like(u)


def lengthscale_prior(n_inputs: int) -> LogNormal:
    """Dimension-scaled prior of Hvarfner et al. (2024), the default of BoTorch 0.18."""
    return LogNormal(math.sqrt(2.0) + 0.5 * math.log(n_inputs), math.sqrt(3.0))


NOISE_PRIOR = LogNormal(-4.0, 1.0)
SCALE_PRIOR = LogNormal(0.0, 1.0)
WARP_PRIOR = LogNormal(0.0, math.sqrt(0.75))
FACTOR_PRIOR = Normal(1.0, 1.0)
POSITION_PRIOR = Normal(0.0, 1.0)
#: Of the squared distance of two levels, whatever their positions; that of exchangeable ones is 1.
APART_PRIOR = LogNormal(math.log(0.1), 1.0)
