"""Named fidelities: the observations of one, and the ranking of all by cost.

A fidelity's rank is its cost, never its position in a call or a file.
"""

from __future__ import annotations

import math
import numbers
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, listed, points

Array = NDArray[np.float64]

#: Cost ratio assumed between neighbours when only an order is known.
ASSUMED_RATIO = 10.0


@dataclass(frozen=True, eq=False)
class Fidelity:
    """Observations of one fidelity, in the user's units.

    Rows are kept in a canonical order, sorted by inputs and then by target. So results do not
    depend on the order in which the user's rows came. `rows` leads back to that order.

    Attributes
    ----------
    name : str
    X : array of shape (n, d)
    y : array of shape (n,)
    noise_var : array of shape (n,) or None
        Known noise variances, in the target's squared unit; None where they are to be learned.
    rows : int array of shape (n,)
        Position of each observation in the user's table.
    total : int or None
        Number of observations that there are, where these are a sample of them.
    stream : Stream or None
        All of them, block by block, where they are at hand and do not fit in memory.
    """

    name: str
    X: Array
    y: Array
    noise_var: Array | None
    rows: NDArray[np.intp]
    total: int | None = None
    stream: Any = None

    def __repr__(self) -> str:
        return f"<Fidelity {self.name!r}: {points(self.n_rows)}>"

    @property
    def n_rows(self) -> int:
        """Number of observations, in memory or not."""
        return len(self.y) if self.total is None else self.total

    def subset(self, keep: NDArray[np.bool_]) -> Fidelity:
        """Return the observations chosen by a mask of shape (n,), without those in a stream."""
        noise_var = None if self.noise_var is None else self.noise_var[keep]
        return Fidelity(self.name, self.X[keep], self.y[keep], noise_var, self.rows[keep])


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
    order_given : bool
        Whether an order was given, which then decides between fidelities of equal cost.
    """

    names: tuple[str, ...]
    costs: dict[str, float]
    exponents: dict[str, float]
    costs_assumed: bool = False
    order_given: bool = False

    @property
    def top(self) -> str:
        """The most expensive fidelity."""
        return self.names[-1]

    def tied(self, names: Iterable[str]) -> list[tuple[str, str]]:
        """Neighbours that only their names have ranked: nothing says which is the cheaper one."""
        if self.order_given:
            return []
        by = self.costs or {**self.exponents, self.top: -math.inf}
        return [(low, high) for low, high in pairwise(names) if by[low] == by[high]]

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
    return isinstance(label, numbers.Real) and bool(label != label)  # whole numbers may be huge


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
        Enough where costs are not known: a ratio of 10 per step is assumed. With costs it decides
        between fidelities of equal cost; without it their names do.
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
    ranked = None if order is None else _names_in(order)
    if len(names) == 1 and not given_costs and ranked is None:
        return Ranking((names[0],), {}, {})
    if ranked is not None:
        _check_same_names(names, ranked, "order")
    assumed = ranked is not None and not given_costs
    known_costs = _assumed_costs(ranked) if ranked is not None and assumed else given_costs
    if known_costs:
        by_cost = _rank_by_costs(names, known_costs, ranked)
    else:
        by_cost = _rank_by_exponents(names, given_exponents)
    alphas = _all_exponents(by_cost, known_costs, given_exponents)
    return Ranking(by_cost, known_costs, alphas, assumed, ranked is not None)


def _names_in(order: Sequence[Any]) -> list[str]:
    """Names of an order, which must be a list."""
    if isinstance(order, str) or not isinstance(order, Iterable):
        raise DataError(
            "order must be a list of fidelity names from cheap to expensive, such as "
            f'["coarse", "fine"]; got {order!r}'
        )
    return [fidelity_name(label) for label in order]


def _assumed_costs(ranked: Sequence[str]) -> dict[str, float]:
    return {name: ASSUMED_RATIO**i for i, name in enumerate(ranked)}


def _rank_by_costs(
    names: list[str], costs: dict[str, float], ranked: list[str] | None
) -> tuple[str, ...]:
    """Names from cheap to expensive; an order that was given must agree."""
    _check_same_names(names, costs, "costs")
    # Of equal costs an order decides, or else the names.
    by_cost = tuple(sorted(ranked or names, key=lambda name: costs[name]))
    _check_one_top(by_cost, costs)
    if ranked is not None:
        _check_order_agrees(ranked, costs)
    return by_cost


def _all_exponents(
    by_cost: tuple[str, ...], costs: dict[str, float], given: dict[str, float]
) -> dict[str, float]:
    """Trust exponents of the cheaper fidelities: given, or from the costs."""
    *cheaper, top = by_cost
    unknown = set(given) - set(cheaper)
    if unknown:
        raise DataError(
            f"exponents names {listed(sorted(unknown))}, but only the cheaper fidelities have "
            f"one: {listed(cheaper)}"
        )
    return {name: given.get(name, _exponent(costs, name, top)) for name in cheaper}


def _exponent(costs: dict[str, float], name: str, top: str) -> float:
    """alpha_m = log10(C_M / C_m) / 2."""
    return (math.log10(costs[top]) - math.log10(costs[name])) / 2.0 if costs else math.nan


def _numbers_by_name(values: Mapping[Any, float] | None, what: str) -> dict[str, float]:
    """Positive numbers by fidelity name, checked."""
    checked: dict[str, float] = {}
    for label, value in () if values is None else mapping_items(values, f"{what}s"):
        name = fidelity_name(label)
        if name in checked:
            raise DataError(f"the {what} of fidelity {name!r} is given twice")
        checked[name] = positive_number(value, f"the {what} of fidelity {name!r}")
    return checked


def positive_number(value: Any, what: str) -> float:
    """A finite number above zero, or an error that says what is none."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{what} is {reprlib.repr(value)}, not a number") from None
    if not (math.isfinite(number) and number > 0.0):
        raise DataError(f"{what} is {number:g}; it must be above zero")
    return number


