"""Whether the cheap data helped: one sentence per fidelity, with its uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .crossval import HeldOut, folds_of, held_out
from .data import TrainingData
from .errors import MastWarning
from .estimator import MultiFidelityRegressor, silenced
from .gp import target_scale
from .progress import listening, report
from .weights import weights_without_each

Array = NDArray[np.float64]

#: Probability from which on a fidelity is said to help, or to hurt.
SURE = 0.95
#: Error that is worth speaking of: less of a change is neutral.
WORTH = 0.05
#: Errors of this share of the target's spread are as good as none.
NEGLIGIBLE = 0.01
DRAWS = 2000
#: Folds of the comparison.
FOLDS = 6
#: Fewer expensive places tell nothing.
FEWEST = 4
#: Candidates of `auto` that are compared: plain ones that use the cheap data, and that do not.
FUSED = ("ar1", "fire")
ALONE = ("expensive alone", "expensive alone, matern")


@dataclass(frozen=True)
class FidelityVerdict:
    """What one cheap fidelity is worth.

    Attributes
    ----------
    name : str
    word : {"helps", "is neutral", "hurts", "cannot be judged"}
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
    verdicts = []
    for done, fidelity in enumerate(given.cheaper):
        report("judging the cheap data", done, len(given.cheaper))
        verdicts.append(
            _judge_one(fidelity.name, used, models)
            if fidelity.name in present
            else _useless(fidelity.name, "holds copies of the expensive rows only")
        )
    report("judging the cheap data", len(given.cheaper), len(given.cheaper))
    return Verdict(tuple(verdicts))


def _judge_one(
    name: str, data: TrainingData, models: Mapping[str, MultiFidelityRegressor]
) -> FidelityVerdict:
    """Compare models that use the fidelity with models that do not.

    Everything is fitted again for each fold: with a closed form the model of more
    hyperparameters, the one with the cheap data, would look too good.
    """
    n_places = len(np.unique(data.top.X, axis=0))
    if n_places < FEWEST:
        return _unjudged(
            name, f"that takes {data.top.name} points at {FEWEST} places, and there are {n_places}"
        )
    if np.ptp(next(f.y for f in data.cheaper if f.name == name)) == 0.0:
        return _useless(name, "has the same response everywhere")
    with_it = [models[fused] for fused in FUSED if fused in models]
    without = data.only(lambda fidelity: fidelity.name != name)
    with silenced(MastWarning), listening(None):
        without_it = (
            [clone(model)._fit_data(without) for model in with_it]
            if without.cheaper
            else [models[alone] for alone in ALONE if alone in models]
        )
        without_it += [clone(model)._fit_data(_shuffled(data, name)) for model in with_it]
    if not (with_it and without_it):
        return _unjudged(name, "the models could not be fitted")
    gains = _gains(_errors(_checked(with_it)), _errors(_checked(without_it)), data.top.y)
    return _verdict(name, data, gains)


def _shuffled(data: TrainingData, name: str) -> TrainingData:
    """The same data, but with the targets of a fidelity in random order.

    Models of them are as flexible as those of the true data, and can learn nothing from it.
    """
    order = np.random.default_rng(0)
    return replace(
        data,
        fidelities=tuple(
            replace(f, y=order.permutation(f.y)) if f.name == name else f for f in data.fidelities
        ),
    )


def _checked(models: list[MultiFidelityRegressor]) -> list[HeldOut]:
    """Held-out predictions of models, each fitted again for a few folds."""
    top = models[0].training_data_.top
    folds = folds_of(top.X, top.name, at_most=FOLDS)
    with silenced(MastWarning), listening(None):
        return [held_out(model, folds) for model in models]


def _errors(checked: list[HeldOut]) -> Array:
    """Squared errors of a blend, the weights at each point being from the others' errors."""
    errors = np.column_stack([c.error**2 for c in checked])
    means = np.column_stack([c.mean for c in checked])
    blended = [w @ m for w, m in zip(weights_without_each(errors), means, strict=True)]
    return (np.array(blended) - checked[0].y) ** 2


def _gains(with_it: Array, without: Array, y: Array) -> Array:
    """Draws of 1 - error with / error without.

    The points are drawn by the Bayesian bootstrap. That alone is far too sure: with cheap data of
    pure noise the log ratio of two models' errors still varies by about one over the root of the
    number of points, which is added (docs/auto.md). Errors well below a hundredth of the target's
    spread count as none: there the models differ in their noise only.
    """
    usable = np.isfinite(with_it) & np.isfinite(without)
    n = int(usable.sum())
    if n == 0:
        return np.zeros(1)
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(n), DRAWS)
    least = (NEGLIGIBLE * target_scale(y)) ** 2
    ratio = (shares @ with_it[usable] + least) / (shares @ without[usable] + least)
    return 1.0 - np.exp(0.5 * np.log(ratio) + rng.standard_normal(DRAWS) / np.sqrt(n))


def _unjudged(name: str, reason: str) -> FidelityVerdict:
    sentence = f"{name}: cannot be judged; {reason}."
    return FidelityVerdict(name, "cannot be judged", 0.0, 0.0, 0.0, sentence)


def _useless(name: str, reason: str) -> FidelityVerdict:
    return FidelityVerdict(name, "is neutral", 0.0, 0.0, 0.0, f"{name}: is neutral; it {reason}.")


def _verdict(name: str, data: TrainingData, gains: Array) -> FidelityVerdict:
    top = data.top.name
    gain, low, high = (float(v) for v in np.quantile(gains, [0.5, 0.05, 0.95]))
    if np.mean(gains > 0.0) >= SURE and gain > WORTH:
        word, what = "helps", f"lowers the error on {top} points by about {gain:.0%}"
    elif np.mean(gains < 0.0) >= SURE and gain < -WORTH:
        by = f"by about {-gain:.0%}" if gain > -10.0 else "more than tenfold"
        word, what = "hurts", f"would raise the error on {top} points {by}"
    elif abs(gain) <= WORTH:
        word, what = "is neutral", f"hardly changes the error on {top} points"
    else:
        word = "is neutral"
        what = (
            f"may change the error on {top} points, by about {_change(gain)}, but these points "
            "are too few to say"
        )
    sentence = (
        f"{name}: {word}; it {what} (90 % interval of the change {_change(high)} to "
        f"{_change(low)}, from {len(data.top.y)} held-out points)."
    )
    return FidelityVerdict(name, word, gain, low, high, sentence)


def _change(gain: float) -> str:
    """Change of the error that a gain means."""
    return f"{-gain:+.0%}" if gain > -10.0 else "over +1000%"
