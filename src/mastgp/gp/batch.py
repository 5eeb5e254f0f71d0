"""The objective of a fit at many vectors at once.

With few observations most of an evaluation's time goes to the calls of array functions, not to the
arithmetic. One call for many matrices does away with that. The formulas are those of
:mod:`mastgp.gp.likelihood`, with one more axis in front: that of the vectors. Larger matrices do
not fit into the processor's cache together, and are dealt with one by one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotri

from .kernels import KERNELS
from .likelihood import Objective, loading_slopes
from .linalg import NotPositiveDefiniteError
from .observations import known_noise

Array = NDArray[np.float64]

#: Entries of all matrices of one kind that are held at a time.
MOST_ENTRIES = 2**15
#: Fewer vectors than this are quicker one by one.
FEWEST = 3


def evaluate_many(objective: Objective, thetas: Array) -> tuple[Array, Array]:
    """Values (b,) and gradients (b, p) of an objective at the rows of `thetas`, shape (b, p).

    Where a covariance matrix cannot be factorised, the value is infinite and the gradient zero.
    """
    values, gradients = np.empty(len(thetas)), np.empty_like(thetas)
    size = MOST_ENTRIES // max(len(objective.data.y), 1) ** 2
    if objective.embedding is not None or min(size, len(thetas)) < FEWEST:
        for i, theta in enumerate(thetas):
            values[i], gradients[i] = _one(objective, theta)
        return values, gradients
    for start in range(0, len(thetas), size):
        rows = slice(start, start + size)
        values[rows], gradients[rows] = _Batch(objective, thetas[rows]).evaluate()
    return values, gradients


def _one(objective: Objective, theta: Array) -> tuple[float, Array]:
    try:
        return objective(theta)
    except NotPositiveDefiniteError:
        return math.inf, np.zeros_like(theta)


class _Batch:
    """Everything about some vectors that their values and gradients are made of."""

    def __init__(self, objective: Objective, thetas: Array) -> None:
        self.objective, self.layout, self.model = objective, objective.layout, objective.model
        self.thetas = thetas
        self.natural = np.exp(thetas, where=self.layout.logarithmic, out=thetas.copy())
        self.factors = self.natural[:, self.layout.factors.where]
        self.partials: tuple[Array, Array] | None = None
        X = np.broadcast_to(objective.numbers, (len(thetas), *objective.numbers.shape))
        if objective.warp_inputs is not None:
            blocks = self.layout.warp_a, self.layout.warp_b
            a, b = (self.natural[:, None, block.where] for block in blocks)
            X, *partials = objective.warp_inputs.value_and_partials(a, b)
            self.partials = (partials[0], partials[1])
        self.terms = [self._term(c, X) for c in range(len(self.model.components))]

    def _term(self, c: int, X: Array) -> _Term:
        """A component's part of the covariance matrices."""
        component, rows = self.model.components[c], self.objective.covariance.rows[c]
        lengthscales = self.natural[:, None, self.layout.lengthscale_index[c]]
        Z = (X[:, rows] - 0.5) / lengthscales
        norms = 0.5 * np.einsum("bid,bid->bi", Z, Z)
        E = Z @ Z.transpose(0, 2, 1)
        E -= norms[:, :, None]
        E -= norms[:, None, :]
        np.minimum(E, 0.0, out=E)
        E.reshape(len(E), -1)[:, :: E.shape[1] + 1] = 0.0
        scale = self.natural[:, self.layout.scales[c].where]
        if not component.learn_scale:
            scale = np.ones((len(Z), 1))
        loadings = self._loadings(c)[:, self.objective.data.groups[rows]]
        return _Term(rows, Z, lengthscales, loadings, scale, *KERNELS[component.kernel](E))

    def _loadings(self, c: int) -> Array:
        """Loading of every group on a component, shape (b, n_groups)."""
        component = self.model.components[c]
        loadings = np.tile(np.array(component.loadings, dtype=float), (len(self.thetas), 1))
        for group, used in enumerate(component.factors):
            for i in used:
                loadings[:, group] *= self.factors[:, i]
        return loadings

    def evaluate(self) -> tuple[Array, Array]:
        """Values and gradients of the negative log posterior density per observation."""
        inverses, log_determinants = _inverses(self._matrices())
        impossible = ~np.isfinite(log_determinants)
        alpha = self._alpha(inverses)
        n = len(self.objective.data.y)
        quadratic = alpha @ self.objective.data.y
        values = -0.5 * (quadratic + log_determinants + n * math.log(2.0 * math.pi))
        A = alpha[:, :, None] * alpha[:, None, :]
        A -= inverses
        gradients = self._gradients(A)
        log_prior, prior_slopes = self.layout.log_prior(self.thetas)
        values = np.where(impossible, math.inf, -(values + log_prior) / n)
        gradients = np.where(impossible[:, None], 0.0, -(gradients + prior_slopes) / n)
        return values, gradients

    def _matrices(self) -> Array:
        """The covariance matrices, shape (b, n, n)."""
        objective = self.objective
        n = len(objective.data.y)
        K = np.zeros((len(self.thetas), n, n))
        for term in self.terms:
            K[:, term.rows, term.rows] += term.covariance()
        if objective.covariance.of_means is not None:
            K += objective.covariance.of_means
        noise = known_noise(objective.data)
        if self.layout.noise.size:
            learned = self.natural[:, self.layout.noise.where][:, objective.data.groups]
            noise = np.where(np.isnan(noise), learned, noise)
        K.reshape(len(K), -1)[:, :: n + 1] += noise
        return K

    def _alpha(self, inverses: Array) -> Array:
        """K^-1 (y - H beta) with profiled means, shape (b, n)."""
        basis = self.objective.basis
        solved = inverses @ self.objective.data.y
        if not basis.shape[1]:
            return solved
        projected = inverses @ basis
        inner = basis.T @ projected
        beta = np.linalg.solve(inner, (solved @ basis)[:, :, None])
        return solved - (projected @ beta)[:, :, 0]

    def _gradients(self, A: Array) -> Array:
        """Derivatives of the log likelihood, shape (b, p)."""
        gradients, layout = np.zeros_like(self.thetas), self.layout
        by_input = np.zeros((len(A), *self.objective.numbers.shape))
        for c, term in enumerate(self.terms):
            spread, per_point = term.derivatives(A[:, term.rows, term.rows])
            by_lengthscale = np.einsum("bid,bid->bd", term.Z, spread)
            if self.model.components[c].isotropic:
                by_lengthscale = by_lengthscale.sum(axis=1, keepdims=True)
            gradients[:, layout.lengthscales[c].where] = by_lengthscale
            by_input[:, term.rows] -= spread / term.lengthscales
            if layout.scales[c].size:
                by_scale = 0.5 * np.sum(term.loadings * per_point, axis=1, keepdims=True)
                gradients[:, layout.scales[c].where] = by_scale
            self._add_factors(gradients, c, per_point @ self.objective.members[term.rows])
        if layout.noise.size:
            per_group = np.einsum("bii->bi", A) @ self.objective.learns_noise
            noise_var = self.natural[:, layout.noise.where]
            gradients[:, layout.noise.where] = 0.5 * noise_var * per_group
        if self.partials is not None:
            for block, partial in zip((layout.warp_a, layout.warp_b), self.partials, strict=True):
                gradients[:, block.where] = np.einsum("bid,bid->bd", by_input, partial)
        return gradients

    def _add_factors(self, gradients: Array, c: int, by_loading: Array) -> None:
        """Add the derivatives by the factors in a component's loadings."""
        first = self.layout.factors.where.start
        for i, group, slope in loading_slopes(self.model.components[c], self.factors):
            gradients[:, first + i] += by_loading[:, group] * slope


