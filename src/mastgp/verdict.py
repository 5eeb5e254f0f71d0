"""Whether the cheap data helped: one sentence per fidelity, with its uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .crossval import HeldOut, folds_of, held_out
from .data import TrainingData
from .errors import MastWarning
from .estimator import MultiFidelityRegressor, silenced
from .progress import listening
from .weights import blend_weights

Array = NDArray[np.float64]

#: Probability from which on a fidelity is said to help, or to hurt.
SURE = 0.95
#: Error that is worth speaking of: less of a change is neutral.
WORTH = 0.05
DRAWS = 2000
#: Candidates of `auto` that are compared: plain ones that use the cheap data, and that do not.
FUSED = ("ar1", "shared-bias", "fire")
ALONE = ("expensive alone", "expensive alone, matern")


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


def judge(
    given: TrainingData, used: TrainingData, models: Mapping[str, MultiFidelityRegressor]
) -> Verdict:
    """Say of each cheap fidelity whether it helps.

    Parameters
    ----------
    given : TrainingData
        What the user gave.
    used : TrainingData
        The same without cheap rows that are copies of expensive ones.
    models : mapping of name to estimator
        Fitted to what was used; those of :data:`FUSED` and :data:`ALONE` are compared.
    """
    present = {fidelity.name for fidelity in used.fidelities}
    return Verdict(
        tuple(
            _judge_one(fidelity.name, used, models)
            if fidelity.name in present
            else _verdict(fidelity.name, used, None, "holds copies of the expensive rows only")
            for fidelity in given.cheaper
        )
    )


def _judge_one(
    name: str, data: TrainingData, models: Mapping[str, MultiFidelityRegressor]
) -> FidelityVerdict:
    """Compare models that differ in the fidelity and in nothing else.

    Everything is fitted again for each fold: with a closed form the model of more
    hyperparameters, the one with the cheap data, would look too good.
    """
    if len(np.unique(data.top.X, axis=0)) < 2:
        return _verdict(name, data, None, "cannot be judged: there are too few expensive points")
    with_it = [models[fused] for fused in FUSED]
    without = data.only(lambda fidelity: fidelity.name != name)
    without_it = (
        [clone(model)._fit_data(without) for model in with_it]
        if without.cheaper
        else [models[alone] for alone in ALONE]
    )
    gains = _gains(_errors(_checked(with_it)), _errors(_checked(without_it)))
    return _verdict(name, data, gains, "")


def _checked(models: list[MultiFidelityRegressor]) -> list[HeldOut]:
    """Held-out predictions of models, each fitted again for at most ten folds."""
    top = models[0].training_data_.top
    folds = folds_of(top.X, top.name, one_at_a_time_up_to=10)
    with silenced(MastWarning), listening(None):
        return [held_out(model, folds) for model in models]


def _errors(checked: list[HeldOut]) -> Array:
    """Squared errors of a blend, the weights at each point being from the others' errors."""
    errors = np.column_stack([c.error**2 for c in checked])
    means = np.column_stack([c.mean for c in checked])
    usable = np.all(np.isfinite(errors), axis=1)
    flat = np.zeros(len(checked))
    blended = [
        blend_weights(errors[usable & (np.arange(len(errors)) != i)], flat, draws=200) @ means[i]
        for i in range(len(errors))
    ]
    return (np.array(blended) - checked[0].y) ** 2


def _gains(with_it: Array, without: Array) -> Array:
    """Draws of 1 - error with / error without.

    The points are drawn by the Bayesian bootstrap. That alone is far too sure: with cheap data of
    pure noise the log ratio of two models' errors still varies by about one over the root of the
    number of points, which is added (docs/auto.md).
    """
    usable = np.isfinite(with_it) & np.isfinite(without)
    n = max(int(usable.sum()), 1)
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(n), DRAWS)
    least = np.finfo(float).tiny + 1e-12 * float(np.mean(without[usable]))
    ratio = (shares @ with_it[usable] + least) / (shares @ without[usable] + least)
    return 1.0 - np.exp(0.5 * np.log(ratio) + rng.standard_normal(DRAWS) / np.sqrt(n))


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
