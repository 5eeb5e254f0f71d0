"""Which fidelity is worth how much: names, costs and trust exponents.

A fidelity's rank is its cost, never its position in a call or a file.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..errors import DataError, listed

#: Cost ratio assumed between neighbours when only an order is known.
ASSUMED_RATIO = 10.0


@dataclass(frozen=True)
class Ranking:
    """Fidelities from cheap to expensive.

    Attributes
    ----------
    names : tuple of str
        Cheapest first; the last is the one that predictions are made for.
    costs : dict of str to float
        Cost of one evaluation; empty where only exponents are known.
    exponents : dict of str to float
        Trust exponent alpha of every fidelity but the last.
    costs_assumed : bool
        Whether the costs are :data:`ASSUMED_RATIO` per step because only an order was given.
    """

    names: tuple[str, ...]
    costs: dict[str, float]
    exponents: dict[str, float]
    costs_assumed: bool = False

    @property
    def top(self) -> str:
        """The most expensive fidelity."""
        return self.names[-1]

    @property
    def cheaper(self) -> tuple[str, ...]:
        """All fidelities but the most expensive."""
        return self.names[:-1]


def fidelity_name(label: Any) -> str:
    """Turn a label into a name: text as it is, whole numbers without a decimal point.

    >>> fidelity_name(1.0), fidelity_name("fine")
    ('1', 'fine')
    """
    if is_missing(label):
        raise DataError("a fidelity label is missing (NaN or None); give every row a label")
    if isinstance(label, bool):
        return str(label)
    if isinstance(label, numbers.Integral):
        return str(int(label))
    if isinstance(label, numbers.Real) and float(label).is_integer():
        return str(int(float(label)))
    return str(label)


def is_missing(label: Any) -> bool:
    """Whether a label is None, NaN or one of pandas' own kinds of nothing."""
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(label, numbers.Real) and math.isnan(label)


def rank_fidelities(
    present: Iterable[str],
    costs: Mapping[Any, float] | None = None,
    order: Sequence[Any] | None = None,
    exponents: Mapping[Any, float] | None = None,
) -> Ranking:
    """Rank the fidelities of a data set.

    Parameters
    ----------
    present : iterable of str
        Names that occur in the data.
    costs : mapping of name to cost, optional
    order : sequence of names, cheapest first, optional
        Enough where costs are not known: a ratio of 10 per step is assumed.
    exponents : mapping of name to alpha, optional
        Trust exponents; those not given follow from the costs as log10(C_M / C_m) / 2.

    Examples
    --------
    >>> rank_fidelities(["fine", "coarse"], costs={"coarse": 1, "fine": 100}).exponents
    {'coarse': 1.0}
    """
    names = sorted(set(present))
    given_costs = _numbers_by_name(costs, "cost")
    given_exponents = _numbers_by_name(exponents, "exponent")
    ranked = None if order is None else [fidelity_name(label) for label in order]
    if len(names) == 1 and not given_costs and ranked is None:
        return Ranking((names[0],), {}, {})

    assumed = not given_costs and ranked is not None
    if ranked is not None:
        _check_same_names(names, ranked, "order")
        if assumed:
            given_costs = {name: ASSUMED_RATIO**i for i, name in enumerate(ranked)}
    if given_costs:
        _check_same_names(names, given_costs, "costs")
        by_cost = tuple(sorted(names, key=lambda name: given_costs[name]))
        _check_one_top(by_cost, given_costs)
        if ranked is not None:
            _check_order_agrees(ranked, given_costs)
    else:
        by_cost = _rank_by_exponents(names, given_exponents)

    unknown = set(given_exponents) - set(by_cost[:-1])
    if unknown:
        raise DataError(
            f"exponents names {listed(sorted(unknown))}, but only the cheaper fidelities have "
            f"one: {listed(by_cost[:-1])}"
        )
    alphas = {
        name: given_exponents.get(name, _exponent(given_costs, name, by_cost[-1]))
        for name in by_cost[:-1]
    }
    return Ranking(by_cost, given_costs, alphas, assumed)


def _exponent(costs: dict[str, float], name: str, top: str) -> float:
    """alpha_m = log10(C_M / C_m) / 2."""
    return (math.log10(costs[top]) - math.log10(costs[name])) / 2.0 if costs else math.nan


def _numbers_by_name(values: Mapping[Any, float] | None, what: str) -> dict[str, float]:
    if values is None:
        return {}
    checked: dict[str, float] = {}
    for label, value in mapping_items(values, f"{what}s"):
        name = fidelity_name(label)
        if name in checked:
            raise DataError(f"the {what} of fidelity {name!r} is given twice")
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise DataError(f"the {what} of fidelity {name!r} is {value!r}, not a number") from None
        if not (math.isfinite(number) and number > 0.0):
            raise DataError(f"the {what} of fidelity {name!r} is {number:g}; it must be above zero")
        checked[name] = number
    return checked


def mapping_items(values: Any, what: str) -> Iterable[tuple[Any, Any]]:
    """Items of a mapping of fidelity names, or an error that shows one."""
    if not hasattr(values, "items"):
        raise DataError(
            f'{what} must be a mapping of fidelity names, such as {{"fine": 10.0}}; '
            f"got {type(values).__name__}"
        )
    items: Iterable[tuple[Any, Any]] = values.items()
    return items


def _check_same_names(present: list[str], named: Iterable[str], what: str) -> None:
    named = list(named)
    if len(set(named)) < len(named):
        raise DataError(f"{what} names a fidelity twice: {listed(named)}")
    missing = sorted(set(present) - set(named))
    if missing:
        raise DataError(
            f"{what} says nothing of fidelity {listed(missing)}; it names {listed(named)}"
        )
    unknown = sorted(set(named) - set(present))
    if unknown:
        raise DataError(
            f"{what} names fidelity {listed(unknown)}, but there are no rows of it: the data "
            f"have {listed(present)}. Correct the name, or add the rows"
        )


def _check_one_top(by_cost: tuple[str, ...], costs: dict[str, float]) -> None:
    top = by_cost[-1]
    rivals = [name for name in by_cost[:-1] if costs[name] >= costs[top]]
    if rivals:
        raise DataError(
            f"fidelity {listed(rivals)} costs as much as {top!r} ({costs[top]:g}); the fidelity "
            "that predictions are made for must be the most expensive one: correct the costs"
        )


def _check_order_agrees(ranked: list[str], costs: dict[str, float]) -> None:
    for cheap, dear in pairwise(ranked):
        if costs[cheap] >= costs[dear]:
            raise DataError(
                f"order puts {cheap!r} below {dear!r}, but it costs {costs[cheap]:g} against "
                f"{costs[dear]:g}; correct the order or the costs"
            )


def _rank_by_exponents(names: list[str], exponents: dict[str, float]) -> tuple[str, ...]:
    tops = [name for name in names if name not in exponents]
    if len(tops) == 1:
        cheap = sorted(exponents, key=lambda name: (-exponents[name], name))
        return (*[name for name in cheap if name in names], tops[0])
    raise DataError(
        f"which of the fidelities {listed(names)} is the most expensive? Give their costs, or "
        f"their order from cheap to expensive: costs={{{names[0]!r}: 1, {names[-1]!r}: 10}} or "
        f"order={names!r} in Python, --cost {names[0]}=1 --cost {names[-1]}=10 or "
        f"--order {','.join(names)} on the command line"
    )
