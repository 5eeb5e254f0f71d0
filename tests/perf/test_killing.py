"""Programs that are killed, and what is left of them."""

from __future__ import annotations

import importlib
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PERF = Path(__file__).parents[2] / "perf"


@pytest.fixture
def killing(monkeypatch):
    monkeypatch.syspath_prepend(str(PERF))
    return importlib.import_module("killing")


def start(killing, code):
    """Start a Python program, and wait until it has begun."""
    program = killing.Program([sys.executable, "-I", "-c", code], stdout=subprocess.PIPE)
    program.process.stdout.readline()
    return program


SLEEP = "import time; print(flush=True); time.sleep(99)"
#: A program whose child has a session of its own, and outlives it.
PARENT = f"""
import subprocess, sys, time
subprocess.Popen([sys.executable, "-I", "-c", {SLEEP!r}], start_new_session=True)
time.sleep(99)
"""


def test_a_kill_that_meets_a_running_program_counts(killing):
    program = start(killing, SLEEP)
    assert program.kill(signal.SIGTERM)
    assert program.left(60.0) == 0
    assert program.process.returncode == -signal.SIGTERM


def test_a_kill_of_what_has_ended_does_not(killing):
    program = start(killing, "print()")
    program.process.wait()
    assert not program.kill(signal.SIGTERM)
    assert program.left(60.0) == 0


def test_children_that_are_left_are_counted_and_ended(killing):
    program = start(killing, PARENT)
    program.kill(signal.SIGKILL)
    assert program.left(0.5) == 1
    assert program.left(60.0) == 0
