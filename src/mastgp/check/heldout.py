"""How good predictions are of expensive points that the model has not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Dataset
from ..gp.blends import Distribution
from ..gp.distributions import Normal
from ..models.calibration import standardised, widening_without_each
from ..models.estimator import MultiFidelityRegressor
from ..models.folds import Fold, fold_numbers, folds_of, predict_refitted
from .scores import coverage, prognosis, rmse

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]


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
    low, high : arrays of shape (n,), optional
        Ends of the central 95 % intervals, where they are not those of the normal distribution.
    """

    y: Array
    mean: Array
    std: Array
    n_folds: int
    one_at_a_time: bool
    log_density: Array | None = None
    probability: Array | None = None
    crps_values: Array | None = None
    low: Array | None = None
    high: Array | None = None

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
            *predicted.interval(0.95),
        )

    @property
    def _normal(self) -> Normal:
        return Normal(self.mean, self.std**2)

    @property
    def error(self) -> Array:
        """Predicted less observed."""
        return self.mean - self.y

    @property
    def interval95(self) -> tuple[Array, Array]:
        """Ends of the central 95 % intervals."""
        if self.low is None or self.high is None:
            return self._normal.interval(0.95)
        return self.low, self.high

    @property
    def rmse(self) -> float:
        """Root mean square error."""
        return rmse(self.error)

    @property
    def prognosis(self) -> float:
        """Coefficient of prognosis: the share of the variance that the predictions explain."""
        return prognosis(self.y, self.mean)

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
        return self.coverage(0.95)

    def coverage(self, share: float) -> float:
        """Share of the observations inside their central interval of the given share."""
        known = self.probability
        return coverage(self._normal.cdf(self.y) if known is None else known, share)


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
    if folds is None and (known := _kept(model)) is not None:
        return known
    data = model.training_data_
    folds = folds_of(data) if folds is None else folds
    return HeldOut.of(data, predict_held_out(model, folds, quick), folds)


def _kept(model: MultiFidelityRegressor) -> HeldOut | None:
    """Predictions of a check that was made before."""
    if model.held_out_ is not None or model.check_ is None:
        own: HeldOut | None = model.held_out_
        return own
    return HeldOut(**model.check_["held_out"])


def predict_held_out(
    model: MultiFidelityRegressor, folds: Sequence[Fold], quick: bool = False
) -> Distribution:
    """Predictive distribution of each expensive observation, given all data outside its fold.

    A calibrated model is fitted again for every fold. What it predicts of a fold is widened by the
    residuals of the other folds.

    Parameters
    ----------
    model, folds, quick
        As in :func:`held_out`.
    """
    if model.calibrate:
        return _calibrated(predict_refitted(model, folds), model.training_data_, folds)
    without_refits = quick or model.leaves_out_honestly
    closed = model.leave_out([fold.rows for fold in folds]) if without_refits else None
    return predict_refitted(model, folds) if closed is None else closed


def _calibrated(predicted: Distribution, data: Dataset, folds: Sequence[Fold]) -> Distribution:
    y = data.top.y
    return predicted.dilated(
        widening_without_each(standardised(predicted, y), fold_numbers(folds, len(y)))
    )


def _one_at_a_time(data: Dataset, folds: Sequence[Fold]) -> bool:
    return len(folds) == int(data.places(data.top).max()) + 1
