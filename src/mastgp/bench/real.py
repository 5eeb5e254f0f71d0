"""The paper's three real problems: Concrete, HOIP and DrivAerNet.

Training rows are drawn per seed from each fidelity's pool. The test set has all expensive rows that
neither a method nor the yardstick trains on in any setting of the experiment, so it is the same for
every method, setting and yardstick of a seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..data.box import Box
from ..data.categories import encode
from ..data.fidelities import rank_fidelities
from ..data.places import same_place
from ..errors import DataError
from .datasets import find_files
from .protocol import Budget, Draw, budget_of, latin_hypercube, stream

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pool:
    """Rows that a fidelity's training data are drawn from."""

    X: Array
    y: Array


@dataclass(frozen=True, eq=False)
class RealProblem:
    """A problem given by pools of data.

    Attributes
    ----------
    name : str
    pools : dict of fidelity name to Pool
        Cheapest first; a fidelity with a formula instead is in `formulas`.
    formulas : dict of fidelity name to function
        Cheap fidelities that can be evaluated anywhere in the box.
    budget : Budget
    bounds : array of shape (d, 2)
    noise : dict of fidelity name to standard deviation of injected noise
    options : dict
        Options that MAST needs on this problem, such as another metric.
    categorical : dict of column number to levels
        Inputs that methods are told to be categorical.
    """

    name: str
    pools: dict[str, Pool]
    budget: Budget
    bounds: Array
    formulas: dict[str, Callable[[Array], Array]] = field(default_factory=dict)
    noise: dict[str, float] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    categorical: dict[int, tuple[float, ...]] = field(default_factory=dict)

    @property
    def n_inputs(self) -> int:
        """Number of inputs."""
        return len(self.bounds)

    @property
    def top(self) -> str:
        """Name of the most expensive fidelity."""
        return max(self.budget.costs, key=lambda name: self.budget.costs[name])


def real_draw(
    problem: RealProblem,
    seed: int,
    budget: Budget | None = None,
    *,
    budget_factor: float = 1.0,
    collocated: bool = False,
    lf_cost_ratio: float = 1.0,
    kept_out: int = 0,
) -> Draw:
    """Draw the data of one seed.

    Parameters
    ----------
    problem : RealProblem
    seed : int
    budget : Budget, optional
        Another split of the budget.
    budget_factor : float
        Multiple of the budget 5 D.
    collocated : bool
        Whether cheap rows are taken at the expensive rows' inputs first.
    lf_cost_ratio : float
        C of the paper's noise sweep: cheap data get extra noise 0.1 ln(C) std(y).
    kept_out : int
        Number of expensive rows that are never test rows, for a method and for the yardstick
        each, even if fewer are trained on. A sweep gives the largest number of its settings, so
        that all of them have the same test set.
    """
    budget = budget or problem.budget
    counts = budget.counts(5 * problem.n_inputs * budget_factor)
    pool = problem.pools[problem.top]
    order, order_only = _row_orders(problem, seed, collocated)
    half = len(order) // 2  # at least as many rows are left to test on
    chosen = order[: min(counts.get(problem.top, 0), half)]
    only = order_only[: min(budget_of(problem.n_inputs, budget_factor), half)]
    kept_out = min(kept_out, half)
    never = np.concatenate([chosen, only, order[:kept_out], order_only[:kept_out]])
    at = pool.X[chosen] if collocated else None
    parts = {
        name: (pool.X[chosen], _noisy(problem, name, seed, pool.y[chosen]))
        if name == problem.top
        else _cheap_part(problem, name, count, seed, at, lf_cost_ratio)
        for name, count in counts.items()
    }
    return Draw.of(
        parts,
        (pool.X[only], _noisy(problem, problem.top, seed, pool.y[only], "only")),
        _test_rows(problem, never),
        costs=budget.costs,
        bounds=problem.bounds,
        options=problem.options,
        categorical=problem.categorical,
    )


