"""Which inputs matter: Sobol indices of the surrogate, with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.dataset import Dataset
from ...models.estimator import MultiFidelityRegressor

Array = NDArray[np.float64]

#: Points of the two samples that indices are made from: as many as the work allows.
MOST_POINTS, FEWEST_POINTS = 4096, 256
#: Kernel values that may be computed for all indices together.
_BUDGET = 4e8
#: Samples of the bootstrap.
_RESAMPLES = 200


@dataclass(frozen=True)
class Indices:
    """Sobol indices of the inputs, each of shape (d,).

    Attributes
    ----------
    first, total : arrays
        Share of the variance that an input explains alone, and with all its interactions.
    first_low, first_high, total_low, total_high : arrays
        Ends of their 95 % intervals, by a bootstrap of the sample.
    n : int
        Points of each of the two samples.
    """

    first: Array
    total: Array
    first_low: Array
    first_high: Array
    total_low: Array
    total_high: Array
    n: int


def sobol_indices(model: MultiFidelityRegressor, work: float = 0.0) -> Indices | None:
    """First-order and total Sobol indices of the predicted mean.

    Inputs are independent and uniform over the model's box; all levels of a category, and all whole
    numbers of a range, are equally probable.

    Parameters
    ----------
    model : fitted estimator
    work : float
        Kernel values that one prediction takes. With more of them the samples are smaller.

    Returns
    -------
    Indices or None
        None where the prediction is the same everywhere.
    """
    from scipy.stats import sobol_indices, uniform

    varying = np.flatnonzero(model.training_data_.box.varies)
    if not len(varying):
        return None

    def predicted(shares: Array) -> Array:
        return model.mean_unit(_inputs(model, varying, shares.T))[None]

    n = sample_size(len(varying), work)
    probe = predicted(np.random.default_rng(1).random((len(varying), 64)))
    if not np.ptp(probe) > 1e-9 * np.abs(probe).max():
        return None
    if len(varying) == 1:
        whole = _of_all(model, varying, np.ones(1))  # it explains everything
        return Indices(whole, whole, whole, whole, whole, whole, n)
    found = sobol_indices(func=predicted, n=n, dists=[uniform()] * len(varying), rng=0)
    spread = found.bootstrap(confidence_level=0.95, n_resamples=_RESAMPLES)
    first, total = spread.first_order.confidence_interval, spread.total_order.confidence_interval
    return Indices(
        first=_of_all(model, varying, found.first_order),
        total=_of_all(model, varying, found.total_order),
        first_low=_of_all(model, varying, first.low),
        first_high=_of_all(model, varying, first.high),
        total_low=_of_all(model, varying, total.low),
        total_high=_of_all(model, varying, total.high),
        n=n,
    )


def sample_size(d: int, work: float) -> int:
    """A power of two, as large as the work allows.

    >>> sample_size(3, 100.0), sample_size(10, 100_000.0)
    (4096, 256)
    """
    affordable = _BUDGET / (max(work, 1.0) * (d + 2))
    power = int(np.floor(np.log2(max(affordable, 1.0))))
    return int(np.clip(2**power, FEWEST_POINTS, MOST_POINTS))


def _inputs(model: MultiFidelityRegressor, varying: NDArray[np.intp], shares: Array) -> Array:
    """Unit-cube inputs from shares of each varying input's range; whole numbers stay whole."""
    data = model.training_data_
    full = np.full((len(shares), len(data.feature_names)), 0.5)
    full[:, varying] = shares
    X = values_at(data, full)
    for column in [*data.integers, *(category.column for category in data.categories)]:
        low, high = data.box.low[column], data.box.high[column]
        X[:, column] = np.clip(np.floor(low + full[:, column] * (high - low + 1.0)), low, high)
    return data.box.to_unit(X)


def values_at(data: Dataset, U: Array) -> Array:
    """Unit-cube inputs in the user's units, shape (n, d)."""
    X = data.box.low + U * data.box.widths
    columns = list(data.box.logs)
    low, high = data.box.low[columns], data.box.high[columns]
    X[:, columns] = low * (high / low) ** U[:, columns]
    return X


def _of_all(model: MultiFidelityRegressor, varying: NDArray[np.intp], values: Array) -> Array:
    """Indices of all inputs; those that never vary have none."""
    everything = np.zeros(len(model.training_data_.feature_names))
    everything[varying] = np.ravel(values)
    return everything


def uniform_inputs(model: MultiFidelityRegressor, n: int) -> Array:
    """Unit-cube points that fill the model's box evenly, shape (n, d); n is a power of two."""
    from scipy.stats import qmc

    d = len(model.training_data_.feature_names)
    shares = qmc.Sobol(d, rng=0).random(n)
    return _inputs(model, np.arange(d), shares)
