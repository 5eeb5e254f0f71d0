"""What can model very many rows: each tool is right for some responses and wrong for others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ... import stored
from ...gp import GaussianProcess
from ...gp.inducing import InducingProcess
from ...gp.kernels import KERNELS
from ...gp.neighbours import NeighbourProcess
from ...gp.sums import Basis
from .additive import Additive
from .learning import Learned, inducing_inputs, plain_model
from .rows import Rows

Array = NDArray[np.float64]

#: Numbers of inducing points that are tried, each with all rows of a part.
LADDER = (250, 500, 1000)
#: More inducing points must make held-out rows more probable by this, in units of log density.
WORTH = 1e-4
#: Neighbours of each point that is predicted.
N_NEAREST = 60
#: Most trees of a boosted model, and shares of rows by which it knows when to stop.
MOST_TREES = 1_000
VALIDATED = 0.1


class Tool(Protocol):
    """A fitted tool, in standardised units."""

    def predict(self, X: Array, /) -> tuple[Array, Array]:
        """Mean and variance at inputs of shape (n, d)."""
        ...

    def get_state(self) -> dict[str, Any]:
        """Plain values and arrays."""
        ...


def fit_inducing(learned: Learned, rows: Rows, m: int) -> InducingProcess:
    """Inducing points, given all rows."""
    X = inducing_inputs(learned, rows, m)
    basis = Basis(learned.model, learned.parameters, X)
    return InducingProcess.given(basis, rows.observations)


def enough_inducing(learned: Learned, rows: Rows, held_out: Rows) -> InducingProcess:
    """As many inducing points as make held-out rows more probable, given all rows.

    The first of them are all the same, so that one pass over the rows serves all numbers.
    """
    whole = fit_inducing(learned, rows, LADDER[-1])
    sizes = [m for m in LADDER if m < len(whole.basis)]
    before, density = None, -np.inf
    for m in sizes:
        X = whole.basis.points.X[:m]
        basis = Basis(learned.model, learned.parameters, X)
        process = InducingProcess(basis, whole.sums.leading(m))
        found = mean_log_density(process, held_out, noise_of_process(process))
        if before is not None and found < density + WORTH:
            return before
        before, density = process, found
    if before is None:
        return whole
    found = mean_log_density(whole, held_out, noise_of_process(whole))
    return whole if found >= density + WORTH else before


def noise_of_process(process: InducingProcess | NeighbourProcess) -> float:
    """Learned noise variance, 0 where it is known for every row."""
    noise = process.parameters.noise_var
    return float(noise[0]) if noise.size else 0.0


def mean_log_density(tool: Tool, held_out: Rows, noise: float) -> float:
    """Mean log density of rows that were held out."""
    mean, var = tool.predict(held_out.X)
    return float(np.mean(log_density(mean, var, held_out, noise)))


def log_density(mean: Array, var: Array, held_out: Rows, noise: float) -> Array:
    """Log density of each held-out row, its own noise included where that is known."""
    own = noise if held_out.noise_var is None else held_out.noise_var
    total = np.maximum(var + own, 1e-12)
    density: Array = -0.5 * (np.log(2.0 * np.pi * total) + (held_out.y - mean) ** 2 / total)
    return density


@dataclass(frozen=True)
class Boosted:
    """Boosted trees of what an additive model leaves, or of the targets themselves.

    Attributes
    ----------
    trees : HistGradientBoostingRegressor
    trend : Additive or None
    rows : Rows
        What the trees were fitted to: files hold them, and the trees are grown again.
    var : float
        Variance of its predictions on average.
    """

    trees: Any
    trend: Additive | None
    rows: Rows
    var: float = 0.0

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Mean and variance at inputs of shape (n, d)."""
        mean = np.asarray(self.trees.predict(X), dtype=float)
        if self.trend is not None:
            mean = mean + self.trend.predict(X)[0]
        return mean, np.full(len(X), self.var)

    def compared(self, smaller: Boosted, held_out: Rows) -> Boosted:
        """The same, with a variance from a model of a part of its rows.

        With the share f of the rows the variance of a mean is 1/f times as large, and the mean
        square of the difference of both is 1/f - 1 times the variance of the larger one.
        """
        share = len(smaller.rows) / len(self.rows)
        difference = self.predict(held_out.X)[0] - smaller.predict(held_out.X)[0]
        return replace(self, var=float(np.mean(difference**2)) * share / (1.0 - share))

    def get_state(self) -> dict[str, Any]:
        """The rows and the trend."""
        return {
            "X": self.rows.X,
            "y": self.rows.y,
            "noise_var": self.rows.noise_var,
            "trend": None if self.trend is None else self.trend.get_state(),
            "var": self.var,
        }


def fit_boosted(rows: Rows, trend: Additive | None = None) -> Boosted:
    """Grow trees until a tenth of the rows, which they do not see, gets no better."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    left = rows.y if trend is None else rows.y - trend.predict(rows.X)[0]
    trees = HistGradientBoostingRegressor(
        max_iter=MOST_TREES,
        early_stopping=True,
        validation_fraction=VALIDATED,
        n_iter_no_change=10,
        random_state=0,
    )
    weights = None if rows.noise_var is None else 1.0 / np.maximum(rows.noise_var, 1e-6)
    return Boosted(trees.fit(rows.X, left, weights), trend, rows)


def fit_neighbours(learned: Learned, rows: Rows) -> NeighbourProcess:
    """A process of each point's nearest rows."""
    return NeighbourProcess(learned.model, learned.parameters, rows.observations, N_NEAREST)


def fit_exact(learned: Learned, rows: Rows) -> GaussianProcess:
    """The exact process of all rows, with hyperparameters that were learned otherwise."""
    return GaussianProcess(learned.model, learned.parameters, rows.observations, 0.0, 1.0)


def state_of(tool: Tool) -> dict[str, Any]:
    """What a file must hold of a tool; see :func:`restored`."""
    state = tool.get_state()
    if isinstance(tool, GaussianProcess | InducingProcess | NeighbourProcess):
        state["kernel"] = tool.model.components[0].kernel
    return state


def restored(kind: str, state: Any, n_inputs: int) -> Tool:
    """Rebuild a tool from its state."""
    if kind == "additive":
        return Additive.from_state(state)
    if kind == "boosting":
        return _restored_boosting(state, n_inputs)
    stored.mapping(state, "a process of many rows", ("kernel", "parameters"))
    stored.mapping(state["parameters"], "the hyperparameters", ("noise_var",))
    if state["kernel"] not in KERNELS:
        raise stored.DamagedError("a process of many rows has an unknown kernel")
    known = not np.size(state["parameters"]["noise_var"])
    model = plain_model(n_inputs, state["kernel"], known)
    if kind == "exact":
        return GaussianProcess.from_state(model, state)
    if kind == "inducing":
        return InducingProcess.from_state(model, state)
    return NeighbourProcess.from_state(model, state)


def _restored_boosting(state: Any, n_inputs: int) -> Boosted:
    stored.mapping(state, "boosted trees", ("X", "y", "noise_var", "trend", "var"))
    n = len(stored.array(state["X"], "X", (None, n_inputs)))
    stored.array(state["y"], "y", (n,))
    if state["noise_var"] is not None:
        stored.array(state["noise_var"], "noise_var", (n,), low=0.0)
    trend = None if state["trend"] is None else Additive.from_state(state["trend"])
    var = float(stored.number(state["var"], "var", low=0.0))
    return replace(fit_boosted(Rows(state["X"], state["y"], state["noise_var"]), trend), var=var)
