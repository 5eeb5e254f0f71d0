"""Latent values of a process at some points: what joint questions about them need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Value = TypeVar("Value", float, Array)


@dataclass(frozen=True)
class Latent:
    """Values of a process's latent functions at n points, each of a group of its own.

    Make them with :meth:`mastgp.gp.GaussianProcess.latent`. The covariance of two sets of them is
    :meth:`mastgp.gp.GaussianProcess.latent_covariance`. What is expensive has been done once: a set
    that is asked for often, such as reference points, costs one matrix product each time.

    Attributes
    ----------
    points : array of shape (n, k)
        What kernels see of the points.
    groups : int array of shape (n,)
    solved : array of shape (number of observations, n)
        L^-1 k, with k the prior covariance of the observations with the values.
    mean, var : arrays of shape (n,)
        Posterior moments, in the target's units.
    """

    points: Array
    groups: NDArray[np.intp]
    solved: Array
    mean: Array
    var: Array


def smallest_var(prior: Value) -> Value:
    """Rounding can make a variance negative; below this share of the prior it means nothing."""
    return 1e-13 * prior
