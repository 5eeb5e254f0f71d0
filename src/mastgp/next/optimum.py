"""The point of the best predicted response."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..data.box import Bounds
from ..data.dataset import Dataset
from ..errors import DataError, listed
from .limits import Limit, feasibility, limits_from
from .randomness import generator
from .search import best_in
from .space import Space
from .suggestions import primary_model, space_of

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

#: Limits must hold with at least this probability.
PROBABLE = math.log(0.5)
#: What breaking a limit costs, in spreads of the response for a factor of e in probability.
_PENALTY = 10.0


@dataclass(frozen=True)
class Optimum:
    """The point of the smallest or largest predicted response.

    Attributes
    ----------
    inputs : dict of input name to value
    mean : float
        Predicted response of the most expensive fidelity.
    interval : tuple of two floats
        Its central 95 % interval.
    best_observed : float
        The best expensive result that there is.
    feasible : float
        Probability that all limits hold there; 1 without limits.
    beyond : tuple of str
        Inputs in which the point lies outside the range of the expensive results.
    candidate : object, optional
        What a pool of candidates calls the point.
    """

    inputs: dict[str, Any]
    mean: float
    interval: tuple[float, float]
    best_observed: float
    feasible: float = 1.0
    beyond: tuple[str, ...] = ()
    candidate: Any = None


def optimum(
    model: Any,
    goal: str = "minimum",
    *,
    target: str | None = None,
    bounds: Bounds | None = None,
    constraints: Sequence[str] = (),
    limits: Sequence[str] | None = None,
    candidates: pd.DataFrame | None = None,
    random_state: Any = None,
) -> Optimum:
    """Find the point of the best predicted response, by gradients from many starts.

    The search stays in the range of the data, unless bounds say otherwise.

    Parameters
    ----------
    model : fitted estimator
    goal : {"minimum", "maximum"}
    target, bounds, constraints, limits, candidates, random_state
        As in :func:`mastgp.suggest`. Inputs without bounds stay in the range of their values in
        all rows. Limits must hold with a probability of one half.

    Examples
    --------
    >>> import numpy as np, mastgp
    >>> x = np.linspace(0, 1, 9)[:, None]
    >>> model = mastgp.fit({"runs": (x, (x[:, 0] - 0.3) ** 2 - 1.0)}, method="hf-only")
    >>> round(mastgp.optimum(model).inputs["x0"], 2)
    0.3
    """
    if goal not in ("minimum", "maximum"):
        raise DataError(f"unknown goal {goal!r}; use 'minimum' or 'maximum'")
    models, primary = primary_model(model, target)
    space = space_of(primary, bounds, constraints, candidates, inside_data=True)
    sign = 1.0 if goal == "minimum" else -1.0
    found = limits_from(limits or (), models)
    values = _values(primary, found, sign)
    rng = generator(random_state)
    near = _best_known(primary.training_data_, sign)
    u, label = best_in(values, space, rng, near)
    return _described(primary, space, u, found, sign, label)


def _values(model: Any, limits: Sequence[Limit], sign: float) -> Any:
    """What is maximised: the prediction, less a penalty where limits probably do not hold."""
    data: Dataset = model.training_data_
    feasible, scale = feasibility(limits, data), data.scale_of(data.top.y)

    def values(U: Array) -> Array:
        found: Array = -sign * model.mean_unit(U)
        if limits:
            found = found + _PENALTY * scale * np.minimum(feasible(U) - PROBABLE, 0.0)
        return found

    return values


def _best_known(data: Dataset, sign: float) -> Array:
    """Unit-cube inputs of the best expensive results."""
    return data.unit(data.top)[np.argsort(sign * data.top.y, kind="stable")[:4]]


def _described(
    model: Any, space: Space, u: Array, limits: Sequence[Limit], sign: float, label: Any
) -> Optimum:
    data: Dataset = model.training_data_
    U = u[None]
    low, high = model.predictive_unit(U).interval(0.95)
    probability = float(np.exp(feasibility(limits, data)(U))[0])
    if probability < 0.5:
        raise DataError(
            f"no point was found where {listed(limit.text for limit in limits)} probably holds"
        )
    return Optimum(
        space.inputs(u),
        float(model.mean_unit(U)[0]),
        (float(low[0]), float(high[0])),
        float(sign * (sign * data.top.y).min()),
        probability,
        tuple(_beyond(data, u)),
        label,
    )


def _beyond(data: Dataset, u: Array) -> list[str]:
    """Numeric inputs in which a point lies outside the range of the expensive results."""
    known = data.unit(data.top)
    categorical = {category.column for category in data.categories}
    outside = (u < known.min(axis=0) - 0.01) | (u > known.max(axis=0) + 0.01)
    return [
        name for i, name in enumerate(data.feature_names) if outside[i] and i not in categorical
    ]
