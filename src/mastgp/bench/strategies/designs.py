"""Designs that do not learn: Latin hypercubes and random points, 70/30 as in the paper."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...methods import method as find_method
from ..protocol import Budget, Rows
from ..sources import Sources
from ..tasks import SHARES, Task

Array = NDArray[np.float64]

#: Share of the money that goes to expensive runs; the cheap sources share the rest equally.
EXPENSIVE_SHARE = 0.7
#: Share of the budget with which a search for accuracy begins: 2 D of 5 D.
START = SHARES["accuracy"][0] / 100.0


def counts_for(problem: Sources, money: float) -> dict[str, int]:
    """Runs of each source that some money buys, 70/30, rounded as in the paper.

    >>> from mastgp.bench.sources import sources
    >>> counts_for(sources("branin"), 10.0)
    {'low': 30, 'high': 7}
    """
    cheap = [name for name in problem.costs if name != problem.top]
    shares = dict.fromkeys(cheap, (1.0 - EXPENSIVE_SHARE) / len(cheap))
    return Budget({**shares, problem.top: EXPENSIVE_SHARE}, dict(problem.costs), {}).counts(money)


def accuracy_start(task: Task) -> dict[str, Rows]:
    """The runs with which every search for accuracy begins, paid for by the task."""
    found = {}
    for source, n in counts_for(task.problem, START * task.problem.budget).items():
        X = task.hypercube(source, n)
        found[source] = X, np.array([task.run(x, source) for x in X])
    return found


def hypercube(task: Task, method: str) -> None:
    """Latin hypercubes: for accuracy a new one for every share of the budget."""
    if task.goal == "optimum":
        _best_of(task, lambda source, n: task.hypercube(source, n, "lhs"))
        return
    for share in SHARES["accuracy"]:
        _fresh(task, method, share)


def random(task: Task, method: str) -> None:
    """Random points; for accuracy more of them at every share of the budget."""
    rng = task.rng("random")
    low, width = task.problem.bounds[:, 0], np.ptp(task.problem.bounds, axis=1)

    def points(source: str, n: int) -> Array:
        return low + width * rng.random((n, len(low)))

    if task.goal == "optimum":
        _best_of(task, points)
    else:
        _growing(task, method, points)


def _best_of(task: Task, points: Callable[[str, int], Array]) -> None:
    """Expensive points one after the other, the best one recommended; the rest is spent too."""
    problem = task.problem
    sign = 1.0 if problem.goal == "minimum" else -1.0
    order = [
        (x, source)
        for source, n in counts_for(problem, problem.budget).items()
        for x in points(source, n)
    ]
    best = np.inf
    for i in task.rng("order").permutation(len(order)):
        x, source = order[i]
        value = sign * task.run(x, source)
        if source == problem.top and value < best:
            best = value
            task.recommend(x)


def _fresh(task: Task, method: str, share: int) -> None:
    """The model of a new design that costs a share of the budget."""
    task.spent, task.counts = 0.0, dict.fromkeys(task.counts, 0)
    parts = {
        source: task.hypercube(source, n, f"lhs{share}")
        for source, n in counts_for(task.problem, share / 100.0 * task.problem.budget).items()
    }
    rows = {s: (X, np.array([task.run(x, s) for x in X])) for s, X in parts.items()}
    task.spent = share / 100.0 * task.problem.budget
    task.assess(modelled(task, method, rows))


def _growing(task: Task, method: str, points: Callable[[str, int], Array]) -> None:
    """Models of more and more points."""
    rows: dict[str, Rows] = accuracy_start(task)
    task.assess(modelled(task, method, rows))
    for share in SHARES["accuracy"][1:]:
        wanted = counts_for(task.problem, share / 100.0 * task.problem.budget)
        for source, n in wanted.items():
            X, y = rows[source]
            new = points(source, n - len(y))
            values = [task.run(x, source) for x in new]
            rows[source] = np.vstack([X, new]), np.append(y, values)
        task.spent = share / 100.0 * task.problem.budget
        task.assess(modelled(task, method, rows))


def modelled(task: Task, method: str, rows: dict[str, Rows]) -> Callable[[Array], Array]:
    """Predictions of a method that has seen some runs."""
    X = np.vstack([X for X, _ in rows.values()])
    y = np.concatenate([y for _, y in rows.values()])
    labels = [source for source, (_, values) in rows.items() for _ in values]
    model = find_method(method).build(
        costs=dict(task.problem.costs), bounds=task.problem.bounds, random_state=task.seed
    )
    fitted = model.fit(X, y, fidelity=labels)

    def predict(points: Array) -> Array:
        found: Array = fitted.predict(points)
        return found

    return predict
