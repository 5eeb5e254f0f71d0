"""A search as a strategy sees it: runs that are paid for, and what it has found on the way."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .protocol import TEST_SIZE, latin_hypercube, stream
from .sources import Sources

Array = NDArray[np.float64]

#: What a search is for, and what is measured.
METRICS = {"optimum": "regret", "accuracy": "rmse"}
#: Shares of the budget, in percent, at which a search is looked at. For accuracy each look is a
#: fit, and the first is the start.
SHARES = {"optimum": tuple(range(5, 101, 5)), "accuracy": (40, 55, 70, 85, 100)}
#: A cost that misses a share of the budget by rounding has reached it.
_ROUNDING = 1e-9


def score_name(metric: str, share: int) -> str:
    """Name under which a value at a share of the budget is stored.

    >>> score_name("regret", 5)
    'regret_005'
    """
    return f"{metric}_{share:03d}"


class Task:
    """A search with a budget: a strategy pays for runs, and says what it has found.

    Parameters
    ----------
    problem : Sources
    goal : {"optimum", "accuracy"}
    seed : int
    test_size : int
        Points on which accuracy is measured.

    Attributes
    ----------
    spent : float
    counts : dict of source to number of runs
    """

    def __init__(self, problem: Sources, goal: str, seed: int, test_size: int = TEST_SIZE) -> None:
        self.problem = problem
        self.goal = goal
        self.seed = seed
        self.spent = 0.0
        self.counts = dict.fromkeys(problem.costs, 0)
        self._noise = self.rng("noise")
        self._found: dict[int, float] = {}
        self._latest = np.nan
        self._first = 0.0
        self._test_size = test_size

    def rng(self, purpose: str) -> np.random.Generator:
        """Random numbers for a purpose, the same for every strategy."""
        return stream(self.problem.name, self.problem.n_inputs, self.seed, purpose)

    @property
    def left(self) -> float:
        """What of the budget is left."""
        return self.problem.budget - self.spent

    def affords(self, source: str) -> bool:
        """Whether a run can still be paid for."""
        return self.problem.costs[source] <= self.left + _ROUNDING

    def hypercube(self, source: str, n: int, purpose: str = "start") -> Array:
        """A Latin hypercube of the inputs for n runs of a source."""
        return latin_hypercube(self.problem.bounds, n, self.rng(f"{purpose}/{source}"))

    def run(self, x: ArrayLike, source: str) -> float:
        """Pay for a run, and return what it found."""
        cost = self.problem.costs[source]
        if self.goal == "optimum":
            self._note(self.spent + cost - 2.0 * _ROUNDING)
        self.spent += cost
        self.counts[source] += 1
        return float(self.problem.observe(np.asarray(x, dtype=float)[None], source, self._noise)[0])

    def recommend(self, x: ArrayLike) -> None:
        """Say which point would be taken now; its true value counts until the next is named."""
        if not np.isfinite(self._latest):
            self._first = self.spent
        self._latest = self.problem.regret(x)

    def assess(self, predict: Callable[[Array], Array]) -> None:
        """Measure the error of a model of the function that counts."""
        rng = stream(self.problem.name, self.problem.n_inputs, 0, "test")
        X = latin_hypercube(self.problem.bounds, self._test_size, rng)
        errors = predict(X) - self.problem.evaluate(X)
        self._latest = float(np.sqrt(np.mean(errors**2)))
        self._note(self.spent)

    @property
    def is_due(self) -> bool:
        """Whether a share of the budget has been reached at which nothing was measured yet."""
        return any(share not in self._found for share in self._reached(self.spent))

    def _reached(self, spent: float) -> list[int]:
        """Shares of the budget that have been spent, from the first recommendation on."""
        costs = {share: share / 100.0 * self.problem.budget for share in SHARES[self.goal]}
        return [
            s
            for s, cost in costs.items()
            if self._first <= cost + _ROUNDING <= spent + 2 * _ROUNDING
        ]

    def _note(self, spent: float) -> None:
        """What was found last holds for all shares that are spent and have no value yet."""
        if np.isfinite(self._latest):
            for share in self._reached(spent):
                self._found.setdefault(share, self._latest)

    def scores(self) -> dict[str, float]:
        """What was found at every share of the budget and at the end, and how many runs that took.

        A search that could not spend its last penny has its last value at the end.
        """
        metric = METRICS[self.goal]
        if not np.isfinite(self._latest):
            raise ArithmeticError(f"the search found no {metric}")
        self._note(self.problem.budget)
        found = {score_name(metric, share): self._found[share] for share in sorted(self._found)}
        runs = {f"runs_{source}": float(n) for source, n in self.counts.items()}
        return {metric: self._latest, **found, **runs, "spent": self.spent}
