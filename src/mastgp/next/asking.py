"""Which trials a study asks for: first a design that fills the space, then a model's choices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..data.categories import one_hot
from ..errors import MastError, MastWarning, silenced
from .definition import Definition
from .design import Point, fill_space, interleaved, shared_places, sizes
from .failures import Failures
from .keeping import Models
from .modelling import can_be_modelled, points_frame
from .money import DUE
from .store import Candidate, Proposal, budget_left
from .trials import DESIGNED, DONE, FAILED, GIVEN, SUGGESTED, Trial

if TYPE_CHECKING:
    from .limits import Limit
    from .suggestions import Suggestion

Array = NDArray[np.float64]


def propose(
    definition: Definition,
    trials: Sequence[Trial],
    pool: Sequence[Candidate],
    n: int,
    models: Models,
) -> list[Proposal]:
    """Trials to ask for, at most n; fewer where the budget or the pool ends.

    Parameters
    ----------
    definition : Definition
    trials : sequence of Trial
        All that there are.
    pool : sequence of Candidate
        The only places that can be chosen, where it is not empty.
    n : int
    models : Models
    """
    first = _design(definition, trials, pool, n)
    missing = n - len(first)
    if missing <= 0 or not _affordable(definition, trials, first):
        return first
    if not can_be_modelled(definition, trials):
        return first + _more(definition, trials, pool, missing, first)
    try:
        return first + _suggested(definition, trials, pool, missing, models, first)
    except MastError:
        more = _more(definition, trials, pool, missing, first)
        if not more:
            raise
        return first + more


def _rng(definition: Definition, *salt: int) -> np.random.Generator:
    return np.random.default_rng([definition.random_state, *salt])


def _design(
    definition: Definition, trials: Sequence[Trial], pool: Sequence[Candidate], n: int
) -> list[Proposal]:
    """What is left of the first design, at most n of it."""
    given = Counter(t.fidelity for t in trials if t.origin == GIVEN and t.status == DONE)
    wanted = sizes(definition)
    handed_out = Counter(t.fidelity for t in trials if t.origin == DESIGNED)
    order = interleaved({name: max(wanted[name] - given[name], 0) for name in wanted})
    left = handed_out.copy()
    found: list[Proposal] = []
    for name in order:
        if left[name] > 0:
            left[name] -= 1
        elif len(found) < n:
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
    if pool or any(trial.origin == GIVEN for trial in trials):
        places = _elsewhere(definition, trials, pool, 1, fidelity, found)
        return [_designed(place, fidelity, reason) for place in places]
    return [_designed((_planned(definition, fidelity, number), None), fidelity, reason)]


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
    points = fill_space(definition, wanted[fidelity] - paired, _rng(definition, 0, salt))
    return points[number - paired]


def _designed(place: tuple[Point, int | None], fidelity: str, reason: str) -> Proposal:
    return Proposal(place[0], fidelity, reason, DESIGNED, place[1], {})


def _more(
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
    rng = _rng(definition, 1, len(trials), len(found))
    if not pool:
        return [(point, None) for point in fill_space(definition, n, rng, same)]
    free = free_rows(pool, trials, fidelity, found)
    free = [row for row in free if definition.allows(pool[row].inputs)]
    return _chosen(definition, pool, free, n, rng, same) if free else []


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
    """Rows of the pool that have not been asked for, or told of, at a fidelity."""
    runs = [one for one in (*trials, *found) if one.fidelity == fidelity]
    taken = {one.candidate for one in runs}
    elsewhere = [one.inputs for one in runs if one.candidate is None]
    return [
        row for row in range(len(pool)) if row not in taken and pool[row].inputs not in elsewhere
    ]


def _affordable(
    definition: Definition, trials: Sequence[Trial], found: Sequence[Proposal] = ()
) -> list[str]:
    """Fidelities that can still be paid for.

    For an optimum a cheap run makes sense only if an expensive one can follow.
    """
    left = _money(definition, trials, found, 1.0 + 1e-9)
    reserve = 0.0 if definition.goal == "accuracy" else definition.costs[definition.top]
    return [
        name
        for name, cost in definition.costs.items()
        if cost + (0.0 if name == definition.top else reserve) <= left
    ]


def _money(
    definition: Definition, trials: Sequence[Trial], found: Sequence[Proposal], grace: float = 1.0
) -> float:
    """What is left of the budget, once proposals are paid for."""
    left = grace * budget_left(definition.budget, trials)
    return left - sum(definition.costs[one.fidelity] for one in found)


def _suggested(
    definition: Definition,
    trials: Sequence[Trial],
    pool: Sequence[Candidate],
    n: int,
    models: Models,
    found: Sequence[Proposal],
) -> list[Proposal]:
    """What the model suggests, with runs under way taken into account."""
    model = models.extended(trials, definition.target)
    known = [fidelity.name for fidelity in model.training_data_.fidelities]
    proposals: list[Proposal] = []
    while len(proposals) < n:
        so_far = [*found, *proposals]
        paid = worth_paying(definition, trials, model, so_far)
        allowed = [name for name in paid if name in known]
        if definition.top in allowed and _failures_use_up(definition, trials, so_far):
            allowed = [definition.top]
        wanted = _at_once(definition, trials, so_far, n - len(proposals))
        if not allowed or not (new := _suggestions(
            definition, trials, pool, wanted, models, so_far, allowed
        )):  # fmt: skip
            break
        proposals += [_proposal(definition, pool, one) for one in new]
    return proposals


def _failures_use_up(
    definition: Definition, trials: Sequence[Trial], found: Sequence[Proposal]
) -> bool:
    """Whether cheap runs, some of which failed, have cost an expensive one since the last of them.

    An expensive run is due then. A model knows of the results only, and would not see that.
    """
    if definition.goal == "accuracy" or any(one.fidelity == definition.top for one in found):
        return False
    since = [*takewhile(lambda trial: trial.fidelity != definition.top, reversed(trials))]
    spent = sum(trial.spent + trial.committed for trial in since)
    spent += sum(definition.costs[one.fidelity] for one in found)
    failed = any(trial.status == FAILED for trial in since)
    return failed and spent >= DUE * definition.costs[definition.top]


def _at_once(
    definition: Definition, trials: Sequence[Trial], found: Sequence[Proposal], n: int
) -> int:
    """How many suggestions can be made together: as many as can be paid for at the top.

    For accuracy it is all of them: each one may cost what the others leave.
    """
    if definition.goal == "accuracy":
        return n
    left = _money(definition, trials, found)
    each = definition.costs[definition.top]
    return n if left >= (n + 1) * each else max(1, min(n, int(left / each) - 1))


def _suggestions(
    definition: Definition,
    trials: Sequence[Trial],
    pool: Sequence[Candidate],
    n: int,
    models: Models,
    found: Sequence[Proposal],
    allowed: Sequence[str],
) -> list[Suggestion]:
    """Ask the model for runs of some fidelities."""
    from .suggestions import suggest

    model = models.extended(trials, definition.target)
    known = [fidelity.name for fidelity in model.training_data_.fidelities]
    pending = [(trial.inputs, trial.fidelity) for trial in trials if trial.is_open]
    pending += [(one.inputs, one.fidelity) for one in found]
    frame = points_frame(definition, [inputs for inputs, _ in pending])
    frame["fidelity"] = [name for _, name in pending]
    with silenced(MastWarning):
        return suggest(
            model,
            n,
            definition.goal if definition.level is None else ("target", definition.level),
            costs={name: definition.costs[name] for name in known},
            pending=frame[frame["fidelity"].isin(known)],
            limits=_limits(definition, trials, models),
            allow=allowed,
            success=success(definition, trials),
            budget=_money(definition, trials, found),
            random_state=_rng(definition, 2, len(trials), len(found)),
            **_where(definition, pool),
        )


def expected_gains(
    definition: Definition,
    trials: Sequence[Trial],
    pool: Sequence[Candidate],
    n: int,
    models: Models,
) -> list[float]:
    """What each of n further expensive runs is expected to bring, chosen now."""
    found = _suggestions(definition, trials, pool, n, models, (), [definition.top])
    return [suggestion.gain for suggestion in found]


def worth_paying(
    definition: Definition, trials: Sequence[Trial], model: Any, found: Sequence[Proposal] = ()
) -> list[str]:
    """Fidelities that can be paid for, without those of which the verdict says they are of no use.

    An expensive run that cannot be paid for ends a search for an optimum.
    """
    from .money import useless_fidelities

    useless = useless_fidelities(model)
    return [name for name in _affordable(definition, trials, found) if name not in useless]


def _limits(definition: Definition, trials: Sequence[Trial], models: Models) -> list[Limit]:
    """Limits of targets, each with the model of its target."""
    from .limits import Limit

    return [
        Limit(models.extended(trials, one.target), one.value, one.upper, one.text)
        for one in definition.limits
    ]


def _where(definition: Definition, pool: Sequence[Candidate]) -> dict[str, Any]:
    """Where the next run may be: in the pool, or wherever constraints allow."""
    if not pool:
        return {"constraints": [one.text for one in definition.linear]}
    rows = [row for row, one in enumerate(pool) if definition.allows(one.inputs)]
    frame = points_frame(definition, [pool[row].inputs for row in rows])
    return {"candidates": frame.set_axis(rows, axis=0)}


def failures_of(definition: Definition, trials: Sequence[Trial]) -> Failures:
    """Where runs fail, by all that have ended."""
    ended = [trial for trial in trials if trial.status in (DONE, FAILED)]
    places = definition.domain.apart([trial.inputs for trial in ended])
    return Failures.of(places, [trial.status == FAILED for trial in ended])


def success(definition: Definition, trials: Sequence[Trial]) -> Callable[[Array], Array] | None:
    """Probability that a run succeeds, by unit-cube inputs; None where no run has failed."""
    if not any(trial.status == FAILED for trial in trials):
        return None
    failures, categories = failures_of(definition, trials), definition.domain.categories

    def probability(U: Array) -> Array:
        return 1.0 - failures.probability(one_hot(U, categories))

    return probability


def _proposal(definition: Definition, pool: Sequence[Candidate], one: Any) -> Proposal:
    """A suggestion as a trial to ask for."""
    row = None if one.candidate is None else int(one.candidate)
    inputs = definition.domain.read(one.inputs if row is None else pool[row].inputs, "it")
    low, high = one.interval
    predicted = {"mean": one.mean, "low": low, "high": high, "gain": one.gain}
    finite = {name: float(value) for name, value in predicted.items() if np.isfinite(value)}
    return Proposal(inputs, one.fidelity, one.reason, SUGGESTED, row, finite)
