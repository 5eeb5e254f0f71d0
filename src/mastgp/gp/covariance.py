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
    covariance : array of shape (n, n)
        s (a a^T) k.
    slope : array of shape (n, n)
        s (a a^T) k'.
    correlation : array of shape (n, n)
        k.
    """

    rows: slice
    Z: Array
    loadings: Array | None
    covariance: Array
    slope: Array
    correlation: Array


class Covariance:
    """The covariance matrix K of a model's observations, as a function of hyperparameters."""

    def __init__(
        self, model: Model, data: Observations, embedding: Embedding | None = None
    ) -> None:
        self.model = model
        self.data = data
        self._rows = [_extent(c.loadings, data.groups) for c in model.components]
        self._owners = slice(None) if embedding is None else embedding.owners
        self._unit_loadings = model.unit_loadings
        self._of_means = model.mean_covariance(data.groups, data.groups) if model.mean_var else None

    def terms(self, parameters: Hyperparameters, X: Array) -> list[Term]:
        """Terms of all components; `X` are the inputs as kernels see them."""
        loadings = None
        if not self._unit_loadings:
            loadings = parameters.loadings(self.model)[:, self.data.groups]
        lengthscales = parameters.lengthscales[:, self._owners]
        terms = []
        for c, (component, rows) in enumerate(zip(self.model.components, self._rows, strict=True)):
            Z = (X[rows] - 0.5) / lengthscales[c]
            a = None if loadings is None else loadings[c][rows]
            terms.append(_term(component, rows, Z, a, parameters.scales[c]))
        return terms

    def matrix(self, terms: list[Term], parameters: Hyperparameters) -> Array:
        """K: the terms, the variance of uncertain means and the noise."""
        n = len(self.data.y)
        if len(terms) == 1 and len(terms[0].Z) == n:
            K = terms[0].covariance.copy()
        else:
            K = np.zeros((n, n))
            for term in terms:
                K[term.rows, term.rows] += term.covariance
        if self._of_means is not None:
            K += self._of_means
        K.flat[:: n + 1] += noise_of(parameters, self.data)
        return K


def _term(component: Component, rows: slice, Z: Array, a: Array | None, scale: float) -> Term:
    """Term of a component with loadings `a` and output variance `scale`."""
    k, slope = KERNELS[component.kernel](scaled_distances(Z))
    if a is None and not component.learn_scale:
        return Term(rows, Z, a, covariance=k, slope=slope, correlation=k)
    ones = np.ones(len(Z)) if a is None else a
    weight = scale * np.outer(ones, ones)
    covariance = weight * k
    weighted_slope = covariance if slope is k else weight * slope
    return Term(rows, Z, a, covariance, weighted_slope, correlation=k)


def _extent(loadings: tuple[float, ...], groups: NDArray[np.intp]) -> slice:
    """From the first to the last observation whose group has a loading.

    With observations in the order of their groups nothing is computed for the others.
    """
    used = np.flatnonzero(np.asarray(loadings)[groups])
    return slice(int(used[0]), int(used[-1]) + 1) if len(used) else slice(0, 1)
