"""Categorical inputs: each level is a point, and kernels see the points.

In the unit cube level k of L is at k / (L - 1). Kernels never see that number. They see several
columns instead, the coordinates of the level's point.
All kernels of the engine are functions of distances, so nothing else has to know of categories.
With the kernel "latent" the points lie in the plane, or on a line where there are two levels, and
are learned with everything else (Zhang, Tao, Chen, Apley 2020). Besides, any two levels are apart
in directions of their own, by a distance that is learned too: so the model is never sure that two
levels are the same, and few data do not make it believe in an arrangement. With "exchangeable" any
two levels are at the same distance, and there is nothing to learn but the lengthscale of the input.

No coordinate is fixed: a normal prior of all of them says where the points are, and it is the same
for every level. So a fit does not depend on the order of the levels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

#: How the levels of a categorical input are related.
CATEGORY_KERNELS = ("latent", "exchangeable")
#: Coordinates of a level in the space of the inputs, for a learned position of 1. With a standard
#: normal prior two levels are then expected to be as far apart as the ends of a numeric input.
POSITION_SCALE = 0.5
#: How far the second coordinate bends away from the line on which a search starts.
_BEND = 0.5


@dataclass(frozen=True)
class Categorical:
    """An input whose values are levels: level k of n_levels is at k / (n_levels - 1).

    Attributes
    ----------
    column : int
        Its number among the inputs.
    n_levels : int
    kernel : {"latent", "exchangeable"}
        Whether levels have learned positions, or are all equally far from each other.
    """

    column: int
    n_levels: int
    kernel: str = "latent"

    def __post_init__(self) -> None:
        if self.kernel not in CATEGORY_KERNELS:
            raise ValueError(f"unknown kernel {self.kernel!r}; choose from {CATEGORY_KERNELS}")
        if self.n_levels < 1:
            raise ValueError(f"column {self.column} needs at least one level")

    @property
    def n_dims(self) -> int:
        """Number of learned coordinates of each level."""
        return min(2, self.n_levels - 1) if self.kernel == "latent" else 0

    @property
    def learned(self) -> bool:
        """Whether anything is learned about its levels."""
        return self.n_dims > 0

    @property
    def n_positions(self) -> int:
        """Number of learned coordinates of all levels."""
        return self.n_levels * self.n_dims

    def codes(self, X: Array) -> Codes:
        """Number of each point's level, counted from zero; points are of shape (n, d)."""
        codes: Codes = np.rint(X[:, self.column] * (self.n_levels - 1)).astype(np.intp)
        if len(codes) and not (codes.min() >= 0 and codes.max() < self.n_levels):
            raise ValueError(f"column {self.column} must hold levels, from 0 to 1")
        return codes


def n_positions(categories: Sequence[Categorical]) -> int:
    """Number of learned coordinates of all levels of some inputs."""
    return sum(category.n_positions for category in categories)


def n_learned(categories: Sequence[Categorical]) -> int:
    """Number of inputs whose levels have learned positions."""
    return sum(category.learned for category in categories)


