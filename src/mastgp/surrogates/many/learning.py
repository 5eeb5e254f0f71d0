"""Hyperparameters of very many rows, so that the signal is not taken for noise.

A small part of the rows says little about how the response varies between near points, and the
bound of few inducing points calls noise what they cannot follow. So rows given their neighbours
among all rows come first, from several starts, short lengthscales among them. The bound of a part
of the rows then has the last word about smooth responses, if rows that were held out agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpstrf

from ...gp import Component, Hyperparameters, Model
from ...gp.bound import Bound, minimise
from ...gp.layout import Layout
from ...gp.neighbours import NeighbourProcess
from ...gp.vecchia import Conditionals
from ...gp.view import View
from ...threads import blas_threads
from .rows import Rows

Array = NDArray[np.float64]
Evaluated = Callable[[], None] | None

#: Rows that are predicted from their neighbours, and how many neighbours each has.
N_TARGETS, N_NEIGHBOURS = 400, 40
#: How often neighbours are looked for, with the lengthscales found so far. All starts have one
#: such round, and the best of them the others.
ROUNDS = 3
#: Rows and inducing points of the bound.
N_BOUND, M_BOUND = 10_000, 256
#: Iterations of the search for its maximum. After each part inducing points are chosen anew.
BOUND_ITERATIONS = (10, 10)
#: Rows among which inducing points are chosen.
N_CANDIDATES = 3_000
#: Inducing points that add less than this to what the others explain are left out.
_TOLERANCE = 1e-9
#: Lengthscales of starts for a wiggly response and for one with jumps, over the diagonal of the
#: unit cube, and the noise of both.
WIGGLY, SHORT, LITTLE_NOISE = 0.15, 0.05, 0.01
#: A Matérn process has longer lengthscales than a smooth one of the same response.
_MATERN_LONGER = 1.7


@dataclass(frozen=True)
class Learned:
    """A model and the hyperparameters that were found for it."""

    model: Model
    parameters: Hyperparameters


def plain_model(n_inputs: int, kernel: str, known_noise: bool) -> Model:
    """The model of one response that tools for many rows share."""
    component = Component(kernel=kernel, learn_scale=True)
    return Model(n_inputs, (component,), learn_noise=not known_noise, means="own")


def from_neighbours(
    rows: Rows, kernel: str, start: Hyperparameters | None = None, evaluated: Evaluated = None
) -> Learned:
    """Hyperparameters under which rows are most probable given their neighbours.

    Parameters
    ----------
    rows : Rows
    kernel : str
    start : Hyperparameters, optional
        Where to search from, besides a place for responses with jumps. By default there are three
        starts: the prior, a wiggly response, and a smooth and noisy one.
    evaluated : callable, optional
        Called at each evaluation.
    """
    model = plain_model(rows.X.shape[1], kernel, rows.noise_var is not None)
    layout = Layout(model)
    starts = _starts(layout) if start is None else [layout.pack(start), _varying(layout, SHORT)]
    ends = [_climb(model, layout, rows, theta, evaluated) for theta in starts]
    theta = min(ends, key=lambda end: end[1])[0]
    for _ in range(ROUNDS - 1):
        theta, _ = _climb(model, layout, rows, theta, evaluated)
    return Learned(model, layout.unpack(theta))


def _starts(layout: Layout) -> list[Array]:
    """Where the prior is, where the response is wiggly, and where it is smooth and noisy."""
    far = float(np.sqrt(layout.model.n_inputs))
    return [
        layout.start(),
        _varying(layout, WIGGLY),
        layout.start(lengthscale=far, noise=0.3),
    ]


def _varying(layout: Layout, share: float) -> Array:
    """Where the response varies over this share of the diagonal, with little noise."""
    far = float(np.sqrt(layout.model.n_inputs))
    return layout.start(lengthscale=share * far, noise=LITTLE_NOISE)


def _climb(
    model: Model, layout: Layout, rows: Rows, theta: Array, evaluated: Evaluated
) -> tuple[Array, float]:
    """Look for neighbours with the lengthscales at hand, and search."""
    data, targets = rows.observations, np.arange(min(N_TARGETS, len(rows)))
    k = min(N_NEIGHBOURS, len(rows) - 1)
    process = NeighbourProcess(model, layout.unpack(theta), data, k + 1)
    near = process.nearest(rows.X[targets])[:, 1:]
    objective = Conditionals(model, data, targets, near)
    with blas_threads(k):
        return minimise(
            objective, layout, theta, iterations=20, tolerance=1e-4, on_evaluation=evaluated
        )


def rougher(rows: Rows, smooth: Learned, evaluated: Evaluated = None) -> Learned:
    """The same for the Matérn kernel, from where the smooth one ended and from short distances."""
    p = smooth.parameters
    longer = Hyperparameters(
        _MATERN_LONGER * p.lengthscales, p.scales, p.factors, p.noise_var, p.warp_a, p.warp_b
    )
    return from_neighbours(rows, "matern52", longer, evaluated)


def from_bound(rows: Rows, start: Learned, evaluated: Evaluated = None) -> Learned:
    """Hyperparameters under which the bound of a part of the rows is highest."""
    model, layout = start.model, Layout(start.model)
    part, theta = rows.some(slice(0, N_BOUND)), layout.pack(start.parameters)
    for iterations in BOUND_ITERATIONS:
        X = inducing_inputs(Learned(model, layout.unpack(theta)), rows, M_BOUND)
        bound = Bound(model, part.observations, X)
        theta, _ = minimise(
            bound, layout, theta, iterations=iterations, tolerance=1e-5, on_evaluation=evaluated
        )
    return Learned(model, layout.unpack(theta))


def inducing_inputs(learned: Learned, rows: Rows, m: int) -> Array:
    """Inducing inputs among the rows, those first that the ones before explain least.

    Fewer than `m` where more would add nothing.
    """
    X = rows.X[:N_CANDIDATES]
    view = View(learned.model, learned.parameters, X)
    points = view.points(X, np.zeros(len(X), np.intp))
    K = view.covariance(points, points) - learned.model.mean_var
    tolerance = _TOLERANCE * float(learned.parameters.scales[0])
    _, pivots, rank, _ = dpstrf(K, tol=tolerance, overwrite_a=1)
    chosen: Array = X[pivots[: min(m, max(rank, 1))] - 1]
    return chosen
