"""A sum of smooth functions of one input each: for responses that are rough, but additive.

Each function is a cubic spline with many knots whose second differences are penalised. The fit is
linear, and follows from sums over rows. How strong the penalty is, rows that were held out decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import stored
from ...blocks import blocks
from ...gp.linalg import cholesky, lower_inverse, solve_cholesky
from ...stored import ANY
from .rows import Rows

Array = NDArray[np.float64]

_DEGREE = 3
#: Intervals of a spline, and rows from which on there are so many.
_INTERVALS = ((0, 10), (1_000, 30), (3_000, 60), (15_000, 120))
#: Strengths of the penalty that are tried, per row.
PENALTIES = (1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1.0)
#: What holds the level of each function, per row.
_RIDGE = 1e-9
_BLOCK_ROWS = 50_000


@dataclass(frozen=True)
class Additive:
    """A fitted additive model, in standardised units.

    Attributes
    ----------
    coefficients : array of shape (n_inputs, n_functions)
    mean : float
    var : float
        Variance of its predictions on average over the rows: the noise, shared among the rows for
        each degree of freedom.
    """

    coefficients: Array
    mean: float
    var: float

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Mean and variance at inputs of shape (n, d)."""
        mean = np.empty(len(X))
        n_intervals = self.coefficients.shape[1] - _DEGREE
        for rows in blocks(len(X), _BLOCK_ROWS):
            mean[rows] = design(X[rows], n_intervals) @ self.coefficients.ravel()
        return self.mean + mean, np.full(len(X), self.var)

    def get_state(self) -> dict[str, Any]:
        """Plain values and arrays."""
        return {"coefficients": self.coefficients, "mean": self.mean, "var": self.var}

    @classmethod
    def from_state(cls, state: Any) -> Additive:
        """Inverse of :meth:`get_state`."""
        stored.mapping(state, "an additive model", ("coefficients", "mean", "var"))
        coefficients = stored.array(state["coefficients"], "coefficients", (ANY, ANY))
        stored.number(coefficients.shape[1], "the number of functions", low=_DEGREE + 1)
        mean, var = (stored.number(state[name], name) for name in ("mean", "var"))
        return cls(coefficients, float(mean), float(var))


def design(X: Array, n_intervals: int) -> Any:
    """Sparse matrix of the values of all splines, shape (n, d * (n_intervals + 3)).

    Beyond 0 and 1 they are constant.
    """
    from scipy.interpolate import BSpline
    from scipy.sparse import csr_array, hstack

    step = 1.0 / n_intervals
    knots = step * np.arange(-_DEGREE, n_intervals + _DEGREE + 1)
    columns = [BSpline.design_matrix(np.clip(x, 0.0, 1.0 - 1e-12), knots, _DEGREE) for x in X.T]
    return csr_array(hstack(columns, format="csr"))


class AdditiveSums:
    """Sums over rows from which additive models of any penalty follow."""

    def __init__(self, rows: Rows, n_intervals: int | None = None) -> None:
        self.n = len(rows)
        self.d = rows.X.shape[1]
        self.n_intervals = n_intervals or _intervals(self.n)
        size = self.d * (self.n_intervals + _DEGREE)
        self.gram, self.right = np.zeros((size, size)), np.zeros(size)
        self.weight = 0.0
        weights = np.ones(self.n) if rows.noise_var is None else 1.0 / rows.noise_var
        weights = weights / weights.mean()
        self.mean = float(np.average(rows.y, weights=weights))
        for part in blocks(self.n, _BLOCK_ROWS):
            A = design(rows.X[part], self.n_intervals)
            weighted = A.multiply(weights[part, None]).tocsr()
            self.gram += (A.T @ weighted).toarray()
            self.right += weighted.T @ (rows.y[part] - self.mean)

    def model(self, penalty: float, noise: float) -> Additive:
        """The model with a penalty, for rows whose noise has this variance."""
        L, _ = cholesky(self._matrix(penalty))
        coefficients = solve_cholesky(L, self.right).reshape(self.d, -1)
        shares = np.tril(lower_inverse(L, in_place=True)) * self.gram
        freedom = 2.0 * float(shares.sum()) - float(np.trace(shares))
        return Additive(coefficients, self.mean, noise * freedom / self.n)

    def _matrix(self, penalty: float) -> Array:
        """What the coefficients are multiplied by in the normal equations."""
        P = penalised(self.d, self.n_intervals) * (penalty * self.n)
        P.flat[:: len(P) + 1] += _RIDGE * self.n
        return self.gram + P

    def best(self, held_out: Rows) -> tuple[Additive, float]:
        """The model, and its penalty, that predicts rows best that were held out."""
        found = []
        for penalty in PENALTIES:
            L, _ = cholesky(self._matrix(penalty))
            coefficients = solve_cholesky(L, self.right).reshape(self.d, -1)
            model = Additive(coefficients, self.mean, 0.0)
            error = float(np.mean((model.predict(held_out.X)[0] - held_out.y) ** 2))
            found.append((error, penalty))
        error, penalty = min(found)
        return self.model(penalty, error), penalty


def penalised(d: int, n_intervals: int) -> Array:
    """The matrix of squared second differences of all functions' coefficients."""
    D = np.diff(np.eye(n_intervals + _DEGREE), n=2, axis=0)
    return np.asarray(np.kron(np.eye(d), D.T @ D), dtype=float)


def _intervals(n: int) -> int:
    return max(count for least, count in _INTERVALS if n >= least)
