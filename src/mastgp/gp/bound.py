"""The collapsed bound of inducing points as an objective, with closed-form gradient.

With S = Q + Lambda, alpha = S^-1 (y - H beta), M = K_mm + K_mn Lambda^-1 K_nm and u = M^-1 K_mn
Lambda^-1 (y - H beta), the derivatives of the bound are::

    by K_mn    u alpha^T + (K_mm^-1 - M^-1) K_mn Lambda^-1
    by K_mm    -1/2 (u u^T + K_mm^-1 M K_mm^-1 - 2 K_mm^-1 + M^-1)
    by k_ii    -1/2 / lambda_i
    by lambda_i  1/2 (alpha_i^2 - (S^-1)_ii) + 1/2 (k_ii - q_ii) / lambda_i^2

Everything is a sum over rows, in two passes: one for the value, one for the gradient. Inducing
inputs are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from .layout import Layout
from .linalg import NotPositiveDefiniteError, solve_lower
from .model import Model
from .observations import Observations, noise_of
from .parameters import Hyperparameters
from .sums import Basis, RowSums, Solution, in_row_blocks
from .view import Slopes, sum_by_group

Array = NDArray[np.float64]
Groups = NDArray[np.intp]

#: Stands for an objective that cannot be computed.
IMPOSSIBLE = 1e10
#: Evaluations along one line. Where more are needed, rounding errors hide the way down.
MOST_TRIES = 5


class Bound:
    """Negative collapsed bound plus log prior of the hyperparameters, per row.

    Calling it with the optimiser's vector gives value and gradient.

    Parameters
    ----------
    model : Model
    data : Observations
        In standardised units.
    X : array of shape (m, d)
        Inducing inputs.
    groups : int array of shape (m,), optional
        Their groups; all 0 by default.

    Attributes
    ----------
    layout : Layout
        What the optimiser's vector means.
    """

    def __init__(
        self, model: Model, data: Observations, X: Array, groups: Groups | None = None
    ) -> None:
        self.model = model
        self.layout = Layout(model)
        self.data = data
        self.X = X
        self.groups = groups

    def basis(self, parameters: Hyperparameters) -> Basis:
        """The inducing points under given hyperparameters."""
        return Basis(self.model, parameters, self.X, self.groups)

    def solution(self, parameters: Hyperparameters) -> Solution:
        """What follows from all rows under given hyperparameters."""
        basis = self.basis(parameters)
        return Solution(basis, RowSums.of(basis, self.data))

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Value and gradient at `theta`."""
        solution = self.solution(self.layout.unpack(theta))
        second = SecondPass(solution)
        blocks = in_row_blocks(self.data, len(solution.basis))
        gradient = total_gradient(second.of_block(block) for block in blocks)
        gradient += second.of_inducing()
        log_prior, prior_slope = self.layout.log_prior(theta)
        n = len(self.data.y)
        value = -(solution.bound + float(log_prior)) / n
        return value, -(gradient + prior_slope) / n


def total_gradient(parts: Iterable[Array]) -> Array:
    """Sum of the gradients of blocks of rows."""
    return np.sum(list(parts), axis=0)


class SecondPass:
    """The gradient of the bound: a part for each block of rows, and one of the inducing points."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        basis = solution.basis
        self._layout = Layout(basis.model)
        identity = np.eye(len(basis))
        root = solve_lower(basis.L, identity)  # L^-1
        inner = solve_lower(solution.LB, root)  # LB^-1 L^-1
        self._inverse = root.T @ root
        self._M_inverse = inner.T @ inner
        gram = solution.sums.gram + np.tril(solution.sums.gram, -1).T
        # K_mm^-1 M K_mm^-1 = L^-T B L^-1
        self._sandwich = self._inverse + root.T @ gram @ root

    def of_inducing(self) -> Array:
        """What the covariance of the inducing points contributes."""
        u, basis = self.solution.weights, self.solution.basis
        by_K = -0.5 * (np.outer(u, u) + self._sandwich - 2.0 * self._inverse + self._M_inverse)
        slopes = Slopes(basis.view, self._layout)
        slopes.add_covariance(by_K, basis.points, basis.points)
        return slopes.gradient

    def of_block(self, data: Observations) -> Array:
        """What a block of rows contributes."""
        basis, solution = self.solution.basis, self.solution
        view, n_groups = basis.view, basis.model.n_groups
        noise = noise_of(basis.parameters, data)
        points = view.points(data.X, data.groups)
        K = view.covariance(basis.points, points)
        alpha = (data.y - solution.beta[data.groups] - solution.weights @ K) / noise
        explained = (self._inverse - self._M_inverse) @ K
        in_M = np.einsum("ij,ij->j", self._M_inverse @ K, K)
        q = np.einsum("ij,ij->j", explained, K) + in_M
        prior = view.prior_var(data.groups)
        by_noise = alpha**2 - 1.0 / noise + (in_M + prior - q) / noise**2
        explained /= noise
        explained += np.multiply.outer(solution.weights, alpha)
        slopes = Slopes(view, self._layout)
        slopes.add_covariance(explained, basis.points, points)
        slopes.add_prior_var(sum_by_group(-0.5 / noise, data.groups, n_groups))
        learned = np.ones(len(noise)) if data.noise_var is None else np.isnan(data.noise_var)
        slopes.add_noise(sum_by_group(0.5 * by_noise * learned, data.groups, n_groups))
        return slopes.gradient


def minimise(
    objective: Callable[[Array], tuple[float, Array]],
    layout: Layout,
    start: Array,
    *,
    iterations: int,
    tolerance: float,
    on_evaluation: Callable[[], None] | None = None,
) -> tuple[Array, float]:
    """Search for the least value of an objective from one start.

    Parameters
    ----------
    objective : callable
        Value and gradient at a vector of the layout.
    layout : Layout
    start : array
    iterations : int
        Most iterations of L-BFGS-B.
    tolerance : float
        The search ends when the objective, which is per row, changes by less.
    on_evaluation : callable, optional
        Called at each evaluation. It may raise to stop the search.

    Returns
    -------
    theta : array
    value : float
    """
    from scipy.optimize import Bounds, minimize

    def evaluate(theta: Array) -> tuple[float, Array]:
        if on_evaluation is not None:
            on_evaluation()
        try:
            return objective(theta)
        except NotPositiveDefiniteError:
            return IMPOSSIBLE, np.zeros_like(theta)

    result = minimize(
        evaluate,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=Bounds(layout.lower, layout.upper),
        options={"maxiter": iterations, "maxcor": 20, "maxls": MOST_TRIES, "ftol": tolerance},
    )
    return np.asarray(result.x, dtype=float), float(result.fun)
