"""Telling whoever listens how far a long computation has come.

Library code calls :func:`report`; without a listener that costs next to nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

#: Work shorter than this many seconds shows no progress.
QUIET_SECONDS = 2.0
#: ``listener(what, done, total)``; total is None where it is not known.
Listener = Callable[[str, int, int | None], None]

_listener: ContextVar[Listener | None] = ContextVar("listener")


def report(what: str, done: int, total: int | None = None) -> None:
    """Say that `done` of `total` steps of `what` are done."""
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
    """Show progress in the terminal, if it is wanted and nobody else decides who listens."""
    decided = _listener.get(_undecided) is not _undecided
    with progress() if wanted and not decided else nullcontext():
        yield


@contextmanager
def progress() -> Iterator[None]:
    """Show how far the work has come on standard error, if it takes more than two seconds."""
    started = time.monotonic()
    shown: list[Progress] = []
    tasks: dict[str, Any] = {}

    def listener(what: str, done: int, total: int | None) -> None:
        if time.monotonic() - started < QUIET_SECONDS:
            return
        if not shown:
            shown.append(_bar())
            shown[0].start()
        if what not in tasks:
            tasks[what] = shown[0].add_task(what, total=total)
        shown[0].update(tasks[what], completed=done, total=total)

    with listening(listener):
        try:
            yield
        finally:
            for bar in shown:
                bar.stop()


def _bar() -> Progress:
    """A bar with the time left."""
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
        console=_console(),
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
    """Stands for a listener that nobody has chosen."""
