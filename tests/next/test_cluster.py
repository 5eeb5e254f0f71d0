from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mastgp.next.attempts import Job
from mastgp.next.cluster import FOLDER, attempt, located
from mastgp.next.trials import DONE
from studies import new_study


def test_an_attempt_is_made_in_a_folder_that_goes_away():
    code = "import os, sys; print(sys.argv[1] == os.environ['MAST_FOLDER'], os.environ['A'])"
    job = Job("abc", 1, 1, (sys.executable, "-I", "-S", "-c", code, FOLDER))
    outcome, said = attempt(job, {"A": "7"})
    assert outcome.output == "True 7\n"
    assert said == {"stdout.txt": "True 7\n", "stderr.txt": ""}


def test_only_the_place_of_the_folder_is_filled_in():
    job = Job("abc", 1, 1, ("a", "{x}", FOLDER), file=f"{FOLDER}/out.json")
    there = located(job, Path("/tmp/run"))
    assert there.words == ("a", "{x}", "/tmp/run")
    assert there.file == "/tmp/run/out.json"


@pytest.mark.filterwarnings("ignore")  # of the cluster
def test_a_study_runs_on_a_cluster(tmp_path):
    distributed = pytest.importorskip("distributed")
    study = new_study(tmp_path, budget=40.0)
    code = "import sys; print(float(sys.argv[1]) ** 2)"
    (tmp_path / "solver.py").write_text(code)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as cluster:
        command = f"{sys.executable} -I -S {tmp_path}/solver.py {{x}}"
        study.run(command, jobs=2, scheduler=cluster.scheduler_address)
    trials = study.trials()
    assert trials
    assert all(t.status == DONE and t.values["drag"] == t.inputs["x"] ** 2 for t in trials)
    assert (tmp_path / "wing.runs" / "00001-1" / "stdout.txt").exists()
