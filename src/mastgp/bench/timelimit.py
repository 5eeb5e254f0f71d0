"""A time limit for a piece of work in this thread."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class UnitTimeoutError(Exception):
    """A unit ran out of its time."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
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
        stop(thread, None)  # an exception that comes too late must not hit later work
