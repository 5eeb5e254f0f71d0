"""The file of a study: one SQLite database that survives kills, full disks and company.

:mod:`mastgp.next.database` has its tables. A file from a stranger is not trusted: its tables must
be exactly those, with no triggers or views, and every value is checked when it is read.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from ..errors import FileError, ModelFileError
from ..files import check_can_write
from ..gp.observations import LARGEST_TARGET
from ..stored import DamagedError, mapping, number, text
from .database import (
    APPLICATION,
    TABLES,
    VERSION,
    check_schema,
    connected,
    is_empty,
    naming,
    transaction,
)
from .definition import LARGEST_COST, Definition, parsed, read_definition
from .inputs import Value
from .trials import ASKED, DONE, FAILED, ORIGINS, RUNNING, STATUSES, Trial

_COLUMNS = (
    "id, status, origin, fidelity, inputs, candidate, cost, reason, predicted, asked_by, asked_at, "
    "started_at, ended_at, attempts, runner, measured, failure"
)


class ChangedError(Exception):
    """Somebody else asked for trials in the meantime."""


@dataclass(frozen=True)
class Proposal:
    """A trial that has no number yet.

    Attributes
    ----------
    inputs : mapping of name to value
    fidelity, reason, origin : str
    candidate : int or None
    predicted : mapping of str to float
    """

    inputs: Mapping[str, Value]
    fidelity: str
    reason: str
    origin: str
    candidate: int | None
    predicted: Mapping[str, float]


#: A run with what it measured, by target, or why it failed.
Result = tuple[Proposal, Mapping[str, float] | str]


@dataclass(frozen=True)
class Candidate:
    """A row of a pool.

    Attributes
    ----------
    inputs : mapping of name to value
    notes : mapping of column to text
        The other columns.
    """

    inputs: Mapping[str, Value]
    notes: Mapping[str, str]


class Store:
    """The trials of a study in a file.

    Parameters
    ----------
    path : path
        Of a file that exists; see :meth:`create`.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._runners: dict[int, str | None] = {}
        with self._reading() as database:
            if database.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise self._damaged("SQLite finds it damaged")
        self.definition = self.read_definition()
        self.candidates = self._read_candidates()

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        definition: Definition,
        candidates: Sequence[Candidate] = (),
        results: Sequence[Result] = (),
        by: str = "",
    ) -> Store:
        """Make a new file, whole or not at all; one that another process just made is opened."""
        check_can_write(path)
        database = connected(Path(path))
        try:
            with naming(path), transaction(database):
                if is_empty(database):
                    _fill(database, definition, candidates)
                    _insert_results(database, definition, results, by)
        finally:
            database.close()
        return cls(path)

    @staticmethod
    def exists(path: str | os.PathLike[str]) -> bool:
        """Whether there is a study in a file; an empty file is none."""
        try:
            return os.path.getsize(path) > 0
        except (OSError, ValueError):  # a NUL in the path
            return False

    def read_definition(self) -> Definition:
        """What the study is about."""
        with self._reading() as database:
            rows = database.execute("SELECT identity, definition FROM study").fetchall()
        with self._checking("the definition"):
            if len(rows) != 1:
                raise DamagedError("there is none")
            self.identity = text(rows[0][0], "identity")
            return read_definition(rows[0][1])

    def write_definition(self, definition: Definition) -> None:
        """Replace what the study is about."""
        with self._writing() as database:
            database.execute("UPDATE study SET definition = ?", (definition.as_json(),))
        self.definition = definition

    def trials(self) -> list[Trial]:
        """All trials, in the order in which they were asked for."""
        with self._reading() as database:
            rows = database.execute(f"SELECT {_COLUMNS} FROM trial ORDER BY id").fetchall()
        return [self._trial(row) for row in rows]

    def add(
        self,
        proposals: Sequence[Proposal],
        *,
        by: str,
        seen: int | None = None,
        runner: str | None = None,
    ) -> list[Trial]:
        """Ask for trials, as many as the budget allows.

        Parameters
        ----------
        proposals : sequence of Proposal
        by : str
            Who asks.
        seen : int, optional
            Number of trials that the proposals know of. If there are more by now, nothing is
            added and :class:`ChangedError` is raised.
        runner : str, optional
            Token of a runner that begins with them at once.
        """
        with self._writing() as database:
            trials = [self._trial(row) for row in database.execute(f"SELECT {_COLUMNS} FROM trial")]
            if seen is not None and len(trials) != seen:
                raise ChangedError
            left = budget_left(self.definition.budget, trials)
            new = []
            for proposal in proposals:
                left -= self.definition.costs[proposal.fidelity]
                if left < -1e-9 * self.definition.costs[proposal.fidelity]:
                    break
                new.append(self._insert(database, proposal, by, runner))
        return self._those(new)

    def _insert(
        self, database: sqlite3.Connection, proposal: Proposal, by: str, runner: str | None
    ) -> int:
        now = time.time()
        row = _cells(proposal, self.definition, by, now) | {
            "status": ASKED if runner is None else RUNNING,
            "started_at": None if runner is None else now,
            "runner": runner,
        }
        return _inserted(database, row)

    def add_results(self, results: Sequence[Result], by: str) -> int:
        """Add results from elsewhere, all or none: values by target, or why the run failed."""
        with self._writing() as database:
            _insert_results(database, self.definition, results, by)
        return len(results)

    def finish(
        self, outcomes: Mapping[int, Mapping[str, float] | str], *, replace: bool = False
    ) -> int:
        """Write down what became of trials, all or none; return how many were open.

        A trial that has ended counts once: what is told again is left out, or replaces what was
        told before.

        Parameters
        ----------
        outcomes : mapping of id to values by target, or to the reason of a failure
        replace : bool
        """
        with self._writing() as database:
            return sum(_finish(database, id, one, replace) for id, one in outcomes.items())

    def again(self, id: int, runner: str) -> bool:
        """Count a failed attempt of a trial that its runner will try again, if money is left."""
        with self._writing() as database:
            trials = [self._trial(row) for row in database.execute(f"SELECT {_COLUMNS} FROM trial")]
            (trial,) = (one for one in trials if one.id == id)
            if budget_left(self.definition.budget, trials) < trial.cost:
                return False
            changed = database.execute(
                "UPDATE trial SET attempts = attempts + 1 WHERE id = ? AND status = ? "
                "AND runner = ?",
                (id, RUNNING, runner),
            )
            return changed.rowcount == 1

    def runners(self) -> dict[int, str]:
        """Tokens of the runners of the trials that are running."""
        self.trials()
        return {id: runner for id, runner in self._runners.items() if runner is not None}

    def take_over(self, id: int, before: str, runner: str) -> bool:
        """Take over a running trial from a runner that is dead; False if another was faster."""
        with self._writing() as database:
            changed = database.execute(
                "UPDATE trial SET runner = ?, started_at = ? WHERE id = ? AND status = ? "
                "AND runner = ?",
                (runner, time.time(), id, RUNNING, before),
            )
            return changed.rowcount == 1

    def _those(self, ids: Sequence[int]) -> list[Trial]:
        wanted = set(ids)
        return [trial for trial in self.trials() if trial.id in wanted]

    def _trial(self, row: tuple[Any, ...]) -> Trial:
        with self._checking(f"trial {str(row[0])[:20]}"):
            cells = dict(zip(_COLUMNS.split(", "), row, strict=True))
            trial = _read_trial(cells, self.definition, self.candidates)
            runner = cells["runner"]
            running = runner is not None and trial.status == RUNNING
            self._runners[trial.id] = text(runner, "runner") if running else None
            return trial

    def _read_candidates(self) -> tuple[Candidate, ...]:
        with self._reading() as database:
            rows = database.execute(
                "SELECT number, cells FROM candidate ORDER BY number"
            ).fetchall()
        domain = self.definition.domain
        found = []
        for expected, (row, cells) in enumerate(rows):
            with self._checking(f"candidate {expected}"):
                if row != expected:
                    raise DamagedError("its number is missing")
                state = mapping(parsed(cells, "it"), "it", ("inputs", "notes"), more=False)
                point = domain.read(mapping(state["inputs"], "inputs"), "it")
                notes = mapping(state["notes"], "notes")
                found.append(Candidate(point, {key: text(notes[key], key) for key in notes}))
        return tuple(found)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        if not self.path.is_file():
            raise FileError(f"there is no study {self.path}")
        database = connected(self.path, read_only=not os.access(self.path, os.W_OK))
        try:
            with naming(self.path):
                check_schema(database, self.path)
                yield database
        finally:
            database.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        if not self.path.is_file():
            raise FileError(f"the study {self.path} is gone")
        database = connected(self.path)
        try:
            with naming(self.path), transaction(database):
                check_schema(database, self.path)
                yield database
        finally:
            database.close()

    @contextmanager
    def _checking(self, what: str) -> Iterator[None]:
        """Name the file and the place of what is wrong."""
        try:
            yield
        except (ModelFileError, ValueError, KeyError, TypeError) as error:
            raise self._damaged(f"{what}: {error}") from None

    def _damaged(self, why: str) -> ModelFileError:
        return ModelFileError(f"{self.path} is damaged: {why}")


