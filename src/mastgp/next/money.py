"""What runs cost, which fidelities are worth paying for, and when an expensive run is due."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Dataset
from ..data.fidelities import fidelity_name, positive_number
from ..errors import DataError, listed
from .outlook import Outlook
from .runs import level_of

Array = NDArray[np.float64]

#: Verdicts on a fidelity after which no money goes there.
USELESS = ("hurts", "makes no difference", "is neutral")
#: An expensive run is due when so many times its cost has been spent on cheap ones since the last.
DUE = 1.0
#: In a search for an optimum a cheap run must be worth so many times as much per cost as an
#: expensive one, because only what expensive runs find counts in the end.
MARGIN = 1.5
#: The last runs of a search begin when the money that is left pays for no more than this many
#: expensive ones. They may be made where the prediction is best.
LAST_RUNS = 4
#: A budget that is missed by rounding is kept.
_ROUNDING = 1e-9


def worth_most(gains: Mapping[int, float], prices: Sequence[float], top: int) -> int:
    """The fidelity that brings most per cost; cheap ones must win by a margin.

    >>> worth_most({0: 0.7, 1: 1.0}, [0.5, 1.0], top=1)
    1
    >>> worth_most({0: 0.8, 1: 1.0}, [0.5, 1.0], top=1)
    0
    """
    return max(gains, key=lambda i: gains[i] / prices[i] / (1.0 if i == top else MARGIN))


def costs_of(data: Dataset, costs: Mapping[Any, float] | None) -> list[float]:
    """Cost of one run of each fidelity, cheapest first as the model ranks them."""
    known = dict(data.ranking.costs)
    names = [fidelity.name for fidelity in data.fidelities]
    for label, cost in (costs or {}).items():
        name = fidelity_name(label)
        level_of(data, name)
        known[name] = positive_number(cost, f"the cost of {name!r}")
    if len(names) == 1:
        known.setdefault(names[0], 1.0)
    missing = [name for name in names if name not in known]
    if missing:
        raise DataError(f"the model does not know the cost of {listed(missing)}; give costs")
    return [known[name] for name in names]


def allowed_levels(model: Any, allow: Sequence[Any] | None) -> list[int]:
    """Numbers of the fidelities that may be suggested."""
    data: Dataset = model.training_data_
    if allow is None:
        useless = useless_fidelities(model)
        return [i for i, f in enumerate(data.fidelities) if f.name not in useless]
    if isinstance(allow, str):
        raise DataError(f"allow must be a list of fidelities, as [{allow!r}]")
    levels = sorted({level_of(data, fidelity_name(label)) for label in allow})
    if not levels:
        raise DataError("allow names no fidelity; leave it out to allow all")
    return levels


def affordable(
    levels: Sequence[int], prices: Sequence[float], budget: float | None, spent: float
) -> list[int]:
    """Fidelities of which one more run can be paid for.

    >>> affordable([0, 1], [0.1, 1.0], budget=2.0, spent=1.5)
    [0]
    """
    if budget is None:
        return list(levels)
    left = budget * (1.0 + _ROUNDING) - spent
    return [level for level in levels if prices[level] <= left]


def useless_fidelities(model: Any) -> set[str]:
    """Names of the fidelities that the model's verdict speaks against."""
    verdict = getattr(model, "verdict_", None)
    if verdict is None:
        return set()
    if verdict.together is not None and verdict.together.word in USELESS:
        return {entry.name for entry in verdict.fidelities}
    return {entry.name for entry in verdict.fidelities if entry.word in USELESS}


def spent_since_top(outlook: Outlook, prices: Sequence[float]) -> float:
    """Cost of the cheap runs since the last expensive one: in the data, then of those under way.

    The order of the runs is that of the rows which the user gave.
    """
    data, top = outlook.belief.data, outlook.belief.top
    last = int(data.top.rows.max(initial=-1))
    after = [int((fidelity.rows > last).sum()) for fidelity in data.cheaper]
    spent = float(np.dot(after, prices[:top]))
    for level in outlook.runs.levels.tolist():
        spent = 0.0 if level == top else spent + prices[level]
    return spent
