"""Running, stopping, continuing: whatever happens, the tables are the same."""

from __future__ import annotations

import signal
import subprocess
import sys

import numpy as np

from mastgp.bench.runner import run, run_unit
from mastgp.bench.store import Store
from mastgp.bench.units import Unit
from mastgp.bench.version import code_version
from mastgp.methods import METHODS, Method
from mastgp.models.single import SingleFidelity
from mastgp.progress import listening


def test_a_second_start_computes_nothing_twice(tmp_path, small_units, untimed, uninterrupted):
    store = Store(tmp_path)
    half = small_units()[:3]
    assert run(half, store) == 3
    assert run(small_units(), store) == 5
    assert run(small_units(), store) == 0
    assert len(store.read()) == 8
    assert untimed(store) == uninterrupted


#: A run that kills itself before, after, or in the middle of writing a result; "none" does not.
KILLED = """
import os, signal, sys
from mastgp.bench.store import Appender
from mastgp.cli.main import main

where, append = sys.argv.pop(1), Appender.append

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def killed(self, record):
    if where == "before":
        die()
    if where == "within":
        os.write(self._descriptor, b'{"experiment": "two-fid')
        die()
    append(self, record)
    if where == "after":
        die()

Appender.append = killed
main()
"""


def test_killed_again_and_again(tmp_path, untimed, uninterrupted):
    arguments = [
        "bench", "run", "two-fidelity", "--methods", "mast", "--problems", "branin,hartmann3",
        "--seeds", "2", "--test-size", "50", "--jobs", "1", "--out", str(tmp_path),
    ]  # fmt: skip
    store = Store(tmp_path)
    for where, n_stored in (("before", 0), ("after", 1), ("within", 1), ("after", 2), ("none", 8)):
        command = [sys.executable, "-c", KILLED, where, *arguments]
        ended = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        assert ended.returncode == (0 if where == "none" else -signal.SIGKILL)
        assert len(store.read()) == n_stored
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


def test_predictions_that_are_not_finite_are_a_failure(monkeypatch):
    class Vague(SingleFidelity):
        def predict_unit(self, U):
            mean, var = super().predict_unit(U)
            return np.where(np.arange(len(U)) == 3, np.nan, mean), var

    add_method(monkeypatch, Vague)
    record = run_unit(Unit("two-fidelity", "branin", "odd", 0, "", 50))
    assert record["status"] == "failed"
    assert record["error"] == "MastError: some predictions are not finite"


def test_a_unit_that_takes_too_long_is_recorded(monkeypatch):
    def endless(**_):
        while True:
            pass

    add_method(monkeypatch, endless)
    record = run_unit(Unit("two-fidelity", "branin", "odd", 0, "", 50), time_limit=0.1)
    assert record["status"] == "timeout"
    assert "0.1 s" in record["error"]


def test_every_record_carries_the_version_of_the_code(tmp_path, monkeypatch, small_units):
    add_method(monkeypatch, None)
    store = Store(tmp_path)
    run(small_units(methods=["odd", "mast"], problems=["branin"], seeds=1), store)
    assert {r["status"] for r in store.read()} == {"ok", "failed"}
    assert {r["version"] for r in store.read()} == {
        code_version(method) for method in ("baseline", "odd", "mast")
    }


def test_a_run_goes_on_from_a_record(tmp_path, small_units, untimed, uninterrupted):
    first = Store(tmp_path / "first")
    run(small_units(seeds=1), first)
    changed = [{**r, "version": "0+other"} for r in first.read() if r["problem"] == "branin"]
    store = Store(tmp_path / "second")
    assert run(small_units(), store, recorded=[*first.read(), *changed]) == 8 - 2
    assert untimed(store) == uninterrupted
    kept = [r for r in first.read() if r["problem"] != "branin"]
    assert [r for r in store.read() if r in first.read()] == kept


def test_progress_is_reported(tmp_path, small_units):
    seen = []
    with listening(lambda what, done, total: seen.append((done, total))):
        run(small_units(problems=["branin"], seeds=1), Store(tmp_path))
    assert seen == [(1, 2), (2, 2)]
