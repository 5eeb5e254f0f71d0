"""The first design of a study: expensive runs that fill the space, and cheap ones beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from .definition import Definition
from .design import Point, fill_space, interleaved, shared_places, sizes
from .informed import best_known
from .store import Candidate, Proposal
from .trials import DESIGNED, DONE, GIVEN, Trial


def rng_of(definition: Definition, *salt: int) -> np.random.Generator:
    """Random numbers of a study for a purpose, the same whenever they are asked for."""
    return np.random.default_rng([definition.random_state, *salt])


def first_runs(
    definition: Definition,
    trials: Sequence[Trial],
    pool: Sequence[Candidate],
    n: int,
    allow: Collection[str],
) -> list[Proposal]:
    """What is left of the first design, at most n of it, of the fidelities that are allowed."""
    given = Counter(t.fidelity for t in trials if t.origin == GIVEN and t.status == DONE)
    wanted = sizes(definition)
    handed_out = Counter(t.fidelity for t in trials if t.origin == DESIGNED)
    order = interleaved({name: max(wanted[name] - given[name], 0) for name in wanted})
    left = handed_out.copy()
    found: list[Proposal] = []
    for name in order:
        if left[name] > 0:
            left[name] -= 1
        elif len(found) < n and name in allow:
            found += _first(definition, trials, pool, name, wanted[name], found)
    return found


def _first(
    definition: Definition,
    trials: Sequence[Trial],
    pool: Sequence[Candidate],
    fidelity: str,
    size: int,
    found: Sequence[Proposal],
) -> list[Proposal]:
    """The next point of the first design of a fidelity; none where a pool has no more."""
    reason = f"one of {size} {fidelity} runs that fill the space before a model can be made"
    number = sum(t.fidelity == fidelity and t.origin == DESIGNED for t in trials)
    number += sum(one.fidelity == fidelity for one in found)
    if pool and (row := _told_most(definition, trials, pool, fidelity, number, found)) is not None:
        reason = f"one of {size} {fidelity} runs before a model can be made, by what is known"
        return [_designed((dict(pool[row].inputs), row), fidelity, reason)]
    if pool or any(trial.origin == GIVEN for trial in trials):
        places = _elsewhere(definition, trials, pool, 1, fidelity, found)
        return [_designed(place, fidelity, reason) for place in places]
    return [_designed((_planned(definition, fidelity, number), None), fidelity, reason)]


def _told_most(
    definition: Definition,
    trials: Sequence[Trial],
    pool: Sequence[Candidate],
    fidelity: str,
    number: int,
    found: Sequence[Proposal],
) -> int | None:
    """The candidate for a run of the first design by what is known of it, in a search.

    Where cheap results are known for all, every second expensive run is made where they are best.
    Otherwise the first cheap runs are made where expensive ones are, see :func:`_planned`.
    """
    free = _allowed(definition, pool, free_rows(pool, trials, fidelity, found))
    if fidelity == definition.top:
        return best_known(definition, trials, pool, free) if number % 2 == 0 else None
    if number >= shared_places(definition, sizes(definition), fidelity):
        return None
    expensive = [t.candidate for t in trials if t.fidelity == definition.top]
    expensive += [one.candidate for one in found if one.fidelity == definition.top]
    return next((row for row in expensive if row in free), None)


def _planned(definition: Definition, fidelity: str, number: int) -> Point:
    """A point of the first design by its number among those of a fidelity.

    The first cheap runs are made where expensive ones are: what both find at the same places says
    most about how well the cheap fidelity foretells the expensive one.
    """
    wanted = sizes(definition)
    paired = shared_places(definition, wanted, fidelity)
    if number < paired:
        return _planned(definition, definition.top, number)
    salt = list(definition.costs).index(fidelity)
    points = fill_space(definition, wanted[fidelity] - paired, rng_of(definition, 0, salt))
    return points[number - paired]


def _designed(place: tuple[Point, int | None], fidelity: str, reason: str) -> Proposal:
    return Proposal(place[0], fidelity, reason, DESIGNED, place[1], {})


def more_runs(
    definition: Definition,
    trials: Sequence[Trial],
    pool: Sequence[Candidate],
    n: int,
    found: Sequence[Proposal],
) -> list[Proposal]:
    """Further expensive runs that fill the space, where nothing better can be said."""
    reason = "fills the space: there are too few results for a model"
    places = _elsewhere(definition, trials, pool, n, definition.top, found)
    return [_designed(place, definition.top, reason) for place in places]


def _elsewhere(
    definition: Definition,
    trials: Sequence[Trial],
    pool: Sequence[Candidate],
    n: int,
    fidelity: str,
    found: Sequence[Proposal],
) -> list[tuple[Point, int | None]]:
    """Places that are far from those of the same fidelity; rows of the pool not yet run."""
    same = [t.inputs for t in trials if t.fidelity == fidelity]
    same += [one.inputs for one in found if one.fidelity == fidelity]
    rng = rng_of(definition, 1, len(trials), len(found))
    if not pool:
        return [(point, None) for point in fill_space(definition, n, rng, same)]
    free = _allowed(definition, pool, free_rows(pool, trials, fidelity, found))
    return _chosen(definition, pool, free, n, rng, same) if free else []


def _allowed(definition: Definition, pool: Sequence[Candidate], rows: Sequence[int]) -> list[int]:
    return [row for row in rows if definition.allows(pool[row].inputs)]


def _chosen(
    definition: Definition,
    pool: Sequence[Candidate],
    free: Sequence[int],
    n: int,
    rng: np.random.Generator,
    same: Sequence[Mapping[str, Any]],
) -> list[tuple[Point, int | None]]:
    """Rows of the pool that fill the space."""
    left = list(free)
    chosen: list[tuple[Point, int | None]] = []
    for point in fill_space(definition, n, rng, same, [pool[row].inputs for row in free]):
        row = next(row for row in left if pool[row].inputs == point)
        left.remove(row)
        chosen.append((point, row))
    return chosen


def free_rows(
    pool: Sequence[Candidate],
    trials: Sequence[Trial],
    fidelity: str,
    found: Sequence[Proposal] = (),
) -> list[int]:
    """Rows of the pool whose inputs have not been asked for, or told of, at a fidelity."""
    runs: list[Trial | Proposal] = [*trials, *found]
    taken = {
        tuple((one.inputs if one.candidate is None else pool[one.candidate].inputs).items())
        for one in runs
        if one.fidelity == fidelity
    }
    return [row for row, one in enumerate(pool) if tuple(one.inputs.items()) not in taken]
