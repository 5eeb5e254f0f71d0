"""Which run to pay for next, and at which fidelity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..data.box import Bounds
from ..errors import DataError, unknown
from ..estimators import check_is_fitted
from ..models.targets import models_of
from .beliefs import Belief
from .choosing import Chooser, Chosen, Goal
from .limits import Limit, limits_from
from .money import affordable, allowed_levels, costs_of
from .outlook import Outlook
from .randomness import generator
from .reasons import reason
from .runs import pending_runs, pool_of
from .space import Space

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Suggestion:
    """A run that is worth its cost.

    Attributes
    ----------
    inputs : dict of input name to value
    fidelity : str
    cost : float
    gain : float
        What the run is expected to bring. For accuracy it is the share of the mean variance of the
        expensive response that it removes. For a minimum or a maximum it is an improvement, in the
        target's unit.
    mean : float
        Predicted response of the most expensive fidelity there.
    interval : tuple of two floats
        The central 95 % interval of that response.
    reason : str
        Why this run, in one sentence.
    candidate : object, optional
        What the pool of candidates calls the point: its label in the DataFrame's index.
    """

    inputs: dict[str, Any]
    fidelity: str
    cost: float
    gain: float
    mean: float
    interval: tuple[float, float]
    reason: str
    candidate: Any = None


def suggest(
    model: Any,
    n: int = 1,
    goal: str | tuple[str, float] = "accuracy",
    *,
    target: str | None = None,
    costs: Mapping[Any, float] | None = None,
    pending: Sequence[tuple[Mapping[str, Any], Any]] | pd.DataFrame | None = None,
    bounds: Bounds | None = None,
    constraints: Sequence[str] = (),
    limits: Sequence[str | Limit] | None = None,
    success: Callable[[Array], Array] | None = None,
    allow: Sequence[Any] | None = None,
    candidates: pd.DataFrame | None = None,
    budget: float | None = None,
    last: bool = False,
    failed: Sequence[tuple[Mapping[str, Any], Any]] | pd.DataFrame | None = None,
    random_state: Any = None,
) -> list[Suggestion]:
    """Suggest the next runs: where, and at which fidelity.

    Parameters
    ----------
    model : fitted estimator
    n : int
        How many runs; they are chosen together, so that they do not crowd.
    goal : {"accuracy", "minimum", "maximum"} or ("target", value)
        A surrogate that is good everywhere; the smallest or the largest expensive response; or
        where the expensive response has a certain value.
    target : str, optional
        Which response the goal is about, for a model of several. The first by default.
    costs : mapping of fidelity name to cost, optional
        Of one run; by default those that the model was fitted with.
    pending : DataFrame or sequence of (inputs, fidelity), optional
        Runs that are under way. A DataFrame has a column for every input and one named
        ``fidelity``.
    bounds : array of shape (d, 2) or mapping of input name to (low, high), optional
        Where runs may be. By default in the box that the model was fitted with.
    constraints : sequence of str
        Linear constraints on the inputs, such as ``"a + 2*b <= 3"``.
    limits : sequence of str or Limit, optional
        Limits on targets of the same model, such as ``"stress <= 250"``, or limits with models of
        their own.
    success : function, optional
        Probability that a run succeeds at all, of unit-cube inputs of shape (n, d).
    allow : sequence of fidelity names, optional
        Fidelities that may be suggested. By default all but those of which the model's verdict
        says that they hurt or make no difference.
    candidates : DataFrame, optional
        The only points that may be suggested, with a column for every input, instead of bounds.
    budget : float, optional
        What all suggested runs together may cost.
    last : bool
        Whether no further runs will follow, in a search for the smallest or the largest response.
        They are then made where the prediction is best, if it is better than the best result and
        little more is expected elsewhere.
    failed : DataFrame or sequence of (inputs, fidelity), optional
        Runs of candidates that failed, like `pending`. They are not suggested again.
    random_state : int, Generator, RandomState or None
        Of the points that the search starts from. Without one, results are the same each time.

    Returns
    -------
    list of n Suggestion
        The most valuable for its cost first. Fewer where a pool or the budget has no more.

    Examples
    --------
    >>> import numpy as np, mastgp
    >>> x1, x2 = np.linspace(0, 1, 12)[:, None], np.linspace(0, 1, 5)[:, None]
    >>> tables = {"coarse": (x1, (x1[:, 0] - 0.3) ** 2 + 0.1), "fine": (x2, (x2[:, 0] - 0.4) ** 2)}
    >>> model = mastgp.fit(tables, costs={"coarse": 1, "fine": 10}, method="ar1")
    >>> (best,) = mastgp.suggest(model, goal="minimum")
    >>> bool(abs(best.inputs["x0"] - 0.4) < 0.05)
    True
    """
    if n < 1:
        raise DataError(f"n is {n}; ask for at least one suggestion")
    models, primary = primary_model(model, target)
    data, aim = primary.training_data_, Goal.of(goal)
    space = space_of(primary, bounds, constraints, candidates)
    prices, levels = costs_of(data, costs), allowed_levels(primary, allow)
    chooser = Chooser(
        aim,
        space,
        prices,
        levels,
        limits_from(limits or (), models),
        generator(random_state),
        success,
        last,
        pending_runs(primary, failed, "the failed runs"),
    )
    outlook = Outlook(Belief(primary), *pending_runs(primary, pending))
    found: list[Suggestion] = []
    for _ in range(n):
        chooser.levels = affordable(levels, prices, budget, sum(one.cost for one in found))
        chosen = chooser.choose(outlook) if chooser.levels else None
        if chosen is None:
            break
        found.append(_suggestion(primary, space, chosen, aim, prices))
        outlook = outlook.with_run(chosen.u, chosen.level)
    return found


def primary_model(model: Any, target: str | None) -> tuple[dict[str, Any], Any]:
    """All models by their targets, and the one that a goal is about."""
    check_is_fitted(model)
    models = models_of(model)
    if target is None:
        return models, next(iter(models.values()))
    if target not in models:
        raise unknown("target", target, models)
    return models, models[target]


def space_of(
    model: Any,
    bounds: Bounds | None,
    constraints: Sequence[str],
    candidates: pd.DataFrame | None,
    inside_data: bool = False,
) -> Space:
    """Where points may be: in a pool, or between bounds and constraints."""
    if candidates is None:
        return Space.of(model.training_data_, bounds, constraints, inside_data)
    if bounds is not None or len(constraints):
        raise DataError("give candidates, or bounds and constraints, not both")
    return Space.of_pool(model.training_data_, *pool_of(model, candidates))


def _suggestion(
    model: Any, space: Space, chosen: Chosen, goal: Goal, prices: Sequence[float]
) -> Suggestion:
    """What the user is told of a choice."""
    predicted = model.predictive_unit(chosen.u[None])
    low, high = predicted.interval(0.95)
    mean, interval = float(model.mean_unit(chosen.u[None])[0]), (float(low[0]), float(high[0]))
    return Suggestion(
        space.inputs(chosen.u),
        model.training_data_.fidelities[chosen.level].name,
        prices[chosen.level],
        chosen.gains[chosen.level],
        mean,
        interval,
        reason(model, chosen, goal, prices, mean, interval),
        chosen.candidate,
    )
