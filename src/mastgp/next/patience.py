"""Runs that may hang: whoever started them without a time limit is told."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from .trials import Trial

#: A run without a time limit may hang after so many times the longest of its fidelity, and after
#: so many seconds at least, or where none has ended.
HANGS_AFTER, HANGS_AFTER_SECONDS, UNKNOWN_HANGS_AFTER_SECONDS = 10.0, 30.0, 600.0


class Patience:
    """How long attempts take, and which of them may hang.

    Parameters
    ----------
    time_limits : mapping of fidelity to seconds
        Attempts that have one are ended by it, and nobody need be told.
    clock : function, optional
        Seconds from any moment on.
    """

    def __init__(
        self, time_limits: Mapping[str, float], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits, self._clock = time_limits, clock
        self._since: dict[int, float] = {}
        self._longest: dict[str, float] = {}
        self._told: set[int] = set()

    def started(self, trial: Trial) -> None:
        """An attempt at a trial has begun."""
        self._since[trial.id] = self._clock()
        self._told.discard(trial.id)

    def ended(self, trial: Trial) -> None:
        """An attempt at a trial has ended."""
        taken = self._clock() - self._since[trial.id]
        self._longest[trial.fidelity] = max(taken, self._longest.get(trial.fidelity, 0.0))

    def lost(self, trial: Trial) -> str | None:
        """What to say of an attempt that may hang; None of others, and the second time."""
        if trial.id in self._told or self._limits.get(trial.fidelity):
            return None
        taken, longest = self._clock() - self._since[trial.id], self._longest.get(trial.fidelity)
        enough = (
            UNKNOWN_HANGS_AFTER_SECONDS
            if longest is None
            else max(HANGS_AFTER * longest, HANGS_AFTER_SECONDS)
        )
        if taken < enough:
            return None
        self._told.add(trial.id)
        known = "" if longest is None else f", the longest of {trial.fidelity} so far {longest:.3g}"
        return f"it has taken {taken:.0f} s{known}; if it hangs, --time-limit ends such runs"