def _row_orders(
    problem: RealProblem, seed: int, collocated: bool
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Orders in which expensive rows are drawn for a method and, anew, for the yardstick."""
    pool = problem.pools[problem.top]
    rng = stream(problem.name, problem.n_inputs, seed, "rows")
    order, order_only = rng.permutation(len(pool.y)), rng.permutation(len(pool.y))
    if collocated:  # rows that the cheap pools have as well come first
        shared = np.ones(len(pool.y), dtype=bool)
        for name, other in problem.pools.items():
            if name != problem.top:
                shared &= _same_inputs(pool.X, other.X)
        order = _first(order, shared)
    return order, order_only


def _test_rows(problem: RealProblem, never: NDArray[np.intp]) -> tuple[Array, Array]:
    """Expensive rows that share their inputs with none of the rows `never`."""
    pool = problem.pools[problem.top]
    test = ~_same_inputs(pool.X, pool.X[never])
    if not test.any():
        raise DataError(
            f"problem {problem.name!r} has no expensive rows left to test on: all "
            f"{len(pool.y)} are used for training; give more rows or a smaller budget"
        )
    return pool.X[test], pool.y[test]


def _noisy(
    problem: RealProblem, name: str, seed: int, y: Array, purpose: str = "", extra: float = 0.0
) -> Array:
    """Add the injected noise of a fidelity, after extra noise of a given standard deviation."""
    rng = stream(problem.name, problem.n_inputs, seed, f"noise/{purpose or name}")
    if extra:
        y = y + extra * rng.standard_normal(len(y))
    return y + problem.noise.get(name, 0.0) * rng.standard_normal(len(y))


def _cheap_part(
    problem: RealProblem, name: str, count: int, seed: int, at: Array | None, cost_ratio: float
) -> tuple[Array, Array]:
    """Rows of a cheap fidelity, with their noise."""
    X, y = _cheap_rows(problem, name, count, seed, at)
    noisier = cost_ratio > 1.0 and len(y) > 1
    extra = 0.1 * math.log(cost_ratio) * float(np.std(y)) if noisier else 0.0
    return X, _noisy(problem, name, seed, y, extra=extra)


def _cheap_rows(
    problem: RealProblem, name: str, count: int, seed: int, at: Array | None
) -> tuple[Array, Array]:
    rng = stream(problem.name, problem.n_inputs, seed, name)
    if name in problem.formulas:
        X = latin_hypercube(problem.bounds, count, rng)
        if at is not None:
            X = np.concatenate([at, X])[:count]
        return X, problem.formulas[name](X)
    pool = problem.pools[name]
    order = rng.permutation(len(pool.y))
    if at is not None:
        order = _first(order, _same_inputs(pool.X, at))
    rows = order[: min(count, len(order))]
    return pool.X[rows], pool.y[rows]


def _first(order: NDArray[np.intp], marked: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The same order with the marked rows before the others."""
    return np.concatenate([order[marked[order]], order[~marked[order]]])


def _same_inputs(X: Array, others: Array) -> NDArray[np.bool_]:
    """Which rows of X have the inputs of a row of `others`."""
    box = Box.around(np.concatenate([X, others]))
    return same_place(box.to_unit(X), box.to_unit(others))


def concrete_formula(X: Array, epsilon: float = 1.0) -> Array:
    """Generalised Abrams' law of the paper, in MPa.

    The paper prints an offset of 1; its coefficients are the least-squares fit for 1e-6, with
    which the formula follows the measurements far better. The paper's results fit 1, the default.
    """
    cement, slag, fly_ash, water, superplasticizer, _, _, age = X.T
    ratio = water / (cement + epsilon)
    log_strength = (
        2.56
        - 0.815 * np.log(ratio + epsilon)
        - 0.0380 * np.log(cement + epsilon)
        + 0.0161 * np.log(slag + epsilon)
        + 0.00231 * np.log(fly_ash + epsilon)
        + 0.0148 * np.log(superplasticizer + epsilon)
        + 0.292 * np.log(age + epsilon)
    )
    return np.exp(log_strength)


def pooled_problem(
    name: str, files: Sequence[str], target: str, costs: Mapping[str, float]
) -> RealProblem:
    """A problem of the user's own: one file of rows per fidelity, named after it.

    Half of a budget of 5 D expensive evaluations goes to expensive rows, the rest to the cheaper
    fidelities in equal parts; test rows are the expensive ones that were not drawn.
    """
    from ..data.tables import training_table

    table = training_table(files, target)
    encoded = encode(table.X, table.kinds, table.places)
    labels = np.array(table.fidelity)
    ranked = rank_fidelities(set(labels), costs)
    X, y = encoded.X.to_numpy(dtype=float), table.y.to_numpy()
    dearest = ranked.costs[ranked.top]
    cheap = {fidelity: 0.5 / len(ranked.cheaper) for fidelity in ranked.cheaper}
    return RealProblem(
        name,
        {fidelity: Pool(X[labels == fidelity], y[labels == fidelity]) for fidelity in ranked.names},
        Budget(
            {**cheap, ranked.top: 0.5},
            {fidelity: cost / dearest for fidelity, cost in ranked.costs.items()},
            {},
        ),
        np.column_stack([X.min(axis=0), X.max(axis=0)]),
        categorical={c.column: tuple(range(len(c.levels))) for c in encoded.categories},
    )


def load_concrete(folder: str | Path | None = None) -> RealProblem:
    """Concrete strength (8-D): laboratory against Abrams' law, 28 and 120 points."""
    (path,) = find_files("concrete", folder)
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    X, y = table[:, :8], table[:, 8]
    return RealProblem(
        "concrete",
        {"high": Pool(X, y)},
        Budget({"low": 0.3, "high": 0.7}, {"low": 0.1, "high": 1.0}, {}),
        np.column_stack([X.min(axis=0), X.max(axis=0)]),
        formulas={"low": concrete_formula},
    )


def load_hoip(folder: str | Path | None = None) -> RealProblem:
    """Perovskites (3 categories): three levels of theory, 8, 18 and 120 points.

    The files hold a binding energy (negative values), whatever the paper calls it. Inputs are the
    categories' indices; trust distances are Hamming's.
    """
    tables = [np.loadtxt(path, delimiter=",") for path in find_files("hoip", folder)]
    high, mid, low = (Pool(table[:, :3], table[:, 4]) for table in tables)
    return RealProblem(
        "hoip",
        {"low": low, "mid": mid, "high": high},
        Budget({"low": 0.2, "mid": 0.3, "high": 0.5}, {"low": 0.025, "mid": 0.25, "high": 1.0}, {}),
        np.column_stack([high.X.min(axis=0), high.X.max(axis=0)]),
        options={"metric": "hamming"},
    )


def load_hoip_categories(folder: str | Path | None = None) -> RealProblem:
    """The same draws of HOIP, with inputs that methods are told to be categorical."""
    problem = load_hoip(folder)
    X = np.concatenate([pool.X for pool in problem.pools.values()])
    levels = {i: tuple(np.unique(column).tolist()) for i, column in enumerate(X.T)}
    return replace(problem, options={}, categorical=levels)


def load_drivaernet(folder: str | Path | None = None) -> RealProblem:
    """Drag of car bodies (23-D): CFD against an analytical estimate, with noise injected."""
    (path,) = find_files("drivaernet", folder)
    table = np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(1, 26))
    low, high, X = table[:, 0], table[:, 1], table[:, 2:]
    return RealProblem(
        "drivaernet",
        {"low": Pool(X, low), "high": Pool(X, high)},
        Budget({"low": 0.3, "high": 0.7}, {"low": 0.1, "high": 1.0}, {}),
        np.column_stack([X.min(axis=0), X.max(axis=0)]),
        noise={"low": 0.02, "high": 0.01},
    )


#: Problems of the same data in another form, which belong to no experiment of the paper.
VARIANTS = {"hoip-categories": load_hoip_categories}
REAL_PROBLEMS = {"concrete": load_concrete, "hoip": load_hoip, "drivaernet": load_drivaernet}


@cache
def real_problem(name: str, folder: str | None = None) -> RealProblem:
    """Load a real problem by name; the files are read once."""
    return {**REAL_PROBLEMS, **VARIANTS}[name](folder)
