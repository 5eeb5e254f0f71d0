"""Cholesky factorisation that says what it did."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsymm
from scipy.linalg.lapack import dpotrf, dpotri, dtrtrs

Array = NDArray[np.float64]

#: A pivot below this share of the variance is rounding error.
_LOST = 1e-13
_JITTERS = (1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4)


class NotPositiveDefiniteError(ArithmeticError):
    """A covariance matrix could not be factorised, even with jitter."""


def cholesky(K: Array) -> tuple[Array, float]:
    """Factorise a symmetric positive-definite matrix, with jitter only where needed.

    Parameters
    ----------
    K : array of shape (n, n)
        Symmetric; left unmodified.

    Returns
    -------
    L : array of shape (n, n)
        Lower triangle with ``L @ L.T = K + jitter * I``; the upper triangle is zero.
    jitter : float
        What was added to the diagonal; 0.0 in the ordinary case.
    """
    # A symmetric C-ordered matrix read as its transpose is Fortran-ordered: no extra copy.
    L, info = dpotrf(K.T, lower=1, clean=1)
    if info == 0 and L[-1, -1] > 0.0:
        return L, 0.0
    size = float(np.trace(K)) / len(K)
    if not np.isfinite(size):
        raise NotPositiveDefiniteError("the covariance matrix contains NaN or infinity")
    for relative in _JITTERS:
        jitter = relative * size
        L, info = dpotrf((K + jitter * np.eye(len(K))).T, lower=1, clean=1)
        if info == 0 and L[-1, -1] > 0.0:
            return L, jitter
    raise NotPositiveDefiniteError(
        f"a {len(K)} x {len(K)} covariance matrix is not positive definite "
        f"even with {_JITTERS[-1]:g} of its mean variance added to the diagonal"
    )


def extend_cholesky(L: Array, border: Array, corner: Array) -> Array | None:
    """Factor of a matrix that has grown by some rows and columns; None where that is impossible.

    Parameters
    ----------
    L : array of shape (n, n)
        Factor of the matrix as it was, with zeros in the upper triangle.
    border : array of shape (m, n)
        New rows, without their last m columns.
    corner : array of shape (m, m)
        The last m columns of the new rows.
    """
    n, m = len(L), len(corner)
    below = solve_lower(L, border.T).T
    last, info = dpotrf((corner - below @ below.T).T, lower=1, clean=1)
    if info != 0 or not (last.diagonal() ** 2 > _LOST * corner.diagonal()).all():
        return None
    grown = np.zeros((n + m, n + m), order="F")
    grown[:n, :n], grown[n:, :n], grown[n:, n:] = L, below, last
    return grown


def cholesky_in_place(build: Callable[[], Array]) -> Array:
    """Factorise the matrix that `build` returns, in its own memory.

    Only the lower triangle of the result is right. Where jitter is needed, the matrix is built
    again.
    """
    L, info = dpotrf(build().T, lower=1, clean=0, overwrite_a=1)
    if info == 0 and L[-1, -1] > 0.0:
        factor: Array = L
        return factor
    return cholesky(build())[0]


def lower_inverse(L: Array, in_place: bool = False) -> Array:
    """Return the lower triangle of the inverse of ``L @ L.T``; the upper one is that of L."""
    inverse: Array = dpotri(L, lower=1, overwrite_c=in_place)[0]
    return inverse


def symmetric_product(S: Array, B: Array) -> Array:
    """Return ``S @ B`` for a symmetric S of which only the lower triangle is read."""
    product: Array = dsymm(1.0, S, B, lower=1)
    return product


def solve_lower(L: Array, B: Array, transpose: bool = False) -> Array:
    """Solve ``L X = B`` (or ``L.T X = B``) for a lower-triangular `L`."""
    X, _ = dtrtrs(L, B, lower=1, trans=1 if transpose else 0)
    solution: Array = X
    return solution


def solve_cholesky(L: Array, B: Array) -> Array:
    """Solve ``(L @ L.T) X = B``."""
    return solve_lower(L, solve_lower(L, B), transpose=True)
