"""Where a study begins: points that fill the space, and how many of each fidelity.

Without constraints and without a pool the points are a Latin hypercube. Elsewhere they are those
of many allowed points that lie nearest to the centres of equal shares of them (k-means).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from .definition import Definition
from .inputs import Domain, Value

Array = NDArray[np.float64]
Point = dict[str, Value]

#: Share of the budget that the first design costs, and the most that it costs in expensive runs
#: per input, plus this many.
START_SHARE, RUNS_PER_INPUT, MORE_RUNS = 0.25, 1.0, 2
#: Expensive runs that a design has at least, if the budget allows.
FEWEST_RUNS = 3
#: Share of the design's cost that goes to the expensive fidelity.
EXPENSIVE_SHARE = 0.5
#: Cheap runs of one fidelity, per input, that are worth having at the start.
CHEAP_PER_INPUT = 10
#: Allowed points among which a design is chosen, and how many are tried to find them.
_CHOICES, _TRIES = 1024, 65_536
#: Latin hypercubes of which the one with the most distant points is taken.
_HYPERCUBES = 50


def sizes(definition: Definition, given: Mapping[str, int] | None = None) -> dict[str, int]:
    """How many runs of each fidelity a study begins with.

    Parameters
    ----------
    definition : Definition
    given : mapping of fidelity to int, optional
        Results that are there already; they are counted.
    """
    costs, top = definition.costs, definition.top
    d = len(definition.domain.names)
    wanted = RUNS_PER_INPUT * d + MORE_RUNS
    budget = math.inf if definition.budget is None else definition.budget
    affordable = START_SHARE * budget * (EXPENSIVE_SHARE if len(costs) > 1 else 1.0) / costs[top]
    fewest = int(min(FEWEST_RUNS, budget / costs[top]))
    expensive = max(math.ceil(min(wanted, affordable)), fewest)
    found = _cheap_sizes(definition, expensive, d) | {top: expensive}
    return {name: max(found[name] - (given or {}).get(name, 0), 0) for name in costs}


def _cheap_sizes(definition: Definition, expensive: int, d: int) -> dict[str, int]:
    """Cheap runs of a design: a share of what it costs, and never more than scouting allows.

    The less a cheap run saves, the less is spent to find out whether it helps.
    """
    costs, top = definition.costs, definition.top
    cheap = [name for name in costs if name != top]
    if not cheap:
        return {}
    money = expensive * costs[top] * (1.0 - EXPENSIVE_SHARE) / EXPENSIVE_SHARE
    if definition.budget is not None:
        money = min(money, definition.scouting * definition.budget)
    each = {name: money / len(cheap) * (1.0 - costs[name] / costs[top]) for name in cheap}
    return {name: min(int(each[name] / costs[name] + 1e-9), CHEAP_PER_INPUT * d) for name in cheap}


def shared_places(definition: Definition, wanted: Mapping[str, int], fidelity: str) -> int:
    """How many runs of a fidelity are made where expensive ones are, in a search for an optimum."""
    if fidelity == definition.top or definition.goal == "accuracy":
        return 0
    return min(wanted[fidelity], wanted[definition.top])


def interleaved(counts: Mapping[str, int]) -> list[str]:
    """Fidelities in an order in which every beginning has about the same shares of them.

    >>> interleaved({"panel": 4, "cfd": 2})
    ['panel', 'cfd', 'panel', 'panel', 'cfd', 'panel']
    """
    slots = [
        ((i + 0.5) / count, number, name)
        for number, (name, count) in enumerate(counts.items())
        for i in range(count)
    ]
    return [name for *_, name in sorted(slots)]


def fill_space(
    definition: Definition,
    n: int,
    rng: np.random.Generator,
    others: Sequence[Mapping[str, Any]] = (),
    pool: Sequence[Mapping[str, Value]] = (),
) -> list[Point]:
    """Points that fill the allowed part of the space, away from others.

    Parameters
    ----------
    definition : Definition
    n : int
    rng : Generator
    others : sequence of points
        Points that are there already.
    pool : sequence of points
        The only points that can be chosen, where it is not empty.
    """
    if n <= 0:
        return []
    if pool or definition.linear or others:
        choices = [dict(point) for point in pool] or allowed_points(definition, rng, _CHOICES)
        return spread(definition.domain, choices, n, rng, others)
    return [definition.domain.at(row) for row in _hypercube(definition.domain, n, rng)]


def allowed_points(definition: Definition, rng: np.random.Generator, n: int) -> list[Point]:
    """Random points that satisfy the constraints; an error if there are next to none."""
    found: list[Point] = []
    tried = 0
    while len(found) < n and tried < _TRIES:
        rows = rng.random((n, len(definition.domain.names)))
        points = [definition.domain.at(row) for row in rows]
        found += [point for point in points if definition.allows(point)]
        tried += n
    if not found:
        texts = "; ".join(one.text for one in definition.linear)
        raise DataError(f"none of {tried} random points satisfies the constraints: {texts}")
    return found[:n]


def spread(
    domain: Domain,
    choices: Sequence[Point],
    n: int,
    rng: np.random.Generator,
    others: Sequence[Mapping[str, Any]] = (),
) -> list[Point]:
    """Choose n of many points: those nearest to the centres of equal shares of them.

    Centres that others occupy are left out. What is missing then is filled up by the points that
    are farthest from all.
    """
    places = domain.apart(choices)
    taken = domain.apart(others)
    wanted = min(n, len(choices))
    centres = _centres(places, min(wanted + len(others), len(choices)), rng)
    free = _free(centres, taken)[:wanted]
    chosen: list[int] = []
    for centre in free:
        distance = ((places - centre) ** 2).sum(axis=1)
        distance[chosen] = np.inf
        chosen.append(int(distance.argmin()))
    while len(chosen) < wanted:
        chosen.append(_farthest(places, np.vstack([taken, places[chosen]]), chosen))
    return [choices[i] for i in chosen]


def _centres(places: Array, k: int, rng: np.random.Generator) -> Array:
    """Centres of k shares of some places: k-means, a few steps from random places."""
    centres = places[rng.permutation(len(places))[:k]].copy()
    for _ in range(10):
        nearest = _squares(places, centres).argmin(axis=1)
        for i in range(k):
            members = places[nearest == i]
            if len(members):
                centres[i] = members.mean(axis=0)
    return centres


def _free(centres: Array, taken: Array) -> Array:
    """The centres that lie farthest from taken places: all but as many as are taken."""
    if not len(taken):
        return centres
    order = np.argsort(-_squares(centres, taken).min(axis=1), kind="stable")
    return centres[order]


def _farthest(places: Array, taken: Array, chosen: Sequence[int]) -> int:
    distance = _squares(places, taken).min(axis=1)
    distance[list(chosen)] = -1.0
    return int(distance.argmax())


def _squares(first: Array, second: Array) -> Array:
    """Squared distances between the rows of two tables."""
    squares = (first**2).sum(axis=1)[:, None] + (second**2).sum(axis=1) - 2.0 * first @ second.T
    return np.maximum(squares, 0.0)


def _hypercube(domain: Domain, n: int, rng: np.random.Generator) -> Array:
    """Of several Latin hypercubes the one whose nearest points are farthest apart."""
    return max(
        (_one_hypercube(n, len(domain.names), rng) for _ in range(_HYPERCUBES)),
        key=_nearest_pair(domain),
    )


def _one_hypercube(n: int, d: int, rng: np.random.Generator) -> Array:
    ranks = np.column_stack([rng.permutation(n) for _ in range(d)])
    return (ranks + rng.random((n, d))) / n


def _nearest_pair(domain: Domain) -> Callable[[Array], float]:
    def smallest(U: Array) -> float:
        if len(U) < 2:
            return 0.0
        places = domain.apart([domain.at(row) for row in U])
        squares = _squares(places, places)
        np.fill_diagonal(squares, np.inf)
        return float(squares.min())

    return smallest
