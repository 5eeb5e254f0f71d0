"""Pareto-smoothed importance weights, and the diagnostic that says whether to trust them.

The largest importance weights of a sample follow a generalised Pareto distribution, whatever the
proposal. Its shape k tells how many moments the weights have: below 0.5 averages with them behave
well, up to 0.7 usably, beyond not (Vehtari, Simpson, Gelman, Yao, Gabry 2024, Pareto smoothed
importance sampling, JMLR 25). Replacing the largest weights by the expected order statistics of the
fitted distribution makes averages steadier.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

Array = NDArray[np.float64]

#: Beyond this shape of the tail importance weights cannot be trusted.
GOOD_SHAPE = 0.7
#: A tail of fewer weights says nothing about its shape.
FEWEST_IN_TAIL = 5
#: The estimated shape is drawn towards 0.5, as if by this many more weights in the tail.
_PRIOR_SIZE = 10


def smooth_weights(log_weights: ArrayLike) -> tuple[Array, float]:
    """Normalise importance weights, their tail smoothed, and estimate the shape of the tail.

    Parameters
    ----------
    log_weights : array of shape (n,)
        Logarithms of the weights, up to a constant. A weight of zero is minus infinity.

    Returns
    -------
    weights : array of shape (n,)
        Of sum one.
    shape : float
        The k of the generalised Pareto distribution; infinite where there are too few weights to
        tell.

    Examples
    --------
    >>> import numpy as np
    >>> weights, shape = smooth_weights(np.random.default_rng(0).standard_normal(1000))
    >>> bool(shape < 0.7), round(float(weights.sum()), 6)
    (True, 1.0)
    """
    logs = np.array(log_weights, dtype=float)
    logs -= logs.max()
    tail = _tail(logs)
    if len(tail) < FEWEST_IN_TAIL:
        return normalised(logs), math.inf
    cutoff = np.exp(np.sort(logs)[-len(tail) - 1])
    excess = np.exp(logs[tail]) - cutoff
    if excess[0] <= np.finfo(float).tiny:  # equal weights: no tail at all
        return normalised(logs), -math.inf
    shape, scale = fit_pareto(excess)
    smoothed = cutoff + pareto_quantile(_order_levels(len(tail)), shape, scale)
    logs[tail] = np.minimum(np.log(smoothed), 0.0)
    return normalised(logs), shape


def normalised(log_weights: Array) -> Array:
    """Weights of sum one from their logarithms."""
    return np.exp(log_weights - logsumexp(log_weights))


def effective_size(weights: Array) -> float:
    """Number of equal weights that would be worth as much as these, Kish's formula."""
    return float(weights.sum() ** 2 / (weights**2).sum())


def fit_pareto(excess: Array) -> tuple[float, float]:
    """Shape and scale of a generalised Pareto distribution.

    The estimate of Zhang and Stephens (2009, Technometrics 51): the mean of a posterior over the
    ratio of shape and scale on a grid, with a weak prior of the shape about 0.5.

    Parameters
    ----------
    excess : array of shape (n,)
        Positive, in increasing order.
    """
    n = len(excess)
    grid = _ratio_grid(excess)
    shapes = np.log1p(-np.multiply.outer(grid, excess)).mean(axis=1)
    profile = n * (np.log(-grid / shapes) - shapes - 1.0)
    ratio = float(normalised(profile) @ grid)
    shape = float(np.log1p(-ratio * excess).mean())
    scale = -shape / ratio
    return (n * shape + 0.5 * _PRIOR_SIZE) / (n + _PRIOR_SIZE), scale


def _ratio_grid(excess: Array) -> Array:
    """Values of -shape / scale that the estimate averages over."""
    n = len(excess)
    size = 30 + int(math.sqrt(n))
    quartile = excess[int(n / 4 + 0.5) - 1]
    steps = 1.0 - np.sqrt(size / (np.arange(size) + 0.5))
    return 1.0 / excess[-1] + steps / (3.0 * quartile)


def pareto_quantile(levels: Array, shape: float, scale: float) -> Array:
    """Quantiles of a generalised Pareto distribution that starts at zero."""
    if abs(shape) < 1e-12:
        return -scale * np.log1p(-levels)
    return scale * np.expm1(-shape * np.log1p(-levels)) / shape


def _tail(logs: Array) -> NDArray[np.intp]:
    """Where the weights are that count as the tail, smallest first."""
    finite = int(np.isfinite(logs).sum())
    size = math.ceil(min(0.2 * finite, 3.0 * math.sqrt(finite)))
    return np.argsort(logs, kind="stable")[len(logs) - size :]


def _order_levels(n: int) -> Array:
    return (np.arange(n) + 0.5) / n
