"""Whether the cheap data help: one sentence per fidelity, with its uncertainty.

The verdict compares held-out predictions that are in the table anyway, those of the models that
use the cheap data, with predictions that know nothing of the cheap rows. The latter are those of
the models of the expensive points alone, and those of the heaviest co-kriging models when they are
given the expensive rows only. Without these a model that is better for another reason, such as a
richer kernel, would speak for the cheap data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..check.heldout import predict_held_out
from ..check.validation import ALONE
from ..data.dataset import Dataset, Fidelity
from ..errors import MastWarning, silenced
from ..estimators import clone
from ..gp import GaussianProcess, target_scale
from ..gp.blends import Distribution, Transformed
from ..gp.distributions import Mixture
from ..gp.ensemble import ProcessEnsemble
from ..models.folds import fold_numbers, folds_of
from ..models.transformed import TransformedResponse
from ..progress import listening, report
from .trying import FAILURES, Trials, Tried
from .weights import weights_without_each

Array = NDArray[np.float64]

#: Probability from which on a fidelity is said to help, or to hurt.
SURE = 0.95
#: Probability from which on it is said to do so probably.
PROBABLE = 0.65
#: Change of the error that is worth speaking of.
WORTH = 0.05
#: A change makes no difference if its interval ends before these shares on either side.
HARDLY = 0.2
#: Errors of this share of the target's spread are as good as none.
NEGLIGIBLE = 0.02
#: Standard deviation of the log ratio of two errors from one point, beside the bootstrap's own.
LOG_RATIO_STD = 0.5
DRAWS = 2000
#: Fewer expensive places tell nothing.
FEWEST = 4
#: Models that also predict without the cheap rows.
HEAVIEST = 3
#: What all cheap fidelities together are called.
ALL_CHEAP = "all cheap data"


@dataclass(frozen=True)
class FidelityVerdict:
    """What one cheap fidelity is worth.

    Attributes
    ----------
    name : str
    word : str
        One of "helps", "hurts", "makes no difference", "undecided, probably helps", "undecided,
        probably hurts", "undecided" and "cannot be judged". Files of earlier versions also say
        "is neutral".
    gain : float
        Share by which it reduces the mean absolute error of held-out points; negative where it
        adds to it.
    low, high : float
        Ends of the gain's 90 % interval.
    sentence : str
    probability : float or None
        That it reduces the error; None where it cannot be judged, and in earlier files.
    """

    name: str
    word: str
    gain: float
    low: float
    high: float
    sentence: str
    probability: float | None = None


@dataclass(frozen=True)
class Verdict:
    """What the cheap data are worth.

    Attributes
    ----------
    fidelities : tuple of FidelityVerdict
        Each cheap fidelity's, cheapest first; where there are several, what it adds to the others.
    together : FidelityVerdict or None
        That of all cheap data, where there are several fidelities of them.
    """

    fidelities: tuple[FidelityVerdict, ...]
    together: FidelityVerdict | None = None

    @classmethod
    def of_entries(cls, entries: Sequence[FidelityVerdict], n_fidelities: int) -> Verdict:
        """Inverse of :attr:`entries`, for so many cheap fidelities, in any order."""
        if len(entries) == n_fidelities:
            return cls(tuple(entries))
        (together,) = (entry for entry in entries if entry.name == ALL_CHEAP)
        return cls(tuple(entry for entry in entries if entry is not together), together)

    @property
    def entries(self) -> tuple[FidelityVerdict, ...]:
        """All verdicts, that on everything together first."""
        return self.fidelities if self.together is None else (self.together, *self.fidelities)

    @property
    def hurting(self) -> frozenset[str]:
        """Names of the fidelities to leave out: those that hurt, or all if all together do."""
        if self.together is not None and self.together.word == "hurts":
            return frozenset(entry.name for entry in self.fidelities)
        return frozenset(entry.name for entry in self.fidelities if entry.word == "hurts")

    def __str__(self) -> str:
        return "\n".join(entry.sentence for entry in self.entries)


def judge(given: Dataset, trials: Trials) -> Verdict:
    """Say of each cheap fidelity whether it helps, and of all together.

    Parameters
    ----------
    given : Dataset
        What the user gave.
    trials : Trials
        The models that were tried on it, perhaps without cheap rows that are copies of expensive
        ones.
    """
    names = [fidelity.name for fidelity in trials.data.cheaper]
    together = _judge_all(trials, names[0] if len(names) == 1 else ALL_CHEAP)
    steps = len(given.cheaper)
    verdicts = []
    for done, fidelity in enumerate(given.cheaper):
        report("judging the cheap data", done, steps)
        verdicts.append(_judge_one(trials, fidelity.name, together))
    report("judging the cheap data", steps, steps)
    return Verdict(tuple(verdicts), together if len(names) > 1 else None)


def _judge_one(trials: Trials, name: str, together: FidelityVerdict) -> FidelityVerdict:
    """What one fidelity is worth, beside the others if there are any."""
    own = [fidelity for fidelity in trials.data.cheaper if fidelity.name == name]
    if not own:
        return _useless(name, "holds copies of the expensive rows only")
    if np.ptp(own[0].y) == 0.0:
        return _useless(name, "has the same response everywhere")
    if len(trials.data.cheaper) == 1:
        return together
    if together.word == "cannot be judged":
        return _unjudged(name, together.sentence.partition(". ")[2])
    return _judge_beside_others(trials, name)


def _judge_all(trials: Trials, name: str) -> FidelityVerdict:
    """What all cheap data are worth: models that use them against models that do not."""
    data = trials.data
    n_places = int(data.places(data.top).max()) + 1
    if n_places < FEWEST:
        where = f"points at {FEWEST} places, and there are {n_places}"
        return _unjudged(name, f"That takes {data.top.name} {where}.")
    fused = [entry.predicted for entry in trials.tried if entry.model.uses_cheap_data]
    others = [entry.predicted for entry in trials.tried if not entry.model.uses_cheap_data]
    if not fused or not others:
        return _unjudged(name, "The models could not be fitted.")
    others += [_without_rows(entry, trials, _is_cheap) for entry in _heaviest(trials)[:HEAVIEST]]
    gains = _gains(_errors(fused, trials), _errors(others, trials), data.top.y)
    return _verdict(name, data, gains, may_help=_blend_beats_alone(trials))


def _judge_beside_others(trials: Trials, name: str) -> FidelityVerdict:
    """What a fidelity adds to the others: the heaviest model against the same one without it."""
    data, said = trials.data, f"{name}, beside the other cheap data"
    heaviest = next(iter(_heaviest(trials)), None)
    if heaviest is None:
        return _unjudged(name, "The models could not be fitted.")
    without = _without_rows(heaviest, trials, lambda fidelity, _: fidelity.name == name)
    if without is None:
        without = _refitted_without(heaviest, data, name)
    if without is None:
        return _unjudged(name, "The models could not be fitted without it.")
    gains = _gains(_errors([heaviest.predicted], trials), _errors([without], trials), data.top.y)
    return _verdict(name, data, gains, said)


def _heaviest(trials: Trials) -> list[Tried]:
    """Models of ours that use the cheap data, largest weight first.

    Models of the user's are passed over: they may take minutes for every fold.
    """
    ranked = sorted(zip(trials.weights(), trials.tried, strict=True), key=lambda pair: -pair[0])
    return [t for _, t in ranked if t.model.uses_cheap_data and not t.added]


def _is_cheap(fidelity: Fidelity, data: Dataset) -> bool:
    return fidelity is not data.top


def _without_rows(
    entry: Tried, trials: Trials, leave: Callable[[Fidelity, Dataset], bool]
) -> Distribution | None:
    """Held-out predictions of a model that is not given the rows of some fidelities.

    Its draws of the hyperparameters and their weights are the same as with these rows, so that the
    rows make all the difference. None where a model has no draws.
    """
    if isinstance(entry.model, TransformedResponse) and isinstance(entry.predicted, Transformed):
        inner = replace(entry, model=entry.model.estimator_, predicted=entry.predicted.inner)
        without = _without_rows(inner, trials, leave)
        assert without is None or isinstance(without, Mixture)
        return None if without is None else Transformed(without, entry.predicted.response)
    posterior = getattr(entry.model, "posterior_", None)
    if not isinstance(posterior, ProcessEnsemble) or not isinstance(entry.predicted, Mixture):
        return None
    data = trials.data
    kept = np.concatenate([np.full(len(f.y), not leave(f, data)) for f in data.fidelities])
    rows = np.flatnonzero(kept)
    folds = [_positions(data, fold.rows, kept) for fold in trials.folds]
    n_top = len(data.top.y)
    moments = [_left_out(process.given(rows), folds) for process in posterior.processes]
    means, variances = (np.array(part)[:, -n_top:] for part in zip(*moments, strict=True))
    return Mixture(entry.predicted.weights, means, variances)


def _left_out(process: GaussianProcess, folds: Sequence[NDArray[np.intp]]) -> tuple[Array, Array]:
    """Mean and variance of each fold's rows; much quicker where every fold is one row."""
    if all(len(fold) == 1 for fold in folds):
        return process.leave_one_out()
    return process.leave_out(folds)