def mapping_items(values: Any, what: str) -> Iterable[tuple[Any, Any]]:
    """Items of a mapping of fidelity names, or an error that shows one."""
    if not hasattr(values, "items"):
        raise DataError(
            f'{what} must be a mapping of fidelity names, such as {{"fine": 10.0}}; '
            f"got {type(values).__name__}"
        )
    items: Iterable[tuple[Any, Any]] = values.items()
    return items


def _hint(present: list[str]) -> str:
    """What to say besides, where all rows are of one fidelity."""
    if len(present) > 1:
        return ""
    return ". If a column names each row's fidelity, say which (--fidelity-column COLUMN)"


def _check_same_names(present: list[str], named: Iterable[str], what: str) -> None:
    named = list(named)
    if len(set(named)) < len(named):
        raise DataError(f"{what} names a fidelity twice: {listed(named)}")
    missing = sorted(set(present) - set(named))
    if missing:
        raise DataError(
            f"{what} says nothing of fidelity {listed(missing)}; it names {listed(named)}"
            + _hint(present)
        )
    unknown = sorted(set(named) - set(present))
    if unknown:
        raise DataError(
            f"{what} names fidelity {listed(unknown)}, but there are no rows of it: the data "
            f"have {listed(present)}. Correct the name, or add the rows"
        )


def _check_one_top(by_cost: tuple[str, ...], costs: dict[str, float]) -> None:
    top = by_cost[-1]
    others = [name for name in by_cost[:-1] if costs[name] >= costs[top]]
    if others:
        raise DataError(
            f"fidelity {listed(others)} costs as much as {top!r} ({costs[top]:g}); the fidelity "
            "that predictions are made for must be the most expensive one: correct the costs"
        )


def _check_order_agrees(ranked: list[str], costs: dict[str, float]) -> None:
    for cheap, dear in pairwise(ranked):
        if costs[cheap] > costs[dear]:
            raise DataError(
                f"order puts {cheap!r} below {dear!r}, but it costs {costs[cheap]:g} against "
                f"{costs[dear]:g}; correct the order or the costs"
            )


def _rank_by_exponents(names: list[str], exponents: dict[str, float]) -> tuple[str, ...]:
    tops = [name for name in names if name not in exponents]
    if len(tops) == 1:
        cheap = sorted(exponents, key=lambda name: (-exponents[name], name))
        return (*[name for name in cheap if name in names], tops[0])
    # Names in their order by the alphabet would look like an answer.
    costs = ",".join(f"{name}=..." for name in names)
    blanks = ",".join(["CHEAPEST", *["..."] * (len(names) > 2), "DEAREST"])
    raise DataError(
        f"which of the fidelities {listed(names)} is the most expensive? Give their costs in any "
        f"unit, or their names from cheap to expensive: --cost {costs} or --order {blanks} on the "
        f"command line, costs={{...}} or order=[...] in Python"
    )
