"""Work on several machines: tasks that a Dask cluster does, where one is in use.

Library code calls :func:`mapped`. Inside ``with scheduler(address)`` the tasks are done by the
workers of a cluster, elsewhere one after the other. The results, and their order, are the same.
"""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import Any, TypeVar

from .errors import DataError, FileError
from .libraries import import_extra
from .progress import report

Item = TypeVar("Item")
Shared = TypeVar("Shared")
Result = TypeVar("Result")

#: Tasks under way, for each thread of the workers: so few results wait for their turn.
_AHEAD = 2

_client: ContextVar[Any] = ContextVar("client")


def client(address: str) -> Any:
    """A client of the Dask scheduler at an address."""
    distributed = import_extra("dask.distributed", "dask", "a scheduler")
    try:
        return distributed.Client(address, timeout="15s")
    except (OSError, ValueError, TimeoutError) as error:
        raise DataError(f"no Dask scheduler answers at {address}: {error}") from error


@contextmanager
def scheduler(address: str | None) -> Iterator[None]:
    """Let a Dask cluster do the work inside a ``with`` block; nothing changes without an address.

    Parameters
    ----------
    address : str or None
        Of the scheduler, as ``tcp://10.0.0.1:8786``. Workers must have this package, and must see
        the files under the same absolute paths.
    """
    if address is None:
        yield
        return
    with client(address) as connected:
        token = _client.set(connected)
        try:
            yield
        finally:
            _client.reset(token)


def in_use() -> bool:
    """Whether a cluster does the work."""
    return _client.get(None) is not None


def mapped(
    task: Callable[[Shared, Item], Result], items: Iterable[Item], shared: Shared, what: str
) -> Iterator[Result]:
    """Do a task for each item, and yield the results in the order of the items.

    Parameters
    ----------
    task : function
        Of a module, so that workers know it too.
    items : iterable
    shared : object
        What all tasks need. It is sent to each worker once.
    what : str
        What is counted where progress is shown: ``files read``.
    """
    connected = _client.get(None)
    if connected is None:
        return (task(shared, item) for item in items)
    return _on_cluster(connected, task, iter(items), shared, what)


def _on_cluster(
    connected: Any,
    task: Callable[[Shared, Item], Result],
    items: Iterator[Item],
    shared: Shared,
    what: str,
) -> Iterator[Result]:
    """Results of tasks on a cluster; the work of a lost worker is done by another one."""
    sent = connected.scatter(shared, broadcast=True, hash=False)
    most = _AHEAD * max(1, sum(connected.nthreads().values()))
    waiting: deque[Any] = deque()
    done = 0
    try:
        while True:
            for item in islice(items, most - len(waiting)):
                key = f"mastgp-{uuid.uuid4().hex}"
                waiting.append(connected.submit(task, sent, item, key=key, pure=False))
            if not waiting:
                return
            yield _result(waiting[0])
            waiting.popleft().release()
            done += 1
            report(what, done)
    finally:
        for future in waiting:
            future.cancel()


def _result(future: Any) -> Any:
    distributed = import_extra("dask.distributed", "dask", "a scheduler")
    try:
        return future.result()
    except FileError as error:
        raise FileError(
            f"{error} (said a worker of the cluster: workers need the files under these paths)"
        ) from error
    except (distributed.KilledWorker, distributed.CancelledError) as error:
        raise DataError(f"the cluster gave up: {error}") from error
