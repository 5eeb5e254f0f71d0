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
from ...threads import one_openmp_thread
from .additive import Additive
from .learning import Learned, inducing_inputs, plain_model
from .rows import Rows

Array = NDArray[np.float64]

#: Numbers of inducing points that are tried, each with all rows of a part.
LADDER = (250, 500, 1000)
#: More inducing points must make held-out rows more probable by this, in units of log density.
WORTH = 1e-4
#: Numbers of neighbours that are tried for each point that is predicted.
NEAREST = (60, 120, 240)
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

    Those of a smaller number are the first of a larger one.
    """
    found = None
    for m in LADDER[1:]:
        more = fit_inducing(learned, rows, m)
        fewer = _leading(more, LADDER[0]) if found is None else found
        if len(more.basis) > len(fewer.basis) and not _worth_it(fewer, more, held_out):
            return fewer
        found = more
        if len(more.basis) < m:
            break
    assert found is not None
    return found


def _leading(process: InducingProcess, m: int) -> InducingProcess:
    """The process of the first inducing points alone."""
    basis = Basis(process.model, process.parameters, process.basis.points.X[:m])
    return InducingProcess(basis, process.sums.leading(m))


def _worth_it(fewer: InducingProcess, more: InducingProcess, held_out: Rows) -> bool:
    """Whether more inducing points make held-out rows more probable."""
    before, after = (mean_log_density(p, held_out, noise_of_process(p)) for p in (fewer, more))
    return after >= before + WORTH


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

    left = rows if trend is None else left_by(trend, rows)
    trees = HistGradientBoostingRegressor(
        max_iter=MOST_TREES,
        early_stopping=True,
        validation_fraction=VALIDATED,
        n_iter_no_change=10,
        random_state=0,
    )
    weights = None if rows.noise_var is None else 1.0 / np.maximum(rows.noise_var, 1e-6)
    with one_openmp_thread():
        trees.fit(rows.X, left.y, weights)
    return Boosted(trees, trend, rows)


@dataclass(frozen=True)
class Trended:
    """Additive splines, and inducing points of what they leave.

    Attributes
    ----------
    trend : Additive
    process : InducingProcess
    """

    trend: Additive
    process: InducingProcess

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Mean and variance at inputs of shape (n, d)."""
        mean, var = self.process.predict(X)
        trend, of_trend = self.trend.predict(X)
        return trend + mean, of_trend + var

    def predict_mean(self, X: Array) -> Array:
        """Mean at inputs of shape (n, d)."""
        return self.trend.predict(X)[0] + self.process.predict_mean(X)

    def with_rows(self, rows: Rows) -> Trended:
        """The same splines, with further rows of what they leave."""
        left = left_by(self.trend, rows)
        return replace(self, process=self.process.with_rows(left.observations))

    def get_state(self) -> dict[str, Any]:
        """Both parts."""
        return {"trend": self.trend.get_state(), "process": state_of(self.process)}


def left_by(trend: Additive, rows: Rows) -> Rows:
    """What an additive model leaves of rows."""
    return replace(rows, y=rows.y - trend.predict(rows.X)[0])


def fit_neighbours(learned: Learned, rows: Rows, k: int = NEAREST[0]) -> NeighbourProcess:
    """A process of each point's nearest rows."""
    return NeighbourProcess(learned.model, learned.parameters, rows.observations, k)


def neighbours_again(process: NeighbourProcess, rows: Rows, k: int) -> NeighbourProcess:
    """A process with the same hyperparameters, of these rows and so many neighbours."""
    return fit_neighbours(Learned(process.model, process.parameters), rows, k)


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
    if kind == "trended":
        stored.mapping(state, "splines and inducing points", ("trend", "process"))
        process = restored("inducing", state["process"], n_inputs)
        assert isinstance(process, InducingProcess)
        return Trended(Additive.from_state(state["trend"]), process)
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
