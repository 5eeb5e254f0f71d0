"""Cheap rows that are no results: runs that diverged, and values that stand for "failed".

One of them can ruin the scale of all others. A row is taken for one only if it is far from
everything: from what a robust model predicts there without it, and from most of the values. How
often that happens on clean data, and what it saves on spoiled ones, is in docs/notes/auto.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..data.categories import engine_categories
from ..data.dataset import Dataset, Fidelity
from ..errors import MastWarning, OutlierWarning, listed, silenced, warn
from ..gp import GaussianProcess, Model, NotPositiveDefiniteError

Array = NDArray[np.float64]

#: Fewer rows do not tell what is usual.
FEWEST = 15
#: More than this share cannot be outliers.
MOST = 0.15
#: How many usual residuals a row must be away from what is predicted without it.
FAR = 8.0
#: How many times as far from the median as all other rows it must be: peaks have no such gap.
GAP = 2.5
#: Rows that the model is fitted to at most.
MOST_ROWS = 300


def without_outliers(data: Dataset) -> Dataset:
    """Return the data without cheap rows that are no results; a warning names them."""
    masks = [_outliers(data, f) for f in data.cheaper]
    if not any(mask.any() for mask in masks):
        return data
    for fidelity, mask in zip(data.cheaper, masks, strict=True):
        if mask.any():
            _say(fidelity, mask)
    return data.without([*masks, np.zeros(len(data.top.y), dtype=bool)])


def _say(fidelity: Fidelity, mask: NDArray[np.bool_]) -> None:
    values = [f"{value:g}" for value in fidelity.y[mask][:5]]
    warn(
        f"{mask.sum()} of the {len(mask)} rows of {fidelity.name!r} are far from all others and "
        f"are left out: {listed(values)}{' ...' if mask.sum() > 5 else ''}. If they are results, "
        "use outliers='keep'",
        OutlierWarning,
    )


def _outliers(data: Dataset, fidelity: Fidelity) -> NDArray[np.bool_]:
    """Mask of a fidelity's rows that are no results."""
    nobody = np.zeros(len(fidelity.y), dtype=bool)
    outside = _outside(fidelity.y)
    if len(nobody) < FEWEST or not outside.any() or outside.mean() > MOST:
        return nobody
    categories = engine_categories(data.categories, "exchangeable")
    model = Model(len(data.feature_names), categories=categories)
    found = outside & (_residuals(model, data.unit(fidelity), fidelity.y, outside) > FAR)
    return found if found.mean() <= MOST else nobody


def _outside(y: Array) -> NDArray[np.bool_]:
    """Values far from the middle half, as they are and in logarithms where all are positive."""
    outside = _far_out(y)
    return outside & _far_out(np.log(y)) if (y > 0.0).all() else outside


def _far_out(y: Array) -> NDArray[np.bool_]:
    """Values beyond the outermost gap in the distances from the median, if there is one."""
    distance = np.abs(y - np.median(y))
    order = np.sort(distance)
    fewest = int(np.ceil((1.0 - MOST) * len(y)))
    gaps = np.flatnonzero(order[fewest:] > GAP * order[fewest - 1 : -1])
    if not len(gaps):
        return np.zeros(len(y), dtype=bool)
    return np.asarray(distance >= order[fewest + gaps[0]])


def _residuals(model: Model, X: Array, y: Array, outside: NDArray[np.bool_]) -> Array:
    """Residuals of a model of the other rows, in usual residuals of those."""
    others = np.flatnonzero(~outside)
    if len(others) > MOST_ROWS:
        others = np.sort(np.random.default_rng(0).choice(others, MOST_ROWS, replace=False))
    try:
        with silenced(MastWarning):
            process = GaussianProcess.fit(model, X[others], y[others], tolerance=0.1)
    except NotPositiveDefiniteError:
        return np.zeros(len(y))
    mean, var = process.predict(X)
    noise = float(np.mean(process.noise_var))
    known, known_var = process.leave_one_out()
    usual = np.sqrt(np.mean((known - y[others]) ** 2 / known_var))
    return np.abs(y - mean) / (np.sqrt(var + noise) * max(float(usual), 1.0))
