"""The objective of a fit: log marginal likelihood plus log prior, with closed-form gradient.

With ``alpha = K^-1 (y - H beta)`` and ``A = alpha alpha^T - K^-1`` the derivative of the log
likelihood with respect to any parameter t is ``1/2 tr(A dK/dt)``. Radial kernels make the trace
cheap: one Cholesky factor, one inverse and one matrix product per component give the gradient
with respect to every lengthscale, warp parameter, loading, scale and noise at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .kernels import KERNELS, scaled_distances
from .linalg import cholesky, lower_inverse, solve_cholesky, symmetric_product
from .model import FIXED_NOISE_FLOOR, Hyperparameters, Layout, Model
from .warp import WarpInputs

Array = NDArray[np.float64]

_LOG_2PI = math.log(2.0 * math.pi)


@dataclass(frozen=True)
class Observations:
    """Training data in the engine's units.

    Attributes
    ----------
    X : array of shape (n, d)
        Inputs, in or near the unit cube.
    y : array of shape (n,)
        Standardised targets.
    groups : int array of shape (n,)
        Group of each observation.
    noise_var : array of shape (n,), optional
        Known noise variances in standardised units; NaN where the model learns them.
    """

    X: Array
    y: Array
    groups: NDArray[np.intp]
    noise_var: Array | None = None

    def subset(self, rows: NDArray[np.intp]) -> Observations:
        """Return some of the observations."""
        noise_var = None if self.noise_var is None else self.noise_var[rows]
        return Observations(self.X[rows], self.y[rows], self.groups[rows], noise_var)


@dataclass(frozen=True)
class _Term:
    """A component's part of K, and what its gradient needs."""

    rows: slice  # observations it concerns
    Z: Array
    covariance: Array  # s (a a^T) k
    slope: Array  # s (a a^T) k'
    correlation: Array  # k


@dataclass(frozen=True)
class Factorisation:
    """K = L L^T of some hyperparameters, with the profiled means."""

    L: Array
    jitter: float
    beta: Array
    alpha: Array  # K^-1 (y - H beta)


def noise_of(parameters: Hyperparameters, data: Observations) -> Array:
    """Noise variance of every observation."""
    learned = parameters.noise_var[data.groups] if parameters.noise_var.size else None
    if data.noise_var is None:
        if learned is None:
            raise ValueError(
                "a model that does not learn its noise needs a variance per observation"
            )
        return learned
    known = np.maximum(data.noise_var, FIXED_NOISE_FLOOR)
    return known if learned is None else np.where(np.isnan(known), learned, known)


