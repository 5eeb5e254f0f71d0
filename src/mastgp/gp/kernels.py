"""Radial kernels of the scaled squared distance R, and the slope their gradients need.

With ``R[i, j] = sum_d (x_id - x_jd)**2 / lengthscale_d**2`` each kernel gives k(R) and
``k'(R) = -2 dk/dR``: every derivative with respect to lengthscales and inputs is k' times
something linear in the inputs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Kernel = Callable[[Array], tuple[Array, Array]]


def rbf(R: Array) -> tuple[Array, Array]:
    """Squared-exponential kernel: k = exp(-R/2), whose slope k' is k itself."""
    k = np.exp(-0.5 * R)
    return k, k


def matern52(R: Array) -> tuple[Array, Array]:
    """Matérn-5/2 kernel, twice differentiable: rougher than the RBF."""
    s = np.sqrt(5.0 * R)
    decay = np.exp(-s)
    slope = (5.0 / 3.0) * (1.0 + s) * decay
    return slope * 0.6 + (5.0 / 3.0) * R * decay, slope


KERNELS: dict[str, Kernel] = {"rbf": rbf, "matern52": matern52}


def squared_distances(Z1: Array, Z2: Array) -> Array:
    """Squared Euclidean distances between the rows of `Z1` (n, d) and `Z2` (m, d)."""
    R: Array = Z1 @ (-2.0 * Z2.T)
    R += np.einsum("id,id->i", Z1, Z1)[:, None]
    R += np.einsum("id,id->i", Z2, Z2)
    return np.maximum(R, 0.0, out=R)
