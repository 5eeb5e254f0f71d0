"""Processes that end: by a signal in good order, and never later than their parent."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

#: Signals that ask a program to end: by kill, a scheduler or a shutdown, and by a closed terminal.
_ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
#: Seconds that a program has for ending in good order; then the system ends it.
GRACE_SECONDS = 3
#: Linux' number of the request to get a signal when the parent dies.
_PR_SET_PDEATHSIG = 1


class EndedError(BaseException):
    """A signal asked this program to end. Like KeyboardInterrupt it is no ordinary error.

    Attributes
    ----------
    number : int
        Of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.number = number

    @property
    def exit_code(self) -> int:
        """What shells report of a program that a signal has ended."""
        return 128 + self.number


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into :class:`EndedError` inside a ``with`` block.

    So temporary files are removed and workers are ended on the way out. A second signal, and the
    time of :data:`GRACE_SECONDS`, end the program at once. A signal that is ignored, as SIGHUP is
    after ``nohup``, stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals belong to the main thread
        return
    before = {number: signal.getsignal(number) for number in _ENDING}
    taken = [number for number, handler in before.items() if handler == signal.SIG_DFL]
    try:
        for number in taken:
            signal.signal(number, _end)
        yield
    finally:
        for number in taken:
            signal.signal(number, before[number])


def _end(number: int, _: FrameType | None) -> None:
    for ending in _ENDING:
        if signal.getsignal(ending) is _end:
            signal.signal(ending, signal.SIG_DFL)
    if hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(GRACE_SECONDS)
    raise EndedError(number)


def leave_with_parent() -> None:
    """End this worker as soon as its parent has ended, however that happened.

    The kernel is asked to do so where it can. A thread waits for the parent's end as well: it
    also sees a parent that died before this worker was ready. Interrupts from the keyboard are
    left to the parent, which ends its workers.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    from multiprocessing import parent_process  # a command that starts no workers needs none of it

    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_leave_after, args=(parent,), daemon=True).start()


def _leave_after(parent: Any) -> None:
    parent.join()
    os._exit(1)
