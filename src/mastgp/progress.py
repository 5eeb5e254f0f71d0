"""How far a long computation has come.

Library code calls :func:`report`. A listener, such as a bar in the terminal, gets the reports.
Without a listener a report costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

#: Work shorter than this many seconds shows no progress.
QUIET_SECONDS = 2.0
#: Called as ``listener(what, done, total)``; `total` is None if it is not known.
Listener = Callable[[str, int, int | None], None]

_listener: ContextVar[Listener | None] = ContextVar("listener")


def report(what: str, done: int, total: int | None = None) -> None:
    """Report that `done` of `total` steps of `what` are done."""
    listener = _listener.get(None)
    if listener is not None:
        listener(what, done, total)


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Send reports to `listener` (or to nobody) inside a ``with`` block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def shown(wanted: bool) -> Iterator[None]:
    """Show progress in the terminal if it is wanted, unless a caller has chosen a listener."""
    decided = _listener.get(_undecided) is not _undecided
    with progress() if wanted and not decided else nullcontext():
        yield


@contextmanager
def progress() -> Iterator[None]:
    """Show progress on standard error once the work has taken more than two seconds.

    Nothing is shown where standard error is no terminal, as in a pipe or a file.
    """
    bars = _Bars()
    with listening(bars.update):
        try:
            yield
        finally:
            bars.stop()


class _Bars:
    """A listener with one bar in the terminal for each kind of work."""

    def __init__(self) -> None:
        self._started = monotonic()
        self._display: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def update(self, what: str, done: int, total: int | None) -> None:
        if monotonic() - self._started < QUIET_SECONDS:
            return
        if self._display is None:
            console = _console()
            if not (console.is_terminal or console.is_jupyter):
                return
            self._display = _bar(console)
            self._display.start()
        if what not in self._tasks:
            self._tasks[what] = self._display.add_task(what, total=total)
        self._display.update(self._tasks[what], completed=done, total=total)

    def stop(self) -> None:
        if self._display is not None:
            self._display.stop()


def _bar(console: Console) -> Progress:
    """Build a progress bar with the time left."""
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed} done"),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )


def _console() -> Console:
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def counter(what: str, total: int | None = None) -> Callable[[], None]:
    """Return a function that reports one more step of `what` each time it is called."""
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        report(what, done, total)

    return step


def _undecided(what: str, done: int, total: int | None) -> None:
    """Stand for a listener that nobody has chosen."""
