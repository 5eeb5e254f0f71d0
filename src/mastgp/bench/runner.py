"""Running units: here on all cores or on a Dask cluster, stopped and started at will.

Whatever happens to a unit is written down: its scores, or the error, or that it took too long.
What is in the store is never computed again.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any

import numpy as np

from ..check.scores import score
from ..data.box import Bounds
from ..errors import MastError
from ..gp import blas_threads
from ..methods import method
from ..models.estimator import MultiFidelityRegressor
from ..models.single import SingleFidelity
from ..progress import listening, report
from .draws import AnyProblem
from .experiments import BASELINE, experiment, find_problem
from .protocol import Draw
from .searches import SEARCHES
from .store import Store
from .timelimit import UnitTimeoutError
from .timelimit import time_limit as limited
from .units import Record, Unit, still_valid
from .workers import Task, on_dask, on_processes


def run_unit(
    unit: Unit,
    own: Mapping[str, AnyProblem] | None = None,
    data: str | None = None,
    time_limit: float | None = None,
) -> Record:
    """Compute one unit. Errors are part of the result, not raised."""
    try:
        with (
            limited(time_limit),
            blas_threads(0),
            listening(None),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            return unit.record(status="ok", **_scores(unit, own, data))
    except UnitTimeoutError:
        return unit.record(status="timeout", error=f"took more than {time_limit:g} s")
    except Exception as error:
        return unit.record(status="failed", error=f"{type(error).__name__}: {error}")


def _scores(unit: Unit, own: Mapping[str, AnyProblem] | None, data: str | None) -> dict[str, float]:
    if unit.experiment in SEARCHES:
        search = SEARCHES[unit.experiment]
        return search.scores(unit.problem, unit.method, unit.seed, unit.test_size)
    chosen = experiment(unit.experiment)
    problem = find_problem(unit.problem, own, data)
    setting = unit.setting or chosen.settings_of(unit.problem)[0]
    draw = chosen.draw(problem, unit.seed, setting, unit.test_size)
    started = time.perf_counter()
    model = _fitted(unit, draw, dict(chosen.options.get(unit.setting, {})))
    fitted = time.perf_counter()
    predicted = model.predict_distribution(draw.X_test)
    ended = time.perf_counter()
    if not np.isfinite(predicted.mean).all():
        raise MastError("some predictions are not finite")
    return {
        **score(draw.y_test, predicted),
        "fit_seconds": fitted - started,
        "predict_seconds": ended - fitted,
        "n_train": len(draw.y_only if unit.method == BASELINE else draw.y),
    }


def _fitted(unit: Unit, draw: Draw, options: dict[str, str]) -> MultiFidelityRegressor:
    if unit.method == BASELINE:
        return SingleFidelity(bounds=draw.bounds).fit(draw.X_only, draw.y_only)
    limits = _limits(draw)
    model = method(unit.method).build(costs=draw.costs, bounds=limits, random_state=unit.seed)
    wanted = {name: value for name, value in draw.options.items() if name in model.get_params()}
    model.set_params(**{**wanted, **options})
    return model.fit(draw.X, draw.y, fidelity=draw.fidelity, categorical=draw.categorical)


def _limits(draw: Draw) -> Bounds:
    """Bounds of the inputs; those of numeric ones where some are categorical."""
    if not draw.categorical:
        return draw.bounds
    pairs = enumerate(draw.bounds.tolist())
    return {f"x{i}": (low, high) for i, (low, high) in pairs if i not in draw.categorical}


def run(
    units: Iterable[Unit],
    store: Store,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    time_limit: float | None = None,
    own: Mapping[str, AnyProblem] | None = None,
    data: str | None = None,
    retry_failed: bool = False,
    recorded: Iterable[Mapping[str, Any]] = (),
) -> int:
    """Compute the units that are not in the store yet; return how many were computed.

    Parameters
    ----------
    units : iterable of Unit
    store : Store
    jobs : int
        Processes on this machine; each uses one BLAS thread.
    scheduler : str, optional
        Address of a Dask scheduler to use instead.
    time_limit : float, optional
        Seconds that one unit may take.
    own : mapping of name to problem, optional
        Problems of the user's own.
    data : str, optional
        Folder of the real data sets.
    retry_failed : bool
        Whether units that failed or ran out of time before are tried again.
    recorded : iterable of records
        Results from elsewhere. Those that the code of today would compute again are taken over
        into the store.
    """
    task = partial(run_unit, own=own, data=data, time_limit=time_limit)
    with store.appending() as appender:  # locked and cut first: what is read then stays
        done = {Unit.of(r) for r in store.read() if r["status"] == "ok" or not retry_failed}
        missing = [unit for unit in units if unit not in done]
        known = {u: r for u, r in still_valid(recorded).items() if r["status"] == "ok"}
        for unit in missing:
            if unit in known:
                appender.append(dict(known[unit]))
        todo = [unit for unit in missing if unit not in known]
        with closing(_computed(todo, task, jobs, scheduler)) as records:
            for finished, record in enumerate(records, start=1):
                appender.append(record)
                report("benchmark", finished, len(todo))
    return len(todo)


def _computed(
    todo: Sequence[Unit], task: Task, jobs: int, scheduler: str | None
) -> Generator[Record, None, None]:
    """Records of units as they are finished: on a cluster, in processes, or right here."""
    if scheduler is not None:
        yield from on_dask(todo, task, scheduler)
    elif jobs > 1:
        yield from on_processes(todo, task, jobs)
    else:
        yield from map(task, todo)
