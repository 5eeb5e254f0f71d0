"""The covariance matrix of the training data, as a sum of the components' terms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .categorical import Embedding
from .kernels import KERNELS, scaled_distances
from .model import Component, Model
from .observations import Observations, noise_of
from .parameters import Hyperparameters

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Term:
    """A component's part of K, and what its gradient needs.

    It concerns `n` consecutive observations.

    Attributes
    ----------
    rows : slice
        The observations it concerns.
    Z : array of shape (n, d)
        Their inputs over the lengthscales.
    loadings : array of shape (n,), or None where all are 1
        Their loadings a on the component.
    scale : float
        Output variance s.
    correlation : array of shape (n, n)
        k.
    slope : array of shape (n, n)
        k', which is the same matrix as k for some kernels.
    """

    rows: slice
    Z: Array
    loadings: Array | None
    scale: float
    correlation: Array
    slope: Array

    def covariance(self, out: Array | None = None) -> Array:
        """S (a a^T) k, in a matrix of its own or in `out`."""
        if self.loadings is None:
            return np.multiply(self.correlation, self.scale, out=out)
        weight = np.multiply.outer(self.loadings, self.loadings, out=out)
        weight *= self.scale
        weight *= self.correlation
        return weight


class Workspace:
    """Matrices that one evaluation after the other writes to.

    The system gives fresh memory page by page, which takes longer than to fill it.

    Parameters
    ----------
    sizes : sequence of int
        Number of observations of each component.
    n : int
        Number of all observations.

    Attributes
    ----------
    K : array of shape (n, n)
    correlations, slopes : lists of arrays
        One of each for every component.
    """

    def __init__(self, sizes: list[int], n: int) -> None:
        self.K = np.empty((n, n))
        self.correlations = [np.empty((size, size)) for size in sizes]
        self.slopes = [np.empty((size, size)) for size in sizes]
        self._spare = np.empty(n * n)

    def spare(self, n: int) -> Array:
        """A matrix of shape (n, n) for what is needed at once only; always the same memory."""
        return self._spare[: n * n].reshape(n, n)


class Covariance:
    """The covariance matrix K of a model's observations, as a function of hyperparameters.

    Attributes
    ----------
    rows : list of slice
        The observations that each component concerns.
    of_means : array of shape (n, n), or None
        Covariance that uncertain means give to the observations.
    """

    def __init__(
        self, model: Model, data: Observations, embedding: Embedding | None = None
    ) -> None:
        self.model = model
        self.data = data
        self.rows = [_extent(c.loadings, data.groups) for c in model.components]
        self._owners = slice(None) if embedding is None else embedding.owners
        self._unit_loadings = model.unit_loadings
        self.of_means = model.mean_covariance(data.groups, data.groups) if model.mean_var else None

    def workspace(self) -> Workspace:
        """Matrices for repeated evaluations."""
        return Workspace([rows.stop - rows.start for rows in self.rows], len(self.data.y))

    def terms(
        self, parameters: Hyperparameters, X: Array, work: Workspace | None = None
    ) -> list[Term]:
        """Terms of all components; `X` are the inputs as kernels see them."""
        loadings = None
        if not self._unit_loadings:
            loadings = parameters.loadings(self.model)[:, self.data.groups]
        lengthscales = parameters.lengthscales[:, self._owners]
        terms = []
        for c, (component, rows) in enumerate(zip(self.model.components, self.rows, strict=True)):
            Z = (X[rows] - 0.5) / lengthscales[c]
            a = None if loadings is None else loadings[c][rows]
            matrices = _correlation(component, Z, c, work)
            terms.append(Term(rows, Z, a, float(parameters.scales[c]), *matrices))
        return terms

    def matrix(
        self, terms: list[Term], parameters: Hyperparameters, work: Workspace | None = None
    ) -> Array:
        """K: the terms, the variance of uncertain means and the noise."""
        n = len(self.data.y)
        first, *others = terms
        if len(first.Z) == n:
            K = first.covariance(None if work is None else work.K)
        else:
            K, others = np.zeros((n, n)), terms
        for term in others:
            spare = None if work is None else work.spare(len(term.Z))
            K[term.rows, term.rows] += term.covariance(spare)
        if self.of_means is not None:
            K += self.of_means
        K.flat[:: n + 1] += noise_of(parameters, self.data)
        return K


def _correlation(
    component: Component, Z: Array, index: int, work: Workspace | None
) -> tuple[Array, Array]:
    """Kernel k and slope k' of a component among the rows of `Z`."""
    kernel = KERNELS[component.kernel]
    if work is None:
        return kernel(scaled_distances(Z))
    return kernel(scaled_distances(Z, out=work.correlations[index]), work.slopes[index])


def _extent(loadings: tuple[float, ...], groups: NDArray[np.intp]) -> slice:
    """From the first to the last observation whose group has a loading.

    With observations in the order of their groups nothing is computed for the others.
    """
    used = np.flatnonzero(np.asarray(loadings)[groups])
    return slice(int(used[0]), int(used[-1]) + 1) if len(used) else slice(0, 1)
