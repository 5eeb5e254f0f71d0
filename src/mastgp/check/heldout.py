"""Predictions of expensive points that the model has not seen.

Each expensive point shapes the discrepancy and the trust as well as the last GP, so the whole
pipeline is fitted again without it. The last GP's own leave-one-out would look too good.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Dataset
from ..errors import DataError, MastWarning, silenced
from ..gp.blends import Distribution, gathered
from ..gp.distributions import Normal
from ..models.estimator import MultiFidelityRegressor
from ..models.known import SharedFits
from ..progress import report
from .scores import coverage, rmse

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

#: With fewer expensive places than this each is left out in turn. Else they are left out in ten
#: groups.
TEN_FOLDS_FROM = 30


@dataclass(frozen=True)
class Fold:
    """Expensive observations to predict, and the data to predict them from.

    Attributes
    ----------
    rows : int array
        Rows of the most expensive fidelity that are held out.
    rest : Dataset
        All other observations, but for cheap ones at the same places.
    shared : SharedFits
        Fits to the rest, which models that are checked on the same folds share.
    """

    rows: Rows
    rest: Dataset
    shared: SharedFits = field(default_factory=SharedFits)


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
    log_density, probability, crps_values : arrays of shape (n,), optional
        Of the observed values: log of the predictive density, probability of less, and ranked
        probability score, where the predictive distribution is not the normal one.
    """

    y: Array
    mean: Array
    std: Array
    n_folds: int
    one_at_a_time: bool
    log_density: Array | None = None
    probability: Array | None = None
    crps_values: Array | None = None

    @classmethod
    def of(cls, data: Dataset, predicted: Distribution, folds: Sequence[Fold]) -> HeldOut:
        """What a predictive distribution says of held-out values."""
        y = data.top.y
        return cls(
            y,
            predicted.mean,
            np.sqrt(predicted.variance),
            len(folds),
            _one_at_a_time(data, folds),
            predicted.log_density(y),
            predicted.cdf(y),
            predicted.crps(y),
        )

    @property
    def _normal(self) -> Normal:
        return Normal(self.mean, self.std**2)

    @property
    def error(self) -> Array:
        """Predicted less observed."""
        return self.mean - self.y

    @property
    def rmse(self) -> float:
        """Root mean square error."""
        return rmse(self.error)

    @property
    def nlpd(self) -> float:
        """Mean negative log predictive density."""
        known = self.log_density
        return float(-np.mean(self._normal.log_density(self.y) if known is None else known))

    @property
    def crps(self) -> float:
        """Mean continuous ranked probability score, in the target's units."""
        known = self.crps_values
        return float(np.mean(self._normal.crps(self.y) if known is None else known))

    @property
    def coverage95(self) -> float:
        """Share of the observations inside their central 95 % interval."""
        known = self.probability
        return coverage(self._normal.cdf(self.y) if known is None else known, 0.95)


def check_table(checked: Mapping[str, HeldOut | None]) -> pd.DataFrame:
    """A table of held-out checks, one row per model that has one."""
    import pandas as pd

    columns = ["rmse", "nlpd", "crps", "coverage95"]
    return pd.DataFrame(
        [
            {"model": name, **{column: getattr(h, column) for column in columns}}
            for name, h in checked.items()
            if h is not None
        ],
        columns=["model", *columns],
    )


def held_out(
    model: MultiFidelityRegressor, folds: Sequence[Fold] | None = None, quick: bool = False
) -> HeldOut:
    """Predict each expensive point of a fitted model from all the other data.

    Parameters
    ----------
    model : fitted estimator
    folds : sequence of Fold, optional
        See :func:`folds_of`, the default.
    quick : bool
        Whether a closed form, which keeps the hyperparameters, is used where there is one. It is
        quicker by far, and somewhat too good. Otherwise everything is fitted again for each fold,
        unless the model can do without and be as honest.
    """
    if folds is None and model.held_out_ is not None:
        known: HeldOut = model.held_out_
        return known
    data = model.training_data_
    folds = folds_of(data) if folds is None else folds
    return HeldOut.of(data, predict_held_out(model, folds, quick), folds)


def predict_held_out(
    model: MultiFidelityRegressor, folds: Sequence[Fold], quick: bool = False
) -> Distribution:
    """Predictive distribution of each expensive observation, given all data outside its fold.

    Parameters
    ----------
    model, folds, quick
        As in :func:`held_out`.
    """
    without_refits = quick or model.leaves_out_honestly
    closed = model.leave_out([fold.rows for fold in folds]) if without_refits else None
    return _refitted(model, folds) if closed is None else closed


def _one_at_a_time(data: Dataset, folds: Sequence[Fold]) -> bool:
    return len(folds) == int(data.places(data.top).max()) + 1


def _refitted(model: MultiFidelityRegressor, folds: Sequence[Fold]) -> Distribution:
    """Predict each fold by a model that was fitted without it."""
    data = model.training_data_
    top, predicted = data.top, []
    for done, fold in enumerate(folds):
        report("checking on held-out points", done, len(folds))
        with silenced(MastWarning):
            refitted = model.refit(fold.rest, fold.shared)
        known = None if top.noise_var is None else top.noise_var[fold.rows]
        U = data.box.to_unit(top.X[fold.rows])
        predicted.append((fold.rows, refitted.observed_unit(U, known)))
    report("checking on held-out points", len(folds), len(folds))
    return gathered(predicted, len(top.y))


def folds_of(data: Dataset, at_most: int = TEN_FOLDS_FROM) -> list[Fold]:
    """What is held out in turn: single expensive places, or ten groups of many.

    Repeats of an input never end up on both sides. Cheap rows at held-out places are held out,
    too: where predictions are wanted, there are none.

    Parameters
    ----------
    data : Dataset
    at_most : int
        Largest number of folds.
    """
    top, place = data.top, data.places(data.top)
    n_places = int(place.max()) + 1
    if len(top.y) < 2:
        raise DataError(
            f"fidelity {top.name!r} has one point only: there is nothing to check predictions with"
        )
    if n_places < 2:
        raise DataError(
            f"all points of fidelity {top.name!r} are at one place: nothing can be left out"
        )
    order = np.random.default_rng(0).permutation(n_places)
    n_folds = n_places if n_places < TEN_FOLDS_FROM else 10
    parts = np.array_split(order, min(n_folds, at_most))
    groups = [np.flatnonzero(np.isin(place, part)) for part in parts]
    return [Fold(rows, data.without(data.at_places_of(rows))) for rows in groups]


def fold_numbers(folds: Sequence[Fold], n_rows: int) -> Rows:
    """Number of the fold that each expensive row is held out in."""
    numbers = np.empty(n_rows, dtype=np.intp)
    for number, fold in enumerate(folds):
        numbers[fold.rows] = number
    return numbers
