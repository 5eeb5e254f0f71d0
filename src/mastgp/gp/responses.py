"""Monotone transformations of a response: of what they make, a normal distribution may hold.

Drag, rates and lifetimes are positive and skewed. A Gaussian process of their logarithms gives
intervals that are never negative, and wider above than below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import boxcox, expit, inv_boxcox

from .. import stored

Array = NDArray[np.float64]

#: Nodes and weights of the integrals over normal distributions.
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(24)
#: Transformed values are kept within this, so that their exponentials are finite.
_LARGEST = 300.0


class Response(Protocol):
    """A transformation z(y) that grows with y."""

    @property
    def label(self) -> str:
        """What it is called where people read it."""
        ...

    def accepts(self, y: Array) -> NDArray[np.bool_]:
        """Which values can be transformed."""
        ...

    def forward(self, y: Array) -> Array:
        """z(y)."""
        ...

    def backward(self, z: Array) -> Array:
        """y(z)."""
        ...

    def log_slope(self, y: Array) -> Array:
        """Logarithm of dz/dy."""
        ...

    def moments(self, mean: Array, variance: Array) -> tuple[Array, Array]:
        """Mean of y and of y² where z is normal."""
        ...


@dataclass(frozen=True)
class Logarithm:
    """z = log y, for positive responses.

    Examples
    --------
    >>> import numpy as np
    >>> Logarithm().backward(Logarithm().forward(np.array([0.5, 20.0])))
    array([ 0.5, 20. ])
    """

    kind: ClassVar[str] = "log"

    short: ClassVar[str] = "log"

    @property
    def label(self) -> str:
        """The logarithm."""
        return "the logarithm"

    def accepts(self, y: Array) -> NDArray[np.bool_]:
        """Positive values."""
        return y > 0.0

    def forward(self, y: Array) -> Array:
        """Logarithm of y; minus infinity where y is not positive."""
        with np.errstate(divide="ignore"):
            return np.log(np.maximum(y, 0.0))

    def backward(self, z: Array) -> Array:
        """Exponential of z."""
        return np.exp(np.minimum(z, _LARGEST))

    def log_slope(self, y: Array) -> Array:
        """Logarithm of 1/y."""
        return -self.forward(y)

    def moments(self, mean: Array, variance: Array) -> tuple[Array, Array]:
        """Those of a log-normal distribution."""
        return self.backward(mean + 0.5 * variance), self.backward(2.0 * (mean + variance))


@dataclass(frozen=True)
class YeoJohnson:
    """Yeo and Johnson's power transformation of ``u = (y - centre) / scale``.

    It is a power of 1 + u above the centre, and the opposite power, 2 less it, of 1 - u below.
    With a power below 1 large values are pulled together and small ones apart; with a power of 1
    nothing happens. All real values can be transformed.

    References
    ----------
    Yeo, Johnson (2000), A new family of power transformations to improve normality or symmetry.
    Biometrika 87.

    Parameters
    ----------
    power : float
        Between 0 and 2.
    centre, scale : float
        In the units of y.
    """

    kind: ClassVar[str] = "yeo-johnson"

    power: float
    centre: float = 0.0
    scale: float = 1.0

    @property
    def label(self) -> str:
        """Name and power."""
        return f"a Yeo-Johnson transformation of power {self.power:g}"

    @property
    def short(self) -> str:
        """Its power."""
        return f"power {self.power:g}"

    def accepts(self, y: Array) -> NDArray[np.bool_]:
        """All finite values."""
        return np.isfinite(y)

    def forward(self, y: Array) -> Array:
        """Transformed values."""
        u = (y - self.centre) / self.scale
        above = boxcox(1.0 + np.maximum(u, 0.0), self.power)
        return above - boxcox(1.0 + np.maximum(-u, 0.0), 2.0 - self.power)

    def backward(self, z: Array) -> Array:
        """Values whose transformation is z."""
        z = np.clip(z, -_LARGEST, _LARGEST)
        above = inv_boxcox(np.maximum(z, 0.0), self.power) - 1.0
        below = inv_boxcox(np.maximum(-z, 0.0), 2.0 - self.power) - 1.0
        return self.centre + self.scale * (above - below)

    def log_slope(self, y: Array) -> Array:
        """Logarithm of the derivative."""
        u = (y - self.centre) / self.scale
        return (self.power - 1.0) * np.sign(u) * np.log1p(np.abs(u)) - np.log(self.scale)

    def moments(self, mean: Array, variance: Array) -> tuple[Array, Array]:
        """By Gauss-Hermite quadrature."""
        return quadrature(self, mean, variance)


@dataclass(frozen=True)
class Bounded:
    """z = log((y - low) / (high - y)), for responses between two bounds, which they never reach.

    Examples
    --------
    >>> import numpy as np
    >>> share = Bounded(0.0, 1.0)
    >>> share.backward(np.array([-2.0, 0.0, 30.0])).round(3)
    array([0.119, 0.5  , 1.   ])
    """

    kind: ClassVar[str] = "bounded"
    short: ClassVar[str] = "bounded"

    low: float
    high: float

    @property
    def label(self) -> str:
        """Its bounds."""
        return f"the logit between {self.low:g} and {self.high:g}"

    def accepts(self, y: Array) -> NDArray[np.bool_]:
        """Values between the bounds."""
        return (y > self.low) & (y < self.high)

    def forward(self, y: Array) -> Array:
        """Logit of the share of the range; infinite at the bounds and beyond."""
        share = np.clip((y - self.low) / (self.high - self.low), 0.0, 1.0)
        with np.errstate(divide="ignore"):
            return np.log(share) - np.log1p(-share)

    def backward(self, z: Array) -> Array:
        """The value between the bounds whose logit is z."""
        return np.asarray(self.low + (self.high - self.low) * expit(z))

    def log_slope(self, y: Array) -> Array:
        """Logarithm of the derivative."""
        width = self.high - self.low
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(width) - np.log(y - self.low) - np.log(self.high - y))

    def moments(self, mean: Array, variance: Array) -> tuple[Array, Array]:
        """By Gauss-Hermite quadrature."""
        return quadrature(self, mean, variance)


#: All transformations.
Transformation = Logarithm | YeoJohnson | Bounded


def quadrature(response: Response, mean: Array, variance: Array) -> tuple[Array, Array]:
    """Mean of y and of y² where z is normal, by Gauss-Hermite quadrature."""
    std, weights = np.sqrt(variance), _WEIGHTS / _WEIGHTS.sum()
    first, second = np.zeros_like(mean), np.zeros_like(mean)
    for node, weight in zip(_NODES, weights, strict=True):
        y = response.backward(mean + node * std)
        first += weight * y
        second += weight * y**2
    return first, second


def response_state(response: Transformation) -> dict[str, Any]:
    """A transformation as plain values, for a file."""
    return {"kind": response.kind, **vars(response)}


def plain_response(response: Transformation) -> dict[str, Any]:
    """A transformation as other programs need it: with the nodes of integrals over normals."""
    plain: dict[str, Any] = {**response_state(response), "largest": _LARGEST}
    if not isinstance(response, Logarithm):
        plain |= {"nodes": _NODES, "node_weights": _WEIGHTS / _WEIGHTS.sum()}
    return plain


def restored_response(state: dict[str, Any]) -> Transformation:
    """Inverse of :func:`response_state`; the values may come from anywhere."""
    stored.mapping(state, "the response", ("kind",))
    if state["kind"] == Logarithm.kind:
        return Logarithm()
    if state["kind"] == Bounded.kind:
        return _restored_bounds(state)
    names = ("power", "centre", "scale")
    stored.mapping(state, "the response", ("kind", *names), more=False)
    if state["kind"] != YeoJohnson.kind:
        raise stored.DamagedError("the response has an unknown kind")
    stored.number(state["power"], "the power", low=0.0, high=2.0)
    stored.number(state["centre"], "the centre")
    stored.number(state["scale"], "the scale", low=1e-300)
    return YeoJohnson(*(float(state[name]) for name in names))


def _restored_bounds(state: dict[str, Any]) -> Bounded:
    stored.mapping(state, "the response", ("kind", "low", "high"), more=False)
    low, high = (stored.number(state[name], f"the {name} bound") for name in ("low", "high"))
    if not low < high:
        raise stored.DamagedError("the bounds of the response are not in order")
    return Bounded(float(low), float(high))
