"""Pools of which all cheap results are known: there they describe the candidates, as inputs do.

A process of all fidelities would have to model every cheap result, which takes long and tells
nothing about places where nothing can be run. So the search sees another study: its candidates have
the known results as further inputs, and the fidelities that have nothing left to find are gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .definition import Definition
from .inputs import Domain, Range, Value
from .store import Candidate, Proposal
from .trials import DONE, Trial

#: Results by the rows of a pool, by the names of the inputs that they become.
Known = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class View:
    """A study as the search sees it.

    Attributes
    ----------
    definition : Definition
    trials : list of Trial
    pool : list of Candidate
    """

    definition: Definition
    trials: list[Trial]
    pool: list[Candidate]

    def has_pool_of(self, other: View) -> bool:
        """Whether another view has the same inputs, fidelities and known results."""
        mine, others = self.definition, other.definition
        same = (mine.domain, mine.costs) == (others.domain, others.costs)
        return same and self.pool == other.pool


def described_by(pool: Sequence[Candidate], proposals: Sequence[Proposal]) -> list[Proposal]:
    """Proposals with the inputs that the candidates have in a pool."""
    return [
        one if one.candidate is None else replace(one, inputs=pool[one.candidate].inputs)
        for one in proposals
    ]


def informed(
    definition: Definition, trials: Sequence[Trial], pool: Sequence[Candidate]
) -> View | None:
    """The study with known results as inputs; None where no fidelity is known for a whole pool.

    For accuracy a model of all fidelities is what is wanted, so there is none. Nor is there one
    where an expensive result is of no candidate: nothing cheap is known there.
    """
    if definition.goal == "accuracy" or not pool:
        return None
    complete = _complete(definition, trials, pool)
    outside = any(t.fidelity == definition.top and t.candidate is None for t in trials)
    if not complete or outside:
        return None
    known = {
        _name(definition, fidelity, target): values
        for fidelity, found in complete.items()
        for target in definition.targets
        if len(set(values := [one[target] for one in found])) > 1
    }
    kept = [t for t in trials if t.fidelity not in complete and t.candidate is not None]
    spent = sum(t.spent for t in trials if t.fidelity in complete or t.candidate is None)
    return View(
        _changed(definition, complete, known, spent),
        [replace(t, inputs=_described(t.inputs, known, t.candidate)) for t in kept],
        [replace(one, inputs=_described(one.inputs, known, row)) for row, one in enumerate(pool)],
    )


def best_known(
    definition: Definition, trials: Sequence[Trial], pool: Sequence[Candidate], free: Sequence[int]
) -> int | None:
    """Of some rows the one with the best result of the best fidelity that is known for all."""
    complete = _complete(definition, trials, pool) if pool else {}
    if not complete or not free or definition.goal == "accuracy":
        return None
    found = list(complete.values())[-1]
    return min(free, key=lambda row: definition.loss(found[row][definition.target]))


def _complete(
    definition: Definition, trials: Sequence[Trial], pool: Sequence[Candidate]
) -> dict[str, list[Mapping[str, float]]]:
    """Results of the cheap fidelities that have one for every row of the pool.

    A candidate without a result of its own has that of another one with the same inputs.
    """
    places = [tuple(one.inputs.items()) for one in pool]
    found: dict[str, dict[Any, Mapping[str, float]]] = {name: {} for name in definition.costs}
    for trial in trials:
        if trial.status == DONE and trial.candidate is not None:
            found[trial.fidelity][trial.candidate] = trial.values
            found[trial.fidelity][places[trial.candidate]] = trial.values
    return {
        name: [known.get(row, known[place]) for row, place in enumerate(places)]
        for name, known in found.items()
        if name != definition.top and all(place in known for place in places)
    }


def _name(definition: Definition, fidelity: str, target: str) -> str:
    """Name of the input that a result becomes."""
    name = f"{fidelity} {target}"
    while name in definition.domain.inputs:
        name += "'"
    return name


def _changed(
    definition: Definition,
    complete: Mapping[str, Sequence[Mapping[str, float]]],
    known: Known,
    spent: float,
) -> Definition:
    """The definition with more inputs and fewer fidelities, and what is left of the money."""
    ranges = {name: Range(min(values), max(values)) for name, values in known.items()}
    return replace(
        definition,
        domain=Domain({**definition.domain.inputs, **ranges}),
        costs={name: c for name, c in definition.costs.items() if name not in complete},
        budget=None if definition.budget is None else definition.budget - spent,
    )


def _described(inputs: Mapping[str, Value], known: Known, row: int | None) -> dict[str, Value]:
    """Inputs of a candidate and what is known of it."""
    assert row is not None
    return {**inputs, **{name: values[row] for name, values in known.items()}}
