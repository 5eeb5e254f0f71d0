"""Which trials a study asks for: first a design that fills the space, then a model's choices."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..data.categories import one_hot
from ..errors import MastError, MastWarning, silenced
from .beginning import first_runs, more_runs, rng_of
from .definition import Definition
from .failures import Failures
from .informed import described_by, informed
from .keeping import Models
from .modelling import can_be_modelled, points_frame
from .money import DUE, LAST_RUNS
from .store import Candidate, Proposal, budget_left
from .trials import DONE, FAILED, SUGGESTED, Trial

if TYPE_CHECKING:
    import pandas as pd

    from .limits import Limit
    from .suggestions import Suggestion

Array = NDArray[np.float64]


def propose(
    definition: Definition,
    trials: Sequence[Trial],
    pool: Sequence[Candidate],
    n: int,
    models: Models,
    allow: Collection[str] | None = None,
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
    allow : collection of str, optional
        Fidelities that may be asked for; all by default.
    """
    allowed = tuple(definition.costs) if allow is None else allow
    first = first_runs(definition, trials, pool, n, allowed)
    missing = n - len(first)
    if missing <= 0 or not _affordable(definition, trials, first):
        return first
    fill = partial(_filled, definition, trials, pool, missing, first, allowed)
    if not can_be_modelled(definition, trials):
        return first + fill()
    try:
        return first + _searched(definition, trials, pool, missing, models, first, allowed)
    except MastError:
        more = fill()
        if not more:
            raise
        return first + more


def _filled(
    definition: Definition,
    trials: Sequence[Trial],
    pool: Sequence[Candidate],
    n: int,
    found: Sequence[Proposal],
    allow: Collection[str],
) -> list[Proposal]:
    """Further expensive runs that fill the space, if they are allowed."""
    return more_runs(definition, trials, pool, n, found) if definition.top in allow else []


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


def _searched(
    definition: Definition,
    trials: Sequence[Trial],
    pool: Sequence[Candidate],
    n: int,
    models: Models,
    found: Sequence[Proposal],
    allow: Collection[str],
) -> list[Proposal]:
    """What the model suggests, which may see more inputs than the user."""
    view = informed(definition, trials, pool)
    if view is None:
        return _suggested(definition, trials, pool, n, models, found, allow)
    inside = [one for one in found if one.fidelity in view.definition.costs]
    suggested = _suggested(
        view.definition,
        view.trials,
        view.pool,
        n,
        models.for_view(view),
        described_by(view.pool, inside),
        allow,
    )
    return described_by(pool, suggested)


def _suggested(
    definition: Definition,
    trials: Sequence[Trial],
    pool: Sequence[Candidate],
    n: int,
    models: Models,
    found: Sequence[Proposal],
    allow: Collection[str],
) -> list[Proposal]:
    """What the model suggests, with runs under way taken into account."""
    model = models.extended(trials, definition.target)
    known = [fidelity.name for fidelity in model.training_data_.fidelities]
    proposals: list[Proposal] = []
    while len(proposals) < n:
        so_far = [*found, *proposals]
        paid = worth_paying(definition, trials, model, so_far)
        allowed = [name for name in paid if name in known and name in allow]
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


def _ends(definition: Definition, trials: Sequence[Trial], found: Sequence[Proposal]) -> bool:
    """Whether the last expensive runs of a search for an extreme value have begun."""
    if definition.goal not in ("minimum", "maximum"):
        return False
    left = _money(definition, trials, found, 1.0 - 1e-9)
    return left < LAST_RUNS * definition.costs[definition.top]


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
    failed = [(trial.inputs, trial.fidelity) for trial in trials if trial.status == FAILED]
    with silenced(MastWarning):
        return suggest(
            model,
            n,
            definition.goal if definition.level is None else ("target", definition.level),
            costs={name: definition.costs[name] for name in known},
            pending=_runs_frame(definition, pending, known),
            limits=_limits(definition, trials, models),
            allow=allowed,
            success=success(definition, trials),
            budget=_money(definition, trials, found),
            last=_ends(definition, trials, found),
            failed=_runs_frame(definition, failed, known),
            random_state=rng_of(definition, 2, len(trials), len(found)),
            **_where(definition, pool),
        )


def _runs_frame(
    definition: Definition, runs: Sequence[tuple[Mapping[str, Any], str]], known: Sequence[str]
) -> pd.DataFrame:
    """Runs of fidelities that a model knows, as a table."""
    runs = [run for run in runs if run[1] in known]
    frame = points_frame(definition, [inputs for inputs, _ in runs])
    frame["fidelity"] = [name for _, name in runs]
    return frame


def expected_gains(
    definition: Definition,
    trials: Sequence[Trial],
    pool: Sequence[Candidate],
    n: int,
    models: Models,
) -> list[float]:
    """What each of n further expensive runs is expected to bring, chosen now."""
    if (view := informed(definition, trials, pool)) is not None:
        definition, trials, pool = view.definition, view.trials, view.pool
        models = models.for_view(view)
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
