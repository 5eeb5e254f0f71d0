"""Predictions of observations left out, in closed form, the hyperparameters kept.

The group means are estimated again without what is left out (Dubrule 1983). Variances include the
noise of the observations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .likelihood import Factorisation, Objective
from .linalg import lower_inverse, symmetric_product

Array = NDArray[np.float64]

_LOG_2PI = math.log(2.0 * math.pi)


def leave_one_out(objective: Objective, f: Factorisation) -> tuple[Array, Array]:
    """Mean and variance of each observation given all the others, in standardised units.

    A point that is alone in its group leaves nothing to estimate the group's mean from: its
    results are NaN.
    """
    inverse, basis = lower_inverse(f.L), objective.basis
    precision = inverse.diagonal().copy()
    projected = symmetric_product(inverse, basis)
    inner = np.linalg.inv(basis.T @ projected)
    reduced = precision - np.einsum("ij,jk,ik->i", projected, inner, projected)
    alone = _without_mean(objective, objective.members.sum(axis=0) < 2)[objective.data.groups]
    reduced = np.where(alone, np.nan, np.maximum(reduced, 1e-12 * precision))
    return objective.data.y - f.alpha / reduced, 1.0 / reduced


@dataclass(frozen=True)
class LeftOut:
    """Predictions of folds of observations, each given all others, in standardised units.

    Attributes
    ----------
    mean, var : arrays of shape (n,)
        NaN for observations in no fold, and for folds that leave a group without observations.
    log_densities : array of shape (n_folds,)
        Joint log density of each fold's observations.
    """

    mean: Array
    var: Array
    log_densities: Array


def leave_out(objective: Objective, f: Factorisation, folds: Sequence[NDArray[np.intp]]) -> LeftOut:
    """Predict each fold's observations from all others."""
    precision = _precision(objective, f)
    mean, var = np.full((2, len(objective.data.y)), np.nan)
    log_densities = np.full(len(folds), np.nan)
    for numbers in _of_equal_size(objective, folds):
        rows = np.array([folds[number] for number in numbers])
        own, alpha = precision[rows[:, :, None], rows[:, None, :]], f.alpha[rows]
        cov = np.linalg.pinv(own, hermitian=True)
        away = np.einsum("fij,fj->fi", cov, alpha)
        spread = np.diagonal(cov, axis1=1, axis2=2)
        mean[rows] = objective.data.y[rows] - away
        var[rows] = np.where(spread > 0.0, spread, np.nan)
        quadratic = np.einsum("fi,fi->f", alpha, away) + rows.shape[1] * _LOG_2PI
        log_densities[numbers] = 0.5 * (np.linalg.slogdet(own)[1] - quadratic)
    return LeftOut(mean, var, log_densities)


def _of_equal_size(
    objective: Objective, folds: Sequence[NDArray[np.intp]]
) -> Iterator[NDArray[np.intp]]:
    """Numbers of folds that can be dealt with together: those of one size each time.

    Folds that leave a group without the means to estimate its mean are left out.
    """
    counts = np.array([objective.members[fold].sum(axis=0) for fold in folds])
    counts = counts.reshape(len(folds), -1)
    emptied = (counts > 0) & (counts == objective.members.sum(axis=0))
    usable = ~_without_mean(objective, emptied).any(axis=1)
    sizes = np.array([len(fold) for fold in folds])
    for size in np.unique(sizes[usable]):
        yield np.flatnonzero(usable & (sizes == size))


def leave_one_out_score(objective: Objective, f: Factorisation) -> float:
    """Mean log predictive density of the last group's observations, each given all others.

    By convention the last group is the one that predictions are made for. All groups count where
    fewer than three of its observations can be predicted.
    """
    mean, var = leave_one_out(objective, f)
    y, groups = objective.data.y, objective.data.groups
    density = -0.5 * ((y - mean) ** 2 / var + np.log(var) + _LOG_2PI)
    last = density[groups == groups.max()]
    scored = last if np.isfinite(last).sum() > 2 else density
    return float(np.nanmean(scored))


def _precision(objective: Objective, f: Factorisation) -> Array:
    """K^-1 less what the profiled means take: K^-1 - K^-1 H (H^T K^-1 H)^-1 H^T K^-1."""
    lower = lower_inverse(f.L)
    precision = lower + np.tril(lower, -1).T
    projected = precision @ objective.basis
    precision -= projected @ np.linalg.solve(objective.basis.T @ projected, projected.T)
    return precision


def _without_mean(objective: Objective, emptied: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of groups that lose all observations, those whose mean nothing else tells."""
    return emptied & (objective.model.means != "shared")
