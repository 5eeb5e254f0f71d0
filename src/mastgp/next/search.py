"""The search for the point of the largest value: by gradients from many starts, and by steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..blocks import blocks
from .space import Space

Array = NDArray[np.float64]
#: Values of a criterion at points of shape (n, d); the larger the better.
Values = Callable[[Array], Array]

#: Step of the differences that gradients are made of, in the unit cube.
_STEP = 1e-6
#: Iterations of a gradient search.
ITERATIONS = 12
#: Points, starts and iterations of a search that is made once.
_SCREENED, _STARTS, _LONG = 1024, 5, 60
#: Points that are evaluated at a time.
_BLOCK = 1000
#: Rounds of changes to single levels and whole numbers.
_ROUNDS = 20


def in_pieces(values: Values, U: Array) -> Array:
    """Values at any number of points, in pieces of bounded memory."""
    return np.concatenate([values(U[rows]) for rows in blocks(len(U), _BLOCK)])


def best_in(
    values: Values, space: Space, rng: np.random.Generator, near: Array
) -> tuple[Array, Any]:
    """The best point of a space, and what a pool calls it.

    Parameters
    ----------
    values : function
    space : Space
    rng : Generator
    near : array of shape (n, d)
        Points that are known to be good; some more are tried near them.
    """
    if space.pool is not None:
        best = int(np.argmax(in_pieces(values, space.pool)))
        return space.pool[best], None if space.labels is None else space.labels[best]
    U = np.vstack([space.sample(_SCREENED, rng), space.near(near, _SCREENED // 4, rng)])
    order = np.argsort(-in_pieces(values, U), kind="stable")
    return climb(values, space, U[order[:_STARTS]], _LONG)[0], None


def climb(
    values: Values, space: Space, starts: Array, iterations: int = ITERATIONS
) -> tuple[Array, float]:
    """The best point that is reached from some starts, and its value.

    Inputs that may have any value are moved along the gradient. Then levels and whole numbers are
    changed one at a time as long as that helps.

    Parameters
    ----------
    values : function
    space : Space
        Without a pool.
    starts : array of shape (n, d)
    iterations : int
        Of the gradient search.
    """
    moved = starts
    if len(space.continuous):
        climbed = _constrained if len(space.b) else _together
        moved = np.vstack([starts, _allowed(space, climbed(values, space, starts, iterations))])
    found = values(moved)
    best = int(np.argmax(found))
    return _stepped(values, space, moved[best], float(found[best]))


def _allowed(space: Space, U: Array) -> Array:
    """Points with whole numbers that are whole; those that break a constraint are left out."""
    U = space.snapped(U)
    return U[space.inside(U)]


def _stepped(values: Values, space: Space, u: Array, value: float) -> tuple[Array, float]:
    """Change one level or whole number at a time as long as that helps."""
    for _ in range(_ROUNDS):
        around = space.neighbours(u)
        around = around[space.inside(around)] if len(around) else around
        if not len(around):
            break
        found = values(around)
        best = int(np.argmax(found))
        if not found[best] > value:
            break
        u, value = around[best], float(found[best])
    return u, value


def slopes(values: Values, space: Space, U: Array) -> tuple[Array, Array]:
    """Values at points and their gradients by the continuous inputs, all in one evaluation."""
    free = space.continuous
    n, d = U.shape
    steps = np.where(U[:, free] + _STEP > space.high[free], -_STEP, _STEP)
    moved = np.repeat(U[:, None], len(free) + 1, axis=1)
    rows = np.arange(len(free))
    moved[:, rows + 1, free] += steps
    found = values(moved.reshape(-1, d)).reshape(n, -1)
    return found[:, 0], (found[:, 1:] - found[:, :1]) / steps


def _together(values: Values, space: Space, starts: Array, iterations: int) -> Array:
    """Climb from all starts at once: the sum of their values has the gradients of each."""
    from scipy.optimize import minimize

    free = space.continuous

    def negative(flat: Array) -> tuple[float, Array]:
        U = starts.copy()
        U[:, free] = flat.reshape(len(U), -1)
        value, gradient = slopes(values, space, U)
        return -float(np.sum(value)), -gradient.ravel()

    bounds = [(space.low[i], space.high[i]) for _ in starts for i in free]
    options = {"maxiter": iterations, "maxfun": iterations + 4}
    with np.errstate(all="ignore"):
        found = minimize(
            negative, starts[:, free].ravel(), jac=True, bounds=bounds, options=options
        )
    U = starts.copy()
    U[:, free] = found.x.reshape(len(U), -1)
    return U


def _constrained(values: Values, space: Space, starts: Array, iterations: int) -> Array:
    """Climb from each start between linear constraints."""
    from scipy.optimize import minimize

    free, ends = space.continuous, []
    bounds = [(space.low[i], space.high[i]) for i in free]
    for start in starts:

        def negative(x: Array, start: Array = start) -> tuple[float, Array]:
            u = start.copy()
            u[free] = x
            value, gradient = slopes(values, space, u[None])
            return -float(value[0]), -gradient[0]

        others = space.A @ start - space.A[:, free] @ start[free]
        rule = {
            "type": "ineq",
            "fun": lambda x, others=others: space.b - others - space.A[:, free] @ x,
            "jac": lambda x: -space.A[:, free],
        }
        with np.errstate(all="ignore"):
            found = minimize(
                negative,
                start[free],
                jac=True,
                bounds=bounds,
                constraints=[rule],
                method="SLSQP",
                options={"maxiter": iterations},
            )
        end = start.copy()
        end[free] = found.x
        ends.append(end)
    return np.array(ends)
