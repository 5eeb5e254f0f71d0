"""The objective of a fit: log marginal likelihood plus log prior, with closed-form gradient.

With ``alpha = K^-1 (y - H beta)`` and ``A = alpha alpha^T - K^-1`` the derivative of the log
likelihood with respect to any parameter t is ``1/2 tr(A dK/dt)``. Radial kernels make the trace
cheap: one Cholesky factor, one inverse and one matrix product per component give the gradient
with respect to every lengthscale, warp parameter, loading, scale and noise at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .categorical import embedding_of
from .covariance import Covariance, Term
from .layout import Layout
from .linalg import cholesky, lower_inverse, solve_cholesky, symmetric_product
from .model import Component, Model
from .observations import Observations
from .parameters import Hyperparameters
from .warp import WarpInputs

Array = NDArray[np.float64]

_LOG_2PI = math.log(2.0 * math.pi)


@dataclass(frozen=True)
class Factorisation:
    """K = L L^T of some hyperparameters, with the profiled means.

    Attributes
    ----------
    L : array of shape (n, n)
        Lower triangle.
    jitter : float
        What had to be added to K's diagonal.
    beta : array of shape (n_groups,)
        Means of the groups; 0 where they are not profiled.
    alpha : array of shape (n,)
        K^-1 (y - H beta).
    """

    L: Array
    jitter: float
    beta: Array
    alpha: Array


class Objective:
    """Negative log posterior density of a model's hyperparameters, per observation.

    Calling it with the optimiser's vector gives value and gradient.

    Attributes
    ----------
    model : Model
    data : Observations
    layout : Layout
        What the optimiser's vector means.
    members : array of shape (n, n_groups)
        1 where an observation belongs to a group, else 0.
    basis : array of shape (n, number of profiled means)
        H: the columns of `members` whose means are profiled. A group without observations has
        none, and keeps a mean of zero. Uncertain means have none: they are part of K.
    embedding : Embedding or None
        What kernels see instead of categorical inputs, if there are any.
    """

    def __init__(self, model: Model, data: Observations) -> None:
        self.model = model
        self.data = data
        self.layout = Layout(model)
        self.members: Array = (data.groups[:, None] == np.arange(model.n_groups)).astype(float)
        self._profiled = self.members.any(axis=0) & (model.means == "profiled")
        self.basis = self.members[:, self._profiled]
        self.embedding = embedding_of(model.categories, data.X)
        self._covariance = Covariance(model, data, self.embedding)
        self._numbers = data.X if self.embedding is None else self.embedding.numbers(data.X)
        self._inputs = WarpInputs.of(self._numbers) if model.warp else None
        self._targets = np.column_stack([data.y, self.basis])
        self._ones = np.ones((len(data.y), 1))
        self._learns_noise = self.members
        if data.noise_var is not None:
            self._learns_noise = self.members * np.isnan(data.noise_var)[:, None]

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Value and gradient at `theta`."""
        parameters = self.layout.unpack(theta)
        value, gradient = self._log_likelihood_gradient(parameters)
        log_prior, prior_slope = self.layout.log_prior(theta)
        n = len(self.data.y)
        return -(value + log_prior) / n, -(gradient + prior_slope) / n

    def factorise(self, parameters: Hyperparameters) -> Factorisation:
        """Factorise K and profile the means."""
        X = self._numbers
        if self._inputs is not None:
            X = self._inputs.value(parameters.warp_a, parameters.warp_b)
        X = self._embedded(X, parameters)
        K = self._covariance.matrix(self._covariance.terms(parameters, X), parameters)
        L, jitter = cholesky(K)
        return self._profile(L, jitter, solve_cholesky(L, self._targets))

    def log_likelihood(self, parameters: Hyperparameters) -> float:
        """Log marginal likelihood of the standardised targets; means profiled or integrated out."""
        return self.log_density(self.factorise(parameters))

    def log_density(self, f: Factorisation) -> float:
        """Log marginal likelihood from a factorisation."""
        log_determinant = 2.0 * float(np.log(f.L.diagonal()).sum())
        # y^T alpha is the quadratic form of the residual too: H^T alpha = 0 at the profiled means.
        quadratic = float(self.data.y @ f.alpha)
        return -0.5 * (quadratic + log_determinant + len(f.alpha) * _LOG_2PI)

    def _embedded(self, numbers: Array, parameters: Hyperparameters) -> Array:
        """What kernels see of the observations, whose numeric inputs have been warped."""
        if self.embedding is None:
            return numbers
        return self.embedding.observed_columns(numbers, parameters.positions, parameters.apart)

    def _profile(self, L: Array, jitter: float, solved: Array) -> Factorisation:
        """Profile the means, given `solved` = K^-1 [y, H]."""
        gram = self.basis.T @ solved  # H^T K^-1 [y, H]
        target, inner = gram[:, 0], gram[:, 1:]
        means = target / inner[0] if len(target) == 1 else np.linalg.solve(inner, target)
        beta = np.zeros(self.model.n_groups)
        beta[self._profiled] = means
        return Factorisation(L, jitter, beta, solved[:, 0] - solved[:, 1:] @ means)

    def _log_likelihood_gradient(self, parameters: Hyperparameters) -> tuple[float, Array]:
        X, warp_partials = self._numbers, None
        if self._inputs is not None:
            X, *warp_partials = self._inputs.value_and_partials(
                parameters.warp_a, parameters.warp_b
            )
        terms = self._covariance.terms(parameters, self._embedded(X, parameters))
        f, A = self._factorise_with_trace(terms, parameters)
        gradient, layout = np.empty(self.layout.size), self.layout
        by_input = self._add_components(gradient, A, terms, parameters)
        if layout.factors.size:
            gradient[layout.factors.where] = self._by_factors(A, terms, parameters)
        if layout.noise.size:
            per_group = A.diagonal() @ self._learns_noise
            gradient[layout.noise.where] = 0.5 * parameters.noise_var * per_group
        if warp_partials is not None:
            for block, partial in zip((layout.warp_a, layout.warp_b), warp_partials, strict=True):
                by_number = by_input[:, : partial.shape[1]]
                gradient[block.where] = np.einsum("id,id->d", by_number, partial)
        if self.embedding is not None:
            gradient[layout.positions.where] = self.embedding.by_position(by_input)
            by_apart = self.embedding.by_apart(by_input, parameters.apart)
            gradient[layout.apart.where] = by_apart
        return self.log_density(f), gradient

    def _factorise_with_trace(
        self, terms: list[Term], parameters: Hyperparameters
    ) -> tuple[Factorisation, Array]:
        """Factorise K; also return A, of which only the lower triangle is right."""
        L, jitter = cholesky(self._covariance.matrix(terms, parameters))
        inverse = lower_inverse(L)
        f = self._profile(L, jitter, symmetric_product(inverse, self._targets))
        A = np.multiply.outer(f.alpha, f.alpha).T
        A -= inverse
        return f, A

    def _add_components(
        self, gradient: Array, A: Array, terms: list[Term], parameters: Hyperparameters
    ) -> Array:
        """Write the derivatives by lengthscales and scales; return those by what kernels see."""
        by_input = np.zeros((len(self.data.y), terms[0].Z.shape[1]))
        moved = self.model.warp or self.embedding is not None
        for c, (term, component) in enumerate(zip(terms, self.model.components, strict=True)):
            part = A[term.rows, term.rows]
            spread = _radial_spread(part, term)
            by_lengthscale = np.einsum("id,id->d", term.Z, spread)
            lengthscales = parameters.lengthscales[c]
            if self.embedding is not None:
                by_lengthscale = self.embedding.by_input(by_lengthscale)
                lengthscales = lengthscales[self.embedding.owners]
            if component.isotropic:
                by_lengthscale = by_lengthscale.sum()
            gradient[self.layout.lengthscales[c].where] = by_lengthscale
            if moved:
                by_input[term.rows] -= spread / lengthscales
            if component.learn_scale:
                by_scale = symmetric_product(part * term.covariance.T, self._ones[term.rows]).sum()
                gradient[self.layout.scales[c].where] = 0.5 * by_scale
        return by_input

    def _by_factors(self, A: Array, terms: list[Term], parameters: Hyperparameters) -> Array:
        """Derivative with respect to the learned factors of the loadings."""
        gradient = np.zeros(self.model.n_factors)
        for c, (term, component) in enumerate(zip(terms, self.model.components, strict=True)):
            if term.loadings is None or not any(component.factors):
                continue
            rows = term.rows
            weighted = A[rows, rows] * term.correlation.T
            per_point = symmetric_product(weighted, term.loadings[:, None])[:, 0]
            by_loading = parameters.scales[c] * (per_point @ self.members[rows])
            for i, group, slope in _loading_slopes(component, parameters.factors):
                gradient[i] += by_loading[group] * slope
        return gradient


def _loading_slopes(component: Component, factors: Array) -> Iterator[tuple[int, int, float]]:
    """For each use of a factor: its index, the group, the derivative of the group's loading."""
    for group, used in enumerate(component.factors):
        for position, i in enumerate(used):
            others = [j for k, j in enumerate(used) if k != position]
            yield i, group, component.loadings[group] * math.prod(factors[others])


def _radial_spread(A: Array, term: Term) -> Array:
    """Return r Z - M Z with M = A * slope and r = M 1, shape (n, d).

    Its negative is the derivative by the inputs over lengthscales. Its product with Z, summed over
    the points, is the derivative by the log lengthscales.
    """
    d = term.Z.shape[1]
    augmented = np.empty((len(term.Z), d + 1), order="F")
    augmented[:, :d] = term.Z
    augmented[:, d] = 1.0
    product = symmetric_product(A * term.slope.T, augmented)  # M [Z, 1]
    return product[:, d:] * term.Z - product[:, :d]
