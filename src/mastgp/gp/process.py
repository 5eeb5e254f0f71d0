"""A fitted Gaussian process: predictions, covariances, samples, gradients, leave-one-out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..blocks import blocks
from ..threads import blas_threads
from .fitting import FitReport, maximise
from .kernels import KERNELS, scaled_distances
from .latent import Latent, smallest_var
from .leave_out import LeftOut, leave_one_out, leave_out
from .likelihood import Factorisation, Objective
from .linalg import solve_lower
from .model import Model
from .observations import Observations, no_noise_of, noise_of, standardise
from .parameters import Hyperparameters
from .restoring import check_process_state
from .sampling import RandomSource, draw_samples
from .warp import WarpInputs

Array = NDArray[np.float64]
#: The group of all points, or one for each.
Groups = int | NDArray[np.intp]

#: Entries of the largest block of cross-covariances kept at a time (8 bytes each).
_BLOCK_ENTRIES = 600_000


class GaussianProcess:
    """A Gaussian process conditioned on data.

    Use :meth:`fit` to learn the hyperparameters from data, and the constructor where they are
    known. Targets and variances at every interface are in the target's own units; inputs are in
    the unit cube. Profiled means are treated as known. The variance of uncertain means is
    included in the variance of predictions.

    Parameters
    ----------
    model : Model
    parameters : Hyperparameters
    data : Observations
        In standardised units.
    y_mean, y_scale : floats or arrays of shape (n_groups,)
        What standardised each group's targets.
    report : FitReport, optional
        What the fit did, if there was one.
    objective : Objective, optional
        Of `model` and `data`, where it has been built before.
    factorisation : Factorisation, optional
        Of the covariance matrix at `parameters`, where it has been computed before.

    Attributes
    ----------
    model : Model
    parameters : Hyperparameters
    report : FitReport or None
    y_mean, y_scale : arrays of shape (n_groups,)
    objective : Objective
        Posterior density of the hyperparameters, given the data.
    """

    def __init__(
        self,
        model: Model,
        parameters: Hyperparameters,
        data: Observations,
        y_mean: ArrayLike,
        y_scale: ArrayLike,
        report: FitReport | None = None,
        objective: Objective | None = None,
        factorisation: Factorisation | None = None,
    ) -> None:
        self.model = model
        self.parameters = parameters
        self.report = report
        self.y_mean = np.broadcast_to(np.asarray(y_mean, dtype=float), model.n_groups)
        self.y_scale = np.broadcast_to(np.asarray(y_scale, dtype=float), model.n_groups)
        self._data = data
        self.objective = objective or Objective(model, data)
        with blas_threads(len(data.y)):
            self._factorisation = factorisation or self.objective.factorise(parameters)
        self._loadings = parameters.loadings(model)
        self._lengthscales = self._by_column(parameters.lengthscales)
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
        y_scale: ArrayLike | None = None,
        starts: dict[str, Array] | None = None,
        on_evaluation: Callable[[], None] | None = None,
        tolerance: float | None = None,
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
        y_scale : float or array of shape (n_groups,), optional
            Scale that standardises y; by default the standard deviation of all targets, each
            group's mean taken off. Give one per group where groups have different units.
        starts, on_evaluation, tolerance
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
        data, y_mean, scale = standardise(model, X, y, groups, noise_var, y_scale)
        objective = Objective(model, data)
        with blas_threads(len(data.y)):
            best = maximise(objective, starts, on_evaluation, tolerance)
        return cls(
            model, best.parameters, data, y_mean, scale, best.report, objective, best.factorisation
        )

    @property
    def optimum(self) -> Array:
        """Its hyperparameters as the optimiser's vector."""
        return self.objective.layout.pack(self.parameters)

    def with_parameters(self, parameters: Hyperparameters) -> GaussianProcess:
        """Return the same process with other hyperparameters."""
        return GaussianProcess(
            self.model,
            parameters,
            self._data,
            self.y_mean,
            self.y_scale,
            self.report,
            self.objective,
        )

    def given(self, rows: NDArray[np.intp]) -> GaussianProcess:
        """Return the same process with its hyperparameters, given some of its observations."""
        return GaussianProcess(
            self.model, self.parameters, self._data.subset(rows), self.y_mean, self.y_scale
        )

    @property
    def noise_var(self) -> Array:
        """Noise variance of every training observation, in y's squared units."""
        return noise_of(self.parameters, self._data) * self.y_scale[self._data.groups] ** 2

    @property
    def group_means(self) -> Array:
        """Profiled means of the groups in standardised units, shape (n_groups,)."""
        return self._factorisation.beta

    @property
    def jitter(self) -> float:
        """What had to be added to the covariance matrix's diagonal, in standardised units."""
        return self._factorisation.jitter

    @property
    def lengthscales(self) -> Array:
        """Lengthscales of the first component, in unit-cube units, shape (d,)."""
        return self.parameters.lengthscales[0]

    @property
    def groups(self) -> NDArray[np.intp]:
        """Group of every training observation."""
        return self._data.groups

    @property
    def log_density(self) -> float:
        """Log density of the training targets, in the engine's units."""
        return self.objective.log_density(self._factorisation)

    @property
    def n_points(self) -> int:
        """Number of training observations."""
        return len(self._data.y)

    def predict_mean(self, X: ArrayLike, group: int = 0) -> Array:
        """Mean of a group's latent function: as `predict`, at a fraction of its cost."""
        points = np.asarray(X, dtype=float)
        mean = np.empty(len(points))
        with blas_threads(self.n_points):
            for rows in self._blocks(len(points)):
                k = self._cross_covariance(self._warp(points[rows]), group)
                mean[rows] = k @ self._factorisation.alpha
        return self._mean_in_units(mean, group)

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
        return self._mean_in_units(mean, group), self._var_in_units(prior - var, group)

    def predict_covariance(self, X: ArrayLike, group: int = 0) -> tuple[Array, Array]:
        """Mean (n,) and full covariance matrix (n, n) of a group's latent function."""
        points = self._warp(np.asarray(X, dtype=float))
        with blas_threads(max(self.n_points, len(points))):
            k = self._cross_covariance(points, group)
            V = solve_lower(self._factorisation.L, k.T)
            cov = self._covariance(points, points, group, group) - V.T @ V
        prior = self._prior_var(group)
        cov = 0.5 * (cov + cov.T)
        cov.flat[:: len(cov) + 1] = np.maximum(cov.diagonal(), smallest_var(prior))
        mean = self._mean_in_units(k @ self._factorisation.alpha, group)
        return mean, cov * self.y_scale[group] ** 2

    def latent(self, X: ArrayLike, groups: Groups) -> Latent:
        """Latent values at points of any groups; see :meth:`latent_covariance`.

        Parameters
        ----------
        X : array of shape (n, d)
        groups : int, or int array of shape (n,)
        """
        points = self._warp(np.asarray(X, dtype=float))
        members = np.broadcast_to(np.asarray(groups, dtype=np.intp), len(points))
        with blas_threads(self.n_points):
            k = self._covariance(points, self._X, members, self._data.groups)
            solved = solve_lower(self._factorisation.L, k.T)
        scale = self.y_scale[members]
        priors = np.array([self._prior_var(group) for group in range(self.model.n_groups)])[members]
        var = priors - np.einsum("ij,ij->j", solved, solved)
        mean = k @ self._factorisation.alpha + self._factorisation.beta[members]
        return Latent(
            points,
            members,
            solved,
            self.y_mean[members] + scale * mean,
            np.maximum(var, smallest_var(priors)) * scale**2,
        )

    def latent_covariance(self, first: Latent, second: Latent) -> Array:
        """Posterior covariance of two sets of latent values, in units, shape (n1, n2).

        The sets may be of different groups, as the same response at two fidelities.
        """
        prior = self._covariance(first.points, second.points, first.groups, second.groups)
        prior -= first.solved.T @ second.solved
        return prior * np.multiply.outer(self.y_scale[first.groups], self.y_scale[second.groups])

    def sample(self, X: ArrayLike, n_samples: int, rng: RandomSource, group: int = 0) -> Array:
        """Draw joint samples of a group's latent function, shape (n, n_samples)."""
        return draw_samples(*self.predict_covariance(X, group), n_samples, rng)

    def predict_gradient(self, X: ArrayLike, group: int = 0) -> tuple[Array, Array]:
        """Gradients of mean and variance with respect to the unit-cube inputs, each (n, d).

        By a categorical input they are zero: there is nothing between its levels.
        """
        points = np.asarray(X, dtype=float)
        d_mean, d_var = np.zeros((2, len(points), self._X.shape[1]))
        with blas_threads(self.n_points):
            for rows in self._blocks(len(points)):
                self._add_gradients(self._warp(points[rows]), group, d_mean[rows], d_var[rows])
        scale = self.y_scale[group]
        d_mean, d_var = self._by_inputs(d_mean, points), self._by_inputs(d_var, points)
        return d_mean * scale, -2.0 * d_var * scale**2

    def _add_gradients(self, X: Array, group: int, d_mean: Array, d_var: Array) -> None:
        """Add the gradient of the mean, and -1/2 of the variance's, by the warped inputs `X`."""
        k = self._cross_covariance(X, group)
        half = solve_lower(self._factorisation.L, k.T)
        weights = solve_lower(self._factorisation.L, half, transpose=True).T
        for c, slope in enumerate(self._slopes(X, group)):
            self._add_slope(c, slope * self._factorisation.alpha, X, d_mean)
            self._add_slope(c, slope * weights, X, d_var)

    def _add_slope(self, c: int, S: Array, X: Array, out: Array) -> None:
        """Add what weighted slopes of a component give by the warped inputs `X`."""
        out -= (S.sum(axis=1)[:, None] * X - S @ self._X) / self._lengthscales[c] ** 2

    def weighted_gradient(self, X: ArrayLike, weights: Array, group: int = 0) -> Array:
        """Gradient of a weighted sum of covariances with the observations, shape (n, d).

        By the unit-cube inputs, in standardised units. With the weights of the mean it is the
        gradient of the mean.
        """
        points = np.asarray(X, dtype=float)
        gradient = np.zeros((len(points), self._X.shape[1]))
        for rows in self._blocks(len(points)):
            warped = self._warp(points[rows])
            for c, slope in enumerate(self._slopes(warped, group)):
                self._add_slope(c, slope * weights, warped, gradient[rows])
        return self._by_inputs(gradient, points)

    def _by_inputs(self, gradient: Array, points: Array) -> Array:
        """Gradient by the unit-cube inputs, from that by what kernels see."""
        if (embedding := self.objective.embedding) is not None:
            gradient = embedding.of_inputs(gradient)
        return gradient * self._warp_slope(points)

    def leave_one_out(self) -> tuple[Array, Array]:
        """Mean and variance of each observation given all the others, hyperparameters kept.

        The variance includes the observation's noise. NaN for a point alone in its group.
        """
        with blas_threads(self.n_points):
            mean, var = leave_one_out(self.objective, self._factorisation)
        return self._observations_in_units(mean, var)

    def leave_out(self, folds: Sequence[NDArray[np.intp]]) -> tuple[Array, Array]:
        """Mean and variance of each fold's observations given all others, hyperparameters kept.

        The variance includes the observations' noise. NaN for observations in no fold.
        """
        left_out = self.left_out(folds)
        return left_out.mean, left_out.var

    def left_out(self, folds: Sequence[NDArray[np.intp]]) -> LeftOut:
        """Predict each fold's observations from all others, in the target's units.

        The joint log densities of the folds are those of the standardised targets.
        """
        with blas_threads(self.n_points):
            found = leave_out(self.objective, self._factorisation, folds)
        return LeftOut(*self._observations_in_units(found.mean, found.var), found.log_densities)

    def get_state(self) -> dict[str, Any]:
        """Everything needed to rebuild this process with the same bits, as plain data."""
        return {
            "parameters": self.parameters.state,
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
        check_process_state(model, state)
        noise_var, groups = state["noise_var"], state["groups"].astype(np.intp)
        data = Observations(state["X"], state["y"], groups, noise_var, no_noise_of(model))
        report = None if state["report"] is None else FitReport(**state["report"])
        parameters = Hyperparameters(**state["parameters"])
        return cls(model, parameters, data, state["y_mean"], state["y_scale"], report)

    def _blocks(self, n: int) -> Iterator[slice]:
        size = max(1, _BLOCK_ENTRIES // self.n_points)
        return blocks(n, size)

    def _by_column(self, lengthscales: Array) -> Array:
        """Lengthscale of every column that kernels see, shape (n_components, k)."""
        embedding = self.objective.embedding
        return lengthscales if embedding is None else lengthscales[:, embedding.owners]

    def _warp(self, X: Array) -> Array:
        """What kernels see at inputs: warped numbers, and positions of levels."""
        embedding = self.objective.embedding
        numbers = X if embedding is None else embedding.numbers(X)
        if self.model.warp:
            warp_a, warp_b = self.parameters.warp_a, self.parameters.warp_b
            numbers = WarpInputs.of(numbers).value(warp_a, warp_b)
        if embedding is None:
            return numbers
        return embedding.columns(X, numbers, self.parameters.positions, self.parameters.apart)

    def _warp_slope(self, X: Array) -> Array:
        slope = np.ones_like(X)
        if self.model.warp:
            embedding = self.objective.embedding
            columns = slice(None) if embedding is None else embedding.numeric
            inputs = WarpInputs.of(X[:, columns])
            slope[:, columns] = inputs.slope(self.parameters.warp_a, self.parameters.warp_b)
        return slope

    def _prior_var(self, group: int) -> float:
        latent = float(self.parameters.scales @ self._loadings[:, group] ** 2)
        return latent + self.model.mean_var

    def _kernels(self, X1: Array, X2: Array) -> Iterator[tuple[int, Array, Array]]:
        """For each component: its index, k and k' between two sets of points."""
        for c, component in enumerate(self.model.components):
            lengthscales = self._lengthscales[c]
            E = scaled_distances((X1 - 0.5) / lengthscales, (X2 - 0.5) / lengthscales)
            yield c, *KERNELS[component.kernel](E)

    def _covariance(self, X1: Array, X2: Array, group1: Groups, group2: Groups) -> Array:
        total = np.zeros((len(X1), len(X2)))
        for c, k, _ in self._kernels(X1, X2):
            a = self._loadings[c]
            k *= np.asarray(self.parameters.scales[c] * a[group1])[..., None] * a[group2]
            total += k
        if self.model.mean_var:
            groups1 = np.broadcast_to(group1, len(X1))
            total += self.model.mean_covariance(groups1, np.broadcast_to(group2, len(X2)))
        return total

    def _cross_covariance(self, X: Array, group: int) -> Array:
        """Covariance of a group's latent function at `X` (warped) with the training data."""
        return self._covariance(X, self._X, group, self._data.groups)

    def _slopes(self, X: Array, group: int) -> Iterator[Array]:
        for c, _, slope in self._kernels(X, self._X):
            a = self._loadings[c]
            yield slope * (self.parameters.scales[c] * a[group] * a[self._data.groups])

    def _mean_in_units(self, mean: Array, group: int) -> Array:
        return self.y_mean[group] + self.y_scale[group] * (mean + self._factorisation.beta[group])

    def _observations_in_units(self, mean: Array, var: Array) -> tuple[Array, Array]:
        groups = self._data.groups
        return self.y_mean[groups] + self.y_scale[groups] * mean, self.y_scale[groups] ** 2 * var

    def _var_in_units(self, var: Array, group: int) -> Array:
        return np.maximum(var, smallest_var(self._prior_var(group))) * self.y_scale[group] ** 2
