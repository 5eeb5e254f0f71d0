"""Points to predict at: checked, and brought to the unit cube."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..blocks import blocks
from ..data.arrays import Places, check_numbers, check_numeric_columns, names_of_rows
from ..data.categories import check_positive, check_whole, encode_queries
from ..data.checks import check_finite
from ..data.dataset import Dataset
from ..errors import ExtrapolationWarning, listed, warn
from ..estimators import check_is_fitted, validated
from ..threads import blas_threads

Array = NDArray[np.float64]

#: Queries further outside the box than this share of its width draw a warning.
FAR_OUTSIDE = 0.25
#: Rows whose predictive distribution is held in memory at a time.
BLOCK_ROWS = 10_000
#: What is written of predictions; a median, too, where the response is transformed.
WRITTEN = ("mean", "std", "lower95", "upper95")


def unit_queries(model: Any, X: Any) -> Array:
    """Bring a user's points to the unit cube of a fitted estimator, shape (n, d).

    Errors name the row and the column. A warning says which inputs are far outside the data.
    """
    check_is_fitted(model)
    data: Dataset = model.training_data_
    U = data.box.to_unit(checked_inputs(model, X))
    far = (U < -FAR_OUTSIDE) | (U > 1.0 + FAR_OUTSIDE)
    if far.any():
        columns = [data.feature_names[i] for i in np.flatnonzero(far.any(axis=0))]
        warn(
            f"some queries lie far outside the data in column {listed(columns)}: do not rely "
            "on what is predicted there",
            ExtrapolationWarning,
        )
    return U


def predicted_columns(model: Any, X: Any, include_noise: bool = False) -> dict[str, Array]:
    """What is written of the predictions at some points, for which a model is asked only once.

    Returns
    -------
    dict of column name to array of shape (n,)
        ``mean``, ``std``, ``lower95`` and ``upper95``; ``median``, too, where the response is
        transformed. The numbers are those of ``predict``, ``predict_interval`` and
        ``predict_quantile``.
    """
    U = unit_queries(model, X)
    with blas_threads(model.training_data_.n_points):
        parts = [
            _columns_unit(model, U[rows], include_noise) for rows in blocks(len(U), BLOCK_ROWS)
        ]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _columns_unit(model: Any, U: Array, include_noise: bool) -> dict[str, Array]:
    """See :func:`predicted_columns`; at unit-cube inputs."""
    widening = model.calibration_
    given = model.distribution_unit(U, include_noise)
    widened = given if widening == 1.0 else given.dilated(widening)
    moments = (given.mean, widening * np.sqrt(given.variance))
    columns = dict(zip(WRITTEN, (*moments, *widened.interval(0.95)), strict=True))
    return {**columns, "median": widened.quantile(0.5)} if model.is_transformed else columns


def checked_inputs(model: Any, X: Any) -> Array:
    """Inputs as numbers, codes instead of labels, shape (n, d); errors name row and column."""
    data: Dataset = model.training_data_
    places = Places(X)
    check_numbers(X, "X")
    X = encode_queries(X, data.categories, places)
    check_numeric_columns(X, places)
    table = validated(model, X, reset=False)
    check_finite(table, "X", data.feature_names, places)
    check_whole(table, data.integers, data.feature_names, places)
    check_positive(table, data.box.logs, data.feature_names, places)
    return table


def expensive_rows(model: Any, fidelity: Any, X: Any, *columns: Any) -> tuple[Any, ...]:
    """Rows of inputs and of columns beside them that are of the fidelity that is predicted.

    Parameters
    ----------
    model : fitted estimator
    fidelity : n labels
    X : array or DataFrame of n rows
    *columns : arrays of n rows, or None
    """
    from sklearn.utils import _safe_indexing

    labels = names_of_rows(fidelity, len(Places(X)))
    top = np.flatnonzero(labels == model.training_data_.top.name)
    return tuple(None if part is None else _safe_indexing(part, top) for part in (X, *columns))