class Objective:
    """Negative log posterior density of a model's hyperparameters, per observation.

    Calling it with the optimiser's vector gives value and gradient.
    """

    def __init__(self, model: Model, data: Observations) -> None:
        self.model = model
        self.data = data
        self.layout = Layout(model)
        self._unit_loadings = model.unit_loadings
        self._inputs = WarpInputs.of(data.X) if model.warp else None
        used = np.arange(model.n_groups)
        self._members: Array = (data.groups[:, None] == used).astype(float)
        # A group without observations keeps a mean of zero: it has no column in the basis. Nor has
        # a mean that is uncertain: it is part of the covariance.
        profiled = model.means == "profiled"
        self._present = self._members.any(axis=0) & profiled
        self._mean_cov = None if profiled else model.mean_covariance(data.groups, data.groups)
        self._basis = self._members[:, self._present]
        self._targets = np.column_stack([data.y, self._basis])
        self._ones = np.ones((len(data.y), 1))
        self._rows = [_extent(c.loadings, data.groups) for c in model.components]
        self._learns = self._members
        if data.noise_var is not None:
            self._learns = self._members * np.isnan(data.noise_var)[:, None]

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Value and gradient at `theta`."""
        parameters = self.layout.unpack(theta)
        value, gradient = self._log_likelihood_gradient(parameters)
        log_prior, prior_slope = self.layout.log_prior(theta)
        n = len(self.data.y)
        return -(value + log_prior) / n, -(gradient + prior_slope) / n

    def log_likelihood(self, parameters: Hyperparameters) -> float:
        """Log marginal likelihood of the standardised targets; means profiled or integrated out."""
        return self.log_density(self.factorise(parameters))

    def leave_one_out_score(self, parameters: Hyperparameters) -> float:
        """Mean log predictive density of the last group's observations, each given all others.

        By convention the last group is the one that predictions are made for.
        """
        mean, var = self.leave_one_out(self.factorise(parameters))
        density = -0.5 * ((self.data.y - mean) ** 2 / var + np.log(var) + _LOG_2PI)
        last = density[self.data.groups == self.data.groups.max()]
        scored = last if np.isfinite(last).sum() > 2 else density
        return float(np.nanmean(scored))

    def leave_one_out(self, factorisation: Factorisation) -> tuple[Array, Array]:
        """Mean and variance of each observation given all the others, hyperparameters kept.

        The group means are estimated again without the point (Dubrule 1983). A point that is
        alone in its group leaves nothing to estimate them from: its results are NaN.
        """
        inverse = lower_inverse(factorisation.L)
        precision = inverse.diagonal().copy()
        projected = symmetric_product(inverse, self._basis)
        inner = np.linalg.inv(self._basis.T @ projected)
        reduced = precision - np.einsum("ij,jk,ik->i", projected, inner, projected)
        alone = self._leaves_nothing(self._members.sum(axis=0) < 2)[self.data.groups]
        reduced = np.where(alone, np.nan, np.maximum(reduced, 1e-12 * precision))
        return self.data.y - factorisation.alpha / reduced, 1.0 / reduced

    def leave_out(
        self, factorisation: Factorisation, folds: Sequence[NDArray[np.intp]]
    ) -> tuple[Array, Array]:
        """Mean and variance of each fold's observations given all others, hyperparameters kept.

        Observations in no fold have NaN, as have folds that leave a group without observations.
        """
        lower = lower_inverse(factorisation.L)
        precision = lower + np.tril(lower, -1).T
        projected = precision @ self._basis
        precision -= projected @ np.linalg.solve(self._basis.T @ projected, projected.T)
        sizes = self._members.sum(axis=0)
        mean, var = np.full((2, len(self.data.y)), np.nan)
        for fold in folds:
            left_out = self._members[fold].sum(axis=0)
            if self._leaves_nothing((left_out > 0) & (left_out == sizes)).any():
                continue
            cov = np.linalg.pinv(precision[np.ix_(fold, fold)], hermitian=True)
            mean[fold] = self.data.y[fold] - cov @ factorisation.alpha[fold]
            var[fold] = np.where(cov.diagonal() > 0.0, cov.diagonal(), np.nan)
        return mean, var

    def _leaves_nothing(self, emptied: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Of groups that lose all observations, those whose mean nothing else tells."""
        return emptied & (self.model.means != "shared")

    def factorise(self, parameters: Hyperparameters) -> Factorisation:
        """Factorise K and profile the means."""
        L, jitter = self._factor(self._terms(parameters, self._warped(parameters)), parameters)
        return self._profile(L, jitter, solve_cholesky(L, self._targets))

    def _warped(self, parameters: Hyperparameters) -> Array:
        if self._inputs is None:
            return self.data.X
        return self._inputs.value(parameters.warp_a, parameters.warp_b)

    def _terms(self, parameters: Hyperparameters, X: Array) -> list[_Term]:
        loadings = None
        if not self._unit_loadings:
            loadings = parameters.loadings(self.model)[:, self.data.groups]
        terms = []
        for c, (component, rows) in enumerate(zip(self.model.components, self._rows, strict=True)):
            Z = (X[rows] - 0.5) / parameters.lengthscales[c]
            k, slope = KERNELS[component.kernel](scaled_distances(Z))
            covariance, weighted_slope = k, slope
            if loadings is not None or component.learn_scale:
                a = np.ones(len(Z)) if loadings is None else loadings[c][rows]
                weight = parameters.scales[c] * np.outer(a, a)
                covariance = weight * k
                weighted_slope = covariance if slope is k else weight * slope
            terms.append(_Term(rows, Z, covariance, weighted_slope, k))
        return terms

    def _factor(self, terms: list[_Term], parameters: Hyperparameters) -> tuple[Array, float]:
        if len(terms) == 1 and len(terms[0].Z) == len(self.data.y):
            K = terms[0].covariance.copy()
        else:
            K = np.zeros((len(self.data.y), len(self.data.y)))
            for term in terms:
                K[term.rows, term.rows] += term.covariance
        if self._mean_cov is not None:
            K += self._mean_cov
        K.flat[:: len(K) + 1] += noise_of(parameters, self.data)
        return cholesky(K)

    def _profile(self, L: Array, jitter: float, solved: Array) -> Factorisation:
        """Profile the means, given `solved` = K^-1 [y, H]."""
        gram = self._basis.T @ solved  # H^T K^-1 [y, H]
        target, inner = gram[:, 0], gram[:, 1:]
        means = target / inner[0] if len(target) == 1 else np.linalg.solve(inner, target)
        beta = np.zeros(self.model.n_groups)
        beta[self._present] = means
        return Factorisation(L, jitter, beta, solved[:, 0] - solved[:, 1:] @ means)

    def log_density(self, f: Factorisation) -> float:
        """Log marginal likelihood from a factorisation."""
        log_determinant = 2.0 * float(np.log(f.L.diagonal()).sum())
        # y^T alpha is the quadratic form of the residual too: H^T alpha = 0 at the profiled means.
        quadratic = float(self.data.y @ f.alpha)
        return -0.5 * (quadratic + log_determinant + len(f.alpha) * _LOG_2PI)

    def _log_likelihood_gradient(self, parameters: Hyperparameters) -> tuple[float, Array]:
        if self._inputs is None:
            X = self.data.X
        else:
            X, by_log_a, by_log_b = self._inputs.value_and_partials(
                parameters.warp_a, parameters.warp_b
            )
        terms = self._terms(parameters, X)
        L, jitter = self._factor(terms, parameters)
        inverse = lower_inverse(L)
        f = self._profile(L, jitter, symmetric_product(inverse, self._targets))
        # Only the lower triangle of A is right, and only that is read.
        A = np.multiply.outer(f.alpha, f.alpha).T
        A -= inverse

        gradient = np.empty(self.layout.size)
        blocks = self.layout.blocks
        by_input = np.zeros_like(X)  # derivative with respect to the warped inputs
        for c, term in enumerate(terms):
            part = A[term.rows, term.rows]
            spread = _radial_spread(part, term)
            by_lengthscale = np.einsum("id,id->d", term.Z, spread)
            if self.model.components[c].isotropic:
                by_lengthscale = by_lengthscale.sum()
            gradient[blocks[f"lengthscale{c}"].where] = by_lengthscale
            if self._inputs is not None:
                by_input[term.rows] -= spread / parameters.lengthscales[c]
            if f"scale{c}" in blocks:
                by_scale = symmetric_product(part * term.covariance.T, self._ones[term.rows]).sum()
                gradient[blocks[f"scale{c}"].where] = 0.5 * by_scale
        if "factor" in blocks:
            gradient[blocks["factor"].where] = self._factor_gradient(A, terms, parameters)
        if "noise" in blocks:
            per_group = A.diagonal() @ self._learns
            gradient[blocks["noise"].where] = 0.5 * parameters.noise_var * per_group
        if self._inputs is not None:
            gradient[blocks["warp_a"].where] = np.einsum("id,id->d", by_input, by_log_a)
            gradient[blocks["warp_b"].where] = np.einsum("id,id->d", by_input, by_log_b)
        return self.log_density(f), gradient

    def _factor_gradient(self, A: Array, terms: list[_Term], parameters: Hyperparameters) -> Array:
        """Derivative with respect to the learned factors of the loadings."""
        loadings = parameters.loadings(self.model)
        gradient = np.zeros(self.model.n_factors)
        for c, (component, term) in enumerate(zip(self.model.components, terms, strict=True)):
            if not any(component.factors):
                continue
            rows = term.rows
            a = loadings[c][self.data.groups[rows]][:, None]
            per_point = symmetric_product(A[rows, rows] * term.correlation.T, a)[:, 0]
            by_loading = parameters.scales[c] * (per_point @ self._members[rows])
            for group, used in enumerate(component.factors):
                for position, i in enumerate(used):
                    others = [j for k, j in enumerate(used) if k != position]
                    rest = component.loadings[group] * math.prod(parameters.factors[others])
                    gradient[i] += by_loading[group] * rest
        return gradient


def _extent(loadings: tuple[float, ...], groups: NDArray[np.intp]) -> slice:
    """From the first to the last observation whose group has a loading.

    With observations in the order of their groups nothing is computed for the others.
    """
    used = np.flatnonzero(np.asarray(loadings)[groups])
    return slice(int(used[0]), int(used[-1]) + 1) if len(used) else slice(0, 1)


def _radial_spread(A: Array, term: _Term) -> Array:
    """Return r Z - M Z with M = A * slope and r = M 1, shape (n, d).

    Its negative is the derivative by the inputs over lengthscales; its product with Z, summed over
    the points, the derivative by the log lengthscales.
    """
    d = term.Z.shape[1]
    augmented = np.empty((len(term.Z), d + 1), order="F")
    augmented[:, :d] = term.Z
    augmented[:, d] = 1.0
    product = symmetric_product(A * term.slope.T, augmented)  # M [Z, 1]
    return product[:, d:] * term.Z - product[:, :d]
