"""What kernels see of points under given hyperparameters, and covariances between sets of points.

The exact engine knows the covariance matrix of one set of observations. With many rows the points
come in blocks instead, and what counts are covariances of a block with a few inducing points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .categorical import Embedding, embedding_of
from .kernels import KERNELS, scaled_distances
from .layout import Layout
from .likelihood import loading_slopes
from .model import Model
from .parameters import Hyperparameters
from .warp import WarpInputs

Array = NDArray[np.float64]
Groups = NDArray[np.intp]


@dataclass(frozen=True)
class Points:
    """Points as kernels see them.

    Attributes
    ----------
    X : array of shape (n, d)
        In the unit cube.
    groups : int array of shape (n,)
    seen : array of shape (n, k)
        Warped numbers, and positions of levels.
    """

    X: Array
    groups: Groups
    seen: Array

    def __len__(self) -> int:
        """Number of points."""
        return len(self.X)


class View:
    """Covariances of a model at given hyperparameters.

    Parameters
    ----------
    model : Model
    parameters : Hyperparameters
    known : array of shape (n, d)
        Inputs that have every level that data have; see :class:`mastgp.gp.categorical.Embedding`.

    Attributes
    ----------
    model : Model
    parameters : Hyperparameters
    loadings : array of shape (n_components, n_groups)
    lengthscales : array of shape (n_components, k)
        Of every column that kernels see.
    """

    def __init__(self, model: Model, parameters: Hyperparameters, known: Array) -> None:
        self.model = model
        self.parameters = parameters
        self.embedding = embedding_of(model.categories, known)
        self.loadings = parameters.loadings(model)
        lengthscales = parameters.lengthscales
        owners = slice(None) if self.embedding is None else self.embedding.owners
        self.lengthscales = lengthscales[:, owners]

    def points(self, X: Array, groups: Groups) -> Points:
        """Points with what kernels see of them."""
        numbers = X if self.embedding is None else self.embedding.numbers(X)
        if self.model.warp:
            warp_a, warp_b = self.parameters.warp_a, self.parameters.warp_b
            numbers = WarpInputs.of(numbers).value(warp_a, warp_b)
        if self.embedding is None:
            return Points(X, groups, numbers)
        positions, apart = self.parameters.positions, self.parameters.apart
        return Points(X, groups, self.embedding.columns(X, numbers, positions, apart))

    def prior_var(self, groups: Groups) -> Array:
        """Prior variance of the latent functions of some groups."""
        latent = self.parameters.scales @ self.loadings**2
        variances: Array = (latent + self.model.mean_var)[groups]
        return variances

    def kernels(self, first: Points, second: Points) -> Iterator[tuple[int, Array, Array]]:
        """For each component: its index, k and k' between two sets of points."""
        for c, component in enumerate(self.model.components):
            Z1 = (first.seen - 0.5) / self.lengthscales[c]
            Z2 = (second.seen - 0.5) / self.lengthscales[c]
            yield c, *KERNELS[component.kernel](scaled_distances(Z1, Z2))

    def weights(self, c: int, first: Points, second: Points) -> tuple[Array, Array]:
        """What a component's correlations are multiplied by, as a column and a row."""
        a = self.loadings[c]
        return (self.parameters.scales[c] * a[first.groups])[:, None], a[second.groups]

    def covariance(self, first: Points, second: Points) -> Array:
        """Prior covariance of the latent values at two sets of points, shape (n1, n2)."""
        total: Array | None = None
        for c, k, _ in self.kernels(first, second):
            if (self.loadings[c] != 1.0).any():
                column, row = self.weights(c, first, second)
                k *= column
                k *= row
            elif self.parameters.scales[c] != 1.0:
                k *= self.parameters.scales[c]
            total = k if total is None else total + k
        assert total is not None
        if self.model.mean_var:
            total += self.model.mean_covariance(first.groups, second.groups)
        return total


def slope_of_warp(view: View, X: Array) -> Array:
    """Derivative of what kernels see by the unit-cube inputs, 1 where nothing is warped."""
    slope = np.ones_like(X)
    if view.model.warp:
        columns = slice(None) if view.embedding is None else view.embedding.numeric
        inputs = WarpInputs.of(X[:, columns])
        slope[:, columns] = inputs.slope(view.parameters.warp_a, view.parameters.warp_b)
    return slope


def sum_by_group(values: Array, groups: Groups, n_groups: int) -> Array:
    """Sum of the values of each group's points, shape (n_groups,)."""
    return np.bincount(groups, values, n_groups).astype(float)


