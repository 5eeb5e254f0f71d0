"""Intervals that are widened by what held-out points have shown.

One factor for all standard deviations, from the residuals of predictions that were made by models
fitted without the points. A closed form that keeps the hyperparameters has residuals that are too
small, so it is never used for this.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, FitWarning, warn
from ..gp.blends import Distribution, Transformed
from .folds import Refittable, folds_of, predict_refitted

Array = NDArray[np.float64]

#: Pseudo-points with residuals of one standard deviation: a few points must not decide alone.
PRIOR_POINTS = 4.0


def widening(z: Array) -> float:
    """Factor of the standard deviations, from standardised held-out residuals; at least one.

    Examples
    --------
    >>> import numpy as np
    >>> widening(np.array([0.1, -0.5, 0.3]))  # intervals never become narrower
    1.0
    >>> round(widening(np.array([3.0, -2.0, 4.0, 1.0])), 2)
    2.06
    """
    z = z[np.isfinite(z)]
    return max(1.0, float(np.sqrt((PRIOR_POINTS + z @ z) / (PRIOR_POINTS + len(z)))))


def widening_without_each(
    z: Array, groups: NDArray[np.intp], factor: Callable[[Array], float] = widening
) -> Array:
    """Factor at every point, from the residuals of all points of other groups."""
    factors = np.empty(len(z))
    for group in np.unique(groups):
        factors[groups == group] = factor(z[groups != group])
    return factors


def standardised(predicted: Distribution, y: Array) -> Array:
    """Errors of predictions, in their standard deviations; before a transformation, if any."""
    if isinstance(predicted, Transformed):
        return standardised(predicted.inner, predicted.response.forward(y))
    return (predicted.mean - y) / np.sqrt(predicted.variance)


def widening_by_refits(model: Refittable) -> float:
    """Factor of a fitted model, which is fitted again for every fold."""
    try:
        folds = folds_of(model.training_data_)
    except DataError as error:
        warn(f"intervals are not calibrated: {error}", FitWarning)
        return 1.0
    return widening(standardised(predict_refitted(model, folds), model.training_data_.top.y))
