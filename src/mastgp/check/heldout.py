"""Predictions of expensive points that the model has not seen.

Each expensive point shapes the discrepancy and the trust weights as well as the last GP, so the
whole pipeline is fitted again without it; the last GP's own leave-one-out would look too good.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Dataset
from ..errors import DataError, MastWarning
from ..models.cokriging import CoKriging
from ..models.estimator import Z95, MultiFidelityRegressor, silenced
from ..progress import report

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Folds = Sequence[NDArray[np.intp]]

#: Fewer expensive places are left out one at a time; so many and more in ten groups.
TEN_FOLDS_FROM = 30


@dataclass(frozen=True)
class HeldOut:
    """Held-out predictions of the most expensive fidelity's observations.

    Attributes
    ----------
    y : array of shape (n,)
        Observed values, in the order of ``training_data_.top``.
    mean, std : arrays of shape (n,)
        Predictions without them; the standard deviation includes the observation's noise.
    n_folds : int
    one_at_a_time : bool
        Whether every fold was a single place, repeats of its inputs included.
    log_density, probability : arrays of shape (n,), optional
        Of the observed values: log of the predictive density, and probability of less, where the
        predictive distribution is not the normal one.
    """

    y: Array
    mean: Array
    std: Array
    n_folds: int
    one_at_a_time: bool
    log_density: Array | None = None
    probability: Array | None = None

    @property
    def error(self) -> Array:
        """Predicted less observed."""
        return self.mean - self.y

    @property
    def rmse(self) -> float:
        """Root mean square error."""
        return float(np.sqrt(np.mean(self.error**2)))

    @property
    def nlpd(self) -> float:
        """Mean negative log predictive density."""
        if self.log_density is not None:
            return float(-np.mean(self.log_density))
        z = self.error / self.std
        return float(np.mean(0.5 * z**2 + np.log(self.std)) + 0.5 * math.log(2.0 * math.pi))

    @property
    def coverage95(self) -> float:
        """Share of the observations inside their central 95 % interval."""
        if self.probability is not None:
            return float(np.mean(np.abs(self.probability - 0.5) <= 0.475))
        return float(np.mean(np.abs(self.error) <= Z95 * self.std))


def check_table(checked: Mapping[str, HeldOut | None]) -> pd.DataFrame:
    """A table of held-out checks, one row per model that has one."""
    import pandas as pd

    return pd.DataFrame(
        [
            {"model": name, "rmse": h.rmse, "nlpd": h.nlpd, "coverage95": h.coverage95}
            for name, h in checked.items()
            if h is not None
        ],
        columns=["model", "rmse", "nlpd", "coverage95"],
    )


def held_out(
    model: MultiFidelityRegressor, folds: Folds | None = None, quick: bool = False
) -> HeldOut:
    """Predict each expensive point of a fitted model from all the other data.

    Parameters
    ----------
    model : fitted estimator
    folds : sequence of index arrays, optional
        By default leave-one-out below 30 expensive places, ten folds from there on. Cheap rows at
        held-out places are held out, too.
    quick : bool
        Whether a closed form, which keeps the hyperparameters, is used where there is one: quicker
        by far, and somewhat too good. Otherwise everything is fitted again for each fold.
    """
    known: HeldOut | None = getattr(model, "held_out_", None)
    if known is not None and folds is None:
        return known
    top = model.training_data_.top
    folds = folds_of(top.X, top.name) if folds is None else folds
    closed = model._leave_out(folds) if quick else None
    mean, var = _refitted(model, folds) if closed is None else closed
    n_places = len(np.unique(top.X, axis=0))
    return HeldOut(top.y, mean, np.sqrt(var), len(folds), len(folds) == n_places)


def expensive_alone(data: Dataset) -> CoKriging:
    """The user's alternative: a GP of the most expensive fidelity's points, fitted."""
    with silenced(MastWarning):
        return CoKriging(structure="top-only", warp=None)._fit_data(data)


def _refitted(model: MultiFidelityRegressor, folds: Folds) -> tuple[Array, Array]:
    """Mean and variance of each fold by a model that was fitted without it."""
    data = model.training_data_
    top = data.top
    mean, var = np.empty(len(top.y)), np.empty(len(top.y))
    for done, test in enumerate(folds):
        report("checking on held-out points", done, len(folds))
        with silenced(MastWarning):
            refitted = model._refit(data.without(data.at_places_of(test)))
        mean[test], latent_var = refitted._predict_unit(data.box.to_unit(top.X[test]))
        known = None if top.noise_var is None else top.noise_var[test]
        var[test] = latent_var + (refitted.noise_var_ if known is None else known)
    report("checking on held-out points", len(folds), len(folds))
    return mean, var


def folds_of(X: Array, name: str, at_most: int = TEN_FOLDS_FROM) -> list[NDArray[np.intp]]:
    """Groups of a fidelity's rows to leave out together: single places, or ten groups of many.

    Where fewer are to do, the places are divided into `at_most` groups.

    Repeats of an input never end up on both sides. Rows are sorted by their inputs, so repeats
    are neighbours.
    """
    if len(X) < 2:
        raise DataError(
            f"fidelity {name!r} has one point only: there is nothing to check predictions with"
        )
    changes = (np.diff(X, axis=0) != 0.0).any(axis=1)
    place = np.concatenate([[0], np.cumsum(changes)])
    n_places = int(place[-1]) + 1
    if n_places < 2:
        raise DataError(
            f"all points of fidelity {name!r} are at one place: nothing can be left out"
        )
    order = np.random.default_rng(0).permutation(n_places)
    n_folds = n_places if n_places < TEN_FOLDS_FROM else 10
    parts = np.array_split(order, min(n_folds, at_most))
    return [np.flatnonzero(np.isin(place, part)) for part in parts]
