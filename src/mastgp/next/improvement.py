"""Expected improvement and its relatives in closed form, also far out in the tails."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx, ndtr

Array = NDArray[np.float64]

_LOG_ROOT_2PI = 0.5 * math.log(2.0 * math.pi)
_ROOT_HALF_PI = math.sqrt(0.5 * math.pi)
#: Below this the usual formula loses all digits.
_FAR = -1.0
#: Below this the leading term of the asymptotic series is exact to six digits.
_VERY_FAR = -1e3
#: Levels further away than this, in standard deviations, are dealt with by an approximation.
_NEAR = 6.0


def log_improvement(gap: Array, std: Array) -> Array:
    """Logarithm of E[max(gap + std Z, 0)] with Z standard normal.

    Ament et al. (2023), Unexpected improvements to expected improvement for Bayesian optimization.

    Examples
    --------
    >>> import numpy as np
    >>> log_improvement(np.array([0.0, -40.0]), np.array([1.0, 1.0])).round(3)
    array([  -0.919, -808.299])
    """
    return np.log(std) + log_h(gap / std)


def log_h(z: Array) -> Array:
    """Logarithm of h(z) = phi(z) + z Phi(z)."""
    z = np.asarray(z, dtype=float)
    near = np.maximum(z, _FAR)
    far = np.clip(z, _VERY_FAR, _FAR)
    usual = np.log(np.exp(-0.5 * near**2 - _LOG_ROOT_2PI) + near * ndtr(near))
    # phi + z Phi = phi (1 - |z| sqrt(pi/2) erfcx(|z|/sqrt 2)); the difference needs care far out.
    share = np.abs(far) * _ROOT_HALF_PI * erfcx(np.abs(far) / math.sqrt(2.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = -0.5 * far**2 - _LOG_ROOT_2PI + np.log1p(-share)
    series = -0.5 * z**2 - _LOG_ROOT_2PI - 2.0 * np.log(np.maximum(np.abs(z), 1.0))
    return np.where(z > _FAR, usual, np.where(z > _VERY_FAR, tail, series))


def improvement(gap: Array, std: Array) -> Array:
    """E[max(gap + std Z, 0)]; the gap itself where there is no spread."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.exp(log_improvement(gap, std))
    return np.where(std > 0.0, found, np.maximum(gap, 0.0))


def log_near(gap: Array, std: Array, reach: float = 1.0) -> Array:
    """Logarithm of E[max((reach std)^2 - (gap + std Z)^2, 0)]: how probably a level is met.

    It is large where the predicted value is near the level and still uncertain.
    Ranjan, Bingham, Michailidis (2008), Sequential experiment design for contour estimation from
    complex computer codes.

    Parameters
    ----------
    gap, std : arrays
        Distance of the mean from the level, and standard deviation.
    reach : float
        Values within so many standard deviations of the level count.
    """
    u = gap / std
    low, high = -u - reach, -u + reach
    mass = ndtr(high) - ndtr(low)
    phi_low, phi_high = (np.exp(-0.5 * s**2 - _LOG_ROOT_2PI) for s in (low, high))
    square = (
        (1.0 + u**2) * mass - (high * phi_high - low * phi_low) + 2.0 * u * (phi_low - phi_high)
    )
    near = np.abs(u) < _NEAR
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(near, np.log(reach**2 * mass - square), _beyond(u, reach))
    return 2.0 * np.log(std) + logs


def _beyond(u: Array, reach: float) -> Array:
    """The same far away, where only the nearer end of the interval counts."""
    away = np.maximum(np.abs(u) - reach, 0.5)
    # Near that end the parabola is a straight line of slope 2 reach: an expected improvement.
    return math.log(2.0 * reach) + log_h(-away)
