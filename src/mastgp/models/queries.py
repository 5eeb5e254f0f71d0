"""Points to predict at: checked, and brought to the unit cube."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.arrays import Places, check_numbers, check_numeric_columns, names_of_rows
from ..data.categories import check_positive, check_whole, encode_queries
from ..data.checks import check_finite
from ..data.dataset import Dataset
from ..errors import ExtrapolationWarning, listed, warn
from ..estimators import check_is_fitted, validated

Array = NDArray[np.float64]

#: Queries further outside the box than this share of its width draw a warning.
FAR_OUTSIDE = 0.25


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
