"""Processes that die and clusters that lose a worker: no unit is lost, the numbers stay."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys

import numpy as np
import pytest

from mastgp import DataError, MissingExtraError
from mastgp.bench.runner import run
from mastgp.bench.store import Store
from mastgp.bench.units import Unit
from mastgp.bench.version import code_version
from mastgp.progress import listening


def test_two_processes_give_the_same_numbers(tmp_path, small_units, untimed, uninterrupted):
    store = Store(tmp_path)
    units = small_units()
    random.Random(1).shuffle(units)
    run(units, store, jobs=2)
    assert untimed(store) == uninterrupted


class Deadly:
    """A problem that kills the process that asks for its values."""

    name, n_inputs, bounds = "deadly", 2, np.array([[0.0, 1.0]] * 2)

    def observe(self, *_):
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_unit_that_kills_its_process_does_not_stop_the_others(tmp_path, small_units):
    store = Store(tmp_path)
    units = [
        Unit("two-fidelity", "deadly", "mast", 0, "", 50),
        *small_units(problems=["branin"], seeds=1),
    ]
    run(units, store, jobs=2, own={"deadly": Deadly()})
    by_problem = {r["problem"]: r for r in store.read()}
    assert by_problem["deadly"]["error"] == "its process died, twice"
    assert by_problem["deadly"]["version"] == code_version("mast")
    assert by_problem["branin"]["status"] == "ok"
    assert len(store.read()) == 3


#: A run of two workers that asks to be ended once its first result is stored.
ENDED = """
import os, signal, sys
from multiprocessing import active_children
from mastgp import processes
from mastgp.bench.store import Appender
from mastgp.cli.main import main

append = Appender.append

def ended(self, record):
    append(self, record)
    print(*[child.pid for child in active_children()], flush=True)
    os.kill(os.getpid(), getattr(signal, sys.argv[-1].rpartition("/")[2]))

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
    processes.GRACE_SECONDS = 300  # a busy machine is no reason for a test to fail
    Appender.append = ended
    main()
"""


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGINT", 130)])
def test_a_run_that_is_ended_takes_its_workers_along(tmp_path, name, code):
    (tmp_path / "run.py").write_text(ENDED)
    out = tmp_path / name
    command = [
        sys.executable, tmp_path / "run.py", "bench", "run", "two-fidelity", "--methods", "auto",
        "--problems", "branin", "--seeds", "4", "--test-size", "50", "--jobs", "2", "--out", out,
    ]  # fmt: skip
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert ran.returncode == code
    word = "ended by SIGTERM" if name == "SIGTERM" else "interrupted"
    assert ran.stderr == f"Error: {word}\n"
    for worker in ran.stdout.split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(worker), 0)
    assert len(ran.stdout.split()) == 2
    assert len(Store(out).read()) == 1


@pytest.mark.filterwarnings("ignore")
def test_dask_cluster_that_loses_a_worker(tmp_path, small_units, untimed, uninterrupted):
    """A real cluster of separate processes; one worker is killed in the middle of the run."""
    pytest.importorskip("distributed")
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        store = Store(tmp_path)
        victim = cluster.workers[0].pid if hasattr(cluster.workers[0], "pid") else None
        killed = []

        def kill_once(what, done, total):
            if done == 2 and not killed and victim:
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)

        with listening(kill_once):
            run(small_units(), store, scheduler=cluster.scheduler_address)
    assert killed
    assert len(store.read()) == 8
    assert untimed(store) == uninterrupted


def test_no_scheduler_there(tmp_path, small_units):
    pytest.importorskip("distributed")
    with pytest.raises(DataError, match="no Dask scheduler answers"):
        run(small_units(), Store(tmp_path), scheduler="nonsense://nowhere")


def test_without_dask_the_message_says_how_to_install_it(monkeypatch, tmp_path, small_units):
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    with pytest.raises(MissingExtraError, match=r"mastgp\[dask\]"):
        run(small_units(), Store(tmp_path), scheduler="tcp://127.0.0.1:1")
