"""Trials: runs that a study has asked for, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..gp.observations import LARGEST_TARGET
from .inputs import Value

#: What may have become of a trial. A trial that is asked or running is open.
ASKED, RUNNING, DONE, FAILED = STATUSES = ("asked", "running", "done", "failed")
OPEN = (ASKED, RUNNING)

#: Where a trial comes from: the first design, a suggestion of a model, or results from elsewhere.
DESIGNED, SUGGESTED, GIVEN = ORIGINS = ("design", "suggestion", "given")


def is_result(value: float) -> bool:
    """Whether a number can be a result: finite, and of a size that models can take."""
    return abs(value) <= LARGEST_TARGET


@dataclass(frozen=True)
class Trial:
    """A run that a study has asked for.

    Attributes
    ----------
    id : int
        Its number in the study; results are told by it.
    inputs : mapping of name to value
        Where to run.
    fidelity : str
        Which code to run.
    cost : float
        Of one attempt.
    reason : str
        Why this run, in one sentence.
    status : str
        ``asked``, ``running``, ``done`` or ``failed``.
    origin : str
        ``design``, ``suggestion`` or ``given``.
    values : mapping of target to number
        Its results; empty unless it is done.
    failure : str or None
        Why it failed.
    attempts : int
        How often it has been run to its end; each time has cost money.
    asked_by : str
        Who asked: user, machine and process.
    asked_at, started_at, ended_at : float or None
        Times, in seconds since 1970.
    candidate : int or None
        Its row in the pool, where there is one.
    notes : mapping of column to text
        What the pool says of it besides its inputs.
    predicted : mapping of str to float
        What the model expected: ``mean``, ``low`` and ``high`` of the expensive response, ``gain``.
    """

    id: int
    inputs: Mapping[str, Value]
    fidelity: str
    cost: float
    reason: str
    status: str = ASKED
    origin: str = DESIGNED
    values: Mapping[str, float] = field(default_factory=dict)
    failure: str | None = None
    attempts: int = 0
    asked_by: str = ""
    asked_at: float = 0.0
    started_at: float | None = None
    ended_at: float | None = None
    candidate: int | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    predicted: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether its result is still to come."""
        return self.status in OPEN

    @property
    def spent(self) -> float:
        """What it has cost so far; results from elsewhere cost nothing."""
        return 0.0 if self.origin == GIVEN else self.cost * self.attempts

    @property
    def committed(self) -> float:
        """What it will cost besides, if it is open."""
        return self.cost if self.is_open else 0.0


@dataclass(frozen=True)
class Best:
    """The best of a study.

    Attributes
    ----------
    inputs : mapping of name to value
    value : float
        What the expensive run found there, or what the model predicts.
    interval : tuple of two floats
        The central 95 % interval of the expensive response there, by the model; NaN while there
        are too few results for one.
    observed : bool
        Whether the value is the result of an expensive run, or a prediction.
    feasible : bool
        Whether all limits of other targets hold there.
    trial : Trial or None
        The run.
    """

    inputs: Mapping[str, Any]
    value: float
    interval: tuple[float, float]
    observed: bool
    feasible: bool = True
    trial: Trial | None = None

    @property
    def where(self) -> dict[str, Any]:
        """The inputs, after what a pool says besides of its row, such as its name."""
        notes = {} if self.trial is None else dict(self.trial.notes)
        return {**notes, **self.inputs}
