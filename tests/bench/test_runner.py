"""Running, stopping, continuing: whatever happens, the tables are the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from mastgp.bench.runner import run, run_unit
from mastgp.bench.store import Store
from mastgp.bench.units import Unit
from mastgp.bench.version import code_version
from mastgp.methods import METHODS, Method
from mastgp.progress import listening


def test_a_second_start_computes_nothing_twice(tmp_path, small_units, untimed, uninterrupted):
    store = Store(tmp_path)
    half = small_units()[:3]
    assert run(half, store) == 3
    assert run(small_units(), store) == 5
    assert run(small_units(), store) == 0
    assert len(store.read()) == 8
    assert untimed(store) == uninterrupted


def test_killed_again_and_again(tmp_path, untimed, uninterrupted):
    """A run is killed as soon as it has written a result, and once before it has."""
    command = [
        sys.executable, "-m", "mastgp", "bench", "run", "two-fidelity", "--methods", "mast",
        "--problems", "branin,hartmann3", "--seeds", "2", "--test-size", "50", "--jobs", "1",
        "--out", str(tmp_path),
    ]  # fmt: skip
    store = Store(tmp_path)
    for more in (0, 1, 1):
        wanted = len(store.read()) + more
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
        while process.poll() is None and len(store.read()) < wanted:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert len(store.read()) == 8  # nothing lost, nothing double
    assert untimed(store) == uninterrupted


def add_method(monkeypatch, build):
    monkeypatch.setattr("mastgp.models.mast.odd", build, raising=False)
    monkeypatch.setitem(METHODS, "odd", Method("odd", "mastgp.models.mast:odd", "for a test"))


def test_a_unit_that_fails_is_recorded_and_the_rest_goes_on(tmp_path, monkeypatch, small_units):
    def broken(**_):
        raise RuntimeError("no luck")

    add_method(monkeypatch, broken)
    store = Store(tmp_path)
    run(small_units(methods=["odd", "mast"]), store)
    failed = [r for r in store.read() if r["status"] == "failed"]
    assert len(failed) == 4
    assert failed[0]["error"] == "RuntimeError: no luck"
    assert len([r for r in store.read() if r["status"] == "ok"]) == 8
    assert run(small_units(methods=["odd"]), store) == 0
    assert run(small_units(methods=["odd"]), store, retry_failed=True) == 4


def test_a_unit_that_takes_too_long_is_recorded(monkeypatch):
    def endless(**_):
        while True:
            time.sleep(0.01)

    add_method(monkeypatch, endless)
    record = run_unit(Unit("two-fidelity", "branin", "odd", 0, "", 50), time_limit=0.1)
    assert record["status"] == "timeout"
    assert "0.1 s" in record["error"]


def test_every_record_carries_the_version_of_the_code(tmp_path, monkeypatch, small_units):
    add_method(monkeypatch, None)
    store = Store(tmp_path)
    run(small_units(methods=["odd", "mast"], problems=["branin"], seeds=1), store)
    assert {r["status"] for r in store.read()} == {"ok", "failed"}
    assert {r["version"] for r in store.read()} == {code_version()}


def test_progress_is_reported(tmp_path, small_units):
    seen = []
    with listening(lambda what, done, total: seen.append((done, total))):
        run(small_units(problems=["branin"], seeds=1), Store(tmp_path))
    assert seen == [(1, 2), (2, 2)]
