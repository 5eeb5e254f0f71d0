"""A fitted Gaussian process: predictions, covariances, samples, gradients, leave-one-out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .fitting import FitReport, maximise
from .kernels import KERNELS, scaled_distances
from .likelihood import Objective, Observations, noise_of
from .linalg import cholesky, solve_lower
from .model import Hyperparameters, Model
from .threads import blas_threads
from .warp import WarpInputs

Array = NDArray[np.float64]

#: Entries of the largest block of cross-covariances kept at a time (8 bytes each).
_BLOCK_ENTRIES = 600_000


class GaussianProcess:
    """A Gaussian process conditioned on data.

    Made by :meth:`fit`, or by :meth:`condition` where the hyperparameters are known. Targets and
    variances at every interface are in the target's own units; inputs are in the unit cube.

    Attributes
    ----------
    model : Model
    parameters : Hyperparameters
    report : FitReport or None
        What the fit did; None where the hyperparameters were given.
    """

    def __init__(
        self,
        model: Model,
        parameters: Hyperparameters,
        data: Observations,
        y_mean: float,
        y_scale: float,
        report: FitReport | None = None,
    ) -> None:
        self.model = model
        self.parameters = parameters
        self.report = report
        self.y_mean = y_mean
        self.y_scale = y_scale
        self._data = data
        self._objective = Objective(model, data)
        with blas_threads(len(data.y)):
            self._factorisation = self._objective.factorise(parameters)
        self._loadings = parameters.loadings(model)
        self._X = self._warp(data.X)

    @classmethod
    def fit(
        cls,
        model: Model,
        X: ArrayLike,
        y: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        noise_var: ArrayLike | None = None,
        y_scale: float | None = None,
        starts: dict[str, Array] | None = None,
        on_evaluation: Callable[[], None] | None = None,
    ) -> GaussianProcess:
        """Learn the hyperparameters from data.

        Parameters
        ----------
        model : Model
        X : array of shape (n, d)
            Inputs, scaled to the unit cube.
        y : array of shape (n,)
        groups : int array of shape (n,), optional
            Group of each observation; all 0 by default.
        noise_var : array of shape (n,), optional
            Known noise variances in y's squared units; needed unless the model learns them.
        y_scale : float, optional
            Scale that standardises y; its standard deviation by default.
        starts, on_evaluation
            See :func:`mastgp.gp.fitting.maximise`.

        Examples
        --------
        >>> import numpy as np
        >>> from mastgp.gp import GaussianProcess, Model
        >>> X = np.linspace(0, 1, 12)[:, None]
        >>> gp = GaussianProcess.fit(Model(n_inputs=1), X, np.sin(6 * X[:, 0]))
        >>> mean, var = gp.predict([[0.5]])
        >>> bool(abs(mean[0] - np.sin(3)) < 0.01)
        True
        """
        data, y_mean, scale = _standardise(model, X, y, groups, noise_var, y_scale)
        with blas_threads(len(data.y)):
            parameters, report = maximise(Objective(model, data), starts, on_evaluation)
        return cls(model, parameters, data, y_mean, scale, report)

    @classmethod
    def condition(
        cls,
        model: Model,
        parameters: Hyperparameters,
        X: ArrayLike,
        y: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        noise_var: ArrayLike | None = None,
        y_scale: float | None = None,
    ) -> GaussianProcess:
        """Condition on data with known hyperparameters; arguments as for :meth:`fit`."""
        data, y_mean, scale = _standardise(model, X, y, groups, noise_var, y_scale)
        return cls(model, parameters, data, y_mean, scale)

    @property
    def noise_var(self) -> Array:
        """Noise variance of every training observation, in y's squared units."""
        return noise_of(self.parameters, self._data) * self.y_scale**2

    @property
    def lengthscales(self) -> Array:
        """Lengthscales of the first component, in unit-cube units, shape (d,)."""
        return self.parameters.lengthscales[0]

    @property
    def n_points(self) -> int:
        """Number of training observations."""
        return len(self._data.y)

    def predict(self, X: ArrayLike, group: int = 0) -> tuple[Array, Array]:
        """Mean and variance of a group's latent function.

        Parameters
        ----------
        X : array of shape (n, d)
            Any number of points: they are worked through in blocks of bounded memory.
        group : int

        Returns
        -------
        mean, var : arrays of shape (n,)
        """
        points = np.asarray(X, dtype=float)
        mean, var = np.empty(len(points)), np.empty(len(points))
        with blas_threads(self.n_points):
            for rows in self._blocks(len(points)):
                k = self._cross_covariance(self._warp(points[rows]), group)
                mean[rows] = k @ self._factorisation.alpha
                V = solve_lower(self._factorisation.L, k.T)
                var[rows] = np.einsum("ij,ij->j", V, V)
        prior = self._prior_var(group)
        return self._mean_in_units(mean, group), self._var_in_units(prior - var, prior)

    def predict_covariance(self, X: ArrayLike, group: int = 0) -> tuple[Array, Array]:
        """Mean (n,) and full covariance matrix (n, n) of a group's latent function."""
        points = self._warp(np.asarray(X, dtype=float))
        with blas_threads(max(self.n_points, len(points))):
            k = self._cross_covariance(points, group)
            V = solve_lower(self._factorisation.L, k.T)
            cov = self._covariance(points, points, group, group) - V.T @ V
        prior = self._prior_var(group)
        cov = 0.5 * (cov + cov.T)
        cov.flat[:: len(cov) + 1] = np.maximum(cov.diagonal(), _smallest_var(prior))
        mean = self._mean_in_units(k @ self._factorisation.alpha, group)
        return mean, cov * self.y_scale**2

    def sample(
        self, X: ArrayLike, n_samples: int, rng: np.random.Generator, group: int = 0
    ) -> Array:
        """Draw joint samples of a group's latent function, shape (n, n_samples)."""
        mean, cov = self.predict_covariance(X, group)
        L, _ = cholesky(cov / self.y_scale**2 + 1e-12 * np.eye(len(cov)))
        normal = rng.standard_normal((len(mean), n_samples))
        draws: Array = mean[:, None] + self.y_scale * (L @ normal)
        return draws

    def predict_gradient(self, X: ArrayLike, group: int = 0) -> tuple[Array, Array]:
        """Gradients of mean and variance with respect to the unit-cube inputs, each (n, d)."""
        points = np.asarray(X, dtype=float)
        d_mean, d_var = np.zeros_like(points), np.zeros_like(points)
        with blas_threads(self.n_points):
            for rows in self._blocks(len(points)):
                warped = self._warp(points[rows])
                k = self._cross_covariance(warped, group)
                half = solve_lower(self._factorisation.L, k.T)
                weights = solve_lower(self._factorisation.L, half, transpose=True).T
                for c, slope in enumerate(self._slopes(warped, group)):
                    step = self.parameters.lengthscales[c] ** 2
                    for weight, out in ((self._factorisation.alpha, d_mean), (weights, d_var)):
                        S = slope * weight
                        out[rows] -= (S.sum(axis=1)[:, None] * warped - S @ self._X) / step
        chain = self._warp_slope(points)
        return d_mean * chain * self.y_scale, -2.0 * d_var * chain * self.y_scale**2

    def leave_one_out(self) -> tuple[Array, Array]:
        """Mean and variance of each observation given all the others, hyperparameters kept.

        The variance includes the observation's noise.
        """
        with blas_threads(self.n_points):
            mean, var = self._objective.leave_one_out(self._factorisation)
        return self.y_mean + self.y_scale * mean, self.y_scale**2 * var

    def get_state(self) -> dict[str, Any]:
        """Everything needed to rebuild this process with the same bits, as plain data."""
        return {
            "parameters": {key: np.asarray(v) for key, v in vars(self.parameters).items()},
            "X": self._data.X,
            "y": self._data.y,
            "groups": self._data.groups,
            "noise_var": self._data.noise_var,
            "y_mean": self.y_mean,
            "y_scale": self.y_scale,
            "report": None if self.report is None else asdict(self.report),
        }

    @classmethod
    def from_state(cls, model: Model, state: dict[str, Any]) -> GaussianProcess:
        """Inverse of :meth:`get_state`; the model is rebuilt by the caller."""
        noise_var = state["noise_var"]
        data = Observations(state["X"], state["y"], state["groups"].astype(np.intp), noise_var)
        report = None if state["report"] is None else FitReport(**state["report"])
        parameters = Hyperparameters(**state["parameters"])
        return cls(model, parameters, data, state["y_mean"], state["y_scale"], report)

    def _blocks(self, n: int) -> Iterator[slice]:
        size = max(1, _BLOCK_ENTRIES // self.n_points)
        return (slice(start, start + size) for start in range(0, n, size))

    def _warp(self, X: Array) -> Array:
        if not self.model.warp:
            return X
        return WarpInputs.of(X).value(self.parameters.warp_a, self.parameters.warp_b)

    def _warp_slope(self, X: Array) -> Array:
        if not self.model.warp:
            return np.ones_like(X)
        return WarpInputs.of(X).slope(self.parameters.warp_a, self.parameters.warp_b)

    def _prior_var(self, group: int) -> float:
        return float(self.parameters.scales @ self._loadings[:, group] ** 2)

    def _kernels(self, X1: Array, X2: Array) -> Iterator[tuple[int, Array, Array]]:
        """For each component that matters: its index, k and k' between two sets of points."""
        for c, component in enumerate(self.model.components):
            lengthscales = self.parameters.lengthscales[c]
            E = scaled_distances((X1 - 0.5) / lengthscales, (X2 - 0.5) / lengthscales)
            yield c, *KERNELS[component.kernel](E)

    def _covariance(
        self, X1: Array, X2: Array, group1: int, group2: int | NDArray[np.intp]
    ) -> Array:
        total = np.zeros((len(X1), len(X2)))
        for c, k, _ in self._kernels(X1, X2):
            a = self._loadings[c]
            k *= self.parameters.scales[c] * a[group1] * a[group2]
            total += k
        return total

    def _cross_covariance(self, X: Array, group: int) -> Array:
        """Covariance of a group's latent function at `X` (warped) with the training data."""
        return self._covariance(X, self._X, group, self._data.groups)

    def _slopes(self, X: Array, group: int) -> Iterator[Array]:
        for c, _, slope in self._kernels(X, self._X):
            a = self._loadings[c]
            yield slope * (self.parameters.scales[c] * a[group] * a[self._data.groups])

    def _mean_in_units(self, mean: Array, group: int) -> Array:
        return self.y_mean + self.y_scale * (mean + self._factorisation.beta[group])

    def _var_in_units(self, var: Array, prior: float) -> Array:
        return np.maximum(var, _smallest_var(prior)) * self.y_scale**2


def _smallest_var(prior: float) -> float:
    """Rounding can make a variance negative; below this share of the prior it means nothing."""
    return 1e-13 * prior


def _standardise(
    model: Model,
    X: ArrayLike,
    y: ArrayLike,
    groups: ArrayLike | None,
    noise_var: ArrayLike | None,
    y_scale: float | None,
) -> tuple[Observations, float, float]:
    inputs, targets = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if inputs.ndim != 2 or inputs.shape[1] != model.n_inputs:
        raise ValueError(f"expected inputs of shape (n, {model.n_inputs}), got {inputs.shape}")
    members = np.zeros(len(targets), np.intp) if groups is None else np.asarray(groups, np.intp)
    mean = float(targets.mean())
    scale = target_scale(targets) if y_scale is None else y_scale
    noise = None if noise_var is None else np.asarray(noise_var, dtype=float) / scale**2
    return Observations(inputs, (targets - mean) / scale, members, noise), mean, scale


def target_scale(y: Array) -> float:
    """Return the standard deviation of `y`, or something usable where it has none.

    A constant target has no scale of its own; its magnitude stands in, or 1 where it is zero.
    """
    spread = float(np.std(y, ddof=1)) if len(y) > 1 else 0.0
    size = float(np.max(np.abs(y)))
    if spread > 10.0 * np.finfo(float).eps * size:
        return spread
    return size or 1.0