class Embedding:
    """What kernels see of inputs: numeric columns first, then the levels' coordinates.

    A level that no observation has lies beside the others in a direction of its own, where the
    prior of its position puts it on average. So what is predicted there is as uncertain as the
    differences between the other levels let one expect.

    Parameters
    ----------
    categories : sequence of Categorical
    X : array of shape (n, d)
        Inputs of the observations.

    Attributes
    ----------
    numeric : int array
        The other inputs.
    owners : int array of shape (k,)
        Input that each column for the kernels belongs to.
    """

    def __init__(self, categories: Sequence[Categorical], X: Array) -> None:
        self._categories = tuple(categories)
        self._n_inputs = X.shape[1]
        columns = [category.column for category in categories]
        self.numeric: Codes = np.setdiff1d(np.arange(self._n_inputs), columns)
        self._codes = [category.codes(X) for category in categories]
        self._unseen = [
            ~np.isin(np.arange(category.n_levels), codes)
            for category, codes in zip(categories, self._codes, strict=True)
        ]
        widths = [category.n_dims + category.n_levels for category in categories]
        self.owners: Codes = np.concatenate([self.numeric, np.repeat(columns, widths)]).astype(
            np.intp
        )

    def numbers(self, X: Array) -> Array:
        """The numeric columns of inputs, shape (n, number of them)."""
        return np.ascontiguousarray(X[:, self.numeric])

    def columns(self, X: Array, numbers: Array, positions: Array, apart: Array) -> Array:
        """What kernels see at inputs `X`, whose numeric part may have been warped to `numbers`."""
        tables = self._tables(positions, apart)
        points = [table[c.codes(X)] for c, table in zip(self._categories, tables, strict=True)]
        return np.hstack([numbers, *points])

    def observed_columns(self, numbers: Array, positions: Array, apart: Array) -> Array:
        """What kernels see of the observations."""
        tables = self._tables(positions, apart)
        points = [table[codes] for codes, table in zip(self._codes, tables, strict=True)]
        return np.hstack([numbers, *points])

    def _tables(self, positions: Array, apart: Array) -> Iterator[Array]:
        """Coordinates of the levels of each input, shape (n_levels, number of coordinates)."""
        for seen, away in self.places(positions, apart):
            yield np.hstack([seen, np.diag(np.sqrt(away))])

    def places(self, positions: Array, apart: Array) -> Iterator[tuple[Array, Array]]:
        """Where the levels of each input are.

        Yields the learned coordinates, shape (n_levels, n_dims), and the square of how far each
        level is away from all others in a direction of its own, shape (n_levels,).
        """
        start, distances = 0, iter(apart)
        for category, unseen in zip(self._categories, self._unseen, strict=True):
            stop = start + category.n_positions
            learned = positions[start:stop].reshape(category.n_levels, category.n_dims)
            seen = np.where(unseen[:, None], 0.0, POSITION_SCALE * learned)
            squared = next(distances) if category.learned else 1.0
            away = np.where(unseen, POSITION_SCALE**2 * category.n_dims, 0.0)
            yield seen, 0.5 * squared + away
            start = stop

    def by_input(self, by_column: Array) -> Array:
        """Sum what is known of each column, shape (k,), over the columns of each input."""
        total: Array = np.bincount(self.owners, by_column, self._n_inputs).astype(float)
        return total

    def by_position(self, by_column: Array) -> Array:
        """Derivative by the positions, given that by the columns of the observations, (n, k)."""
        parts = [np.empty(0)]
        for category, codes, first in self._places():
            own = by_column[:, first : first + category.n_dims]
            by_level = np.zeros((category.n_levels, category.n_dims))
            np.add.at(by_level, codes, POSITION_SCALE * own)
            parts.append(by_level.ravel())
        return np.concatenate(parts)

    def by_apart(self, by_column: Array, apart: Array) -> Array:
        """Derivative by the logarithm of how far apart levels are, given that by the columns."""
        found: list[float] = []
        for category, codes, first in self._places():
            if category.learned:
                own = by_column[np.arange(len(codes)), first + category.n_dims + codes]
                found.append(0.5 * math.sqrt(0.5 * apart[len(found)]) * own.sum())
        return np.array(found)

    def _places(self) -> Iterator[tuple[Categorical, Codes, int]]:
        """Each category with the levels of the observations and its first column."""
        first = len(self.numeric)
        for category, codes in zip(self._categories, self._codes, strict=True):
            yield category, codes, first
            first += category.n_dims + category.n_levels

    def of_inputs(self, by_column: Array) -> Array:
        """Derivative by the inputs, shape (n, d), given that by the columns; 0 by categories."""
        by_input = np.zeros((len(by_column), self._n_inputs))
        by_input[:, self.numeric] = by_column[:, : len(self.numeric)]
        return by_input

    def start(self, y: Array) -> Array:
        """Positions to begin a search with: levels in the order of their mean targets `y`, (n,)."""
        parts = [
            _arranged(codes, y, category)
            for category, codes in zip(self._categories, self._codes, strict=True)
            if category.n_dims
        ]
        return np.concatenate([part.ravel() for part in parts]) if parts else np.empty(0)


def embedding_of(categories: Sequence[Categorical], X: Array) -> Embedding | None:
    """The embedding of some inputs; None where all are numeric."""
    return Embedding(categories, X) if categories else None


def _arranged(codes: Codes, y: Array, category: Categorical) -> Array:
    """Positions on an arc, in the order of the levels' mean targets, shape (n_levels, n_dims)."""
    counts = np.bincount(codes, minlength=category.n_levels)
    effects = np.bincount(codes, weights=y, minlength=category.n_levels) / (counts + 1.0)
    spread = float(effects.std())
    if spread < 1e-9:
        effects = np.arange(category.n_levels, dtype=float)
        spread = float(effects.std())
    along = (effects - effects.mean()) / spread
    return np.column_stack([along, _BEND * (along**2 - 1.0)])[:, : category.n_dims]
