"""Attempts: one run of the user's command for a trial, in a folder that keeps what it said.

A folder is called by the number of the trial and of the attempt, as ``00012-1``. It says in
``run.json`` which study it belongs to, so that remains of another study are not taken for results.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ..data.opening import without_waiting
from ..errors import FileError
from ..files import atomic_write
from . import supervisor
from .supervisor import ENDED, ERRORS, LOCK, OUTPUT

ABOUT = "run.json"
#: Seconds that are waited for a supervisor whose runner has been killed.
PATIENCE = 10 * supervisor.GRACE
#: Bytes of an output that are read, from its end.
MOST_READ = 10_000_000


@dataclass(frozen=True)
class Job:
    """An attempt to be made.

    Attributes
    ----------
    study : str
        Identity of the study.
    trial, attempt : int
    words : tuple of str
        The command with its values.
    seconds : float
        Time limit; 0 if there is none.
    file : str or None
        File that has the results; None for standard output.
    """

    study: str
    trial: int
    attempt: int
    words: tuple[str, ...]
    seconds: float = 0.0
    file: str | None = None


@dataclass(frozen=True)
class Outcome:
    """How an attempt ended.

    Attributes
    ----------
    output : str
        What the results are to be read from.
    problem : str or None
        Why there are no results; None if the program ended well.
    could_start : bool
        Whether the program ran at all.
    seconds : float
    """

    output: str
    problem: str | None = None
    could_start: bool = True
    seconds: float = 0.0


def folder_of(logs: Path, trial: int, attempt: int) -> Path:
    """The folder of an attempt."""
    return logs / f"{trial:05d}-{attempt}"


def prepare(folder: Path, job: Job) -> None:
    """Make a new folder for an attempt; one that is there already is set aside."""
    with _clear():
        aside = 1
        while folder.exists():
            with suppress(OSError):
                folder.rename(folder.with_name(f"{folder.name}.old-{aside}"))
            aside += 1
        folder.mkdir(parents=True)
    with atomic_write(folder / ABOUT) as file:
        file.write(json.dumps(asdict(job), indent=1).encode())


def finished(folder: Path, study: str) -> bool:
    """Whether an attempt of this study has run to its end, as seen after a kill.

    Waits for a supervisor that is about to end its program.
    """
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    if not isinstance(about, dict) or about.get("study") != study:
        return False
    _wait_for_lock(folder / LOCK)
    return (folder / ENDED).is_file()


def _wait_for_lock(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return  # it never began
    try:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                time.sleep(0.05)
            else:
                return
    finally:
        os.close(descriptor)


def start(folder: Path, job: Job, values: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start an attempt in its folder; closing its standard input ends it.

    Parameters
    ----------
    folder : path
    job : Job
    values : mapping of str to str
        Variables of the environment.
    """
    script = str(Path(supervisor.__file__))
    with _clear("cannot start a run, whose words may be too long:"):
        return subprocess.Popen(
            [sys.executable, "-I", "-S", script, str(folder), repr(job.seconds), *job.words],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, **values},
        )


def end(process: subprocess.Popen[bytes]) -> None:
    """End an attempt and wait until all of it is gone."""
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE)


def outcome(folder: Path, job: Job) -> Outcome:
    """How an attempt ended, from what is in its folder."""
    facts = _facts(folder)
    if facts is None:
        return Outcome(
            "",
            "the process that looks after a run has died; is the disk or the memory full? The run "
            "does not count, and is made again by the next 'mast study run'",
            could_start=False,
        )
    if "error" in facts:
        return Outcome("", f"{facts['error']}; is the command right?", could_start=False)
    seconds = float(str(facts["seconds"]))
    if facts["timed_out"]:
        return Outcome("", f"took more than {job.seconds:g} s", seconds=seconds)
    if facts["code"] != 0:
        return Outcome(
            "", f"{_ending(int(str(facts['code'])))}{_last_words(folder)}", True, seconds
        )
    path = folder / OUTPUT if job.file is None else Path(job.file)
    try:
        return Outcome(end_of(path), None, True, seconds)
    except OSError as error:
        return Outcome("", f"cannot read {path}: {error.strerror or error}", True, seconds)


def _facts(folder: Path) -> dict[str, object] | None:
    try:
        found = json.loads((folder / ENDED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    needed: Sequence[str] = ("code", "seconds", "timed_out")
    if not isinstance(found, dict) or not ("error" in found or all(one in found for one in needed)):
        return None
    return found


def _ending(code: int) -> str:
    return f"ended by signal {-code}" if code < 0 else f"ended with {code}"


def _last_words(folder: Path) -> str:
    """The last line of the errors."""
    with suppress(OSError):
        lines = [line for line in end_of(folder / ERRORS).splitlines() if line.strip()]
        if lines:
            return f": {lines[-1].strip()[:300]}"
    return ""


def end_of(path: Path) -> str:
    """The end of an ordinary file, as text; devices and pipes have no end."""
    with open(path, "rb", opener=without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not an ordinary file")
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - MOST_READ))
        return (file.read(MOST_READ) or b"").decode("utf-8", errors="replace")


class _clear:
    """Errors of the system as errors of the package."""

    def __init__(self, what: str = "cannot use the folder of runs:") -> None:
        self._what = what

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError) and not isinstance(error, FileError):
            raise FileError(
                f"{self._what} {error.strerror or error} {error.filename or ''}"
            ) from error