def budget_left(budget: float | None, trials: Sequence[Trial]) -> float:
    """What of a budget is neither spent nor promised to open trials."""
    if budget is None:
        return math.inf
    return budget - sum(trial.spent + trial.committed for trial in trials)


def _read_trial(
    cells: Mapping[str, Any], definition: Definition, pool: Sequence[Candidate]
) -> Trial:
    """A trial of the cells of its row, each of them checked."""
    status, fidelity, row = cells["status"], cells["fidelity"], cells["candidate"]
    if status not in STATUSES or cells["origin"] not in ORIGINS:
        raise DamagedError("its status or origin is unknown")
    if fidelity not in definition.costs:
        raise DamagedError(f"its fidelity {str(fidelity)[:40]!r} is unknown")
    if row is not None:
        number(row, "candidate", low=0, high=len(pool) - 1, whole=True)
    predicted = mapping(parsed(cells["predicted"], "predicted"), "predicted")
    return Trial(
        id=number(cells["id"], "id", low=1, whole=True),
        inputs=definition.domain.read(mapping(parsed(cells["inputs"], "inputs"), "inputs"), "it"),
        fidelity=fidelity,
        cost=float(number(cells["cost"], "cost", low=0.0, high=LARGEST_COST)),
        reason=text(cells["reason"], "reason"),
        status=status,
        origin=cells["origin"],
        values=_values(cells["measured"], definition.targets),
        failure=None if cells["failure"] is None else text(cells["failure"], "failure"),
        attempts=number(cells["attempts"], "attempts", low=0, whole=True),
        asked_by=text(cells["asked_by"], "asked_by"),
        asked_at=float(number(cells["asked_at"], "asked_at")),
        started_at=_time(cells["started_at"]),
        ended_at=_time(cells["ended_at"]),
        candidate=row,
        notes={} if row is None else pool[row].notes,
        predicted={key: float(number(predicted[key], key)) for key in predicted},
    )


