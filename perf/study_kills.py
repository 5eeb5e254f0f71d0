"""Kill ``mast study run`` at random moments, again and again: every finished run counts once.

    python perf/study_kills.py --kills 100 --seed 1

The solver writes a line to a journal of its own when it is done. After every kill the study must
open and must have lost nothing, and no process may be left. At the end of each study it is run
until what was begun has finished. Then every trial has ended, and its result is the one in the
journal. Runs that a kill hit after their line was written and before they ended are made again;
they are counted and printed as finished twice.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from killing import Program
from mastgp import Study
from mastgp.next.trials import DONE

SOLVER = """
import os, random, sys, time
trial, x, level = sys.argv[1], float(sys.argv[2]), sys.argv[3]
time.sleep(random.Random().uniform(0.0, 0.4))
value = (x - 0.3) ** 2 + (0.1 * x if level == "coarse" else 0.0)
line = f"{trial} {value!r}\\n".encode()
journal = os.open("journal.txt", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
print(value, flush=True)
os.write(journal, line)
"""
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)
#: Seconds after which no process may be left.
LAST = 15.0
#: Trials of one study: fewer than its first design has, so that no time goes into models.
MOST_TRIALS = 55


def begin(folder: Path) -> Study:
    """A study of a small solver, whose first design has 85 runs."""
    folder.mkdir()
    (folder / "solver.py").write_text(SOLVER)
    return Study(folder / "kills.study", inputs={f"x{i}": (0.0, 1.0) for i in range(8)},
                 target="y", costs={"coarse": 1, "fine": 20}, budget=800)  # fmt: skip


def command(jobs: int = 2) -> list[str]:
    words = f"{sys.executable} -S -E solver.py {{trial}} {{x0}} {{fidelity}}"
    return [sys.executable, "-m", "mastgp", "study", "run", "kills.study", "--command", words,
            "--jobs", str(jobs)]  # fmt: skip


def kill_once(folder: Path, rng: random.Random, longest: float) -> bool:
    """Start a runner, kill it at a random moment, wait for all of it; whether it was killed."""
    number = rng.choice(SIGNALS)
    runner = Program(command(), cwd=folder)
    if rng.random() < 0.9:  # else it may be killed while it starts
        wait_for_runner(folder, runner)
    with suppress(subprocess.TimeoutExpired):
        runner.process.wait(rng.uniform(0.0, longest))
    met = runner.kill(number)
    left = runner.left(LAST)
    assert not left, f"{left} processes were left after {number.name}"
    return met and runner.process.returncode != 0


def wait_for_runner(folder: Path, runner: Program) -> None:
    """Wait until a runner has begun: a file of its own, which others cannot be, is there."""
    known = set((folder / "kills.runs").glob(".runner-*"))
    while runner.runs and not set((folder / "kills.runs").glob(".runner-*")) - known:
        time.sleep(0.01)


def journal(folder: Path) -> list[tuple[int, float]]:
    """What the solver says it has finished."""
    path = folder / "journal.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    return [(int(line.split()[0]), float(line.split()[1])) for line in lines]


def check(study: Study, folder: Path, before: dict[int, float]) -> dict[int, float]:
    """Nothing that was counted is lost or changed; what is counted was finished."""
    now = {trial.id: trial.values["y"] for trial in study.trials() if trial.status == DONE}
    assert before.items() <= now.items(), "results were lost or changed"
    finished = set(journal(folder))
    assert set(now.items()) <= finished, "results were counted that no run has found"
    assert all(t.attempts == 1 for t in study.trials() if t.status == DONE), "counted twice"
    return now


def kill_many(folder: Path, kills: int, seed: int, longest: float) -> Counter[str]:
    """Kill so many runners, of one study after the other, and check everything."""
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    while counts["kills"] < kills:
        counts["studies"] += 1
        counts += kill_one_study(
            folder / str(counts["studies"]), kills - counts["kills"], rng, longest
        )
    return counts


def kill_one_study(folder: Path, kills: int, rng: random.Random, longest: float) -> Counter[str]:
    """Kill runners of a study until its first design is done; then let it finish what it began."""
    study = begin(folder)
    counts: Counter[str] = Counter()
    known: dict[int, float] = {}
    while counts["kills"] < kills and len(study.trials()) < MOST_TRIALS:
        counts["kills"] += kill_once(folder, rng, longest)
        known = check(study, folder, known)
    Study(study.path, budget=max(sum(t.cost for t in study.trials()), 20.0))
    subprocess.run(command(), cwd=folder, check=True, capture_output=True)
    known = check(study, folder, known)
    trials = study.trials()
    assert all(trial.status == DONE for trial in trials), "a trial has not ended, or failed"
    assert {id for id, _ in journal(folder)} == set(known), "a finished run was lost"
    counts["trials"] = len(trials)
    counts["finished twice"] = len(journal(folder)) - len(trials)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=3.0, help="longest life of a runner, in s")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mastgp-kills-") as name:
        counts = kill_many(Path(name), options.kills, options.seed, options.longest)
    print(", ".join(f"{count} {what}" for what, count in counts.items()))


if __name__ == "__main__":
    main()
