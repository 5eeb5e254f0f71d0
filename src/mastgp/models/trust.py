"""How far a cheap point is trusted: distances, trust regions and neighbours' weights of the paper.

Every cheap point i gets one trust W in [0, 1]. It is near 0 beside expensive points, where the
expensive model knows better. It is near 1 far from them, where the corrected cheap value does.
All functions are pure; inputs are in the unit cube.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..blocks import blocks
from ..data.places import cdist
from ..errors import DataError, unknown

Array = NDArray[np.float64]
F = TypeVar("F", bound=Callable[..., object])
#: ``metric(A, B)``: distances between rows of A (n, d) and B (m, d), shape (n, m).
Metric = Callable[[Array, Array], Array]
#: ``radius(d_min)``: trust-region radius for the distance to the nearest expensive point.
Radius = Callable[[Array], Array]
#: ``weight(d, alpha, r)``: weight of an expensive neighbour at distance d, in a region of radius r.
Weight = Callable[[Array, float, Array], Array]


#: Cheap points whose distances to all expensive ones are computed at a time.
_BLOCK_ROWS = 50_000


class TrustedPoints(NamedTuple):
    """Cheap points of one fidelity, with the trust that each was given.

    Attributes
    ----------
    name : str
        The fidelity's.
    nearest : array of shape (n,)
        Distance to the nearest expensive point, in the unit cube.
    trust : array of shape (n,)
        Share of the corrected cheap value.
    """

    name: str
    nearest: Array
    trust: Array


def _distances(name: str) -> Metric:
    return lambda A, B: cdist(A, B, name)


#: D1 to D6, and the share of inputs that differ. ``mahalanobis`` (D4) is Euclidean after dividing
#: by the lengthscales that the expensive fidelity's GP learned. ``domain-relative`` (D6) divides
#: differences in the user's units by the domain's width, as scaling to the unit cube has done.
METRICS: dict[str, Metric] = {
    "euclidean": _distances("euclidean"),
    "manhattan": _distances("cityblock"),
    "chebyshev": _distances("chebyshev"),
    "mahalanobis": _distances("euclidean"),
    "normalized-euclidean": lambda A, B: cdist(A, B) / np.sqrt(A.shape[1]),
    "domain-relative": _distances("euclidean"),
    "hamming": _distances("hamming"),
}

#: R1 to R5. A vanishing radius leaves the nearest expensive point alone in its region.
RADII: dict[str, Radius] = {
    "sqrt": np.sqrt,
    "linear": lambda d_min: d_min,
    "cbrt": np.cbrt,
    "nearest": lambda d_min: np.full_like(d_min, 1e-6),
    "global": lambda d_min: np.full_like(d_min, np.inf),
}


def _triangular(d: Array, alpha: float, r: Array) -> Array:
    """W5: 1 - d/r. At r = 0 the neighbour sits on the point itself and has full weight."""
    with np.errstate(invalid="ignore"):
        return np.where(r > 0.0, 1.0 - d / np.where(r > 0.0, r, 1.0), 1.0)


#: W1 to W9.
NEIGHBOUR_WEIGHTS: dict[str, Weight] = {
    "power": lambda d, alpha, r: 1.0 - d**alpha,
    "exponential": lambda d, alpha, r: np.exp(-alpha * d),
    "gaussian": lambda d, alpha, r: np.exp(-alpha * d**2),
    "inverse": lambda d, alpha, r: 1.0 / (1.0 + d**alpha),
    "triangular": _triangular,
    "linear": lambda d, alpha, r: 1.0 - d,
    "steep-power": lambda d, alpha, r: 1.0 - d ** (2.0 * alpha),
    "rbf": lambda d, alpha, r: np.exp(-(d**2)),
    "hf-only": lambda d, alpha, r: np.ones_like(d),
}


@dataclass(frozen=True)
class Trust:
    """Trust in cheap points.

    Attributes
    ----------
    value : array of shape (n,)
        W: share of the corrected cheap value; 1 - W is the expensive model's.
    nearest : array of shape (n,)
        Distance to the nearest expensive point.
    neighbours : int array of shape (n,)
        Number of expensive points in the trust region.
    """

    value: Array
    nearest: Array
    neighbours: NDArray[np.intp]


def trust_in(
    X_cheap: Array,
    X_top: Array,
    alpha: float,
    *,
    metric: str | Metric = "euclidean",
    radius: str | Radius = "sqrt",
    weight: str | Weight = "power",
    lengthscales: Array | None = None,
    categorical: Sequence[int] = (),
) -> Trust:
    """Trust in every cheap point (equations for r_i, w_j and W of the paper).

    Parameters
    ----------
    X_cheap : array of shape (n, d)
    X_top : array of shape (m, d)
        Inputs of the most expensive fidelity.
    alpha : float
        The cheap fidelity's exponent.
    metric, radius, weight : name or callable
        See :data:`METRICS`, :data:`RADII`, :data:`NEIGHBOUR_WEIGHTS`.
    lengthscales : array of shape (d,), optional
        For the ``mahalanobis`` metric.
    categorical : sequence of int
        Columns of categorical inputs. A named metric is of the other inputs only. The distance is
        the sum of it and of Hamming's distance of the categorical ones. With categorical inputs
        only it is Hamming's, as in the paper.

    Examples
    --------
    >>> import numpy as np
    >>> trust_in(np.array([[0.25]]), np.array([[0.0]]), alpha=0.5).value
    array([0.5])
    """
    if weight == "triangular" and radius == "global":
        raise DataError("a triangular weight needs a radius; 'global' has none: choose another")
    if len(X_cheap) > _BLOCK_ROWS:
        options = {"metric": metric, "radius": radius, "weight": weight}
        given = {"lengthscales": lengthscales, "categorical": categorical, **options}
        parts = [
            trust_in(X_cheap[rows], X_top, alpha, **given)  # type: ignore[arg-type]
            for rows in blocks(len(X_cheap), _BLOCK_ROWS)
        ]
        return _joined(parts)
    d = _mixed_distances(X_cheap, X_top, metric, lengthscales, list(categorical))
    nearest = d.min(axis=1)
    r = np.asarray(lookup(RADII, radius, "radius")(nearest), dtype=float)
    r = np.broadcast_to(r, nearest.shape)
    inside = (d <= r[:, None]) | (d == nearest[:, None])
    w = np.clip(lookup(NEIGHBOUR_WEIGHTS, weight, "weight")(d, alpha, r[:, None]), 0.0, 1.0)
    if np.isnan(r).any() or np.isnan(w).any():
        raise DataError("the radius or weight function gave NaN; it must give numbers")
    neighbours = inside.sum(axis=1)
    return Trust(1.0 - (w * inside).sum(axis=1) / neighbours, nearest, neighbours)


def _joined(parts: Sequence[Trust]) -> Trust:
    """Trust in the points of all parts."""
    return Trust(
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.nearest for part in parts]),
        np.concatenate([part.neighbours for part in parts]),
    )


def _mixed_distances(
    X_cheap: Array,
    X_top: Array,
    metric: str | Metric,
    lengthscales: Array | None,
    categorical: list[int],
) -> Array:
    """Distances by a metric of the numeric inputs, and Hamming's of the categorical ones."""
    if not categorical or metric == "hamming" or callable(metric):
        return _distances_between(X_cheap, X_top, metric, lengthscales)
    lookup(METRICS, metric, "metric")
    numeric = np.setdiff1d(np.arange(X_top.shape[1]), categorical)
    d: Array = cdist(X_cheap[:, categorical], X_top[:, categorical], "hamming")
    if not len(numeric):
        return d
    scales = None if lengthscales is None else lengthscales[numeric]
    return d + _distances_between(X_cheap[:, numeric], X_top[:, numeric], metric, scales)


def _distances_between(
    X_cheap: Array, X_top: Array, metric: str | Metric, lengthscales: Array | None
) -> Array:
    """Distances by a metric of which it is checked that it gives some."""
    if metric == "mahalanobis":
        if lengthscales is None:
            raise DataError("the mahalanobis metric needs lengthscales, which this model lacks")
        X_cheap, X_top = X_cheap / lengthscales, X_top / lengthscales
    d = np.asarray(lookup(METRICS, metric, "metric")(X_cheap, X_top), dtype=float)
    if d.shape != (len(X_cheap), len(X_top)) or not (d >= 0.0).all():
        raise DataError(
            f"the metric must give distances of at least zero of shape "
            f"({len(X_cheap)}, {len(X_top)}); it gave shape {d.shape}"
        )
    return d


def lookup(table: dict[str, F], chosen: str | F, what: str) -> F:
    """Find a function by name; a callable stands for itself."""
    if callable(chosen):
        return chosen
    if not isinstance(chosen, str) or chosen not in table:
        raise unknown(what, chosen, table, or_else=" or a function")
    return table[chosen]
