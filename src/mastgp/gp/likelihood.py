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
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .categorical import embedding_of
from .covariance import Covariance, Term, Workspace
from .layout import Layout
from .linalg import (
    cholesky,
    cholesky_in_place,
    lower_inverse,
    solve_cholesky,
    symmetric_product,
)
from .model import Component, Model
from .observations import FIXED_NOISE_FLOOR, Observations
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
    numbers : array of shape (n, number of numeric inputs)
        The numeric inputs.
    warp_inputs : WarpInputs or None
        What the warp knows of them, if there is one.
    learns_noise : array of shape (n, n_groups)
        As `members`, 0 also where an observation's noise is known.
    covariance : Covariance
        The covariance matrix as a function of hyperparameters.
    """

    def __init__(self, model: Model, data: Observations) -> None:
        self.model = model
        self.data = data
        self.layout = Layout(model)
        self.members: Array = (data.groups[:, None] == np.arange(model.n_groups)).astype(float)
        self._profiled = self.members.any(axis=0) & (model.means == "profiled")
        self.basis = self.members[:, self._profiled]
        self.embedding = embedding_of(model.categories, data.X)
        self.covariance = Covariance(model, data, self.embedding)
        self.numbers = data.X if self.embedding is None else self.embedding.numbers(data.X)
        self.warp_inputs = WarpInputs.of(self.numbers) if model.warp else None
        self._targets = np.column_stack([data.y, self.basis])
        self.learns_noise = self.members
        if data.noise_var is not None:
            self.learns_noise = self.members * np.isnan(data.noise_var)[:, None]

    @cached_property
    def _work(self) -> Workspace:
        return self.covariance.workspace()

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Value and gradient at `theta`. One call at a time: calls share their memory."""
        parameters = self.layout.unpack(theta)
        value, gradient = self._log_likelihood_gradient(parameters)
        log_prior, prior_slope = self.layout.log_prior(theta)
        n = len(self.data.y)
        return -(value + float(log_prior)) / n, -(gradient + prior_slope) / n

    def factorise(self, parameters: Hyperparameters) -> Factorisation:
        """Factorise K and profile the means."""
        X = self.numbers
        if self.warp_inputs is not None:
            X = self.warp_inputs.value(parameters.warp_a, parameters.warp_b)
        X = self._embedded(X, parameters)
        K = self.covariance.matrix(self.covariance.terms(parameters, X), parameters)
        L, jitter = cholesky(K)
        return Factorisation(L, jitter, *self._profile(solve_cholesky(L, self._targets)))

    def log_likelihood(self, parameters: Hyperparameters) -> float:
        """Log marginal likelihood of the standardised targets; means profiled or integrated out."""
        return self.log_density(self.factorise(parameters))

    def log_density(self, f: Factorisation) -> float:
        """Log marginal likelihood from a factorisation."""
        return self._log_density(f.L.diagonal(), f.alpha)

    def _embedded(self, numbers: Array, parameters: Hyperparameters) -> Array:
        """What kernels see of the observations, whose numeric inputs have been warped."""
        if self.embedding is None:
            return numbers
        return self.embedding.observed_columns(numbers, parameters.positions, parameters.apart)

    def _log_density(self, diagonal: Array, alpha: Array) -> float:
        """Log marginal likelihood from the diagonal of L, and alpha."""
        log_determinant = 2.0 * float(np.log(diagonal).sum())
        # y^T alpha is the quadratic form of the residual too: H^T alpha = 0 at the profiled means.
        quadratic = float(self.data.y @ alpha)
        return -0.5 * (quadratic + log_determinant + len(alpha) * _LOG_2PI)

    def _profile(self, solved: Array) -> tuple[Array, Array]:
        """Means of the groups and alpha, given `solved` = K^-1 [y, H]."""
        beta = np.zeros(self.model.n_groups)
        if not self.basis.shape[1]:
            return beta, solved[:, 0]
        gram = self.basis.T @ solved  # H^T K^-1 [y, H]
        target, inner = gram[:, 0], gram[:, 1:]
        means = target / inner[0] if len(target) == 1 else np.linalg.solve(inner, target)
        beta[self._profiled] = means
        return beta, solved[:, 0] - solved[:, 1:] @ means

    def _log_likelihood_gradient(self, parameters: Hyperparameters) -> tuple[float, Array]:
        X, warp_partials = self.numbers, None
        if self.warp_inputs is not None:
            X, *warp_partials = self.warp_inputs.value_and_partials(
                parameters.warp_a, parameters.warp_b
            )
        terms = self.covariance.terms(parameters, self._embedded(X, parameters), self._work)
        value, A = self._value_and_trace(terms, parameters)
        gradient, layout = np.zeros(self.layout.size), self.layout
        by_input = self._add_components(gradient, A, terms, parameters)
        if layout.noise.size:
            per_group = A.diagonal() @ self.learns_noise
            gradient[layout.noise.where] = 0.5 * parameters.noise_var * per_group
        if warp_partials is not None:
            for block, partial in zip((layout.warp_a, layout.warp_b), warp_partials, strict=True):
                by_number = by_input[:, : partial.shape[1]]
                gradient[block.where] = np.einsum("id,id->d", by_number, partial)
        if self.embedding is not None:
            gradient[layout.positions.where] = self.embedding.by_position(by_input)
            by_apart = self.embedding.by_apart(by_input, parameters.apart)
            gradient[layout.apart.where] = by_apart
        return value, gradient

    def _value_and_trace(
        self, terms: list[Term], parameters: Hyperparameters
    ) -> tuple[float, Array]:
        """Log likelihood; and A, of which only the lower triangle is right."""
        L = cholesky_in_place(lambda: self.covariance.matrix(terms, parameters, self._work))
        diagonal = L.diagonal().copy()
        solved = None
        if self.data.no_noise < FIXED_NOISE_FLOOR:  # a product with the inverse loses digits then
            solved = solve_cholesky(L, self._targets)
        inverse = lower_inverse(L, in_place=True)
        if solved is None:
            solved = symmetric_product(inverse, self._targets)
        _, alpha = self._profile(solved)
        outer = np.multiply.outer(alpha, alpha, out=self._work.spare(len(alpha))).T
        return self._log_density(diagonal, alpha), np.subtract(outer, inverse, out=inverse)

    def _add_components(
        self, gradient: Array, A: Array, terms: list[Term], parameters: Hyperparameters
    ) -> Array:
        """Add the derivatives by lengthscales, scales and factors.

        The derivatives by what kernels see of the inputs are returned.
        """
        by_input = np.zeros((len(self.data.y), terms[0].Z.shape[1]))
        moved = self.model.warp or self.embedding is not None
        for c, (term, component) in enumerate(zip(terms, self.model.components, strict=True)):
            spread, per_point = self._by_component(A[term.rows, term.rows], term)
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
                a = 1.0 if term.loadings is None else term.loadings
                gradient[self.layout.scales[c].where] = 0.5 * np.sum(a * per_point)
            if any(component.factors):
                by_loading = per_point @ self.members[term.rows]
                by_factor = gradient[self.layout.factors.where]
                for i, group, slope in loading_slopes(component, parameters.factors):
                    by_factor[i] += by_loading[group] * slope
        return by_input

    def _by_component(self, A: Array, term: Term) -> tuple[Array, Array]:
        """Derivatives that all others of a component follow from.

        Returns
        -------
        spread : array of shape (n, d)
            r Z - M Z with M = A * s (a a^T) k' and r = M 1. Its negative is the derivative by the
            inputs over lengthscales. Its product with Z, summed over the points, is the derivative
            by the log lengthscales.
        per_point : array of shape (n,)
            The derivative by each point's own loading: s (A * k) a.
        """
        n, d = term.Z.shape
        a = np.ones(n) if term.loadings is None else term.loadings
        weighted = np.empty((n, d + 1), order="F")  # a [Z, 1]
        np.multiply(term.Z, a[:, None], out=weighted[:, :d])
        weighted[:, d] = a
        product = term.scale * self._product(A, term.slope, weighted)
        spread = a[:, None] * (product[:, d:] * term.Z - product[:, :d])
        if term.slope is term.correlation:
            return spread, product[:, d]
        return spread, term.scale * self._product(A, term.correlation, a[:, None])[:, 0]

    def _product(self, A: Array, k: Array, B: Array) -> Array:
        """(A * k) B, for matrices that are symmetric but for the upper triangle of A."""
        return symmetric_product(np.multiply(A, k.T, out=self._work.spare(len(A)).T), B)


def loading_slopes(component: Component, factors: Array) -> Iterator[tuple[int, int, Array]]:
    """For each use of a factor: its index, the group, the derivative of the group's loading.

    The factors of many vectors may be given at once, shape (b, n_factors).
    """
    for group, used in enumerate(component.factors):
        for position, i in enumerate(used):
            others = [j for k, j in enumerate(used) if k != position]
            yield i, group, component.loadings[group] * np.prod(factors[..., others], axis=-1)
