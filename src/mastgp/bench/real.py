"""The paper's three real problems: Concrete, HOIP and DrivAerNet.

Training rows are drawn per seed from each fidelity's pool; all expensive rows that neither a method
nor the yardstick was trained on are the test set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..data.fidelities import rank_fidelities
from .datasets import find_files
from .protocol import Budget, Draw, latin_hypercube, stream

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
    """

    name: str
    pools: dict[str, Pool]
    budget: Budget
    bounds: Array
    formulas: dict[str, Callable[[Array], Array]] = field(default_factory=dict)
    noise: dict[str, float] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)

    @property
    def n_inputs(self) -> int:
        """Number of inputs."""
        return len(self.bounds)


def real_draw(
    problem: RealProblem,
    seed: int,
    budget: Budget | None = None,
    *,
    budget_factor: float = 1.0,
    collocated: bool = False,
    lf_cost_ratio: float = 1.0,
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
    """
    budget = budget or problem.budget
    total = 5 * problem.n_inputs * budget_factor
    counts = budget.counts(total)
    top = max(problem.budget.costs, key=lambda name: problem.budget.costs[name])
    pool = problem.pools[top]
    rng = stream(problem.name, problem.n_inputs, seed, "rows")
    chosen, only = _split_rows(
        problem, pool, counts.get(top, 0), math.ceil(total - 1e-9), rng, top if collocated else None
    )
    Xs, ys, labels = [], [], []
    for name, count in counts.items():
        noise_rng = stream(problem.name, problem.n_inputs, seed, f"noise/{name}")
        if name == top:
            X, y = pool.X[chosen], pool.y[chosen]
        else:
            at = pool.X[chosen] if collocated else None
            X, y = _cheap_rows(problem, name, count, seed, at)
            if lf_cost_ratio > 1.0 and len(y) > 1:
                extra = 0.1 * math.log(lf_cost_ratio) * float(np.std(y))
                y = y + extra * noise_rng.standard_normal(len(y))
        y = y + problem.noise.get(name, 0.0) * noise_rng.standard_normal(len(y))
        Xs.append(X)
        ys.append(y)
        labels += [name] * len(y)
    noise_rng = stream(problem.name, problem.n_inputs, seed, "noise/only")
    y_only = pool.y[only] + problem.noise.get(top, 0.0) * noise_rng.standard_normal(len(only))
    used = np.concatenate([chosen, only])
    test = ~_same_inputs(pool.X, pool.X[used])
    return Draw(
        X=np.concatenate(Xs),
        y=np.concatenate(ys),
        fidelity=np.array(labels),
        costs={name: cost for name, cost in budget.costs.items() if name in labels},
        bounds=problem.bounds,
        X_only=pool.X[only],
        y_only=y_only,
        X_test=pool.X[test],
        y_test=pool.y[test],
        options=problem.options,
    )


def _split_rows(
    problem: RealProblem,
    pool: Pool,
    n_train: int,
    n_only: int,
    rng: np.random.Generator,
    paired: str | None,
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows of the expensive pool for a method and, drawn anew, for the yardstick."""
    n_train, n_only = min(n_train, len(pool.y) // 2), min(n_only, len(pool.y) // 2)
    order = rng.permutation(len(pool.y))
    if paired is not None:
        shared = np.ones(len(pool.y), dtype=bool)
        for name, other in problem.pools.items():
            if name != paired:
                shared &= _same_inputs(pool.X, other.X)
        order = np.concatenate([order[shared[order]], order[~shared[order]]])
    return order[:n_train], rng.permutation(len(pool.y))[:n_only]


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
        first = _same_inputs(pool.X, at)
        order = np.concatenate([order[first[order]], order[~first[order]]])
    rows = order[: min(count, len(order))]
    return pool.X[rows], pool.y[rows]


def _same_inputs(X: Array, others: Array) -> NDArray[np.bool_]:
    """Which rows of X have the inputs of a row of `others`."""
    known = {row.tobytes() for row in np.ascontiguousarray(others)}
    return np.array([row.tobytes() in known for row in np.ascontiguousarray(X)], dtype=bool)


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
    labels = np.array(table.fidelity)
    ranked = rank_fidelities(set(labels), costs)
    X, y = table.X.to_numpy(), table.y.to_numpy()
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


REAL_PROBLEMS = {"concrete": load_concrete, "hoip": load_hoip, "drivaernet": load_drivaernet}


@cache
def real_problem(name: str, folder: str | None = None) -> RealProblem:
    """Load a real problem by name; the files are read once."""
    return REAL_PROBLEMS[name](folder)