def _positions(data: Dataset, fold: NDArray[np.intp], kept: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Where the rows at a fold's places are among the rows that are kept."""
    return np.flatnonzero(np.concatenate(data.at_places_of(fold))[kept])


def _refitted_without(entry: Tried, data: Dataset, name: str) -> Distribution | None:
    """Held-out predictions of a model that was fitted without a fidelity; None if it cannot be."""
    others = data.only(lambda fidelity: fidelity.name != name)
    try:
        with silenced(MastWarning), listening(None):
            return predict_held_out(clone(entry.model).fit_data(others), folds_of(others))
    except FAILURES:
        return None


def _errors(members: Sequence[Distribution | None], trials: Trials) -> Array:
    """Absolute held-out errors of a blend, with weights from the other folds' points."""
    y = trials.data.top.y
    known = [member for member in members if member is not None]
    densities = np.column_stack([member.log_density(y) for member in known])
    weights = weights_without_each(densities, fold_numbers(trials.folds, len(y)))
    means = np.column_stack([member.mean for member in known])
    return np.abs(np.sum(weights * means, axis=1) - y)


def _blend_beats_alone(trials: Trials) -> bool:
    """Whether the table shows the blend with a smaller error than the expensive points alone."""
    alone = next((t.checked for t in trials.tried if t.name == ALONE), None)
    blend = _errors([entry.predicted for entry in trials.tried], trials)
    return alone is None or not np.mean(blend**2) > np.mean(alone.error**2)


def _gains(with_it: Array, without: Array, y: Array) -> Array:
    """Draws of 1 - mean absolute error with / mean absolute error without.

    The points are drawn by the Bayesian bootstrap. That alone is far too sure: with cheap data that
    say nothing the log ratio of the two errors still varies by about one over the root of the
    number of points, and the bootstrap knows of half of that (docs/notes/auto.md). Errors well
    below a fiftieth of the target's spread count as none: there the models differ in their noise
    only.
    """
    usable = np.isfinite(with_it) & np.isfinite(without)
    n = int(usable.sum())
    if n == 0:
        return np.zeros(1)
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(n), DRAWS)
    noise = np.exp(LOG_RATIO_STD * rng.standard_normal(DRAWS) / np.sqrt(n))
    least = NEGLIGIBLE * target_scale(y)
    return 1.0 - (noise * (shares @ with_it[usable]) + least) / (shares @ without[usable] + least)


