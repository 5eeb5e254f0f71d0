"""Studies of this package, as users run them."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...next.study import Study
from ..tasks import Task
from .designs import accuracy_start

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

#: Runs that a search for accuracy asks for at a time.
_AT_ONCE = 5


def study(task: Task, method: str) -> None:
    """A study with all sources: one run at a time for an optimum, five for accuracy."""
    with tempfile.TemporaryDirectory() as folder:
        if task.goal == "accuracy":
            _for_accuracy(task, Path(folder) / "a.study", method)
        else:
            _for_optimum(task, Path(folder) / "a.study", method, task.problem.costs)


def expensive(task: Task, option: str) -> None:
    """A study that knows of the expensive source only: logEI with a single-fidelity model."""
    top = task.problem.top
    with tempfile.TemporaryDirectory() as folder:
        costs = {top: task.problem.costs[top]}
        _for_optimum(task, Path(folder) / "a.study", option or "hf-only", costs)


def _for_optimum(task: Task, path: Path, method: str, costs: Mapping[str, float]) -> None:
    """Ask, run and tell until the budget is spent."""
    opened = _opened(task, path, method, costs, task.problem.goal, task.problem.budget)
    while trials := opened.ask(1):
        for trial in trials:
            opened.tell(trial, task.run(list(trial.inputs.values()), trial.fidelity))
            if trial.fidelity == task.problem.top:
                task.recommend(list(opened.best().inputs.values()))


def _for_accuracy(task: Task, path: Path, method: str) -> None:
    """Begin with the start that all strategies share, and go on from there."""
    problem = task.problem
    start = accuracy_start(task)
    opened = _opened(task, path, method, problem.costs, "accuracy", task.left)
    for source, (X, y) in start.items():
        opened.add_results(_table(task, X).assign(y=y), source)
    _assessed(task, opened)
    while trials := opened.ask(_AT_ONCE):
        for trial in trials:
            opened.tell(trial, task.run(list(trial.inputs.values()), trial.fidelity))
        if task.is_due:
            _assessed(task, opened)
    _assessed(task, opened)


def _opened(
    task: Task, path: Path, method: str, costs: Mapping[str, float], goal: str, budget: float
) -> Study:
    bounds = zip(task.problem.names, task.problem.bounds.tolist(), strict=True)
    inputs = {name: (low, high) for name, (low, high) in bounds}
    budget = math.floor(budget * 1e9 + 0.5) / 1e9
    return Study(path, inputs, costs, "y", goal, budget, method=method, random_state=task.seed)


def _table(task: Task, X: Array) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(X, columns=task.problem.names)


def _assessed(task: Task, opened: Study) -> None:
    """Measure the error of the study's model."""
    task.assess(lambda X: np.asarray(opened.model().predict(_table(task, X))))
