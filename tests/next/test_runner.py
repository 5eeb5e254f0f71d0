from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from mastgp.errors import DataError
from mastgp.next.attempts import folder_of
from mastgp.next.command import Command
from mastgp.next.results import Reader
from mastgp.next.runner import Plan, StoppedError, default_logs, run
from mastgp.next.trials import DONE, FAILED, RUNNING
from studies import new_study

PYTHON = f"{sys.executable} -I -S"
GOOD = "import sys; print(float(sys.argv[1]) ** 2)"


def plan(study, code, **changed):
    folder = study.path.parent
    (folder / "solver.py").write_text(textwrap.dedent(code))
    words = f"{PYTHON} {folder}/solver.py {{x}} {{fidelity}} {{trial}}"
    names = study.definition.domain.names
    options = {"command": Command.of(words, names), "reader": Reader.of(["drag"], []),
               "logs": default_logs(study.path), "jobs": 2, **changed}  # fmt: skip
    return Plan(**options)


@pytest.fixture
def study(tmp_path):
    return new_study(tmp_path, budget=40.0)  # a first design, and nothing for a model


def test_runs_until_the_budget_is_spent(study):
    events = []
    ended = run(study, plan(study, GOOD), events.append)
    trials = study.trials()
    assert ended == len(trials) == len([e for e in events if e.what == "done"])
    assert all(t.status == DONE and t.values["drag"] == t.inputs["x"] ** 2 for t in trials)
    assert 30.0 <= study.spent <= 40.0
    assert run(study, plan(study, GOOD)) == 0
    assert not list(default_logs(study.path).glob(".runner-*"))


SOMETIMES = """
    import os, sys, time
    x, trial = float(sys.argv[1]), int(sys.argv[3])
    first = os.environ["MAST_FOLDER"].endswith("-1")
    if trial % 5 == 1 and first: sys.exit(3)
    if trial % 5 == 2 and first: time.sleep(100)
    if trial % 5 == 3 and first: print("### nonsense")
    elif trial % 5 == 4: print("nan")
    else: print("drag =", x)
"""


def test_crashes_hangs_and_nonsense_are_tried_again_and_nan_is_data(study):
    events = []
    run(study, plan(study, SOMETIMES, time_limits={"panel": 1.5, "cfd": 1.5}, retries=1,
                    most_failures=99), events.append)  # fmt: skip
    for trial in study.trials():
        kind = trial.id % 5
        if kind == 4:
            assert (trial.status, trial.failure, trial.attempts) == (FAILED, "the result is nan", 1)
        elif trial.status == DONE:
            assert trial.attempts == (2 if kind in (1, 2, 3) else 1)
    why = {e.trial.id % 5: e.text for e in events if e.what == "again"}
    assert why[1] == "ended with 3"
    assert "took more than 1.5 s" in why.get(2, "took more than 1.5 s")
    assert study.spent <= 40.0


def test_what_a_run_said_is_kept(study):
    run(study, plan(study, GOOD))
    folder = folder_of(default_logs(study.path), 1, 1)
    (trial, *_) = study.trials()
    assert float((folder / "stdout.txt").read_text()) == trial.values["drag"]


def test_runs_that_all_fail_end_the_study_early(study):
    with pytest.raises(StoppedError, match=r"no run ended well, 5 trials.*ended with 1: boom"):
        run(study, plan(study, "raise SystemExit('boom')", retries=0))
    assert sum(t.status == FAILED for t in study.trials()) == 5


def test_runs_that_fail_in_a_row_end_the_study_early(study):
    code = f"""
        import sys
        if int(sys.argv[3]) > 1:
            raise SystemExit('boom')
        {GOOD.strip()}
        """
    with pytest.raises(StoppedError, match=r"3 trials in a row failed.*ended with 1: boom"):
        run(study, plan(study, code, most_failures=3, retries=0, jobs=1))
    assert sum(t.status == FAILED for t in study.trials()) == 3


def test_a_budget_that_bought_no_result_is_an_error(tmp_path):
    study = new_study(tmp_path, budget=20.0)
    with pytest.raises(StoppedError, match=r"no run ended well, the last of them: .*boom"):
        run(study, plan(study, "raise SystemExit('boom')", retries=5))
    assert len(study.trials()) < 5


