"""A Gaussian process by inducing points: the posterior of any number of rows, from their sums.

It answers what :class:`mastgp.gp.GaussianProcess` answers, but for an exact covariance of all rows
it has that of m inducing points. The rows themselves are not kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import qr

from .. import stored
from ..blocks import blocks
from ..stored import ANY
from .linalg import solve_lower
from .model import Model
from .observations import Observations, noise_of
from .parameters import Hyperparameters
from .restoring import check_parameters
from .sampling import RandomSource, draw_samples
from .sums import BLOCK_ENTRIES, Basis, RowSums, Solution
from .view import Points, slope_of_warp

Array = NDArray[np.float64]

#: Directions of which the rows say less than this, relative to the prior, are left out.
_UNKNOWN = 1e-12
#: Rounding can make a variance negative; below this share of the prior it means nothing.
_SMALLEST = 1e-12
_SUMS = ("n", "gram", "projected", "targets", "log_noise", "missing", "members")
_STATE = ("parameters", "inducing", "groups", *_SUMS, "y_mean", "y_scale")
#: Most inducing points that a file may hold.
MOST_INDUCING = 20_000


class InducingProcess:
    """A Gaussian process conditioned on the sums over its rows.

    Use it where rows are too many for :class:`mastgp.gp.GaussianProcess`: its cost grows with the
    number of rows, not with their cube. With the rows themselves as inducing points it is the
    same. Where the response is wigglier than the inducing points can follow, its variance says so,
    and other tools are better.

    Parameters
    ----------
    basis : Basis
        Inducing points and hyperparameters.
    sums : RowSums
        Of the rows, with this basis.
    y_mean, y_scale : floats or arrays of shape (n_groups,)
        What standardised each group's targets.

    Attributes
    ----------
    basis : Basis
    sums : RowSums
    solution : Solution
        What follows from both, the collapsed bound among it.
    """

    def __init__(
        self, basis: Basis, sums: RowSums, y_mean: ArrayLike = 0.0, y_scale: ArrayLike = 1.0
    ) -> None:
        self.basis, self.sums = basis, sums
        self.solution = Solution(basis, sums)
        n_groups = basis.model.n_groups
        self.y_mean = np.broadcast_to(np.asarray(y_mean, dtype=float), n_groups)
        self.y_scale = np.broadcast_to(np.asarray(y_scale, dtype=float), n_groups)

    @classmethod
    def given(
        cls, basis: Basis, data: Observations, y_mean: ArrayLike = 0.0, y_scale: ArrayLike = 1.0
    ) -> InducingProcess:
        """The process of rows that are all at hand, in standardised units."""
        return cls(basis, RowSums.of(basis, data), y_mean, y_scale)

    @property
    def model(self) -> Model:
        """The model whose posterior this is."""
        return self.basis.model

    @property
    def parameters(self) -> Hyperparameters:
        """Values of the hyperparameters."""
        return self.basis.parameters

    @property
    def lengthscales(self) -> Array:
        """Lengthscales of the first component, in unit-cube units, shape (d,)."""
        return self.parameters.lengthscales[0]

    @property
    def n_points(self) -> int:
        """Number of rows."""
        return self.sums.n

    @property
    def unexplained(self) -> float:
        """Mean share of the noise variance by which the inducing points miss the prior variance."""
        return max(self.sums.missing, 0.0) / self.sums.n

    def with_rows(self, data: Observations) -> InducingProcess:
        """The same process given further rows, in standardised units; this one stays."""
        sums = self.sums + RowSums.of(self.basis, data)
        return InducingProcess(self.basis, sums, self.y_mean, self.y_scale)

    @cached_property
    def _known(self) -> Array:
        """W with var = prior - |W k|^2, for k the covariances with the inducing points."""
        values, vectors = np.linalg.eigh(_full(self.sums.gram))
        values = np.maximum(values, 0.0)
        kept = values > _UNKNOWN
        shares = np.sqrt(values[kept] / (1.0 + values[kept]))
        root = solve_lower(self.basis.L, vectors[:, kept], transpose=True)
        return np.ascontiguousarray((root * shares).T)

    def known_triangle(self) -> Array:
        """The same W as a lower triangle, packed row by row: m (m + 1) / 2 numbers."""
        m = len(self.basis)
        backwards: Array = qr(self._known[:, ::-1], mode="r")[0][:m]
        triangle = np.zeros((m, m))
        triangle[m - len(backwards) :] = backwards[::-1, ::-1]
        packed: Array = triangle[np.tril_indices(m)]
        return packed

    def predict_mean(self, X: ArrayLike, group: int = 0) -> Array:
        """Mean of a group's latent function, shape (n,)."""
        points = np.asarray(X, dtype=float)
        mean = np.empty(len(points))
        for rows, k in self._cross(points, group):
            mean[rows] = self.solution.weights @ k
        return self._mean_in_units(mean, group)

    def predict(self, X: ArrayLike, group: int = 0) -> tuple[Array, Array]:
        """Mean and variance of a group's latent function, each of shape (n,).

        Any number of points: they are worked through in blocks of bounded memory.
        """
        points = np.asarray(X, dtype=float)
        mean, var = np.empty(len(points)), np.empty(len(points))
        for rows, k in self._cross(points, group):
            mean[rows] = self.solution.weights @ k
            known = self._known @ k
            var[rows] = np.einsum("ij,ij->j", known, known)
        prior = self._prior_var(group)
        var = np.maximum(prior - var, _SMALLEST * prior) * self.y_scale[group] ** 2
        return self._mean_in_units(mean, group), var

    def predict_covariance(self, X: ArrayLike, group: int = 0) -> tuple[Array, Array]:
        """Mean (n,) and full covariance matrix (n, n) of a group's latent function."""
        points = self._points(np.asarray(X, dtype=float), group)
        k = self.basis.view.covariance(self.basis.points, points)
        known = self._known @ k
        cov = self.basis.view.covariance(points, points) - known.T @ known
        cov = 0.5 * (cov + cov.T)
        least = _SMALLEST * self._prior_var(group)
        cov.flat[:: len(cov) + 1] = np.maximum(cov.diagonal(), least)
        mean = self._mean_in_units(self.solution.weights @ k, group)
        return mean, cov * self.y_scale[group] ** 2

    def sample(self, X: ArrayLike, n_samples: int, rng: RandomSource, group: int = 0) -> Array:
        """Draw joint samples of a group's latent function, shape (n, n_samples)."""
        return draw_samples(*self.predict_covariance(X, group), n_samples, rng)

    def predict_gradient(self, X: ArrayLike, group: int = 0) -> tuple[Array, Array]:
        """Gradients of mean and variance with respect to the unit-cube inputs, each (n, d)."""
        inputs = np.asarray(X, dtype=float)
        view, points = self.basis.view, self._points(inputs, group)
        k = view.covariance(self.basis.points, points)
        in_var = self._known.T @ (self._known @ k)
        d_mean, d_var = np.zeros((2, *points.seen.shape))
        for c, _, slope in view.kernels(self.basis.points, points):
            column, row = view.weights(c, self.basis.points, points)
            slope = slope * column * row
            step = view.lengthscales[c] ** 2
            for weight, out in ((self.solution.weights[:, None], d_mean), (in_var, d_var)):
                S = (slope * weight).T
                own = S.sum(axis=1)[:, None] * points.seen
                out -= (own - S @ self.basis.points.seen) / step
        if view.embedding is not None:
            d_mean, d_var = view.embedding.of_inputs(d_mean), view.embedding.of_inputs(d_var)
        chain, scale = slope_of_warp(view, inputs), self.y_scale[group]
        return d_mean * chain * scale, -2.0 * d_var * chain * scale**2

    def leave_one_out(self, data: Observations) -> tuple[Array, Array]:
        """Mean and variance of each of the rows given all others, hyperparameters kept.

        Parameters
        ----------
        data : Observations
            Rows that the sums were made of, in standardised units.
        """
        folds = [np.array([i]) for i in range(len(data.y))]
        return self.leave_out(data, folds)

    def leave_out(
        self, data: Observations, folds: Sequence[NDArray[np.intp]]
    ) -> tuple[Array, Array]:
        """Mean and variance of each fold's rows given all others, hyperparameters kept.

        The variance includes the rows' noise. Profiled means are kept too: of so many rows those
        left out hardly move them.

        Parameters
        ----------
        data : Observations
            Rows that the sums were made of, in standardised units.
        folds : sequence of int arrays
            Numbers of rows. Rows in no fold get NaN.

        Returns
        -------
        mean, var : arrays of shape (n,)
            In the target's units.
        """
        mean, var = np.full((2, len(data.y)), np.nan)
        for fold in folds:
            mean[fold], var[fold] = self._left_out(data.subset(fold))
        scale = self.y_scale[data.groups]
        return self.y_mean[data.groups] + scale * mean, scale**2 * var

    def _left_out(self, fold: Observations) -> tuple[Array, Array]:
        """Mean and variance of a fold's rows given all others, in standardised units."""
        points = self.basis.view.points(fold.X, fold.groups)
        noise = noise_of(self.parameters, fold)
        A = self.basis.features(points)
        inner = solve_lower(self.solution.LB, A)
        # S^-1 of the fold's rows, with S = Q + Lambda
        precision = np.diag(1.0 / noise) - inner.T @ inner / np.outer(noise, noise)
        mean = self.solution.beta[fold.groups] + self.solution.weights @ (self.basis.L @ A)
        alpha = (fold.y - mean) / noise
        cov = np.linalg.inv(precision)
        prior = self.basis.view.prior_var(fold.groups)
        missing = np.maximum(prior - np.einsum("ij,ij->j", A, A), 0.0)
        return fold.y - cov @ alpha, cov.diagonal() + missing

    def get_state(self) -> dict[str, Any]:
        """Everything needed to rebuild this process, as plain data."""
        return {
            "parameters": self.parameters.state,
            "inducing": self.basis.points.X,
            "groups": self.basis.points.groups,
            "n": self.sums.n,
            "gram": self.sums.gram[np.tril_indices(len(self.basis))],
            "projected": self.sums.projected,
            "targets": self.sums.targets,
            "log_noise": self.sums.log_noise,
            "missing": self.sums.missing,
            "members": self.sums.members,
            "y_mean": np.array(self.y_mean),
            "y_scale": np.array(self.y_scale),
        }

    @classmethod
    def from_state(cls, model: Model, state: dict[str, Any]) -> InducingProcess:
        """Inverse of :meth:`get_state`; the model is rebuilt by the caller."""
        m = _check_state(model, state)
        gram = np.zeros((m, m), order="F")
        gram[np.tril_indices(m)] = state["gram"]
        sums = RowSums(
            int(state["n"]),
            gram,
            state["projected"],
            state["targets"],
            float(state["log_noise"]),
            float(state["missing"]),
            state["members"],
        )
        parameters = Hyperparameters(**state["parameters"])
        basis = Basis(model, parameters, state["inducing"], state["groups"].astype(np.intp))
        return cls(basis, sums, state["y_mean"], state["y_scale"])

    def _points(self, X: Array, group: int) -> Points:
        return self.basis.view.points(X, np.full(len(X), group, np.intp))

    def _cross(self, X: Array, group: int) -> Iterator[tuple[slice, Array]]:
        """Blocks of points, with their covariances with the inducing points, shape (m, block)."""
        size = max(256, BLOCK_ENTRIES // len(self.basis))
        for rows in blocks(len(X), size):
            points = self._points(X[rows], group)
            yield rows, self.basis.view.covariance(self.basis.points, points)

    def _prior_var(self, group: int) -> float:
        return float(self.basis.view.prior_var(np.array([group]))[0])

    def _mean_in_units(self, mean: Array, group: int) -> Array:
        return self.y_mean[group] + self.y_scale[group] * (mean + self.solution.beta[group])


def _full(lower: Array) -> Array:
    """A symmetric matrix from its lower triangle."""
    return lower + np.tril(lower, -1).T


def _check_state(model: Model, state: Any) -> int:
    """Check what :meth:`InducingProcess.get_state` returned; the number of inducing points."""
    stored.mapping(state, "the inducing points", _STATE)
    m, k = len(stored.array(state["inducing"], "inducing", (ANY, model.n_inputs))), model.n_groups
    stored.number(m, "the number of inducing points", low=1, high=MOST_INDUCING)
    stored.array(state["groups"], "groups", (m,), low=0, high=k - 1, whole=True)
    stored.number(state["n"], "the number of rows", low=1, whole=True)
    stored.array(state["gram"], "gram", (m * (m + 1) // 2,))
    stored.array(state["projected"], "projected", (m, 1 + k))
    stored.array(state["targets"], "targets", (1 + k, 1 + k))
    for name in ("log_noise", "missing"):
        stored.number(state[name], name)
    stored.array(state["members"], "members", (k,), low=0.0)
    stored.array(state["y_mean"], "y_mean", (k,))
    stored.array(state["y_scale"], "y_scale", (k,), low=5e-324)
    check_parameters(model, state["parameters"])
    return m
