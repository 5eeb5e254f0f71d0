from __future__ import annotations

import json
import sys

import pandas as pd
import pytest

from mastgp import Study

NEW = ("study", "new", "wing.study", "--input", "x=0:1", "--integer", "n=2:6", "--input",
       "material=steel,alu", "--cost", "panel=1,cfd=10", "--target", "drag", "--budget", "40",
       "--method", "ar1-map")  # fmt: skip


def test_ask_and_tell_by_tables(mast, tmp_path):
    assert mast(*NEW)[0] == 0
    code, said, _ = mast("study", "ask", "wing.study", "-n", "4", "-o", "runs.csv")
    assert (code, "Wrote 4 trials" in said) == (0, True)
    table = pd.read_csv("runs.csv")
    assert list(table.columns[:6]) == ["trial", "fidelity", "x", "material", "n", "drag"]
    table["drag"] = table["drag"].astype(object)
    table.loc[[0, 1], "drag"] = [1.5, "nan"]
    table["failure"] = [None, None, "broke", None]
    table.to_csv("runs.csv", index=False)
    code, said, _ = mast("study", "tell", "wing.study", "runs.csv")
    assert said.strip() == "3 trials are told; 1 row has no result yet."
    assert [t.status for t in Study("wing.study").trials()] == ["done", "failed", "failed", "asked"]
    assert "3 were told before" in mast("study", "tell", "wing.study", "runs.csv")[1]


def test_results_from_elsewhere_count_once(mast):
    mast(*NEW)
    row = {"fidelity": ["cfd"], "x": [0.5], "material": ["steel"], "n": [2], "drag": [1.25]}
    pd.DataFrame(row).to_csv("extra.csv", index=False)
    said = [mast("study", "tell", "wing.study", "extra.csv")[1].strip() for _ in range(2)]
    assert said[0] == "0 trials are told; 1 result from elsewhere is added."
    assert said[1] == "0 trials are told; 1 was told before."
    assert len(Study("wing.study").trials()) == 1


def test_tell_one_trial(mast):
    mast(*NEW)
    assert len(json.loads(mast("study", "ask", "wing.study", "-n", "2", "--json")[1])) == 2
    assert mast("study", "tell", "wing.study", "--trial", "1", "--value", "2.5")[0] == 0
    assert mast("study", "tell", "wing.study", "--trial", "2", "--failed", "diverged")[0] == 0
    assert [t.status for t in Study("wing.study").trials()] == ["done", "failed"]
    code, _, error = mast("study", "tell", "wing.study", "--trial", "1", "--value", "3")
    assert (code, "--replace" in error) == (1, True)


def test_run_and_show(mast, tmp_path):
    mast(*NEW)
    (tmp_path / "solver.py").write_text("import sys; print('drag =', float(sys.argv[1]) ** 2)")
    command = f"{sys.executable} -I -S solver.py {{x}} {{n}} {{material}} {{fidelity}}"
    code, said, error = mast("study", "run", "wing.study", "--command", command, "--jobs", "2",
                             "--time-limit", "panel=30,cfd=60")  # fmt: skip
    assert code == 0, error
    assert "of 40" in said
    assert "is spent" in said
    code, said, _ = mast("study", "show", "wing.study", "-o", "study.png", "--table", "all.csv")
    assert code == 0
    for word in ("cfd", "panel", "Spent", "Best cfd value: drag = ", "Held-out check"):
        assert word in said
    assert (tmp_path / "study.png").stat().st_size > 10_000
    assert len(pd.read_csv("all.csv")) == len(Study("wing.study").trials())
    facts = json.loads(mast("study", "show", "wing.study", "--json")[1])
    assert facts["best"]["observed"]


BROKEN = """
import sys, time
trial, x = int(sys.argv[1]), float(sys.argv[2])
if trial == 2:
    sys.exit(3)
if trial == 3:
    print("Segmentation fault (core dumped)")
elif trial == 4:
    time.sleep(600)
else:
    print("drag =", -1e30 if trial == 5 else x * x)
"""


