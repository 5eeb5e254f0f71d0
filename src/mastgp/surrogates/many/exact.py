"""Hyperparameters of the exact process of a few thousand rows, without a search among all of them.

A part of the rows is searched as usual. Its optimum is near that of all rows, and its curvature,
which is cheap, is near theirs. So a few steps of Newton's method with the gradient of all rows and
the curvature of the part end where a search among all rows would.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...gp import GaussianProcess
from ...gp.kernels import KERNELS
from ...gp.likelihood import Objective
from ...gp.linalg import NotPositiveDefiniteError
from .learning import Evaluated, Learned, plain_model
from .rows import Rows

Array = NDArray[np.float64]

#: Rows of the part, and when its search ends, in units of log density.
N_PART, TOLERANCE = 1_000, 1e-2
#: Steps with the gradient of all rows, and the most by which a step moves a coordinate. A step
#: that leads uphill is taken back, and the next ones are shorter by the factor.
STEPS, FARTHEST, SHORTER = 4, 0.7, 0.5
#: A step that is expected to gain less log density of all rows is not taken.
WORTH_A_STEP = 0.1
#: Least curvature, per row: in directions that rows say nothing about steps stay short.
LEAST_CURVATURE = 1e-3
#: By how much coordinates are moved to see how the gradient changes.
_DIFFERENCE = 1e-3


def from_part(rows: Rows, evaluated: Evaluated = None) -> Learned:
    """The kernel under which all rows are more probable, and its hyperparameters.

    Parameters
    ----------
    rows : Rows
    evaluated : callable, optional
        Called at each evaluation.
    """
    part = rows.some(slice(0, N_PART))
    fitted = [_of_part(part, kernel, evaluated) for kernel in KERNELS]
    best = max(fitted, key=lambda process: _log_likelihood(process, rows))
    objective = Objective(best.model, rows.observations)
    theta = objective.layout.pack(best.parameters)
    if len(rows) > N_PART:
        curvature = _Curvature.of(Objective(best.model, part.observations), theta)
        theta = _newton(objective, theta, curvature, evaluated)
    return Learned(best.model, objective.layout.unpack(theta))


def _of_part(part: Rows, kernel: str, evaluated: Evaluated) -> GaussianProcess:
    """The process of a part of the rows, in standardised units."""
    model = plain_model(part.X.shape[1], kernel, part.noise_var is not None)
    return GaussianProcess.fit(
        model,
        part.X,
        part.y,
        noise_var=part.noise_var,
        y_scale=1.0,
        on_evaluation=evaluated,
        tolerance=TOLERANCE,
    )


def _log_likelihood(process: GaussianProcess, rows: Rows) -> float:
    """Log marginal likelihood of all rows with the hyperparameters of a part."""
    return Objective(process.model, rows.observations).log_likelihood(process.parameters)


class _Curvature:
    """How an objective bends.

    Parameters
    ----------
    matrix : array of shape (p, p)
        Second derivatives.
    """

    def __init__(self, matrix: Array) -> None:
        values, directions = np.linalg.eigh((matrix + matrix.T) / 2.0)
        self._values, self._directions = np.maximum(np.abs(values), LEAST_CURVATURE), directions

    @classmethod
    def of(cls, objective: Objective, theta: Array) -> _Curvature:
        """By how the gradient changes with each coordinate."""
        here = objective(theta)[1]
        moved = [objective(theta + _DIFFERENCE * unit)[1] for unit in np.eye(len(theta))]
        return cls((np.array(moved) - here) / _DIFFERENCE)

    def step(self, gradient: Array) -> Array:
        """Where the objective would be least, if it were quadratic."""
        along: Array = self._directions.T @ gradient / self._values
        return -self._directions @ along

    def seen(self, step: Array, change: Array) -> _Curvature:
        """The same with how the gradient changed along a step (the BFGS formula)."""
        matrix = (self._directions * self._values) @ self._directions.T
        bent, expected = float(step @ change), matrix @ step
        if bent <= 0.0:
            return self
        outer = np.outer(expected, expected) / float(step @ expected)
        return _Curvature(matrix - outer + np.outer(change, change) / bent)


def _newton(
    objective: Objective, theta: Array, curvature: _Curvature, evaluated: Evaluated
) -> Array:
    """Go down with an objective's gradient, beginning with the curvature of one that is like it."""
    layout, farthest = objective.layout, FARTHEST
    value, gradient = _evaluate(objective, theta)
    for _ in range(STEPS):
        if evaluated is not None:
            evaluated()
        step = curvature.step(gradient)
        if -0.5 * float(gradient @ step) * len(objective.data.y) < WORTH_A_STEP:
            break
        step *= min(1.0, farthest / float(np.abs(step).max()))
        there = np.clip(theta + step, layout.lower, layout.upper)
        value_there, gradient_there = _evaluate(objective, there)
        if value_there < np.inf:
            curvature = curvature.seen(there - theta, gradient_there - gradient)
        if value_there < value:
            theta, value, gradient = there, value_there, gradient_there
        else:
            farthest *= SHORTER
    return theta


def _evaluate(objective: Objective, theta: Array) -> tuple[float, Array]:
    """Value and gradient; infinity and no slope where there is no factor."""
    try:
        return objective(theta)
    except NotPositiveDefiniteError:
        return np.inf, np.zeros_like(theta)
