"""Programs that are killed, and a look at what is left of them."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

#: Every process of a program has this variable in its environment, and so its children.
MARK = "MASTGP_KILLED"


class Program:
    """A program in a session of its own, whose processes can be found wherever they are.

    Parameters
    ----------
    command : sequence of words
    **options
        Of :class:`subprocess.Popen`. Without them the program is silent.
    """

    def __init__(self, command: Sequence[Any], **options: Any) -> None:
        self.mark = f"{os.getpid()}-{secrets.token_hex(8)}"
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(
            [str(word) for word in command], env={**os.environ, MARK: self.mark},
            start_new_session=True, preexec_fn=_hear_hangups, **{**silent, **options},
        )  # fmt: skip

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    def kill(self, number: int) -> bool:
        """Send a signal; whether it met the running program."""
        met = self.runs
        self.process.send_signal(number)
        return met

    def left(self, seconds: float) -> int:
        """Number of processes that are alive after so many seconds; they are ended then."""
        deadline = time.monotonic() + seconds
        while (found := self._processes()) and time.monotonic() < deadline:
            self.process.poll()  # who is not waited for is not gone
            time.sleep(0.05)
        for pid in found:
            os.kill(pid, signal.SIGKILL)
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
        return len(found)

    def _processes(self) -> list[int]:
        wanted, found = f"{MARK}={self.mark}".encode(), []
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                if wanted in path.read_bytes().split(b"\0"):
                    found.append(int(path.parent.name))
            except OSError:  # it has ended, or it is not ours
                continue
        return found


def _hear_hangups() -> None:
    """A program that is started by nohup ignores SIGHUP, which is not meant here."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
