"""A Gaussian process of each point's nearest rows: for responses too wiggly for inducing points.

Near neighbours are those that are near in units of the lengthscales. Each point is predicted from
its own k neighbours by an exact process of these alone. Nothing is computed before somebody asks.
"""

from __future__ import annotations

from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import stored
from ..blocks import blocks
from ..stored import ANY
from ..threads import blas_threads
from .kernels import KERNELS
from .linalg import cholesky, solve_lower
from .model import Model
from .observations import Observations, no_noise_of, noise_of
from .parameters import Hyperparameters
from .restoring import check_parameters
from .vecchia import batch_distances, check_plain

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

#: Entries of the largest batch of covariance matrices kept at a time (8 bytes each).
_BATCH_ENTRIES = 300_000
_SMALLEST = 1e-12
#: Points whose predictions are kept: methods ask for those at the same rows again and again.
#: Fewer at a time are not worth it.
_REMEMBERED, _FEW = 300_000, 100
#: A diagonal entry that leaves a matrix positive definite, whatever stands beside it.
_ENOUGH = 1e30
_STATE = ("parameters", "X", "y", "noise_var", "k", "y_mean", "y_scale")


class NeighbourProcess:
    """A Gaussian process that predicts each point from its k nearest rows.

    Use it for very many rows of a response that varies over short distances, in few dimensions.
    Where the response is smooth, inducing points learn more from the same rows.

    Parameters
    ----------
    model : Model
        One component, one group, an uncertain mean; neither warp nor categories.
    parameters : Hyperparameters
    data : Observations
        In standardised units.
    k : int
        Number of neighbours.
    y_mean, y_scale : float
        What standardised the targets.
    """

    def __init__(
        self,
        model: Model,
        parameters: Hyperparameters,
        data: Observations,
        k: int,
        y_mean: float = 0.0,
        y_scale: float = 1.0,
    ) -> None:
        check_plain(model)
        self.model, self.parameters = model, parameters
        self.k = min(k, len(data.y))
        self.y_mean, self.y_scale = float(y_mean), float(y_scale)
        self._data = data
        self._noise = noise_of(parameters, data)
        self._remembered: dict[bytes, tuple[Array, Array]] = {}

    @property
    def n_points(self) -> int:
        """Number of rows."""
        return len(self._data.y)

    @property
    def lengthscales(self) -> Array:
        """Lengthscales in unit-cube units, shape (d,)."""
        return self.parameters.lengthscales[0]

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(self._data.X / self.lengthscales)

    def nearest(self, X: Array, k: int | None = None) -> Rows:
        """Numbers of the k nearest rows of points (n, d), shape (n, k)."""
        _, found = self._tree.query(X / self.lengthscales, self.k if k is None else k)
        return np.asarray(found, dtype=np.intp).reshape(len(X), -1)

    def predict_mean(self, X: ArrayLike) -> Array:
        """Mean of the latent function, shape (n,)."""
        return self.predict(X)[0]

    def predict(self, X: ArrayLike) -> tuple[Array, Array]:
        """Mean and variance of the latent function, each of shape (n,)."""
        points = np.ascontiguousarray(X, dtype=float)
        mean, var = self._remembering(points) if len(points) > _FEW else self._in_batches(points)
        return self.y_mean + self.y_scale * mean, self.y_scale**2 * var

    def _remembering(self, points: Array) -> tuple[Array, Array]:
        """Mean and variance in standardised units, as they were if the points are known."""
        key = sha256(points.data).digest()
        found = self._remembered.pop(key, None) or self._in_batches(points)
        self._remembered[key] = found
        kept = sum(len(mean) for mean, _ in list(self._remembered.values()))
        for oldest in list(self._remembered)[:-1]:
            if kept <= _REMEMBERED:
                break
            forgotten = self._remembered.pop(oldest, None)
            kept -= 0 if forgotten is None else len(forgotten[0])
        return found

    def _in_batches(self, points: Array) -> tuple[Array, Array]:
        """Mean and variance in standardised units."""
        mean, var = np.empty(len(points)), np.empty(len(points))
        with blas_threads(self.k):
            for rows in blocks(len(points), max(1, _BATCH_ENTRIES // self.k**2)):
                mean[rows], var[rows] = self._block(points[rows])
        return mean, var

    def _block(self, X: Array) -> tuple[Array, Array]:
        near, k = self.nearest(X), self.k
        scale, constant = float(self.parameters.scales[0]), self.model.mean_var
        kernel = KERNELS[self.model.components[0].kernel]
        # Distances between near points keep their digits if the point itself is the origin.
        Z = np.zeros((len(X), k + 1, X.shape[1]))
        Z[:, :k] = (self._data.X[near] - X[:, None]) / self.lengthscales
        # The rows, the point and the targets: the factor's last rows solve for the last two.
        C = np.zeros((len(X), k + 2, k + 2))
        C[:, : k + 1, : k + 1] = scale * kernel(batch_distances(Z, Z))[0] + constant
        C[:, np.arange(k), np.arange(k)] += self._noise[near]
        C[:, k + 1, :k] = self._data.y[near]
        C[:, k, k] = C[:, k + 1, k + 1] = _ENOUGH
        cross, targets = np.moveaxis(_solved_borders(C), 1, 0)
        mean = np.einsum("nk,nk->n", cross, targets)
        var = scale + constant - np.einsum("nk,nk->n", cross, cross)
        return mean, np.maximum(var, _SMALLEST * scale)

    def get_state(self) -> dict[str, Any]:
        """Everything needed to rebuild this process, as plain data."""
        return {
            "parameters": self.parameters.state,
            "X": self._data.X,
            "y": self._data.y,
            "noise_var": self._data.noise_var,
            "k": self.k,
            "y_mean": self.y_mean,
            "y_scale": self.y_scale,
        }

    @classmethod
    def from_state(cls, model: Model, state: dict[str, Any]) -> NeighbourProcess:
        """Inverse of :meth:`get_state`; the model is rebuilt by the caller."""
        stored.mapping(state, "the neighbours", _STATE)
        n = len(stored.array(state["X"], "X", (ANY, model.n_inputs)))
        stored.number(n, "the number of rows", low=1)
        stored.array(state["y"], "y", (n,))
        if state["noise_var"] is not None:
            stored.array(state["noise_var"], "noise_var", (n,), low=0.0, missing=True)
        stored.number(state["k"], "the number of neighbours", low=1, high=1000, whole=True)
        stored.number(state["y_mean"], "y_mean")
        stored.number(state["y_scale"], "y_scale", low=5e-324)
        check_parameters(model, state["parameters"])
        groups = np.zeros(n, np.intp)
        data = Observations(state["X"], state["y"], groups, state["noise_var"], no_noise_of(model))
        parameters = Hyperparameters(**state["parameters"])
        return cls(model, parameters, data, int(state["k"]), state["y_mean"], state["y_scale"])


def _solved_borders(C: Array) -> Array:
    """The last two rows of each matrix of a batch, solved by the factor of the others.

    Matrices that have no factor get a jitter, each its own.
    """
    try:
        return np.asarray(np.linalg.cholesky(C)[:, -2:, :-2], dtype=float)
    except np.linalg.LinAlgError:
        return np.array([solve_lower(cholesky(A[:-2, :-2])[0], A[-2:, :-2].T).T for A in C])