def test_a_command_that_does_not_exist_costs_nothing(study):
    missing = Command.of("./no-such-solver {x}", ["x"])
    with pytest.raises(StoppedError, match="no-such-solver"):
        run(study, plan(study, GOOD, command=missing))
    assert study.spent == 0.0
    run(study, plan(study, GOOD))
    assert all(trial.status == DONE for trial in study.trials())


def test_a_name_that_is_no_input_is_refused(study):
    with pytest.raises(DataError, match="unknown name"):
        run(study, plan(study, GOOD, command=Command(("a", "{y}"))))


def test_a_run_that_finished_before_a_kill_is_counted_and_not_made_again(study):
    """The runner is gone between the end of a run and its entry in the study."""
    made = plan(study, GOOD)
    (trial,) = study.ask(1, runner="aaaa")
    from mastgp.next.runner import _Runner

    runner = _Runner(study, made, "aaaa", None, lambda event: None)
    runner._launch(trial)
    flight, _ = runner.flying.pop(trial.id)
    while flight.poll() is None:
        time.sleep(0.05)
    (made.logs.parent / "solver.py").write_text("raise SystemExit('must not run again')")
    events = []
    again = _Runner(study, made, "bbbb", None, events.append)
    again.recover()
    assert [event.what for event in events] == ["found", "done"]
    assert study.trials()[0].status == DONE
    assert study.trials()[0].attempts == 1


RUN = """
    import sys
    sys.path.insert(0, sys.argv[2])
    from mastgp import Study
    Study(sys.argv[1]).run(sys.argv[3], jobs=2)
"""
SLOW = """
    import os, sys, time
    time.sleep(0.2)
    journal = os.open("journal.txt", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    print(sys.argv[1], flush=True)
    os.write(journal, f"{sys.argv[3]}\\n".encode())
"""


def test_killed_and_started_again_it_goes_on_where_it_was(study, rng):
    folder = study.path.parent
    (folder / "solver.py").write_text(textwrap.dedent(SLOW))
    command = f"{PYTHON} solver.py {{x}} {{fidelity}} {{trial}}"
    words = [sys.executable, "-c", textwrap.dedent(RUN), str(study.path), str(folder), command]
    for _ in range(3):
        runner = subprocess.Popen(words, cwd=folder, stderr=subprocess.DEVNULL)
        started = time.monotonic()
        known = {trial.id for trial in study.trials() if trial.status == DONE}
        while runner.poll() is None and time.monotonic() - started < 60:
            if {t.id for t in study.trials() if t.status == DONE} - known:
                break
            time.sleep(0.05)
        time.sleep(float(rng.uniform(0.0, 0.3)))
        os.kill(runner.pid, signal.SIGKILL)
        runner.wait()
        assert known <= {trial.id for trial in study.trials() if trial.status == DONE}
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    trials = study.trials()
    assert all(trial.status == DONE and trial.attempts == 1 for trial in trials)
    finished = (folder / "journal.txt").read_text().split()
    assert {int(line) for line in finished} == {trial.id for trial in trials}
    assert study.spent <= 40.0


def test_trials_of_a_living_runner_are_left_alone(study):
    made = plan(study, GOOD)
    from mastgp.files import make_folder
    from mastgp.next.runner import _alive, _Runner

    make_folder(made.logs)
    with _alive(made.logs) as token:
        study.ask(1, runner=token)
        other = _Runner(study, made, "bbbb", None, lambda event: None)
        other.recover()
        assert study.trials()[0].status == RUNNING
    other.recover()
    assert other.flying
    other.loop()
    assert study.trials()[0].status == DONE


def test_a_try_that_the_budget_does_not_pay_for_is_said_to_be_left_out(tmp_path):
    study = new_study(tmp_path, budget=20.0)
    events = []
    with pytest.raises(StoppedError):
        run(study, plan(study, "raise SystemExit('boom')", retries=5), events.append)
    failed = [event.text for event in events if event.what == "failed"]
    assert "ended with 1: boom; the budget does not pay for another try" in failed
    assert {trial.failure for trial in study.trials()} == {"ended with 1: boom"}


def test_a_hanging_run_is_told_of_while_it_hangs(study, monkeypatch):
    monkeypatch.setattr("mastgp.next.patience.UNKNOWN_HANGS_AFTER_SECONDS", 0.2)
    events = []

    def listen(event):
        events.append(event.what)
        if event.what == "slow":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(study, plan(study, "import time; time.sleep(60)"), listen)
    assert events[-1] == "slow"
