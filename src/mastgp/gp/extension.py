"""More observations for a fitted process, without a search and without a new factorisation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..threads import blas_threads
from .likelihood import Factorisation, Objective
from .linalg import extend_cholesky
from .observations import Observations, noise_of
from .process import GaussianProcess, Groups

Array = NDArray[np.float64]


def extended(
    process: GaussianProcess,
    X: ArrayLike,
    y: ArrayLike,
    groups: Groups = 0,
    noise_var: ArrayLike | None = None,
    objective: Objective | None = None,
) -> GaussianProcess:
    """Return the same process, given more observations; its hyperparameters stay.

    The Cholesky factor gets new rows, which takes n^2 operations for each observation.

    Parameters
    ----------
    process : GaussianProcess
    X, y : arrays of shapes (m, d) and (m,)
    groups : int, or int array of shape (m,)
    noise_var : array of shape (m,), optional
        Known noise variances; NaN or None where the group's learned noise counts.
    objective : Objective, optional
        Of all observations, where it has been built before.

    Examples
    --------
    >>> import numpy as np
    >>> from mastgp.gp import GaussianProcess, Model
    >>> X = np.linspace(0, 1, 8)[:, None]
    >>> gp = GaussianProcess.fit(Model(n_inputs=1), X, np.sin(6 * X[:, 0]))
    >>> extended(gp, [[0.5]], [np.sin(3.0)]).n_points
    9
    """
    if objective is None:
        objective = Objective(process.model, _all_data(process, X, y, groups, noise_var))
    grown = GaussianProcess(
        process.model,
        process.parameters,
        objective.data,
        process.y_mean,
        process.y_scale,
        process.report,
        objective,
        process._factorisation,
    )
    grown._factorisation = _extended_factor(grown, process._factorisation)
    return grown


def _all_data(
    process: GaussianProcess,
    X: ArrayLike,
    y: ArrayLike,
    groups: Groups,
    noise_var: ArrayLike | None,
) -> Observations:
    """All observations, the new ones last, in the engine's units."""
    targets = np.asarray(y, dtype=float)
    members = np.broadcast_to(np.asarray(groups, dtype=np.intp), len(targets))
    scale = process.y_scale[members]
    noise = None if noise_var is None else np.asarray(noise_var, dtype=float) / scale**2
    standardised = (targets - process.y_mean[members]) / scale
    return process._data.extended(np.asarray(X, dtype=float), standardised, members, noise)


def _extended_factor(process: GaussianProcess, before: Factorisation) -> Factorisation:
    """Factor of all observations, of which the first ones have been factorised before."""
    n, data, X = len(before.alpha), process._data, process._X
    with blas_threads(process.n_points):
        rows = process._covariance(X[n:], X, data.groups[n:], data.groups)
        corner = rows[:, n:]
        noise = noise_of(process.parameters, data)[n:] + before.jitter
        corner[np.diag_indices(len(corner))] += noise
        L = extend_cholesky(before.L, rows[:, :n], corner)
        if L is None:
            return process.objective.factorise(process.parameters)
        return process.objective.factorisation(L, before.jitter)


def noise_of_groups(process: GaussianProcess) -> Array:
    """Noise variance of a new observation of each group, in y's squared units.

    Where it is known for every point, the mean over the points; NaN where nobody knows it.
    """
    noise, groups = noise_of(process.parameters, process._data), process.groups
    n_groups, learned = process.model.n_groups, process.parameters.noise_var
    counts = np.bincount(groups, minlength=n_groups)
    means = np.full(n_groups, np.nan) if not learned.size else learned.copy()
    seen = counts > 0
    means[seen] = np.bincount(groups, noise, n_groups)[seen] / counts[seen]
    return means * process.y_scale**2