class Slopes:
    """Adds up the derivative of anything by the optimiser's vector, from that by covariances.

    Attributes
    ----------
    gradient : array
        By the entries of the layout's vector.
    """

    def __init__(self, view: View, layout: Layout) -> None:
        self.view = view
        self.layout = layout
        self.gradient = np.zeros(layout.size)
        self._moves = view.model.warp or view.embedding is not None

    def add_covariance(self, by_covariance: Array, first: Points, second: Points) -> None:
        """Add what follows from the derivative by the covariances of two sets, shape (n1, n2)."""
        moved = [np.zeros_like(points.seen) for points in (first, second)]
        for c, k, slope in self.view.kernels(first, second):
            column, row = self.view.weights(c, first, second)
            self._add_loadings(c, by_covariance * k, first, second)
            M = by_covariance * slope
            M *= column
            M *= row
            self._add_lengthscales(c, M, (first, second), moved)
        if self._moves:
            self._add_inputs(first, moved[0])
            self._add_inputs(second, moved[1])

    def _add_lengthscales(
        self, c: int, M: Array, pair: tuple[Points, Points], moved: list[Array]
    ) -> None:
        """Add the derivative by lengthscales; that by what kernels see goes to `moved`."""
        lengthscales = self.view.lengthscales[c]
        Z1, Z2 = ((points.seen - 0.5) / lengthscales for points in pair)
        spread1 = M.sum(axis=1)[:, None] * Z1 - M @ Z2
        spread2 = M.sum(axis=0)[:, None] * Z2 - M.T @ Z1
        by_column = np.einsum("id,id->d", Z1, spread1) + np.einsum("id,id->d", Z2, spread2)
        if self.view.embedding is not None:
            by_column = self.view.embedding.by_input(by_column)
        isotropic = self.view.model.components[c].isotropic
        self.gradient[self.layout.lengthscales[c].where] += (
            by_column.sum() if isotropic else by_column
        )
        if self._moves:
            moved[0] -= spread1 / lengthscales
            moved[1] -= spread2 / lengthscales

    def _add_loadings(self, c: int, weighted: Array, first: Points, second: Points) -> None:
        """Add the derivative by a component's scale and by the factors in its loadings."""
        component = self.view.model.components[c]
        if not component.learn_scale and not any(component.factors):
            return
        column, row = self.view.weights(c, first, second)
        by_first, by_second = weighted @ row, column[:, 0] @ weighted
        self.gradient[self.layout.scales[c].where] += float(column[:, 0] @ by_first)
        if any(component.factors):
            n_groups, scale = self.view.model.n_groups, self.view.parameters.scales[c]
            by_group = sum_by_group(scale * by_first, first.groups, n_groups)
            self._add_factors(c, by_group + sum_by_group(by_second, second.groups, n_groups))

    def _add_factors(self, c: int, by_loading: Array) -> None:
        by_factor = self.gradient[self.layout.factors.where]
        component = self.view.model.components[c]
        for i, group, slope in loading_slopes(component, self.view.parameters.factors):
            by_factor[i] += by_loading[group] * slope

    def add_prior_var(self, by_variance: Array) -> None:
        """Add what follows from the derivative by the prior variance of each group."""
        scales = self.view.parameters.scales
        for c, component in enumerate(self.view.model.components):
            a = self.view.loadings[c]
            if component.learn_scale:
                where = self.layout.scales[c].where
                self.gradient[where] += scales[c] * float(by_variance @ a**2)
            if any(component.factors):
                self._add_factors(c, 2.0 * scales[c] * a * by_variance)

    def add_noise(self, by_noise: Array) -> None:
        """Add what follows from the derivative by the learned noise of each group."""
        if self.layout.noise.size:
            self.gradient[self.layout.noise.where] += self.view.parameters.noise_var * by_noise

    def _add_inputs(self, points: Points, by_seen: Array) -> None:
        """Add the derivative by warp and positions, given that by what kernels see."""
        layout, parameters = self.layout, self.view.parameters
        embedding = self.view.embedding
        if self.view.model.warp:
            numbers = points.X if embedding is None else embedding.numbers(points.X)
            _, *partials = WarpInputs.of(numbers).value_and_partials(
                parameters.warp_a, parameters.warp_b
            )
            for block, partial in zip((layout.warp_a, layout.warp_b), partials, strict=True):
                own = by_seen[:, : partial.shape[1]]
                self.gradient[block.where] += np.einsum("id,id->d", own, partial)
        if embedding is not None:
            own_levels = Embedding(self.view.model.categories, points.X)
            self.gradient[layout.positions.where] += own_levels.by_position(by_seen)
            by_apart = own_levels.by_apart(by_seen, parameters.apart)
            self.gradient[layout.apart.where] += by_apart
