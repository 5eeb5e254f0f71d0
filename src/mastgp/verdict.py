"""Whether the cheap data helped: one sentence per fidelity, with its uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .crossval import held_out
from .data import TrainingData
from .errors import MastWarning
from .estimator import silenced
from .rivals import CoKriging

if TYPE_CHECKING:
    from .auto import Trial

Array = NDArray[np.float64]

#: Probability from which on a fidelity is said to help, or to hurt.
SURE = 0.9
#: Error that is worth speaking of: less of a change is neutral.
WORTH = 0.05
DRAWS = 2000


@dataclass(frozen=True)
class FidelityVerdict:
    """What one cheap fidelity is worth.

    Attributes
    ----------
    name : str
    word : {"helps", "is neutral", "hurts"}
    gain : float
        Share by which it reduces the held-out error; negative where it adds to it.
    low, high : float
        Ends of the gain's 90 % interval.
    sentence : str
    """

    name: str
    word: str
    gain: float
    low: float
    high: float
    sentence: str


@dataclass(frozen=True)
class Verdict:
    """Verdicts on all cheap fidelities, cheapest first."""

    fidelities: tuple[FidelityVerdict, ...]

    def __str__(self) -> str:
        return "\n".join(entry.sentence for entry in self.fidelities)


def judge(given: TrainingData, used: TrainingData, trials: list[Trial]) -> Verdict:
    """Say of each cheap fidelity whether it helps.

    Parameters
    ----------
    given : TrainingData
        What the user gave.
    used : TrainingData
        The same without cheap rows that are copies of expensive ones.
    trials : list of Trial
        Candidates fitted to what was used.
    """
    present = {fidelity.name for fidelity in used.fidelities}
    return Verdict(
        tuple(
            _judge_one(fidelity.name, used, trials)
            if fidelity.name in present
            else _verdict(fidelity.name, used, None, "holds copies of the expensive rows only")
            for fidelity in given.cheaper
        )
    )


def _judge_one(name: str, data: TrainingData, trials: list[Trial]) -> FidelityVerdict:
    with_it = _best_errors([t for t in trials if t.candidate.fused])
    if len(data.cheaper) == 1:
        without = _best_errors([t for t in trials if not t.candidate.fused])
    else:
        without = _errors_without(name, data)
        with_it = _errors_of(_joint_models(data))
    if with_it is None or without is None:
        return _verdict(name, data, None, "cannot be judged: too few expensive points")
    return _verdict(name, data, _gains(with_it, without), "")


def _best_errors(trials: list[Trial]) -> Array | None:
    """Squared held-out errors of the blend of some trials; its weights are of other points."""
    from .auto import _held_out_blend

    blend = _held_out_blend(trials) if trials else None
    return None if blend is None else blend.error**2


def _joint_models(data: TrainingData) -> list[CoKriging]:
    """Two joint models that see all fidelities of `data`."""
    structures = ("autoregressive", "shared-bias") if data.cheaper else ("top-only",)
    with silenced(MastWarning):
        return [CoKriging(structure=s, warp=None)._fit_data(data) for s in structures]


def _errors_without(name: str, data: TrainingData) -> Array | None:
    return _errors_of(_joint_models(data.only(lambda fidelity: fidelity.name != name)))


def _errors_of(models: list[CoKriging]) -> Array | None:
    """Squared held-out errors of the mean of some models' predictions."""
    if len(np.unique(models[0].training_data_.top.X, axis=0)) < 2:
        return None
    checked = [held_out(model, quick=True) for model in models]
    return (np.mean([c.mean for c in checked], axis=0) - checked[0].y) ** 2


def _gains(with_it: Array, without: Array) -> Array:
    """Draws of 1 - error with / error without, by the Bayesian bootstrap over points."""
    usable = np.isfinite(with_it) & np.isfinite(without)
    shares = np.random.default_rng(0).dirichlet(np.ones(max(usable.sum(), 1)), DRAWS)
    tiny = np.finfo(float).tiny
    ratio = (shares @ with_it[usable] + tiny) / (shares @ without[usable] + tiny)
    return 1.0 - np.sqrt(ratio)


def _verdict(name: str, data: TrainingData, gains: Array | None, reason: str) -> FidelityVerdict:
    top = data.top.name
    if gains is None:
        sentence = f"{name}: is neutral; it {reason}."
        return FidelityVerdict(name, "is neutral", 0.0, 0.0, 0.0, sentence)
    gain, low, high = (float(v) for v in np.quantile(gains, [0.5, 0.05, 0.95]))
    if np.mean(gains > 0.0) >= SURE and gain > WORTH:
        word, what = "helps", f"reduces the error on {top} points by about {gain:.0%}"
    elif np.mean(gains < 0.0) >= SURE and gain < -WORTH:
        word, what = "hurts", f"would add about {-gain:.0%} to the error on {top} points"
    else:
        word, what = "is neutral", f"changes the error on {top} points by {-gain:+.0%}"
    sentence = (
        f"{name}: {word}; it {what} (90 % interval {low:+.0%} to {high:+.0%} gain, "
        f"from {len(data.top.y)} held-out points)."
    )
    return FidelityVerdict(name, word, gain, low, high, sentence)
