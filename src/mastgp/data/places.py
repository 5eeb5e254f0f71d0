"""When two points are at the same place: the package's one definition.

Inputs are compared in the unit cube. Two points are at the same place if none of their inputs
differs by more than :data:`SAME_PLACE`. This forgives decimals that a file has rounded, and no
model of the package tells such points apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Inputs that differ by no more than this, in units of their ranges, are at the same place.
SAME_PLACE = 1e-6
#: The tree's search leaves out points at exactly the distance it is given.
_SEARCH = 2.0 * SAME_PLACE


def same_place(U: Array, others: Array) -> NDArray[np.bool_]:
    """Which points are at the place of at least one of the others.

    Parameters
    ----------
    U : array of shape (n, d)
        Points in the unit cube.
    others : array of shape (m, d)
        Points in the same unit cube.

    Returns
    -------
    bool array of shape (n,)

    Examples
    --------
    >>> same_place(np.array([[0.2], [0.5]]), np.array([[0.5000001], [0.9]]))
    array([False,  True])
    """
    if not len(others):
        return np.zeros(len(U), dtype=bool)
    distance, _ = _tree(others).query(U, p=np.inf, distance_upper_bound=_SEARCH)
    return np.asarray(distance <= SAME_PLACE)


def place_labels(U: Array) -> NDArray[np.intp]:
    """Number of each point's place: 0 for the first point's, 1 for the next new one, and so on.

    A place is its first point and all later points that are at the same place as this one.

    Parameters
    ----------
    U : array of shape (n, d)
        Points in the unit cube.

    Returns
    -------
    int array of shape (n,)

    Examples
    --------
    >>> place_labels(np.array([[0.7], [0.2], [0.7], [0.2000001]]))
    array([0, 1, 0, 1])
    """
    _, first, point_of_row = np.unique(U, axis=0, return_index=True, return_inverse=True)
    by_row = np.argsort(first)  # distinct points in the order of their first rows
    leaders = np.empty(len(first), dtype=np.intp)
    leaders[by_row] = _leaders(U[first[by_row]])
    _, labels = np.unique(leaders[point_of_row.ravel()], return_inverse=True)
    return labels.astype(np.intp)


def _leaders(points: Array) -> NDArray[np.intp]:
    """Position of the first point of each point's place; no two points are equal."""
    leaders = np.arange(len(points))
    tree = _tree(points)
    nearest, _ = tree.query(points, k=[2], p=np.inf, distance_upper_bound=_SEARCH)
    waiting = nearest[:, 0] <= SAME_PLACE
    for point in np.flatnonzero(waiting):
        if waiting[point]:
            near = np.array(tree.query_ball_point(points[point], SAME_PLACE, p=np.inf))
            joining = near[waiting[near]]
            leaders[joining], waiting[joining] = point, False
    return leaders


def _tree(points: Array) -> Any:
    """A tree for searches; the library is imported now, because predictions need none."""
    from scipy.spatial import KDTree

    return KDTree(points)


def cdist(A: Array, B: Array, metric: str = "euclidean") -> Array:
    """Distances between the rows of two tables, shape (n, m), as SciPy's function of this name."""
    from scipy.spatial.distance import cdist

    distances: Array = cdist(A, B, metric)
    return distances
