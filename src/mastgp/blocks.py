"""Working through many rows in blocks, so that memory stays bounded."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def blocks(n: int, size: int) -> Iterator[slice]:
    """Slices that divide n rows into blocks of `size`; the last one may be shorter.

    >>> list(blocks(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def in_blocks(
    predict: Callable[[Array], tuple[Array, Array]], X: Array, size: int
) -> tuple[Array, Array]:
    """Mean and variance of any number of points, predicted a block at a time.

    Parameters
    ----------
    predict : function
        Takes points of shape (k, d), k at most `size`; returns mean and variance, each of
        shape (k,).
    X : array of shape (n, d)
    size : int
        Number of points that are handed to `predict` at once.

    Returns
    -------
    mean, var : arrays of shape (n,)
    """
    mean, var = np.empty(len(X)), np.empty(len(X))
    for rows in blocks(len(X), size):
        mean[rows], var[rows] = predict(X[rows])
    return mean, var
