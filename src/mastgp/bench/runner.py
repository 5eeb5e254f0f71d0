"""Running units: here on all cores or on a Dask cluster, stopped and started at will.

Whatever happens to a unit is written down: its scores, or the error, or that it took too long.
What is in the store is never computed again.
"""

from __future__ import annotations

import ctypes
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict
from multiprocessing import get_context
from typing import Any

from ..auto.surrogate import AutoSurrogate
from ..check.scores import score
from ..errors import DataError, MissingExtraError
from ..gp import blas_threads
from ..methods import method
from ..models.estimator import MultiFidelityRegressor
from ..models.mast import MAST
from ..models.single import SingleFidelity
from ..progress import listening, report
from .experiments import BASELINE, AnyProblem, Unit, experiment, find_problem
from .protocol import Draw
from .store import Store

Record = dict[str, Any]


class UnitTimeoutError(Exception):
    """A unit ran out of its time."""


def run_unit(
    unit: Unit,
    own: Mapping[str, AnyProblem] | None = None,
    data: str | None = None,
    time_limit: float | None = None,
) -> Record:
    """Compute one unit. Errors are part of the result, not raised."""
    record = asdict(unit)
    try:
        with (
            _time_limit(time_limit),
            blas_threads(0),
            listening(None),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            record |= {"status": "ok", **_scores(unit, own, data)}
    except UnitTimeoutError:
        record |= {"status": "timeout", "error": f"took more than {time_limit:g} s"}
    except Exception as error:
        record |= {"status": "failed", "error": f"{type(error).__name__}: {error}"}
    return record


def _scores(unit: Unit, own: Mapping[str, AnyProblem] | None, data: str | None) -> dict[str, float]:
    chosen = experiment(unit.experiment)
    problem = find_problem(unit.problem, own, data)
    setting = unit.setting or chosen.settings_of(unit.problem)[0]
    draw = chosen.draw(problem, unit.seed, setting, unit.test_size)
    started = time.perf_counter()
    model = _fitted(unit, draw, dict(chosen.options.get(unit.setting, {})))
    fitted = time.perf_counter()
    mean, std = model.predict(draw.X_test, return_std=True)
    ended = time.perf_counter()
    blend = isinstance(model, AutoSurrogate)
    mixture = model.predict_mixture(draw.X_test) if blend else None
    return {
        **score(draw.y_test, mean, std, mixture),
        "fit_seconds": fitted - started,
        "predict_seconds": ended - fitted,
        "n_train": len(draw.y_only if unit.method == BASELINE else draw.y),
    }


def _fitted(unit: Unit, draw: Draw, options: dict[str, str]) -> MultiFidelityRegressor:
    if unit.method == BASELINE:
        return SingleFidelity(bounds=draw.bounds).fit(draw.X_only, draw.y_only)
    model = method(unit.method).build(costs=draw.costs, bounds=draw.bounds, random_state=unit.seed)
    if isinstance(model, MAST):
        options = {**draw.options, **options}
    model.set_params(**options)
    return model.fit(draw.X, draw.y, fidelity=draw.fidelity)


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
    """
    done = {Unit.of(r) for r in store.read() if r["status"] == "ok" or not retry_failed}
    todo = [unit for unit in units if unit not in done]
    total = len(todo)
    task = _Task(own, data, time_limit)
    if scheduler is not None:
        results = _on_dask(todo, task, scheduler)
    elif jobs > 1:
        results = _on_processes(todo, task, jobs)
    else:
        results = map(task, todo)
    with store.appending() as appender:
        for finished, record in enumerate(results, start=1):
            appender.append(record)
            report("benchmark", finished, total)
    return total


class _Task:
    """A picklable function of a unit."""

    def __init__(
        self, own: Mapping[str, AnyProblem] | None, data: str | None, time_limit: float | None
    ) -> None:
        self.own, self.data, self.time_limit = own, data, time_limit

    def __call__(self, unit: Unit) -> Record:
        return run_unit(unit, self.own, self.data, self.time_limit)


def _on_processes(todo: Sequence[Unit], task: _Task, jobs: int) -> Iterator[Record]:
    """Compute units in processes; one that kills its process twice is recorded as failed."""
    waiting = deque(todo)
    while waiting:
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            flying: dict[Future[Record], Unit] = {}
            try:
                while waiting or flying:
                    while waiting and len(flying) < 2 * jobs:
                        unit = waiting.popleft()
                        flying[pool.submit(task, unit)] = unit
                    finished, _ = wait(flying, return_when=FIRST_COMPLETED)
                    for future in finished:
                        record = future.result()
                        del flying[future]
                        yield record
            except BrokenProcessPool:
                yield from _one_by_one(list(flying.values()), task)


def _one_by_one(lost: list[Unit], task: _Task) -> Iterator[Record]:
    """Compute units that were under way when a process died, each in a process of its own."""
    for unit in lost:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            try:
                yield pool.submit(task, unit).result()
            except BrokenProcessPool:
                yield {**asdict(unit), "status": "failed", "error": "its process died, twice"}


def _on_dask(todo: Sequence[Unit], task: _Task, address: str) -> Iterator[Record]:
    """Compute units on a Dask cluster; it moves the work of a lost worker to another."""
    try:
        from dask.distributed import Client, as_completed
    except ImportError:
        raise MissingExtraError(
            "a scheduler needs Dask; install it with 'pip install \"mastgp[dask]\"'"
        ) from None
    try:
        client = Client(address, timeout="15s")  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TimeoutError) as error:
        raise DataError(f"no Dask scheduler answers at {address}: {error}") from error
    with client:
        futures = {
            client.submit(task, unit, key=f"mastgp-{unit}", pure=False, retries=3): unit
            for unit in todo
        }
        for future in as_completed(futures):  # type: ignore[no-untyped-call]
            if future.status == "finished":
                yield future.result()
            else:
                why = f"the cluster gave up: {future.exception()}"
                yield {**asdict(futures[future]), "status": "failed", "error": why}
            future.release()


@contextmanager
def _time_limit(seconds: float | None) -> Iterator[None]:
    """Raise UnitTimeoutError in this thread after some seconds, wherever it runs."""
    if seconds is None:
        yield
        return
    thread = ctypes.c_ulong(threading.get_ident())
    raised = ctypes.py_object(UnitTimeoutError)
    stop: Callable[..., Any] = ctypes.pythonapi.PyThreadState_SetAsyncExc
    timer = threading.Timer(seconds, stop, (thread, raised))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        stop(thread, None)  # what was raised too late must not hit later work
