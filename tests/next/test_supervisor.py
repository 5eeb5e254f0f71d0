from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from mastgp.next import supervisor


def supervise(folder, code, seconds=0.0):
    """Start a supervisor of a Python program."""
    words = [sys.executable, "-I", "-S", supervisor.__file__, str(folder), str(seconds),
             sys.executable, "-I", "-S", "-c", code]  # fmt: skip
    return subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True)


def ended(folder):
    path = folder / supervisor.ENDED
    return json.loads(path.read_text()) if path.exists() else None


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


def eventually(condition, seconds=20.0):
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    return condition()


def test_output_and_end_are_written(tmp_path):
    with supervise(tmp_path, "import sys; print(5); print(6, file=sys.stderr); sys.exit(3)") as run:
        assert run.wait(60) == 0
    assert ended(tmp_path)["code"] == 3
    assert not ended(tmp_path)["timed_out"]
    assert (tmp_path / "stdout.txt").read_text() == "5\n"
    assert (tmp_path / "stderr.txt").read_text() == "6\n"


def test_time_is_limited_even_for_those_who_do_not_listen(tmp_path):
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(99)"
    started = time.monotonic()
    with supervise(tmp_path, code, seconds=0.5) as run:
        run.wait(60)
    assert ended(tmp_path)["timed_out"]
    assert time.monotonic() - started < 30


CHILDREN = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(99)"])
print(os.getpid(), child.pid, flush=True)
time.sleep(99)
"""


@pytest.mark.parametrize("how", ["pipe", "term", "kill"])
def test_the_program_ends_with_its_runner_and_does_not_count(tmp_path, how):
    run = supervise(tmp_path, CHILDREN)
    output = tmp_path / "stdout.txt"
    assert eventually(lambda: output.exists() and output.read_text().endswith("\n"))
    program, below = map(int, output.read_text().split())
    assert is_alive(program)
    assert is_alive(below)
    if how == "pipe":
        run.stdin.close()
    else:
        run.send_signal({"term": signal.SIGTERM, "kill": signal.SIGKILL}[how])
    run.wait(60)
    run.stdin.close()
    assert eventually(lambda: not is_alive(program))
    assert ended(tmp_path) is None
    assert eventually(lambda: not is_alive(below))


@pytest.mark.parametrize("code", ["pass", "import time; time.sleep(99)"])
def test_the_guard_ends_with_the_supervisor(tmp_path, code):
    run = supervise(tmp_path, code)
    if code == "pass":
        run.wait(60)
    else:
        assert eventually(lambda: len(group_of(run.pid)) == 2)  # the program has another group
        run.kill()
        run.wait()
    run.stdin.close()
    assert eventually(lambda: not group_of(run.pid), seconds=5.0)


def test_a_run_counts_though_its_guard_was_killed(tmp_path):
    run = supervise(tmp_path, "import time; time.sleep(1)")
    assert eventually(lambda: len(group_of(run.pid)) == 2)
    (guard,) = set(group_of(run.pid)) - {run.pid}
    os.kill(guard, signal.SIGKILL)
    assert run.wait(60) == 0
    run.stdin.close()
    assert ended(tmp_path)["code"] == 0


def group_of(leader):
    """Processes of a group that are alive."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, group, *_ = stat.read_text().rpartition(")")[2].split()
            if int(group) == leader and state != "Z":
                found.append(int(stat.parent.name))
    return found


def test_what_a_program_leaves_behind_ends_with_it(tmp_path):
    with supervise(
        tmp_path, CHILDREN.replace("time.sleep(99)\n", "", 1)[: CHILDREN.rfind("time")]
    ) as run:
        run.wait(60)
    below = int((tmp_path / "stdout.txt").read_text().split()[1])
    assert ended(tmp_path)["code"] == 0
    assert eventually(lambda: not is_alive(below))


def test_a_program_that_cannot_start_is_named(tmp_path):
    words = [
        sys.executable,
        "-I",
        "-S",
        supervisor.__file__,
        str(tmp_path),
        "0",
        "./no-such-program",
    ]
    subprocess.run(words, stdin=subprocess.PIPE, check=True)
    assert "no-such-program" in ended(tmp_path)["error"]
