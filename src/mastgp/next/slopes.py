"""Moments of a response whose transformation is normal, and its mean slope.

Where z is normal, the mean of y(z) and the mean slope E[dy/dz] are all that a linear question
needs: the covariance of y with anything that is jointly normal with z is the mean slope times the
covariance of z with it (Stein's lemma).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..gp.responses import Logarithm, YeoJohnson

Array = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(16)
_SHARES = _WEIGHTS / _WEIGHTS.sum()


def moments_of(
    response: Logarithm | YeoJohnson | None, mean: Array, var: Array
) -> tuple[Array, Array]:
    """Mean of the response and its mean slope, where its transformation has these moments.

    Examples
    --------
    >>> import numpy as np
    >>> moments_of(Logarithm(), np.array([0.0]), np.array([2.0]))[0].round(3)
    array([2.718])
    """
    if response is None:
        return mean, np.ones_like(mean)
    if isinstance(response, Logarithm):
        first = response.backward(mean + 0.5 * var)
        return first, first
    z = mean + np.multiply.outer(_NODES, np.sqrt(var))
    y = response.backward(z)
    return _SHARES @ y, _SHARES @ np.exp(-response.log_slope(y))


def forward(response: Logarithm | YeoJohnson | None, y: Array) -> Array:
    """The transformed response."""
    return y if response is None else response.forward(y)


def backward(response: Logarithm | YeoJohnson | None, z: Array) -> Array:
    """The response of transformed values."""
    return z if response is None else response.backward(z)


def slope_at(response: Logarithm | YeoJohnson | None, z: Array) -> Array:
    """Slope dy/dz of the response at transformed values."""
    if response is None:
        return np.ones_like(z)
    return np.exp(-response.log_slope(response.backward(z)))