def _unjudged(name: str, reason: str) -> FidelityVerdict:
    sentence = f"{name}: cannot be judged. {reason}"
    return FidelityVerdict(name, "cannot be judged", 0.0, 0.0, 0.0, sentence)


def _useless(name: str, reason: str) -> FidelityVerdict:
    sentence = f"{name}: makes no difference. It {reason}."
    return FidelityVerdict(name, "makes no difference", 0.0, 0.0, 0.0, sentence)


def _verdict(
    name: str, data: Dataset, gains: Array, said: str | None = None, may_help: bool = True
) -> FidelityVerdict:
    """The verdict that draws of the gain lead to.

    Parameters
    ----------
    name : str
    data : Dataset
    gains : array of draws
    said : str, optional
        What the sentence begins with instead of the name.
    may_help : bool
        Whether the word may be "helps".
    """
    gain, low, high = (float(v) for v in np.quantile(gains, [0.5, 0.05, 0.95]))
    helps = float(np.mean(gains > 0.0))
    word = _word(gain, low, high, helps, may_help)
    where = f"on {len(data.top.y)} held-out {data.top.name} points"
    interval = f"90 % interval {_percent(-high)} to {_percent(-low)}"
    sentence = f"{said or name}: {word}{_how_sure(word, helps)}. {_change(word, gain)} {where}"
    sentence += f" ({interval})."
    return FidelityVerdict(name, word, gain, low, high, sentence, helps)


def _word(gain: float, low: float, high: float, helps: float, may_help: bool) -> str:
    if helps >= SURE and gain > WORTH and may_help:
        return "helps"
    if helps <= 1.0 - SURE and gain < -WORTH:
        return "hurts"
    if abs(gain) <= WORTH and low > -HARDLY and high < HARDLY:
        return "makes no difference"
    if helps >= PROBABLE:
        return "undecided, probably helps"
    return "undecided, probably hurts" if helps <= 1.0 - PROBABLE else "undecided"


def _how_sure(word: str, helps: float) -> str:
    """Probability of an undecided verdict."""
    if not word.startswith("undecided"):
        return ""
    of_that = "" if "probably" in word else " that it helps"
    probability = 1.0 - helps if word.endswith("hurts") else helps
    return f" ({_percent(probability, sign='')}{of_that})"


def _change(word: str, gain: float) -> str:
    """What happens to the error, in words."""
    if word == "makes no difference":
        return "The error stays about the same"
    if word == "helps":
        return f"It lowers the error by about {_percent(gain, sign='')}"
    if word == "hurts":
        return f"It raises the error by about {_percent(-gain, sign='')}"
    return f"The error changes by about {_percent(-gain)}"


def _percent(share: float, sign: str = "+") -> str:
    """A share as a percentage; beyond tenfold its size says nothing."""
    return f"{100.0 * share:{sign}.0f} %" if share < 10.0 else "more than 1000 %"