def test_a_solver_that_crashes_hangs_and_prints_nonsense(mast, tmp_path):
    mast(*NEW)
    (tmp_path / "solver.py").write_text(BROKEN)
    command = f"{sys.executable} -I -S solver.py {{trial}} {{x}}"
    code, _, error = mast("study", "run", "wing.study", "--command", command, "--jobs", "2",
                          "--time-limit", "5", "--retries", "0",
                          "--plausible", "drag=0:10")  # fmt: skip
    assert code == 0, error
    failures = {t.id: t.failure for t in Study("wing.study").trials() if t.status == "failed"}
    assert sorted(failures) == [2, 3, 4, 5]
    assert "3" in failures[2]
    assert "time limit" in failures[4] or "5 s" in failures[4]
    assert "not plausible" in failures[5]
    assert 0.0 <= Study("wing.study").best().value <= 1.0
    assert "--plausible" in mast("study", "run", "wing.study", "--command", command,
                                 "--plausible", "drag=1")[2]  # fmt: skip


def test_earlier_results_and_pools(mast, tmp_path):
    pd.DataFrame({"x": [0.1, 0.2], "n": [2, 3], "material": ["alu"] * 2, "drag": [1, 2]}).to_csv(
        "old.csv", index=False
    )
    assert "2 earlier results" in mast(*NEW, "--data", "cfd=old.csv")[1]
    pd.DataFrame({"name": list("abcdef"), "x": range(6)}).to_csv("pool.csv", index=False)
    code, said, _ = mast("study", "new", "pool.study", "--candidates", "pool.csv", "--cost",
                         "a=1,b=5", "--target", "y")  # fmt: skip
    assert (code, "6 candidates" in said) == (0, True)
    assert "name" in mast("study", "ask", "pool.study")[1].splitlines()[0]


def test_inputs_of_a_pool_are_named_and_cheap_results_known(mast, tmp_path):
    pd.DataFrame({"name": list("abcdef"), "x": [1, 3, 2, 5, 4, 9], "z": [5, 1, 4, 2, 8, 7],
                  "a": [1.5, 2.5, 0.5, 1.0, 2.0, 3.0]}).to_csv("pool.csv", index=False)  # fmt: skip
    code, said, _ = mast("study", "new", "pool.study", "--candidates", "pool.csv", "--cost",
                         "a=1,b=5", "--target", "y", "--input", "x")  # fmt: skip
    assert (code, "over 1 input among 6 candidates" in said) == (0, True)
    assert "6 earlier results" in said
    assert "Inputs: x; no inputs: name, z." in said
    mast("study", "ask", "pool.study", "--allow", "b", "-o", "runs.csv")
    runs = pd.read_csv("runs.csv")
    assert (runs.name[0], runs.fidelity[0], runs.z[0]) == ("c", "b", 4)
    assert "unknown fidelity 'q'" in mast("study", "ask", "pool.study", "--allow", "q")[2]


def test_why_there_is_nothing_to_ask_for(mast, tmp_path):
    pd.DataFrame({"x": [0.0, 3.0, 1.0, 2.0], "a": 1.0}).to_csv("pool.csv", index=False)
    mast("study", "new", "pool.study", "--candidates", "pool.csv", "--cost", "a=1,b=5",
         "--target", "y", "--budget", "100", "--method", "ar1-map")  # fmt: skip
    mast("study", "ask", "pool.study", "-n", "9", "-o", "runs.csv")
    assert "4 trials are open" in mast("study", "ask", "pool.study")[2]
    pd.read_csv("runs.csv").assign(y=[1, 2, 3, 4]).to_csv("runs.csv", index=False)
    mast("study", "tell", "pool.study", "runs.csv")
    assert "no candidate left to run at 'b'" in mast("study", "ask", "pool.study")[2]
    assert "left to run at 'a'" in mast("study", "ask", "pool.study", "--allow", "a")[2]
    assert "20 of 22 is spent" in mast("study", "ask", "pool.study", "--budget", "22")[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("study", "ask", "none.study"), "there is no study none.study"),
        ((*NEW[:4], "x=0", *NEW[5:]), "--input x=0: expected a range"),
        ((*NEW[:4], "x=a:b", *NEW[5:]), "expected low:high"),
        ((*NEW, "--data", "cfd=none.csv"), "none.csv"),
        ((*NEW, "--constraint", "x <="), "constraint"),
    ],
)
def test_mistakes_are_named_and_leave_nothing(mast, tmp_path, arguments, message):
    code, _, error = mast(*arguments)
    assert code == 1
    assert message in error
    assert not (tmp_path / "wing.study").exists()


def test_a_study_is_not_overwritten(mast):
    mast(*NEW)
    assert "exists" in mast(*NEW)[2]
    assert "give a table" in mast("study", "tell", "wing.study")[2]
