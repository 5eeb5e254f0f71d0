"""Emukit's own recipe for accuracy: its linear model, and the run of most variance per cost."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...libraries import import_extra, untouched
from ..protocol import Rows
from ..tasks import Task
from .designs import accuracy_start

Array = NDArray[np.float64]

#: Random points of every source among which the next run is chosen, and runs between two fits.
_CHOICES, _BETWEEN_FITS = 2000, 5
#: Restarts of the search for the hyperparameters.
_RESTARTS = 3


def search(task: Task, option: str) -> None:
    """Spend the budget one run at a time; the model is fitted again after every five."""
    rows = accuracy_start(task)
    rng = task.rng("emukit")
    with untouched(task.seed):
        model = _assessed(task, rows)
        number = 0
        while any(task.affords(source) for source in task.problem.costs):
            x, source = _choice(task, model, rng)
            X, y = rows[source]
            rows[source] = np.vstack([X, x]), np.append(y, task.run(x, source))
            number += 1
            if number % _BETWEEN_FITS == 0:
                model = _fitted(task, rows)
            else:
                model.set_data(*_stacked(task, rows))
            if task.is_due:
                model = _assessed(task, rows)
        _assessed(task, rows)


def _assessed(task: Task, rows: dict[str, Rows]) -> Any:
    """A model of all runs, whose error has been measured."""
    model = _fitted(task, rows)
    task.assess(lambda X: _predicted(task, model, X))
    return model


def _stacked(task: Task, rows: dict[str, Rows]) -> tuple[Array, Array]:
    """Inputs in the unit cube with the source as a last column, and centred targets."""
    scale = _scale(rows)
    parts = [
        np.column_stack([_unit(task, rows[source][0]), np.full(len(rows[source][1]), level)])
        for level, source in enumerate(task.problem.costs)
    ]
    y = np.concatenate([rows[source][1] for source in task.problem.costs])
    return np.vstack(parts), ((y - scale[0]) / scale[1])[:, None]


def _unit(task: Task, X: Array) -> Array:
    unit: Array = (X - task.problem.bounds[:, 0]) / np.ptp(task.problem.bounds, axis=1)
    return unit


def _scale(rows: dict[str, Rows]) -> tuple[float, float]:
    values = np.concatenate([y for _, y in rows.values()])
    return float(values.mean()), float(values.std())


def _fitted(task: Task, rows: dict[str, Rows]) -> Any:
    """Emukit's linear multi-fidelity model."""
    import_extra("emukit", "emukit", "this strategy")
    import GPy
    from emukit.model_wrappers.gpy_model_wrappers import GPyMultiOutputWrapper
    from emukit.multi_fidelity.kernels import LinearMultiFidelityKernel
    from emukit.multi_fidelity.models import GPyLinearMultiFidelityModel

    d, k = task.problem.n_inputs, len(task.problem.costs)
    kernel = LinearMultiFidelityKernel([GPy.kern.RBF(d, ARD=True) for _ in range(k)])
    X, y = _stacked(task, rows)
    inner = GPyLinearMultiFidelityModel(X, y, kernel, n_fidelities=k)
    model = GPyMultiOutputWrapper(
        inner, k, n_optimization_restarts=_RESTARTS, verbose_optimization=False
    )
    model.optimize()
    model.scale_ = _scale(rows)
    return model


def _choice(task: Task, model: Any, rng: np.random.Generator) -> tuple[Array, str]:
    """The run of most variance per cost among random ones that can be paid for."""
    best, chosen = -np.inf, None
    low, width = task.problem.bounds[:, 0], np.ptp(task.problem.bounds, axis=1)
    for level, (source, cost) in enumerate(task.problem.costs.items()):
        if not task.affords(source):
            continue
        U = rng.random((_CHOICES, len(low)))
        _, var = model.predict(np.column_stack([U, np.full(len(U), level)]))
        worth = float(var.max()) / cost
        if worth > best:
            best, chosen = worth, (low + width * U[int(var.argmax())], source)
    assert chosen is not None
    return chosen


def _predicted(task: Task, model: Any, X: Array) -> Array:
    level = len(task.problem.costs) - 1
    mean, _ = model.predict(np.column_stack([_unit(task, X), np.full(len(X), level)]))
    centre, spread = model.scale_
    found: Array = centre + spread * mean[:, 0]
    return found
