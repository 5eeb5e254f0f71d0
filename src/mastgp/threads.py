"""One BLAS thread for small problems: starting threads costs more than it saves.

The limit of BLAS holds for the whole process, so overlapping users (such as threads of a Dask
worker) share it: the first one in sets it, the last one out takes it back. threadpoolctl comes
with scikit-learn.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

#: From this many points on, linear algebra runs on all cores. Below, threads only get in the way.
ALL_CORES_FROM = 600

_lock = Lock()
_users = 0
_limit: Any = None


@cache
def _controller() -> Any:
    return ThreadpoolController()


@contextmanager
def blas_threads(n_points: int) -> Iterator[None]:
    """Limit BLAS to one thread while a problem of `n_points` is worked on, if that is faster."""
    if n_points >= ALL_CORES_FROM:
        yield
        return
    _enter()
    try:
        yield
    finally:
        _leave()


@contextmanager
def one_openmp_thread() -> Iterator[None]:
    """Limit OpenMP to one thread in the thread that calls.

    Loops of thousands of short steps wait for the slowest thread after each. Where another program
    keeps a core busy, they take minutes instead of seconds.
    """
    with ThreadpoolController().limit(limits=1, user_api="openmp"):
        yield


def _enter() -> None:
    global _users, _limit
    with _lock:
        if _users == 0:
            _limit = _controller().limit(limits=1, user_api="blas")
        _users += 1


def _leave() -> None:
    global _users, _limit
    with _lock:
        _users -= 1
        if _users == 0:
            _limit.restore_original_limits()
            _limit = None
