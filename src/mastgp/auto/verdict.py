"""Whether the cheap data helped: one sentence per fidelity, with its uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..check.heldout import Fold, fold_numbers, folds_of, held_out
from ..data.dataset import Dataset
from ..errors import MastError, MastWarning, silenced
from ..gp import target_scale
from ..models.cokriging import CoKriging
from ..models.estimator import MultiFidelityRegressor
from ..models.fire import FIRE
from ..models.known import Known
from ..models.single import SingleFidelity
from ..progress import listening, report
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
#: What all cheap fidelities together are called.
ALL_CHEAP = "all cheap data"
#: What may go wrong in a model, which then takes no part.
_FAILURES = (MastError, ArithmeticError, np.linalg.LinAlgError)


def fusing() -> list[MultiFidelityRegressor]:
    """Plain models that use the cheap data: quick ones, as they are fitted many times."""
    return [CoKriging(warp=None, inference="map"), FIRE()]


def ignoring() -> list[MultiFidelityRegressor]:
    """Plain models that do not."""
    matern = CoKriging(structure="top-only", kernel="matern52", warp=None, inference="map")
    return [SingleFidelity(), matern]


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

    @property
    def entries(self) -> tuple[FidelityVerdict, ...]:
        """All verdicts, that on everything together last."""
        return self.fidelities if self.together is None else (*self.fidelities, self.together)

    def __str__(self) -> str:
        return "\n".join(entry.sentence for entry in self.entries)


def judge(given: Dataset, used: Dataset) -> Verdict:
    """Say of each cheap fidelity whether it helps, and of all together.

    Parameters
    ----------
    given : Dataset
        What the user gave.
    used : Dataset
        The same without cheap rows that are copies of expensive ones.
    """
    comparison = Comparison(used)
    names = [fidelity.name for fidelity in used.cheaper]
    steps = len(given.cheaper) + (len(names) > 1)
    verdicts = []
    for done, fidelity in enumerate(given.cheaper):
        report("judging the cheap data", done, steps)
        verdicts.append(
            comparison.judge((fidelity.name,))
            if fidelity.name in names
            else _useless(fidelity.name, "holds copies of the expensive rows only")
        )
    together = comparison.judge(names) if len(names) > 1 else None
    report("judging the cheap data", steps, steps)
    return Verdict(tuple(verdicts), together)


class Comparison:
    """Models that use cheap fidelities against models that do not.

    Everything is fitted again for each fold: with a closed form the model of more hyperparameters,
    the one with the cheap data, would look too good.
    """

    def __init__(self, data: Dataset) -> None:
        self._data = data

    @cached_property
    def _errors_with(self) -> Array | None:
        """Squared errors with all the cheap data; None where nothing could be fitted."""
        fused = _fitted(fusing(), self._data)
        return _errors(fused) if fused else None

    def judge(self, names: Sequence[str]) -> FidelityVerdict:
        """Say what some cheap fidelities are worth, beside the others."""
        data = self._data
        of = names[0] if len(names) == 1 else ALL_CHEAP
        n_places = int(data.places(data.top).max()) + 1
        if n_places < FEWEST:
            where = f"points at {FEWEST} places, and there are {n_places}"
            return _unjudged(of, f"that takes {data.top.name} {where}")
        if all(np.ptp(f.y) == 0.0 for f in data.cheaper if f.name in names):
            return _useless(of, "has the same response everywhere")
        others = data.only(lambda fidelity: fidelity.name not in names)
        without = _fitted(fusing() if others.cheaper else ignoring(), others)
        without += _fitted(fusing(), _shuffled(data, names))
        if self._errors_with is None or not without:
            return _unjudged(of, "the models could not be fitted")
        gains = _gains(self._errors_with, _errors(without), data.top.y)
        return _verdict(of, data, gains, beyond_others=bool(others.cheaper))


def _fitted(
    models: Sequence[MultiFidelityRegressor], data: Dataset
) -> list[MultiFidelityRegressor]:
    """Fit models to the same data; those that cannot be fitted are left out."""
    fitted = []
    known = Known()
    for model in models:
        with silenced(MastWarning), listening(None), suppress(*_FAILURES):
            fitted.append(model.fit_data(data, known))
    return fitted


def _shuffled(data: Dataset, names: Sequence[str]) -> Dataset:
    """The same data, but with the targets of some fidelities in random order.

    Models of them are as flexible as those of the true data, and can learn nothing from it.
    """
    order = np.random.default_rng(0)
    return replace(
        data,
        fidelities=tuple(
            replace(f, y=order.permutation(f.y)) if f.name in names else f for f in data.fidelities
        ),
    )


def _errors(models: list[MultiFidelityRegressor]) -> Array:
    """Squared held-out errors of a blend, everything fitted again for a few folds.

    The weights at each point are from the densities at points of other folds.
    """
    folds: dict[int, list[Fold]] = {}
    for data in (model.training_data_ for model in models):
        if id(data) not in folds:
            folds[id(data)] = folds_of(data, at_most=FOLDS)
    with silenced(MastWarning), listening(None):
        checked = [held_out(model, folds[id(model.training_data_)]) for model in models]
    densities = np.column_stack([np.asarray(c.log_density) for c in checked])
    means = np.column_stack([c.mean for c in checked])
    groups = fold_numbers(next(iter(folds.values())), len(densities))
    blended = np.sum(weights_without_each(densities, groups) * means, axis=1)
    return (blended - checked[0].y) ** 2


def _gains(with_it: Array, without: Array, y: Array) -> Array:
    """Draws of 1 - error with / error without.

    The points are drawn by the Bayesian bootstrap. That alone is far too sure: with cheap data of
    pure noise the log ratio of two models' errors still varies by about one over the root of the
    number of points, which is added (docs/notes/auto.md). Errors well below a hundredth of the
    target's spread count as none: there the models differ in their noise only.
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


def _verdict(
    name: str, data: Dataset, gains: Array, beyond_others: bool = False
) -> FidelityVerdict:
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
    if beyond_others:
        what += ", the other cheap data given"
    sentence = (
        f"{name}: {word}; it {what} (90 % interval of the change {_change(high)} to "
        f"{_change(low)}, from {len(data.top.y)} held-out points)."
    )
    return FidelityVerdict(name, word, gain, low, high, sentence)


def _change(gain: float) -> str:
    """Change of the error that a gain means."""
    return f"{-gain:+.0%}" if gain > -10.0 else "over +1000%"
