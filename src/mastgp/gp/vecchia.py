"""The density of rows given their neighbours, as an objective for hyperparameters.

With very many rows the density of all of them cannot be computed, and that of a small part says
little about how the response varies between near points. A row given its neighbours among all
rows says both (Vecchia 1988): the nearest neighbours show how wiggly the response is and how large
the noise, far ones show how smooth it is as a whole. The gradient is closed-form.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .kernels import KERNELS
from .layout import Layout
from .linalg import NotPositiveDefiniteError
from .model import Model
from .observations import Observations, known_noise
from .parameters import Hyperparameters

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

_LOG_2PI = math.log(2.0 * math.pi)


class Conditionals:
    """Negative log density of some rows, each given its neighbours, plus log prior; per row.

    Calling it with the optimiser's vector gives value and gradient. The model has one component
    and one group, and neither warp nor categories: inputs are given as kernels see them.

    Parameters
    ----------
    model : Model
    data : Observations
        In standardised units.
    targets : int array of shape (t,)
        Numbers of the rows that are predicted.
    neighbours : int array of shape (t, k)
        Numbers of the rows that each of them is predicted from.
    """

    def __init__(self, model: Model, data: Observations, targets: Rows, neighbours: Rows) -> None:
        check_plain(model)
        self.model = model
        self.layout = Layout(model)
        self._n = len(targets)
        self._target_X, self._target_y = data.X[targets], data.y[targets]
        self._X, self._y = data.X[neighbours], data.y[neighbours]
        known = known_noise(data)
        self._known, self._target_known = known[neighbours], known[targets]

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Value and gradient at `theta`."""
        parameters = self.layout.unpack(theta)
        value, gradient = self._density(parameters)
        log_prior, prior_slope = self.layout.log_prior(theta)
        return -(value + float(log_prior)) / self._n, -(gradient + prior_slope) / self._n

    def _density(self, parameters: Hyperparameters) -> tuple[float, Array]:
        """Sum of the log densities and its gradient."""
        component, scale = self.model.components[0], float(parameters.scales[0])
        ell, kernel = parameters.lengthscales[0], KERNELS[component.kernel]
        Z, target = (self._X - 0.5) / ell, (self._target_X - 0.5) / ell
        k, slope = kernel(batch_distances(Z, Z))
        k_star, slope_star = (a[:, 0] for a in kernel(batch_distances(target[:, None], Z)))
        constant = self.model.mean_var
        noise = np.where(np.isnan(self._known), _learned(parameters), self._known)
        C = scale * k + constant
        C[:, np.arange(C.shape[1]), np.arange(C.shape[1])] += noise
        right = np.stack([scale * k_star + constant, self._y], axis=2)
        w, alpha = np.moveaxis(_solved(C, right), 2, 0)
        own = np.where(np.isnan(self._target_known), _learned(parameters), self._target_known)
        cross = scale * k_star + constant
        var = scale + constant + own - np.einsum("tk,tk->t", cross, w)
        var = np.maximum(var, 1e-12)
        away = self._target_y - np.einsum("tk,tk->t", cross, alpha)
        value = -0.5 * float(np.sum(np.log(var) + away**2 / var + _LOG_2PI))
        by_mean, by_var = away / var, 0.5 * (away**2 / var**2 - 1.0 / var)
        by_cross = by_mean[:, None] * alpha - 2.0 * by_var[:, None] * w
        left = by_var[:, None] * w - by_mean[:, None] * alpha
        gradient = np.zeros(self.layout.size)
        # The derivative by C is w left^T, symmetrised where that matters.
        by_C = w[:, :, None] * left[:, None, :]
        by_C += by_C.transpose(0, 2, 1)
        by_C *= 0.5
        by_scale = np.sum(by_C * k) + np.sum(by_cross * k_star) + by_var.sum()
        gradient[self.layout.scales[0].where] = scale * by_scale
        M, M_star = scale * by_C * slope, scale * by_cross * slope_star
        rows = M.sum(axis=2)
        by_ell = 2.0 * (
            np.einsum("tk,tkd->d", rows, Z**2) - np.einsum("tkd,tkd->d", Z, np.matmul(M, Z))
        )
        by_ell += np.einsum("tk,tkd->d", M_star, (Z - target[:, None]) ** 2)
        where = self.layout.lengthscales[0].where
        gradient[where] = by_ell.sum() if component.isotropic else by_ell
        if self.layout.noise.size:
            diagonal = np.einsum("tkk->tk", by_C)[np.isnan(self._known)].sum()
            by_noise = diagonal + by_var[np.isnan(self._target_known)].sum()
            gradient[self.layout.noise.where] = parameters.noise_var * by_noise
        return value, gradient


def check_plain(model: Model) -> None:
    """Refuse models whose neighbours cannot be told by distances alone."""
    if len(model.components) > 1 or model.n_groups > 1 or model.warp or model.categories:
        raise ValueError("neighbours need a model of one component and one group, not warped")
    if model.means == "profiled":
        raise ValueError("neighbours need an uncertain mean; use means='own'")


def _learned(parameters: Hyperparameters) -> float:
    """The learned noise, or NaN where all of it is known."""
    return float(parameters.noise_var[0]) if parameters.noise_var.size else math.nan


def batch_distances(Z1: Array, Z2: Array) -> Array:
    """Return E = -R/2 of batches of points (b, n, d) and (b, m, d), shape (b, n, m)."""
    E: Array = np.matmul(Z1, Z2.transpose(0, 2, 1))
    E -= 0.5 * np.einsum("bnd,bnd->bn", Z1, Z1)[:, :, None]
    E -= 0.5 * np.einsum("bmd,bmd->bm", Z2, Z2)[:, None, :]
    return np.minimum(E, 0.0, out=E)


def _solved(C: Array, right: Array) -> Array:
    try:
        return np.asarray(np.linalg.solve(C, right), dtype=float)
    except np.linalg.LinAlgError as error:
        raise NotPositiveDefiniteError("neighbours lie in the same place") from error
