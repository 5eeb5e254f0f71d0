"""Where units are computed: in processes of this machine, or on a Dask cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context

from ..clusters import client
from ..libraries import import_extra
from ..processes import leave_with_parent
from .units import Record, Unit

#: A picklable function that computes a unit.
Task = Callable[[Unit], Record]


def on_processes(todo: Sequence[Unit], task: Task, jobs: int) -> Iterator[Record]:
    """Compute units in processes; a unit that kills its process twice is recorded as failed."""
    waiting = deque(todo)
    while waiting:
        flying: dict[Future[Record], Unit] = {}
        try:
            with _processes(jobs) as pool:
                yield from _through(pool, waiting, flying, task, 2 * jobs)
        except BrokenProcessPool:
            yield from _one_by_one(list(flying.values()), task)


@contextmanager
def _processes(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that end with the ``with`` block, at once if an error ends it, and with us."""
    spawn = get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=leave_with_parent) as pool:
        try:
            yield pool
        except BaseException:
            for process in list((pool._processes or {}).values()):
                process.kill()
            raise


def _through(
    pool: ProcessPoolExecutor,
    waiting: deque[Unit],
    flying: dict[Future[Record], Unit],
    task: Task,
    most: int,
) -> Iterator[Record]:
    """Send units through a pool, at most so many at a time; `flying` has those under way."""
    while waiting or flying:
        while waiting and len(flying) < most:
            unit = waiting.popleft()
            flying[pool.submit(task, unit)] = unit
        finished, _ = wait(flying, return_when=FIRST_COMPLETED)
        for future in finished:
            record = future.result()
            del flying[future]
            yield record


def _one_by_one(lost: list[Unit], task: Task) -> Iterator[Record]:
    """Compute units that were under way when a process died, each in a process of its own."""
    for unit in lost:
        try:
            with _processes(1) as pool:
                yield pool.submit(task, unit).result()
        except BrokenProcessPool:
            yield unit.record(status="failed", error="its process died, twice")


def on_dask(todo: Sequence[Unit], task: Task, address: str) -> Iterator[Record]:
    """Compute units on a Dask cluster; it moves the work of a lost worker to another."""
    with client(address) as connected:
        as_completed = import_extra("dask.distributed", "dask", "a scheduler").as_completed
        futures = {
            connected.submit(task, unit, key=f"mastgp-{unit}", pure=False, retries=3): unit
            for unit in todo
        }
        for future in as_completed(futures):
            if future.status == "finished":
                yield future.result()
            else:
                why = f"the cluster gave up: {future.exception()}"
                yield futures[future].record(status="failed", error=why)
            future.release()
