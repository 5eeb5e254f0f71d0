"""Stand between a runner and the user's solver: ``supervisor.py FOLDER SECONDS PROGRAM ...``.

It starts the program in a session of its own, with its output in files of the folder. It ends the
program, and all that the program has started, when the time is up, or when the runner closes the
pipe, which a kill of the runner does too. When the program has ended by itself or by its time, that
is written down in ``ended.json``, whole or not at all: then the run has finished, whatever becomes
of the runner. A lock on ``lock`` says that this process lives.

A second process, the guard, does nothing but wait for the end of the first. If the first is killed,
the guard ends the program and all that it has started.

This file runs by itself, in an interpreter that loads nothing of the package, so it starts fast.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from types import FrameType

#: What the folder of a run has in it.
OUTPUT, ERRORS, ENDED, LOCK = "stdout.txt", "stderr.txt", "ended.json", "lock"
#: Seconds that a program has for ending in good order, and for ending by itself without a runner.
GRACE, LAST_MOMENT = 2.0, 0.3
#: What the guard is told of a program that has ended.
_DONE = b" done"
#: Linux' number of the request to get a signal when the parent dies.
_PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    """Run a program and write down how it ended."""
    folder, seconds, *words = arguments
    guard = _guard()
    lock = os.open(os.path.join(folder, LOCK), os.O_RDWR | os.O_CREAT, 0o666)
    fcntl.flock(lock, fcntl.LOCK_EX)
    signals = _wakeups()
    started = time.monotonic()
    with (
        open(os.path.join(folder, OUTPUT), "wb") as output,
        open(os.path.join(folder, ERRORS), "wb") as errors,
    ):
        try:
            child = _start(words, output.fileno(), errors.fileno(), guard)
        except OSError as error:
            _tell(guard, _DONE)
            _write(folder, {"error": f"cannot start {words[0]}: {error.strerror or error}"})
            return
        limit = float(seconds) or None
        finished = _wait(child, signals, None if limit is None else started + limit)
        left_alone = finished or (limit is not None and time.monotonic() >= started + limit)
        code = _end(child)
        _tell(guard, _DONE)
        os.fsync(output.fileno())
    if left_alone:
        took = time.monotonic() - started
        _write(folder, {"code": code, "seconds": took, "timed_out": not finished})


def _wakeups() -> int:
    """A descriptor that can be read when a child ends or somebody asks this process to end."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, _noticed)
    return reading


def _noticed(_number: int, _frame: FrameType | None) -> None:
    """A signal has come; its number can be read from the pipe."""


def _guard() -> int:
    """Start the guard; what is written to the returned descriptor is what it knows."""
    reading, writing = os.pipe()
    if os.fork():
        os.close(reading)
        return writing
    try:
        os.close(writing)
        os.close(sys.stdin.fileno())
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        told = b""
        while part := os.read(reading, 100):  # until the other process has ended
            told += part
        if told and not told.endswith(_DONE):
            _signal(int(told), signal.SIGKILL)
    finally:
        os._exit(0)


def _tell(guard: int, what: bytes) -> None:
    with suppress(OSError):  # somebody may have ended it
        os.write(guard, what)


def _start(words: list[str], output: int, errors: int, guard: int) -> subprocess.Popen[bytes]:
    """Start the program in a session of its own, which the guard knows before it begins."""

    def prepare() -> None:
        if sys.platform == "linux":
            _die_with_parent()
        _tell(guard, str(os.getpid()).encode())

    return subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=errors,
        start_new_session=True,
        preexec_fn=prepare,
    )


def _die_with_parent() -> None:
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))


def _wait(child: subprocess.Popen[bytes], signals: int, until: float | None) -> bool:
    """Wait for the child's end; False if the runner, a signal or the time ends it."""
    while child.poll() is None:
        left = None if until is None else until - time.monotonic()
        if left is not None and left <= 0.0:
            return False
        ready, _, _ = select.select([sys.stdin.fileno(), signals], [], [], left)
        if signals in ready and set(os.read(signals, 100)) - {signal.SIGCHLD}:
            return False
        if sys.stdin.fileno() in ready and not os.read(sys.stdin.fileno(), 1):
            return _ends_by_itself(child)
    return True


def _ends_by_itself(child: subprocess.Popen[bytes]) -> bool:
    """Whether a program that was about to end does so."""
    try:
        child.wait(LAST_MOMENT)
    except subprocess.TimeoutExpired:
        return False
    return True


def _end(child: subprocess.Popen[bytes]) -> int:
    """End a program and all that it has started; return how it ended."""
    if child.poll() is None:
        _signal(child.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            child.wait(GRACE)
    _signal(child.pid, signal.SIGKILL)
    return child.wait()


def _signal(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _write(folder: str, facts: dict[str, object]) -> None:
    """Write how a run ended, whole or not at all."""
    temporary = os.path.join(folder, f"{ENDED}.tmp")
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(facts, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, os.path.join(folder, ENDED))


if __name__ == "__main__":
    main(sys.argv[1:])
