"""Programs that are killed at a random moment: nothing is lost, nothing is there twice.

A case starts a program of its own, sends it SIGTERM, SIGHUP or SIGKILL, and looks at what is left:
files that are whole and old or new, a store that only grew, and no process after five seconds.

    python perf/fuzz/kills.py --kills 100 --seed 7

kills each kind of program so many times while it runs, by the three signals in turn, and counts.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from cases import Defect, chosen, generator

import mastgp
from killing import Program
from mastgp import examples
from mastgp.bench.store import Store
from mastgp.bench.units import Unit

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
#: Seconds after which no process may be left.
LAST = 5.0
#: Kills of one store before it is run to its end and compared.
CHAIN = 12
#: Programs that may end before they are killed, one after the other.
MOST_TRIES = 20

MAST = [sys.executable, "-m", "mastgp"]
DATA = [str(examples.FOLDER / "panel.csv"), str(examples.FOLDER / "cfd.csv")]
FIT = [*MAST, "fit", *DATA, "--target", "drag_counts", "--cost", "panel=1,cfd=20"]
BENCH = [*MAST, "bench", "run", "two-fidelity", "--methods", "mast", "--problems",
         "branin,hartmann3", "--seeds", "3", "--test-size", "50", "--jobs", "2"]  # fmt: skip
#: Saves one model over and over.
SAVE = [sys.executable, "-c", "import mastgp, sys; m = mastgp.load(sys.argv[1])\n"
        "print(flush=True)\nwhile True: m.save(sys.argv[2])"]  # fmt: skip


def prepare(folder):
    """A model, its predictions, the results of a benchmark that nobody kills, and times."""
    model, queries, expected = folder / "model.mast", folder / "queries.csv", folder / "out.csv"
    lines = (examples.FOLDER / "queries.csv").read_text().splitlines()
    queries.write_text("\n".join([lines[0], *lines[1:] * 400]) + "\n")
    seconds = {
        "fit": _timed([*FIT, "--no-check", "-o", model]),
        "predict": _timed([*MAST, "predict", model, queries, "-o", expected]),
        "bench": _timed([*BENCH, "--out", folder / "whole"]),
    }
    return {"folder": folder, "chain": 0, "model": model, "queries": queries, "seconds": seconds,
            "predictions": expected.read_bytes(), "whole": scores(folder / "whole")}  # fmt: skip


def _timed(command):
    started = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    return 1.05 * (time.monotonic() - started)


def case(rng, context):
    return kill(chosen(rng, sorted(KINDS)), chosen(rng, SIGNALS), rng, context)


def kill(what, number, rng, context):
    """Kill one kind of program; a moment after its end is none, and another one is taken."""
    for _ in range(MOST_TRIES):
        if KINDS[what](rng, context, number):
            return f"{what} killed by {number.name}"
    raise Defect(f"{what} ended {MOST_TRIES} times before it was killed")


def killed(command, rng, number, longest, wait_for_line=False):
    """Start a program, send it a signal at a random moment, and wait until all of it is gone.

    Whether the signal met the running program.
    """
    output = subprocess.PIPE if wait_for_line else subprocess.DEVNULL
    program = Program(command, stdout=output)
    if wait_for_line:
        program.process.stdout.readline()
    time.sleep(float(rng.uniform(0.0, longest)))
    met = program.kill(number)
    if left := program.left(LAST):
        raise Defect(f"{left} processes were left {LAST:g} s after {number.name}: {command}")
    return met


def _check_remains(folder, allowed):
    """Nothing is in a folder but what belongs there, and one temporary file of a SIGKILL."""
    others = [name for name in os.listdir(folder) if name not in allowed]
    if len(others) > 1 or any(not name.startswith(".mastgp-") for name in others):
        raise Defect(f"left behind: {others}")
    return others


def _own_folder(context, name):
    folder = context["folder"] / name
    folder.mkdir(exist_ok=True)
    return folder


def _fit(rng, context, number):
    """An old model stays as it was, or is replaced by a whole one."""
    folder = _own_folder(context, "fit")
    output = folder / "model.mast"
    old = context["model"].read_bytes()
    output.write_bytes(old)
    met = killed([*FIT, "--no-check", "-o", output], rng, number, context["seconds"]["fit"])
    if output.read_bytes() != old:
        mastgp.load(output)
    _tidy(folder, output)
    return met


def _predict(rng, context, number):
    folder = _own_folder(context, "predict")
    output = folder / "out.csv"
    output.write_bytes(b"old\n")
    command = [*MAST, "predict", context["model"], context["queries"], "-o", output]
    met = killed(command, rng, number, context["seconds"]["predict"])
    if output.read_bytes() not in (b"old\n", context["predictions"]):
        raise Defect("predictions are neither old nor whole")
    _tidy(folder, output)
    return met


def _save(rng, context, number):
    folder = _own_folder(context, "save")
    output = folder / "model.mast"
    old = context["model"].read_bytes()
    output.write_bytes(old)
    met = killed([*SAVE, context["model"], output], rng, number, 0.3, wait_for_line=True)
    if output.read_bytes() != old:
        raise Defect("the saved model is another one")
    _tidy(folder, output)
    return met


def _tidy(folder, output):
    """What a killed save left goes with the next save."""
    _check_remains(folder, [output.name])
    mastgp.load(folder.parent / "model.mast").save(folder / "next.mast")
    if left := _check_remains(folder, [output.name, "next.mast"]):
        raise Defect(f"the next save left {left}")
    (folder / "next.mast").unlink()


def _bench(rng, context, number):
    """A store only grows, and every unit is in it once."""
    folder = _own_folder(context, f"bench{context['chain'] // CHAIN}")
    store = Store(folder)
    before = store.path.read_bytes() if store.path.exists() else b""
    complete = before[: before.rfind(b"\n") + 1]
    met = killed([*BENCH, "--out", folder], rng, number, context["seconds"]["bench"])
    if not (store.path.read_bytes() if store.path.exists() else b"").startswith(complete):
        raise Defect("results were lost")
    _check_once(store)
    context["chain"] += 1
    if context["chain"] % CHAIN == 0:
        subprocess.run([*BENCH, "--out", folder], check=True, capture_output=True)
        if scores(folder) != context["whole"]:
            raise Defect("the results differ from those of a run that nobody killed")
    return met


def _check_once(store):
    units = [Unit.of(record) for record in store.read()]
    if len(set(units)) < len(units):
        raise Defect("a unit was stored twice")
    if any(record["status"] != "ok" for record in store.read()):
        raise Defect("a unit failed because of a kill")


def scores(folder):
    """What was stored of every unit, without times."""
    timed = ("fit_seconds", "predict_seconds")
    return {
        Unit.of(record): json.dumps({k: v for k, v in sorted(record.items()) if k not in timed})
        for record in Store(folder).read()
    }


#: What is killed.
KINDS = {"fit": _fit, "predict": _predict, "bench": _bench, "save": _save}


def main():
    """Kill each kind of program as often as was asked for; print how often by which signal."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=100, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=sorted(KINDS), help="one kind")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mastgp-kills-") as name:
        context = prepare(Path(name))
        defects = 0
        for what in [options.only] if options.only else sorted(KINDS):
            counts = kill_many(what, options.kills, options.seed, context)
            for outcome, count in counts.items():
                print(f"{count:5d}  {outcome}", flush=True)
                defects += count if outcome.startswith("DEFECT") else 0
    sys.exit(1 if defects else 0)


def kill_many(what, kills, seed, context):
    """Kill one kind of program so many times, and count."""
    counts = Counter()
    for i, number in zip(range(kills), itertools.cycle(SIGNALS)):
        try:
            outcome = kill(what, number, generator(what, seed, i), context)
        except Defect as defect:
            outcome = f"DEFECT {defect}"
        print(f"{what} {i}: {outcome}", file=sys.stderr, flush=True)
        counts[outcome] += 1
    return counts


if __name__ == "__main__":
    main()
