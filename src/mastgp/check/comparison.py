"""Models side by side: on points that none of them has seen, or on what each held out itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, listed
from ..models.estimator import MultiFidelityRegressor
from .heldout import HeldOut, held_out
from .scores import score

Array = NDArray[np.float64]

#: Scores of a comparison.
SCORES = ("rmse", "nlpd", "crps", "coverage95")
#: A difference of so many standard errors is taken for one.
CLEAR = 2.0


@dataclass(frozen=True, eq=False)
class Compared:
    """How good one model is on some points.

    Attributes
    ----------
    model : str
    scores : mapping
        rmse, nlpd, crps and coverage95.
    log_density : array of shape (n,)
        Of each observed value.
    places : array of shape (n, d + 1)
        Inputs and observed values, so that it is known whether points are the same.
    """

    model: str
    scores: Mapping[str, float]
    log_density: Array
    places: Array

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.log_density)

    def row(self) -> dict[str, Any]:
        """The same as plain data."""
        return {"model": self.model, "points": self.n_points, **self.scores}


def common_targets(models: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Targets that all models have, in the order of the first.

    Parameters
    ----------
    models : mapping of the name of a model to its models by target
    """
    first, *others = models.values()
    common = [target for target in first if all(target in other for other in others)]
    if not common:
        has = "; ".join(f"{name} has {listed(targets)}" for name, targets in models.items())
        raise DataError(f"the models have no target in common: {has}")
    return common


def on_points(name: str, model: MultiFidelityRegressor, X: Any, y: Array) -> Compared:
    """Score a model on observations that it has not seen."""
    predicted = model.predict_distribution(X, include_noise=True)
    scores = score(y, predicted)
    places = np.column_stack([np.arange(len(y)), y])
    return Compared(name, {k: scores[k] for k in SCORES}, predicted.log_density(y), places)


def on_held_out(name: str, model: MultiFidelityRegressor) -> Compared:
    """Score a model on the expensive points that it was checked on."""
    checked = held_out(model)
    scores = {k: float(getattr(checked, k)) for k in SCORES}
    places = np.column_stack([model.training_data_.top.X, checked.y])
    return Compared(name, scores, _log_density(checked), places)


def _log_density(checked: HeldOut) -> Array:
    if checked.log_density is not None:
        return checked.log_density
    z = checked.error / checked.std
    return np.asarray(-0.5 * z**2 - np.log(checked.std * np.sqrt(2.0 * np.pi)))


def same_points(compared: Sequence[Compared]) -> bool:
    """Whether all models were scored on the very same points."""
    first, *others = compared
    return all(np.array_equal(first.places, other.places) for other in others)


def verdicts(compared: Sequence[Compared]) -> list[str]:
    """Say of every model but the best how much worse it is, and whether that is clear.

    The best is the one with the highest mean log density of what was observed. A difference is
    clear if it is two standard errors or more, from point to point.

    Examples
    --------
    >>> places, nothing = np.zeros((4, 1)), dict.fromkeys(SCORES, 1.0)
    >>> a = Compared("a", nothing, np.array([1.0, 1.1, 0.9, 1.0]), places)
    >>> b = Compared("b", nothing, np.array([0.1, 0.0, 0.0, -0.1]), places)
    >>> verdicts([b, a])
    ['a is better than b: its log density is higher by 1.00 ± 0.06 per point.']
    """
    best = max(compared, key=lambda one: float(np.mean(one.log_density)))
    return [_verdict(best, other) for other in compared if other is not best]


def _verdict(best: Compared, other: Compared) -> str:
    with np.errstate(invalid="ignore"):
        gains = best.log_density - other.log_density
    gains = gains[np.isfinite(gains)]
    if len(gains) < 2:
        return f"{best.model} and {other.model} cannot be told apart: there are too few points."
    gain, error = float(np.mean(gains)), float(np.std(gains, ddof=1) / np.sqrt(len(gains)))
    much = f"{gain:.2f} ± {error:.2f} per point"
    if gain <= CLEAR * error:
        return (
            f"No clear difference between {best.model} and {other.model}: the log density of "
            f"{best.model} is higher by {much}."
        )
    return f"{best.model} is better than {other.model}: its log density is higher by {much}."