def _values(cell: Any, targets: Sequence[str]) -> dict[str, float]:
    if cell is None:
        return {}
    found = mapping(parsed(cell, "its results"), "its results", targets, more=False)
    largest = LARGEST_TARGET
    return {name: float(number(found[name], name, low=-largest, high=largest)) for name in targets}


def _time(cell: Any) -> float | None:
    return None if cell is None else float(number(cell, "a time"))


def _measured(outcome: Mapping[str, float] | str) -> str:
    return json.dumps(dict(outcome), allow_nan=False)  # type: ignore[arg-type]


def _inserted(database: sqlite3.Connection, row: Mapping[str, Any]) -> int:
    marks = ", ".join(f":{name}" for name in row)
    cursor = database.execute(f"INSERT INTO trial ({', '.join(row)}) VALUES ({marks})", dict(row))
    return int(cursor.lastrowid or 0)


def _cells(proposal: Proposal, definition: Definition, by: str, now: float) -> dict[str, Any]:
    """What is known of a trial before it has run."""
    return {
        "origin": proposal.origin,
        "fidelity": proposal.fidelity,
        "inputs": json.dumps(dict(proposal.inputs), allow_nan=False),
        "candidate": proposal.candidate,
        "cost": definition.costs[proposal.fidelity],
        "reason": proposal.reason,
        "predicted": json.dumps(dict(proposal.predicted), allow_nan=False),
        "asked_by": by,
        "asked_at": now,
    }


def _insert_results(
    database: sqlite3.Connection, definition: Definition, results: Sequence[Result], by: str
) -> None:
    """Write down runs that have ended and that nobody asked for."""
    now = time.time()
    for proposal, outcome in results:
        failed = isinstance(outcome, str)
        row = _cells(proposal, definition, by, now) | {
            "status": FAILED if failed else DONE,
            "ended_at": now,
            "attempts": 1,
            "measured": None if failed else _measured(outcome),
            "failure": outcome if failed else None,
        }
        _inserted(database, row)


def _finish(
    database: sqlite3.Connection, id: int, outcome: Mapping[str, float] | str, replace: bool
) -> bool:
    """Write down what became of one trial, unless that is known."""
    (status,) = database.execute("SELECT status FROM trial WHERE id = ?", (id,)).fetchone()
    was_open = status in (ASKED, RUNNING)
    if not was_open and not replace:
        return False
    failed = isinstance(outcome, str)
    database.execute(
        "UPDATE trial SET status = ?, measured = ?, failure = ?, ended_at = ?, runner = NULL, "
        "attempts = attempts + ? WHERE id = ?",
        (
            FAILED if failed else DONE,
            None if failed else _measured(outcome),
            outcome if failed else None,
            time.time(),
            int(was_open),
            id,
        ),
    )
    return was_open


def _fill(
    database: sqlite3.Connection, definition: Definition, candidates: Sequence[Candidate]
) -> None:
    """Write a new study into an empty file."""
    for statement in TABLES.values():
        database.execute(statement)
    database.execute(f"PRAGMA application_id = {APPLICATION}")
    database.execute(f"PRAGMA user_version = {VERSION}")
    database.execute("INSERT INTO study VALUES (1, ?, ?)", (uuid4().hex, definition.as_json()))
    for row, candidate in enumerate(candidates):
        cells = json.dumps({"inputs": dict(candidate.inputs), "notes": dict(candidate.notes)})
        database.execute("INSERT INTO candidate VALUES (?, ?)", (row, cells))
