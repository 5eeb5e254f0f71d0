"""Programs that a signal ends in order, and workers that never outlive their parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from mastgp.processes import EndedError, ending_in_order

#: A program that says when it waits, and cleans up.
WAITING = """
import signal, sys, time
from mastgp.processes import EndedError, ending_in_order
try:
    with ending_in_order():
        print("waiting", flush=True)
        time.sleep(60)
except EndedError as ended:
    print(ended, flush=True)
    if "slow" in sys.argv:
        time.sleep(60)
    sys.exit(ended.exit_code)
"""


def heard():
    """Signals are not ignored, even if whoever runs the tests ignores them, as nohup does."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def started(code, *arguments, prepare=heard):
    command = [sys.executable, "-c", code, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=prepare)
    assert process.stdout.readline() == "waiting\n"
    return process


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_signals_end_a_program_in_order(name, code):
    process = started(WAITING)
    process.send_signal(getattr(signal, name))
    out, _ = process.communicate(timeout=300)
    assert out == f"ended by {name}\n"
    assert process.returncode == code


def test_a_second_signal_ends_it_at_once():
    process = started(WAITING, "slow")
    process.send_signal(signal.SIGTERM)
    assert process.stdout.readline() == "ended by SIGTERM\n"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=300)
    assert process.returncode == -signal.SIGTERM


def test_who_does_not_end_in_time_is_ended():
    process = started(WAITING, "slow")
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=300)
    assert process.returncode == -signal.SIGALRM


def test_what_is_ignored_stays_ignored():
    """As SIGHUP is after nohup."""
    process = started(WAITING, prepare=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=300)
    assert out == "ended by SIGTERM\n"


def test_handlers_are_put_back():
    before = signal.getsignal(signal.SIGTERM)
    with ending_in_order():
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before


def test_other_threads_leave_signals_alone():
    seen = []

    def enter():
        with ending_in_order():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGTERM)]


def test_it_is_no_ordinary_error():
    assert not issubclass(EndedError, Exception)


#: A parent of two workers that are busy for ten minutes; it prints their ids.
PARENT = """
import os, sys, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from mastgp.processes import leave_with_parent
if __name__ == "__main__":
    context = get_context("spawn")
    pool = ProcessPoolExecutor(2, mp_context=context, initializer=leave_with_parent)
    print(*[f.result() for f in [pool.submit(os.getpid) for _ in range(2)]], flush=True)
    print("waiting", flush=True)
    [f.result() for f in [pool.submit(time.sleep, 600) for _ in range(2)]]
"""


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_workers_leave_with_a_killed_parent(tmp_path):
    (tmp_path / "parent.py").write_text(PARENT)
    command = [sys.executable, tmp_path / "parent.py"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        workers = [int(pid) for pid in process.stdout.readline().split()]
        assert process.stdout.readline() == "waiting\n"
        assert all(map(is_alive, workers))
        process.kill()
    deadline = time.monotonic() + 60.0  # a tenth of what they are busy for
    while any(map(is_alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_alive, workers))
