"""What a method sees and what it is scored on: budgets, designs and test sets of the paper.

The budget is B = 5 D expensive evaluations. It is split over the fidelities by cost, each gets a
Latin hypercube of its own, and the yardstick is a GP that spends all of B on expensive points.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

from .problems import Problem

Array = NDArray[np.float64]
#: Inputs and targets.
Rows = tuple[Array, Array]

TEST_SIZE = 1000


@dataclass(frozen=True)
class Budget:
    """How a budget is spread over fidelities.

    Attributes
    ----------
    shares : dict of fidelity name to share of the budget
    costs : dict of fidelity name to cost of one evaluation, 1 for the most expensive
    degradations : dict of fidelity name to degradation d
    """

    shares: dict[str, float]
    costs: dict[str, float]
    degradations: dict[str, float]

    def counts(self, total: float) -> dict[str, int]:
        """Number of evaluations of each fidelity, for a total in units of the most expensive."""
        dearest = max(self.costs.values())
        return {
            name: math.ceil(share * total - 1e-9)
            if self.costs[name] == dearest
            else round(share * total * dearest / self.costs[name])
            for name, share in self.shares.items()
        }


TWO_FIDELITIES = Budget(
    shares={"low": 0.3, "high": 0.7},
    costs={"low": 0.1, "high": 1.0},
    degradations={"low": 1.0, "high": 0.0},
)
THREE_FIDELITIES = Budget(
    shares={"low": 0.2, "mid": 0.3, "high": 0.5},
    costs={"low": 0.1, "mid": 0.2, "high": 1.0},
    degradations={"low": 1.0, "mid": 0.5, "high": 0.0},
)


@dataclass(frozen=True)
class Draw:
    """One draw of a problem: training data, the yardstick's data, and the test set.

    Attributes
    ----------
    X, y, fidelity : arrays of n rows
        Training data of all fidelities.
    costs : dict of fidelity name to cost
    bounds : array of shape (d, 2)
    X_only, y_only : arrays
        Expensive points that the whole budget would have bought.
    X_test, y_test : arrays
        Test set; for synthetic problems free of noise and the same for all seeds.
    options : dict
        Options that MAST needs on this problem, such as another metric.
    categorical : dict of column number to levels
        Inputs that methods are told to be categorical. The yardstick takes them as numbers.
    """

    X: Array
    y: Array
    fidelity: NDArray[np.str_]
    costs: dict[str, float]
    bounds: Array
    X_only: Array
    y_only: Array
    X_test: Array
    y_test: Array
    options: dict[str, str] = field(default_factory=dict)
    categorical: dict[int, tuple[float, ...]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        parts: Mapping[str, Rows],
        only: Rows,
        test: Rows,
        *,
        costs: Mapping[str, float],
        **more: Any,
    ) -> Draw:
        """A draw of one part per fidelity; fidelities without rows have no cost either."""
        labels = [name for name, (_, y) in parts.items() for _ in y]
        return cls(
            np.concatenate([X for X, _ in parts.values()]),
            np.concatenate([y for _, y in parts.values()]),
            np.array(labels),
            {name: cost for name, cost in costs.items() if name in labels},
            X_only=only[0],
            y_only=only[1],
            X_test=test[0],
            y_test=test[1],
            **more,
        )


def budget_of(n_inputs: int, factor: float = 1.0) -> int:
    """Number of expensive evaluations that a multiple of the budget B = 5 D buys."""
    return math.ceil(5 * n_inputs * factor - 1e-9)


def synthetic_draw(
    problem: Problem,
    seed: int,
    budget: Budget = TWO_FIDELITIES,
    *,
    budget_factor: float = 1.0,
    counts: dict[str, int] | None = None,
    test_size: int = TEST_SIZE,
) -> Draw:
    """Draw the data of one seed.

    The numbers of points follow from the budget, or are given as `counts`, in which case the
    yardstick gets as many expensive points as all of them together cost. Every stream of random
    numbers is derived from problem, seed and purpose, so that a draw is the same whatever was
    drawn before it.
    """
    total = 5 * problem.n_inputs * budget_factor
    if counts is None:
        counts = budget.counts(total)
    else:
        total = sum(budget.costs[name] * count for name, count in counts.items())
    parts = {
        name: _draw(problem, count, budget.degradations[name], _stream(problem, seed, name))
        for name, count in counts.items()
    }
    n_only = math.ceil(total - 1e-9)
    only = _draw(problem, n_only, 0.0, _stream(problem, seed, "only"))
    X_test = latin_hypercube(problem.bounds, test_size, _stream(problem, 0, "test"))
    test = X_test, problem.evaluate(X_test)
    return Draw.of(parts, only, test, costs=budget.costs, bounds=problem.bounds)


def latin_hypercube(bounds: Array, n: int, rng: np.random.Generator) -> Array:
    """A Latin hypercube of n points in a box."""
    unit = qmc.LatinHypercube(len(bounds), rng=rng).random(n)
    return bounds[:, 0] + unit * np.ptp(bounds, axis=1)


def _draw(
    problem: Problem, n: int, degradation: float, rng: np.random.Generator
) -> tuple[Array, Array]:
    X = latin_hypercube(problem.bounds, n, rng)
    return X, problem.observe(X, degradation, rng)


def stream(name: str, n_inputs: int, seed: int, purpose: str) -> np.random.Generator:
    """Random numbers for one purpose of one problem and seed."""
    key = zlib.crc32(f"{name}/{n_inputs}/{purpose}".encode())
    return np.random.default_rng([seed, key])


def _stream(problem: Problem, seed: int, purpose: str) -> np.random.Generator:
    return stream(problem.name, problem.n_inputs, seed, purpose)
