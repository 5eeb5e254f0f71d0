"""Gradients of sums of covariances with the observations, for weights other than the mean's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .process import GaussianProcess

Array = NDArray[np.float64]


def weighted_gradient(process: GaussianProcess, X: Array, weights: Array) -> Array:
    """Gradient of a weighted sum of covariances with the observations, shape (n, d).

    By the unit-cube inputs, in standardised units, of the first group's latent function. With the
    weights of the mean it is the gradient of the mean.

    Parameters
    ----------
    process : GaussianProcess
    X : array of shape (n, d)
        Unit-cube inputs.
    weights : array of shape (number of observations,)
    """
    gradient = np.zeros((len(X), process._X.shape[1]))
    for rows in process._blocks(len(X)):
        seen = process._warp(X[rows])
        for c, slope in enumerate(process._slopes(seen, 0)):
            S = slope * weights
            step = process._lengthscales[c] ** 2
            gradient[rows] -= (S.sum(axis=1)[:, None] * seen - S @ process._X) / step
    if (embedding := process.objective.embedding) is not None:
        gradient = embedding.of_inputs(gradient)
    return gradient * process._warp_slope(X)
