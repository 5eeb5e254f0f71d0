"""Whole methods with very many cheap rows: seconds, memory, error, density and coverage.

    python perf/many_methods.py --output methods.jsonl        100,000 cheap rows of Borehole
    python perf/many_methods.py --methods mast,mast-exact,ar1,ar1-exact --cheap 2000,4000
    python perf/many_methods.py --methods hf-only,hf-only-exact --cheap 0 --top 2000,4000

Every run is a process of its own on one thread. Runs that are in the output already are not done
again, so that a long study can be interrupted. Errors are those of the expensive response without
noise at 2000 points. Seconds are those of the processor, so that a busy machine does not count.
Methods whose names end in ``-exact`` use exact Gaussian processes only.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from mastgp import MAST, AutoSurrogate
from mastgp.bench import problem
from mastgp.check.scores import score
from mastgp.models import FIRE, CoKriging, SingleFidelity
from scale import peak_kilobytes

N_TEST = 2_000
COSTS = {"coarse": 1.0, "fine": 10.0}
#: Methods by name; the argument says whether all processes are exact.
METHODS: dict[str, Callable[[bool], Any]] = {
    "mast": lambda exact: MAST(surrogate="gp-exact" if exact else "gp"),
    "ar1": lambda exact: CoKriging(exact=exact),
    "shared-bias": lambda exact: CoKriging(structure="shared-bias", exact=exact),
    "fire": lambda exact: FIRE(surrogate="gp-exact" if exact else "gp"),
    "hf-only": lambda exact: SingleFidelity(surrogate="gp-exact" if exact else "gp"),
    "auto": lambda exact: AutoSurrogate(),
}
COLUMNS = ("seconds", "megabytes", "rmse", "nlpd", "coverage95", "predict_seconds")
KEYS = ("method", "problem", "cheap", "top", "seed")


def drawn(name: str, n_cheap: int, n_top: int, seed: int) -> tuple[np.ndarray, ...]:
    """Inputs, responses and labels of both fidelities, test inputs, and the response there."""
    p, rng = problem(name), np.random.default_rng(seed)
    X = rng.uniform(*p.bounds.T, (n_cheap + n_top, p.n_inputs))
    y = np.concatenate([p.observe(X[:n_cheap], 1.0, rng), p.observe(X[n_cheap:], 0.0, rng)])
    labels = np.repeat(list(COSTS), [n_cheap, n_top])
    queries = rng.uniform(*p.bounds.T, (N_TEST, p.n_inputs))
    return X, y, labels, queries, p.evaluate(queries, 0.0)


def run_one(unit: dict[str, Any]) -> None:
    """Fit one method to one draw and print what came of it as JSON."""
    warnings.simplefilter("ignore")
    name, exact = unit["method"].removesuffix("-exact"), unit["method"].endswith("-exact")
    X, y, labels, queries, truth = drawn(*(unit[key] for key in KEYS[1:]))
    costs = {label: COSTS[label] for label in np.unique(labels)}
    model = METHODS[name](exact).set_params(costs=costs, bounds=problem(unit["problem"]).bounds)
    started, wall = time.process_time(), time.perf_counter()
    model.fit(X, y, fidelity=labels)
    seconds, wall = time.process_time() - started, time.perf_counter() - wall
    started = time.process_time()
    predicted = model.predict_distribution(queries)
    result = {
        "seconds": seconds,
        "wall": wall,
        "predict_seconds": time.process_time() - started,
        "megabytes": peak_kilobytes() / 1024,
        **score(truth, predicted),
    }
    print(json.dumps(unit | result))


def measured(unit: dict[str, Any], limit: float) -> dict[str, Any]:
    """The same in a process of its own; what went wrong where there is no result."""
    command = [sys.executable, __file__, "--one", json.dumps(unit)]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return unit | {"failed": f"not done in {limit:.0f} s"}
    if run.returncode:
        return unit | {"failed": run.stderr.strip().splitlines()[-1][:200]}
    result: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return result


def units(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """What is to be run."""
    numbers = (list(map(int, text.split(","))) for text in (options.cheap, options.top))
    seeds = range(options.first_seed, options.first_seed + options.draws)
    names = options.problems.split(",")
    for name, cheap, top, seed in product(names, *numbers, seeds):
        for method in options.methods.split(","):
            yield dict(zip(KEYS, (method, name, cheap, top, seed), strict=True))


def done(output: Path | None) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Runs that an output holds, by what they were of."""
    if output is None or not output.exists():
        return {}
    entries = [json.loads(line) for line in output.read_text().splitlines()]
    return {tuple(entry[key] for key in KEYS): entry for entry in entries}


def line(entry: dict[str, Any]) -> str:
    """One row of the table."""
    head = " | ".join(str(entry[key]) for key in KEYS)
    if "failed" in entry:
        return f"| {head} | {entry['failed']} |" + " |" * (len(COLUMNS) - 1)
    return f"| {head} | " + " | ".join(f"{entry[column]:.4g}" for column in COLUMNS) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", default="borehole")
    parser.add_argument("--methods", default="mast,ar1,auto")
    parser.add_argument("--cheap", default="100000", help="numbers of cheap rows")
    parser.add_argument("--top", default="60", help="numbers of expensive rows")
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=25)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for every run")
    parser.add_argument("--output", type=Path, help="where to add results, one a line")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        run_one(json.loads(options.one))
        return
    print("| " + " | ".join((*KEYS, *COLUMNS)) + " |", flush=True)
    print("|---" * len((*KEYS, *COLUMNS)) + "|", flush=True)
    before = done(options.output)
    for unit in units(options):
        entry = before.get(tuple(unit.values()))
        if entry is None:
            entry = measured(unit, options.limit)
            if options.output is not None:
                with options.output.open("a") as file:
                    file.write(json.dumps(entry) + "\n")
        print(line(entry), flush=True)


if __name__ == "__main__":
    main()
