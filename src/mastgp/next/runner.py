"""``mast study run``: the user's own command, run in parallel until the budget is spent.

Killed and started again it goes on where it was. A runner holds a lock on a file of its own as
long as it lives. The trials of a runner whose lock is free are taken over: an attempt that had
finished is counted, one that had not is made again. Every attempt is looked after by a supervisor,
which ends the program when the runner is gone.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ..clusters import client
from ..errors import FileError, MastError
from ..files import make_folder
from ..progress import report
from . import cluster
from .attempts import Job, Outcome, end, finished, folder_of, outcome, prepare, start
from .command import Command, check_places, fill
from .patience import Patience
from .results import NoResultError, NotFiniteError, Reader
from .trials import DONE, GIVEN, Trial

#: A :class:`mastgp.Study`, which itself asks this module.
Study = Any
#: Seconds between two looks at the attempts under way.
_PAUSE = 0.05
#: Trials that may fail before one has ended well: what never worked is not worth the budget.
MOST_FIRST_FAILURES = 5


@dataclass(frozen=True)
class Plan:
    """How a study's runs are made.

    Attributes
    ----------
    command : Command
    reader : Reader
        How results are read.
    logs : Path
        Folder of the folders of all attempts.
    jobs : int
        Attempts at a time.
    retries : int
        How often a run that crashed, hung or said nothing is tried again.
    time_limits : mapping of fidelity to seconds
        Of one attempt; none where a fidelity is missing.
    most_failures : int
        Trials that may fail in a row before the runner gives up; before the first result not more
        than :data:`MOST_FIRST_FAILURES`.
    scheduler : str or None
        Address of a Dask scheduler.
    """

    command: Command
    reader: Reader
    logs: Path
    jobs: int = 1
    retries: int = 1
    time_limits: Mapping[str, float] = field(default_factory=dict)
    most_failures: int = 10
    scheduler: str | None = None


@dataclass(frozen=True)
class Event:
    """Something that happened, for whoever shows it.

    Attributes
    ----------
    what : str
        ``started``, ``done``, ``failed``, ``again``, ``found`` (finished before a kill), or
        ``slow`` (it may hang, and no time limit will end it).
    trial : Trial
    text : str
        The result, or what went wrong.
    """

    what: str
    trial: Trial
    text: str = ""


class StoppedError(MastError):
    """No more runs can be made, or all of them fail; the message says how."""


class Flight(Protocol):
    """An attempt under way."""

    def poll(self) -> Outcome | None:
        """How it ended, or None."""

    def end(self) -> None:
        """End it."""


class Here:
    """An attempt under way on this machine."""

    def __init__(self, folder: Path, job: Job, values: Mapping[str, str]) -> None:
        prepare(folder, job)
        self._folder, self._job = folder, job
        self._process = start(folder, job, {**values, "MAST_FOLDER": str(folder)})

    def poll(self) -> Outcome | None:
        """How it ended, or None."""
        if self._process.poll() is None:
            return None
        end(self._process)
        return outcome(self._folder, self._job)

    def end(self) -> None:
        """End it."""
        end(self._process)


class OnCluster:
    """An attempt under way on a Dask cluster."""

    def __init__(self, folder: Path, job: Job, values: Mapping[str, str], client: Any) -> None:
        prepare(folder, job)
        self._folder = folder
        key = f"mast-{job.study}-{job.trial}-{job.attempt}-{secrets.token_hex(4)}"
        self._future = client.submit(
            cluster.attempt, job, dict(values), key=key, pure=False, retries=2
        )

    def poll(self) -> Outcome | None:
        """How it ended, or None."""
        if not self._future.done():
            return None
        if self._future.status != "finished":
            return Outcome("", f"the cluster gave up: {self._future.exception()}")
        found: Outcome
        found, said = self._future.result()
        for name, text in said.items():
            (self._folder / name).write_text(text, encoding="utf-8")
        self._future.release()
        return found

    def end(self) -> None:
        """Give it up; what a worker has begun it brings to an end."""
        with suppress(Exception):
            self._future.cancel()


def default_logs(path: Path) -> Path:
    """Folder of the runs of a study: ``wing.runs`` beside ``wing.study``."""
    return path.with_name(f"{path.stem if path.suffix else path.name}.runs")


def run(study: Study, plan: Plan, listener: Callable[[Event], None] | None = None) -> int:
    """Run trials until the budget is spent; return how many were ended.

    Parameters
    ----------
    study : Study
    plan : Plan
    listener : function of an Event, optional
    """
    names = study.definition.domain.names
    for word in (*plan.command.words, plan.reader.file or ""):
        check_places(word, [*names, *study.note_columns], "the command")
    make_folder(plan.logs)
    with ExitStack() as open_things:
        token = open_things.enter_context(_alive(plan.logs))
        connected = None
        if plan.scheduler is not None:
            connected = open_things.enter_context(client(plan.scheduler))
        runner = _Runner(study, plan, token, connected, listener or (lambda event: None))
        try:
            runner.recover()
            runner.loop()
        finally:
            for flight, _ in runner.flying.values():
                flight.end()
        return runner.ended


class _Runner:
    """The state of one call of :func:`run`."""

    def __init__(
        self, study: Study, plan: Plan, token: str, client: Any, tell: Callable[[Event], None]
    ) -> None:
        self.study, self.plan, self.token, self.client, self.tell = study, plan, token, client, tell
        self.flying: dict[int, tuple[Flight, Trial]] = {}
        self.ended = 0
        self._patience = Patience(plan.time_limits)
        self._failed_in_a_row = 0
        self._last_failure = ""

    def recover(self) -> None:
        """Go on with the trials of runners that are dead."""
        trials = {trial.id: trial for trial in self.study.trials()}
        for id, owner in self.study.store.runners().items():
            if not _is_alive(self.plan.logs, owner) and self.study.store.take_over(
                id, owner, self.token
            ):
                self._resume(trials[id])

    def _resume(self, trial: Trial) -> None:
        """Count an attempt that had finished; make it again otherwise."""
        folder = folder_of(self.plan.logs, trial.id, trial.attempts + 1)
        if finished(folder, self.study.store.identity):
            found = outcome(folder, self._job(trial))
            if found.could_start:
                self.tell(Event("found", trial))
                self._digest(trial, found)
                return
        self._launch(trial)

    def loop(self) -> None:
        """Ask, run and tell until nothing is left to do."""
        while True:
            self._fill()
            if not self.flying:
                break
            self._collect()
        if self._failed_in_a_row and not self._has_result():
            raise self._stopped("no run ended well")

    def _fill(self) -> None:
        """Begin as many trials as there are free places."""
        free = self.plan.jobs - len(self.flying)
        if free > 0:
            for trial in self.study.ask(free, runner=self.token):
                self._launch(trial)

    def _collect(self) -> None:
        """Wait until an attempt has ended, and write down what became of it."""
        before = len(self.flying)
        while len(self.flying) == before:
            for id, (flight, trial) in list(self.flying.items()):
                if (found := flight.poll()) is not None:
                    del self.flying[id]
                    before = -1
                    self._patience.ended(trial)
                    self._digest(trial, found)
                elif (words := self._patience.lost(trial)) is not None:
                    self._say("slow", trial, words)
            if before > 0:
                time.sleep(_PAUSE)

    def _launch(self, trial: Trial) -> None:
        folder = folder_of(self.plan.logs, trial.id, trial.attempts + 1).absolute()
        job = self._job(trial)
        values = {"MAST_TRIAL": str(trial.id), "MAST_FIDELITY": trial.fidelity}
        flight: Flight
        if self.client is None:
            flight = Here(folder, job, values)
        else:
            flight = OnCluster(folder, job, values, self.client)
        self.flying[trial.id] = (flight, trial)
        self._patience.started(trial)
        self.tell(Event("started", trial))

    def _job(self, trial: Trial) -> Job:
        """What is to be run for a trial."""
        attempt = trial.attempts + 1
        folder = folder_of(self.plan.logs, trial.id, attempt).absolute()
        values = {
            **trial.notes,
            **trial.inputs,
            "trial": trial.id,
            "fidelity": trial.fidelity,
            "folder": str(folder) if self.client is None else cluster.FOLDER,
        }
        file = self.plan.reader.file
        return Job(
            self.study.store.identity,
            trial.id,
            attempt,
            tuple(self.plan.command.filled(values)),
            self.plan.time_limits.get(trial.fidelity, 0.0),
            None if file is None else fill(file, values),
        )

    def _digest(self, trial: Trial, found: Outcome) -> None:
        """Write down a result or a failure, or try again."""
        if not found.could_start:
            raise StoppedError(str(found.problem))
        try:
            values = self._read(found)
        except NotFiniteError as error:
            self._fail(trial, str(error))
        except NoResultError as error:
            self._fail_or_again(trial, str(error))
        else:
            self._finish(trial, values)
            text = ", ".join(f"{name} = {value:g}" for name, value in values.items())
            self._failed_in_a_row = 0
            self._say("done", trial, text)

    def _read(self, found: Outcome) -> dict[str, float]:
        if found.problem is not None:
            raise NoResultError(found.problem)
        return self.plan.reader.read(found.output)

    def _fail_or_again(self, trial: Trial, why: str) -> None:
        if trial.attempts >= self.plan.retries:
            self._fail(trial, why)
        elif self.study.store.again(trial.id, self.token):
            self.tell(Event("again", trial, why))
            (tried,) = (one for one in self.study.trials() if one.id == trial.id)
            self._launch(tried)
        else:
            self._fail(trial, why, "; the budget does not pay for another try")

    def _fail(self, trial: Trial, why: str, note: str = "") -> None:
        self._finish(trial, why)
        self._failed_in_a_row += 1
        self._last_failure = why
        self._say("failed", trial, why + note)
        most = self.plan.most_failures
        if self._failed_in_a_row >= min(most, MOST_FIRST_FAILURES) and not self._has_result():
            raise self._stopped(f"no run ended well, {self._failed_in_a_row} trials failed")
        if self._failed_in_a_row >= most:
            raise self._stopped(f"{self._failed_in_a_row} trials in a row failed")

    def _has_result(self) -> bool:
        """Whether any run of the study, other than results from elsewhere, has ended well."""
        return any(t.status == DONE and t.origin != GIVEN for t in self.study.trials())

    def _stopped(self, what: str) -> StoppedError:
        return StoppedError(
            f"{what}, the last of them: {self._last_failure}. What the runs said is in "
            f"{self.plan.logs}. Correct the command and run it again"
        )

    def _finish(self, trial: Trial, result: dict[str, float] | str) -> None:
        """Write down what became of a trial; on a full disk the attempt waits in its folder."""
        self.study.store.finish({trial.id: result})
        self.ended += 1

    def _say(self, what: str, trial: Trial, text: str) -> None:
        spent, budget = self.study.spent, self.study.definition.budget
        report("study", round(spent), None if budget is None else round(budget))
        self.tell(Event(what, trial, text))


@contextmanager
def _alive(logs: Path) -> Iterator[str]:
    """Hold a lock that says that this runner lives; yields its token."""
    token = secrets.token_hex(8)
    path = _lock_of(logs, token)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        raise FileError(f"cannot write to {logs}: {error.strerror or error}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield token
    finally:
        with suppress(OSError):
            path.unlink()
        os.close(descriptor)


def _lock_of(logs: Path, token: str) -> Path:
    return logs / f".runner-{token}"


def _is_alive(logs: Path, token: str) -> bool:
    """Whether a runner holds its lock; that of a dead one is removed."""
    if not all(character in "0123456789abcdef" for character in token):
        return False  # nothing that a runner has written
    path = _lock_of(logs, token)
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        with suppress(OSError):
            path.unlink()
        return False
    finally:
        os.close(descriptor)