class _Term:
    """A component's part of all covariance matrices; names as in :class:`.covariance.Term`."""

    def __init__(
        self,
        rows: slice,
        Z: Array,
        lengthscales: Array,
        loadings: Array,
        scale: Array,
        correlation: Array,
        slope: Array,
    ) -> None:
        self.rows, self.Z, self.lengthscales = rows, Z, lengthscales
        self.loadings, self.scale = loadings, scale
        self.correlation, self.slope = correlation, slope

    def covariance(self) -> Array:
        """S (a a^T) k."""
        scaled = self.scale * self.loadings
        return self.correlation * scaled[:, :, None] * self.loadings[:, None, :]

    def derivatives(self, A: Array) -> tuple[Array, Array]:
        """What all derivatives follow from; see ``Objective._by_component``."""
        a, scale = self.loadings[:, :, None], self.scale[:, :, None]
        weighted = np.concatenate([a * self.Z, a], axis=2)
        product = scale * ((A * self.slope) @ weighted)
        spread = a * (product[:, :, -1:] * self.Z - product[:, :, :-1])
        if self.slope is self.correlation:
            return spread, product[:, :, -1]
        return spread, (scale * ((A * self.correlation) @ a))[:, :, 0]


def _inverses(K: Array) -> tuple[Array, Array]:
    """Inverse and log determinant of each matrix; infinite where it is not positive definite."""
    upper = np.triu_indices(K.shape[1], 1)
    log_determinants = np.full(len(K), np.inf)
    for i, matrix in enumerate(K):
        L, info = dpotrf(matrix.T, lower=1, clean=0, overwrite_a=1)
        diagonal = L.diagonal()
        if info != 0 or not diagonal[-1] > 0.0:
            matrix[:] = np.eye(len(matrix))  # anything that the others' formulas can bear
            continue
        log_determinants[i] = 2.0 * float(np.log(diagonal).sum())
        matrix.T[:] = dpotri(L, lower=1, overwrite_c=1)[0]
    # The lower triangle of the transpose is right: in the matrix itself that is the upper one.
    K[:, upper[1], upper[0]] = K[:, upper[0], upper[1]]
    return K, log_determinants
