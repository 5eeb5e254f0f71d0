"""Telling whoever listens how far a long computation has come.

Library code calls :func:`report`; without a listener that costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar

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
    from .terminal import progress

    decided = _listener.get(_undecided) is not _undecided
    with progress() if wanted and not decided else nullcontext():
        yield


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
