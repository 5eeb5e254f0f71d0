"""Where the next run may be: bounds, whole numbers, categories, constraints, or a pool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.box import Bounds, limits_of
from ..data.dataset import Dataset
from ..errors import DataError, listed
from .constraints import parse

Array = NDArray[np.float64]

#: How far points near others are from them, in the unit cube.
NEARNESS = 0.05
#: How far outside a constraint rounding may put a point, in unit-cube inputs.
_SLACK = 1e-9
#: Random points for each that is wanted, before constraints are walked along instead.
_TRIES = 8
#: Steps of a random walk between two points that are kept.
_STEPS = 5


@dataclass(frozen=True, eq=False)
class Space:
    """Points that may be chosen, in the unit cube of a model's data.

    Attributes
    ----------
    data : Dataset
    low, high : arrays of shape (d,)
        Ends of every input's range, in unit-cube inputs.
    A, b : arrays of shapes (m, d) and (m,)
        Constraints A u <= b.
    pool : array of shape (n, d) or None
        The only points that may be chosen, if there are such.
    labels : sequence of n names or None
        What the points of the pool are called.
    """

    data: Dataset
    low: Array
    high: Array
    A: Array
    b: Array
    pool: Array | None = None
    labels: Sequence[Any] | None = None

    @classmethod
    def of(
        cls,
        data: Dataset,
        bounds: Bounds | None = None,
        constraints: Sequence[str] = (),
        inside_data: bool = False,
    ) -> Space:
        """The box of the data, or other bounds, with linear constraints.

        Parameters
        ----------
        data : Dataset
        bounds : array of shape (d, 2) or mapping of input name to (low, high), optional
            Of the inputs that may go elsewhere than the data's box.
        constraints : sequence of str
            Such as ``a + 2*b <= 3``, in the inputs' units.
        inside_data : bool
            Whether inputs without bounds stay in the range of the observations, even where the
            box is larger.
        """
        low, high = data.box.low.copy(), data.box.high.copy()
        if inside_data:
            X = np.vstack([fidelity.X for fidelity in data.fidelities])
            low, high = X.min(axis=0), X.max(axis=0)
            for category in data.categories:
                low[category.column], high[category.column] = 0.0, len(category.levels) - 1.0
        for column, pair in limits_of(bounds, data.feature_names).items():
            _check_may_have_bounds(data, column)
            low[column], high[column] = pair
        corners = data.box.to_unit(np.vstack([low, high]))
        A, b = _matrices(data, constraints)
        space = cls(data, corners[0], corners[1], A, b)
        space.check_not_empty(constraints)
        return space

    @classmethod
    def of_pool(cls, data: Dataset, U: Array, labels: Sequence[Any] | None) -> Space:
        """The points of a pool and no others."""
        d = len(data.feature_names)
        return cls(data, U.min(axis=0), U.max(axis=0), np.zeros((0, d)), np.zeros(0), U, labels)

    @cached_property
    def levels(self) -> dict[int, int]:
        """Number of levels of each categorical column."""
        return {c.column: len(c.levels) for c in self.data.categories}

    @cached_property
    def continuous(self) -> NDArray[np.intp]:
        """Columns that may have any value in their range."""
        discrete = {*self.levels, *self.data.integers}
        free = [i for i in range(len(self.low)) if i not in discrete and self.high[i] > self.low[i]]
        return np.array(free, dtype=np.intp)

    @cached_property
    def whole(self) -> list[int]:
        """Columns of whole numbers with more than one in their range."""
        found = []
        for column in self.data.integers:
            low, high = self._whole_ends(column)
            if high < low:
                raise DataError(
                    f"there is no whole number within the bounds of {self._name(column)}"
                )
            if high > low:
                found.append(column)
        return found

    def _name(self, column: int) -> str:
        return repr(self.data.feature_names[column])

    def _whole_ends(self, column: int) -> tuple[float, float]:
        """First and last whole number of a column, in the user's units."""
        box = self.data.box
        start, width = box.low[column], box.widths[column]
        low, high = start + width * self.low[column], start + width * self.high[column]
        return float(np.ceil(low - 1e-9)), float(np.floor(high + 1e-9))

    def snapped(self, U: Array) -> Array:
        """The nearest points whose whole numbers are whole, all within their ranges."""
        U = np.clip(U, self.low, self.high)
        box = self.data.box
        for column in self.data.integers:
            low, high = self._whole_ends(column)
            start, width = box.low[column], box.widths[column]
            whole = np.clip(np.rint(start + width * U[:, column]), low, high)
            if box.varies[column]:
                U[:, column] = (whole - start) / width
        for column, n_levels in self.levels.items():
            steps = max(n_levels - 1, 1)
            U[:, column] = np.rint(U[:, column] * steps) / steps
        return U

    def inside(self, U: Array) -> NDArray[np.bool_]:
        """Which points satisfy the constraints."""
        return np.asarray((self.b + _SLACK >= U @ self.A.T).all(axis=1))

    def sample(self, n: int, rng: np.random.Generator) -> Array:
        """Points spread over the space: at most n of a pool, as many as asked for elsewhere."""
        if self.pool is not None:
            if len(self.pool) <= n:
                return self.pool
            return self.pool[np.sort(rng.choice(len(self.pool), n, replace=False))]
        U = self._spread(n, rng)
        if not len(self.b):
            return U
        tried = np.vstack([U, self._spread((_TRIES - 1) * n, rng)])
        found = tried[self.inside(tried)]
        if len(found) < n:
            walked = self.snapped(self._walk(n, rng))
            found = np.vstack([found, walked[self.inside(walked)]])
        if not len(found):
            raise DataError("no point with whole numbers was found that satisfies the constraints")
        return found[:n]

    def near(self, U: Array, n: int, rng: np.random.Generator) -> Array:
        """At most n points near some others, with the same levels."""
        picked = U[rng.integers(len(U), size=n)]
        moved = picked + NEARNESS * rng.standard_normal(picked.shape)
        columns = list(self.levels)
        moved[:, columns] = picked[:, columns]
        moved = self.snapped(moved)
        return moved[self.inside(moved)]

    def _spread(self, n: int, rng: np.random.Generator) -> Array:
        """A Latin hypercube of the box; categories are shuffled, each level as often as others."""
        cells = np.array([rng.permutation(n) for _ in self.low]).T
        U = self.low + (cells + rng.random((n, len(self.low)))) / n * (self.high - self.low)
        for column, n_levels in self.levels.items():
            U[:, column] = cells[:, column] % n_levels / max(n_levels - 1, 1)
        return self.snapped(U)

    def _walk(self, n: int, rng: np.random.Generator) -> Array:
        """A random walk in the box and between the constraints, from their middle: hit and run."""
        u, found = self.middle.copy(), np.empty((n, len(self.low)))
        spread = np.where(self.high > self.low, self.high - self.low, 0.0)
        for row in range(n):
            for _ in range(_STEPS):
                direction = rng.standard_normal(len(u)) * spread
                u = u + direction * rng.uniform(*self._reach(u, direction))
            found[row] = u
        for column, n_levels in self.levels.items():
            found[:, column] = rng.integers(n_levels, size=n) / max(n_levels - 1, 1)
        return found

    def _reach(self, u: Array, direction: Array) -> tuple[float, float]:
        """How far a point may go back and forth in a direction."""
        slopes = np.concatenate([self.A @ direction, direction, -direction])
        room = np.concatenate([self.b - self.A @ u, self.high - u, u - self.low])
        room = np.maximum(room, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = room / slopes
        forth, back = steps[slopes > 0.0], steps[slopes < 0.0]
        return float(back.max(initial=-1.0)), float(forth.min(initial=1.0))

    @cached_property
    def middle(self) -> Array:
        """Centre of the largest ball between bounds and constraints: a linear programme."""
        from scipy.optimize import linprog

        d = len(self.low)
        rows = np.vstack([self.A, np.eye(d), -np.eye(d)])
        fixed = self.high <= self.low
        norms = np.linalg.norm(np.where(fixed, 0.0, rows), axis=1)
        limits = np.concatenate([self.b, self.high, -self.low])
        aim = np.append(np.zeros(d), -1.0)
        bounds = [(None, None)] * d + [(0.0, None)]
        found = linprog(aim, np.column_stack([rows, norms]), limits, bounds=bounds)
        if not found.success:
            raise DataError("the constraints and the bounds leave nothing to choose from")
        middle: Array = found.x[:d]
        return middle

    def check_not_empty(self, constraints: Sequence[str]) -> None:
        """Refuse constraints that no point satisfies."""
        if len(self.b):
            try:
                _ = self.middle
            except DataError as error:
                raise DataError(f"{error}: {listed(constraints)}") from None
        _ = self.whole

    def neighbours(self, u: Array) -> Array:
        """Points that differ from one in a single level, or in a whole number by one."""
        found = list(self._neighbours(u))
        return np.array(found).reshape(-1, len(u))

    def _neighbours(self, u: Array) -> Iterator[Array]:
        for column, n_levels in self.levels.items():
            for code in range(n_levels):
                value = code / max(n_levels - 1, 1)
                if abs(value - u[column]) > 1e-9:
                    yield _with(u, column, value)
        for column in self.whole:
            step = 1.0 / self.data.box.widths[column]
            low, high = self.low[column], self.high[column]
            for value in (u[column] - step, u[column] + step):
                if low - 1e-9 <= value <= high + 1e-9:
                    yield _with(u, column, value)

    def inputs(self, u: Array) -> dict[str, Any]:
        """A point as the user knows it: values by the inputs' names, labels instead of codes."""
        box = self.data.box
        x = np.where(box.varies, box.low + box.widths * u, box.low)[None]
        for column in self.data.integers:
            x[:, column] = np.rint(x[:, column])
        values = [column[0] for column in self.data.values_of(x)]
        whole = set(self.data.integers)
        return {
            name: int(value) if i in whole else value if isinstance(value, str) else float(value)
            for i, (name, value) in enumerate(zip(self.data.feature_names, values, strict=True))
        }


def _with(u: Array, column: int, value: float) -> Array:
    changed = u.copy()
    changed[column] = value
    return changed


def _check_may_have_bounds(data: Dataset, column: int) -> None:
    if column in {category.column for category in data.categories}:
        raise DataError(
            f"column {data.feature_names[column]!r} is categorical and has no bounds; to keep to "
            "some of its levels, give a pool of candidates"
        )


def _matrices(data: Dataset, constraints: Sequence[str]) -> tuple[Array, Array]:
    """Constraints on the inputs as A u <= b in the unit cube, each row of length one."""
    names, box = list(data.feature_names), data.box
    found = [c for text in constraints for c in parse(text, names)]
    A, b = np.zeros((len(found), len(names))), np.zeros(len(found))
    categorical: Mapping[str, int] = {c.name: c.column for c in data.categories}
    for row, constraint in enumerate(found):
        for name, value in constraint.coefficients.items():
            if name in categorical:
                raise DataError(
                    f"the constraint {constraint.text!r} is on {name!r}, which is categorical"
                )
            A[row, names.index(name)] = value
        b[row] = constraint.bound - A[row] @ box.low
        A[row] *= np.where(box.varies, box.widths, 0.0)
        norm = np.linalg.norm(A[row])
        if norm == 0.0:
            raise DataError(f"nothing varies in the constraint {constraint.text!r}")
        A[row], b[row] = A[row] / norm, b[row] / norm
    return A, b
