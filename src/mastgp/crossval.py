"""Predictions of expensive points that the model has not seen.

Each expensive point shapes the discrepancy and the trust weights as well as the last GP, so the
whole pipeline is fitted again without it; the last GP's own leave-one-out would look too good.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .errors import DataError, MastWarning
from .estimator import Z95, MultiFidelityRegressor
from .progress import report

Array = NDArray[np.float64]

#: Up to this many expensive inputs each is left out alone; beyond, in ten groups.
LEAVE_ONE_OUT_UP_TO = 30


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
    """

    y: Array
    mean: Array
    std: Array
    n_folds: int
    one_at_a_time: bool

    @property
    def rmse(self) -> float:
        """Root mean square error."""
        return float(np.sqrt(np.mean((self.mean - self.y) ** 2)))

    @property
    def coverage95(self) -> float:
        """Share of the observations inside their 95 % interval."""
        return float(np.mean(np.abs(self.y - self.mean) <= Z95 * self.std))


def held_out(model: MultiFidelityRegressor) -> HeldOut:
    """Predict each expensive point of a fitted model from all the other data.

    Leave-one-out up to 30 expensive points, ten folds beyond.
    """
    data = model.training_data_
    top = data.top
    n = len(top.y)
    if n < 2:
        raise DataError(
            f"fidelity {top.name!r} has one point only: there is nothing to check predictions with"
        )
    folds, one_at_a_time = _folds(top.X)
    if len(folds) < 2:
        raise DataError(
            f"all points of fidelity {top.name!r} are at one place: nothing can be left out"
        )
    mean, var = np.empty(n), np.empty(n)
    for done, test in enumerate(folds):
        report("checking on held-out points", done, len(folds))
        keep = np.ones(n, dtype=bool)
        keep[test] = False
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MastWarning)
            refitted = model._refit(data.with_top(top.subset(keep)))
        mean[test], latent_var = refitted._predict_unit(data.box.to_unit(top.X[test]))
        known = None if top.noise_var is None else top.noise_var[test]
        var[test] = latent_var + (refitted.noise_var_ if known is None else known)
    report("checking on held-out points", len(folds), len(folds))
    return HeldOut(top.y, mean, np.sqrt(var), len(folds), one_at_a_time)


def _folds(X: Array) -> tuple[list[NDArray[np.intp]], bool]:
    """Groups of rows to leave out together, and whether each is a single place.

    Repeats of an input never end up on both sides. Rows are sorted by their inputs, so repeats
    are neighbours.
    """
    changes = (np.diff(X, axis=0) != 0.0).any(axis=1)
    place = np.concatenate([[0], np.cumsum(changes)])
    n_places = int(place[-1]) + 1
    order = np.random.default_rng(0).permutation(n_places)
    one_at_a_time = n_places <= LEAVE_ONE_OUT_UP_TO
    parts = np.array_split(order, n_places if one_at_a_time else 10)
    return [np.flatnonzero(np.isin(place, part)) for part in parts], one_at_a_time
