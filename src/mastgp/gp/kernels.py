"""Radial kernels of the scaled squared distance R, and the slope their gradients need.

With ``R[i, j] = sum_d (x_id - x_jd)**2 / lengthscale_d**2`` each kernel gives k(R) and
``k'(R) = -2 dk/dR``: every derivative with respect to lengthscales and inputs is k' times
something linear in the inputs. Kernels take ``E = -R/2``, which one matrix product provides, and
may overwrite it. They may also be given a matrix of the same shape to write to.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Kernel = Callable[..., tuple[Array, Array]]


def rbf(E: Array, spare: Array | None = None) -> tuple[Array, Array]:
    """Squared-exponential kernel: k = exp(-R/2), whose slope k' is k itself."""
    k = np.exp(E, out=E)
    return k, k


def matern52(E: Array, spare: Array | None = None) -> tuple[Array, Array]:
    """Matérn-5/2 kernel, twice differentiable: rougher than the RBF.

    Its slope is written to `spare`, if that is given.
    """
    slope = np.multiply(E, -10.0, out=spare)
    np.sqrt(slope, out=slope)  # s
    decay = np.exp(-slope)
    slope += 1.0
    slope *= 5.0 / 3.0
    slope *= decay  # 5/3 (1 + s) exp(-s)
    E *= 10.0 / 3.0
    E *= decay
    np.multiply(slope, 0.6, out=decay)
    return np.subtract(decay, E, out=E), slope


KERNELS: dict[str, Kernel] = {"rbf": rbf, "matern52": matern52}


def scaled_distances(Z1: Array, Z2: Array | None = None, out: Array | None = None) -> Array:
    """Return E = -R/2 between the rows of `Z1` (n, d) and `Z2` (m, d), inputs over lengthscales.

    Without `Z2` it is that of the rows of `Z1` among themselves, exactly zero on the diagonal. It
    is written to `out`, if that is given.
    """
    left, right = _with_norms(Z1, Z1 if Z2 is None else Z2)
    E: Array = np.matmul(left, right.T, out=out)
    np.minimum(E, 0.0, out=E)
    if Z2 is None:
        E.flat[:: len(E) + 1] = 0.0
    return E


def _with_norms(Z1: Array, Z2: Array) -> tuple[Array, Array]:
    """Two more columns each, so that the rows' products are z1.z2 - |z1|^2/2 - |z2|^2/2."""
    d = Z1.shape[1]
    left, right = np.empty((len(Z1), d + 2)), np.empty((len(Z2), d + 2))
    left[:, :d], right[:, :d] = Z1, Z2
    np.einsum("id,id->i", Z1, Z1, out=left[:, d])
    np.einsum("id,id->i", Z2, Z2, out=right[:, d + 1])
    left[:, d] *= -0.5
    right[:, d + 1] *= -0.5
    left[:, d + 1] = right[:, d] = 1.0
    return left, right
