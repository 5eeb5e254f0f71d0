"""Where a study stands: what was spent, what was found, how sure that is, and whether to go on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..check.validation import records, validate
from ..errors import DataError, MastError, MastWarning, silenced
from .asking import expected_gains
from .definition import Definition
from .modelling import can_be_modelled
from .trials import DONE, FAILED, GIVEN, Best, Trial

#: A :class:`mastgp.Study`, which itself asks this module.
Study = Any

#: Further expensive runs whose gain is estimated, at most.
MOST_RUNS = 8
#: A gain below this share of the spread of the expensive values is hardly worth going on.
SMALL_GAIN = 0.01
#: So is a removal of less than this share of the mean variance.
SMALL_REMOVAL = 0.05


@dataclass(frozen=True)
class Tally:
    """What was run of one fidelity.

    Attributes
    ----------
    fidelity : str
    cost : float
        Of one run.
    done, failed, open : int
        Trials.
    given : int
        Results from elsewhere, which are among those done or failed.
    spent : float
    """

    fidelity: str
    cost: float
    done: int
    failed: int
    open: int
    given: int
    spent: float


@dataclass(frozen=True)
class Check:
    """How accurate the surrogate is on expensive runs that it has not seen.

    Attributes
    ----------
    rmse : float
    share : float
        The same as a share of the standard deviation of the expensive values.
    coverage95 : float
        Share of the held-out values inside their 95 % intervals.
    """

    rmse: float
    share: float
    coverage95: float


@dataclass(frozen=True)
class Prospect:
    """What further expensive runs are expected to bring.

    Attributes
    ----------
    runs : int
        Number of expensive runs that were looked at.
    gain : float
        Expected improvement in the target's unit, or the share of the mean variance removed.
    worth_it : bool
    sentence : str
    """

    runs: int
    gain: float
    worth_it: bool
    sentence: str


@dataclass(frozen=True)
class Standing:
    """Where a study stands.

    Attributes
    ----------
    definition : Definition
    tallies : tuple of Tally
        Most expensive fidelity first.
    spent, promised : float
        Cost of runs that have ended, and of open trials.
    scouted : float
        Part of what was spent that went to cheap fidelities in the first design.
    best : Best or None
    check : Check or None
        None while there are too few results.
    verdict : tuple of str
        What the cheap fidelities are worth, in sentences.
    failures : str
        How many runs failed, and whether the place makes a difference.
    prospect : Prospect or None
    """

    definition: Definition
    tallies: tuple[Tally, ...]
    spent: float
    promised: float
    scouted: float
    best: Best | None
    check: Check | None
    verdict: tuple[str, ...]
    failures: str
    prospect: Prospect | None

    def facts(self) -> dict[str, Any]:
        """All of it as plain data, for JSON."""
        best, check, prospect = self.best, self.check, self.prospect
        return {
            "goal": self.definition.goal,
            "target": self.definition.target,
            "budget": self.definition.budget,
            "spent": self.spent,
            "promised": self.promised,
            "scouted": self.scouted,
            "fidelities": [vars(tally) for tally in self.tallies],
            "best": None if best is None else _plain_best(best),
            "held_out": None if check is None else {k: _finite(v) for k, v in vars(check).items()},
            "verdict": list(self.verdict),
            "failures": self.failures,
            "prospect": None if prospect is None else vars(prospect),
        }


def _plain_best(best: Best) -> dict[str, Any]:
    return {
        "inputs": dict(best.inputs),
        "value": best.value,
        "interval": [_finite(end) for end in best.interval],
        "observed": best.observed,
        "feasible": best.feasible,
        "trial": None if best.trial is None else best.trial.id,
        "notes": {} if best.trial is None else dict(best.trial.notes),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def standing_of(study: Study) -> Standing:
    """Where a study stands now; fits a model if there are results for one."""
    definition, trials = study.definition, study.trials()
    model = study.model() if can_be_modelled(definition, trials) else None
    return Standing(
        definition=definition,
        tallies=tuple(_tally(definition, trials, name) for name in list(definition.costs)[::-1]),
        spent=sum(trial.spent for trial in trials),
        promised=sum(trial.committed for trial in trials),
        scouted=sum(t.spent for t in trials if t.fidelity != definition.top and not t.predicted),
        best=_best(study),
        check=None if model is None else _check(model),
        verdict=_verdict(model),
        failures=_failures(definition, trials),
        prospect=None if model is None else prospect_of(study, trials),
    )


def _tally(definition: Definition, trials: Sequence[Trial], name: str) -> Tally:
    own = [trial for trial in trials if trial.fidelity == name]
    return Tally(
        name,
        definition.costs[name],
        sum(trial.status == DONE for trial in own),
        sum(trial.status == FAILED for trial in own),
        sum(trial.is_open for trial in own),
        sum(trial.origin == GIVEN for trial in own),
        sum(trial.spent for trial in own),
    )


def _best(study: Study) -> Best | None:
    try:
        return study.best()
    except DataError:
        return None


def _check(model: Any) -> Check | None:
    """The held-out check of a model."""
    with silenced(MastWarning):
        row = records(validate(model))[0]
    if row["rmse"] is None:
        return None
    spread = float(np.std(model.training_data_.top.y))
    covered = math.nan if row["coverage95"] is None else row["coverage95"]
    return Check(row["rmse"], row["rmse"] / spread if spread > 0.0 else math.nan, covered)


def _verdict(model: Any) -> tuple[str, ...]:
    verdict = getattr(model, "verdict_", None)
    return () if verdict is None else tuple(entry.sentence for entry in verdict.entries)


def _failures(definition: Definition, trials: Sequence[Trial]) -> str:
    """How many runs failed, and where."""
    from .asking import failures_of

    ended = [trial for trial in trials if not trial.is_open]
    failed = sum(trial.status == FAILED for trial in ended)
    if not failed:
        return ""
    sentence = f"{failed} of {len(ended)} runs failed"
    if failures_of(definition, trials).is_local:
        return f"{sentence}, and where they are run makes a difference: such places are avoided."
    return f"{sentence}, as far as can be seen regardless of where they are run."


def prospect_of(study: Study, trials: Sequence[Trial]) -> Prospect | None:
    """What the remaining budget is expected to bring, spent on expensive runs chosen now."""
    definition = study.definition
    cost = definition.costs[definition.top]
    affordable = MOST_RUNS if math.isinf(study.left) else int(study.left / cost + 1e-9)
    runs = min(affordable, MOST_RUNS)
    if definition.level is not None:
        return None
    if runs < 1:
        return Prospect(0, 0.0, False, "The budget is spent.")
    try:
        gains = expected_gains(definition, trials, study.store.candidates, runs, study.models)
    except MastError:
        return None
    if definition.goal == "accuracy":
        return _of_accuracy(definition, gains)
    return _of_optimum(definition, trials, gains)


def _of_accuracy(definition: Definition, gains: Sequence[float]) -> Prospect:
    removed = 1.0 - float(np.prod([1.0 - min(gain, 1.0) for gain in gains]))
    worth = removed >= SMALL_REMOVAL
    text = (
        f"{_runs(definition, len(gains))} expected to remove {removed:.0%} of the mean variance of "
        f"{definition.target}: {'go on' if worth else 'hardly worth going on'}."
    )
    return Prospect(len(gains), removed, worth, text)


def _of_optimum(
    definition: Definition, trials: Sequence[Trial], gains: Sequence[float]
) -> Prospect:
    total = float(np.sum(gains))
    values = [
        trial.values[definition.target]
        for trial in trials
        if trial.status == DONE and trial.fidelity == definition.top
    ]
    spread = float(np.ptp(values))
    worth = total >= SMALL_GAIN * spread
    text = (
        f"{_runs(definition, len(gains))} expected to improve {definition.target} by {total:.3g} "
        f"({total / spread if spread > 0.0 else 0.0:.1%} of the range of {definition.top} values): "
        f"{'go on' if worth else 'hardly worth going on'}."
    )
    return Prospect(len(gains), total, worth, text)


def _runs(definition: Definition, n: int) -> str:
    if n == 1:
        return f"One more {definition.top} run is"
    return f"{n} more {definition.top} runs are"
