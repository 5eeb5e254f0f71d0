"""Searches in pools of real candidates: how soon the best of some hundred is found.

    python perf/pools.py --seeds 25-34 --data FOLDER -o pools.jsonl
    python perf/pools.py --report pools.jsonl

Candidates are 600 concrete mixes (greatest strength), 600 car bodies (least drag), drawn anew for
every seed, and all 480 perovskites (least energy). An expensive run costs 1, and the budget is 30.
Cheap results cost 0.1 each, or are ``known`` for all candidates from the beginning. Those of the
perovskites are known for a part of them. Printed is the mean share of the candidates that are
better than the best expensive run, in percent, after shares of the budget: 0 where the best one was
found. Then how often it was found, how many runs there were, and how long a study took for each.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mastgp import Study
from mastgp.bench.datasets import find_files
from mastgp.bench.real import concrete_formula

Array = NDArray[np.float64]

BUDGET, CHEAP, SIZE = 30.0, 0.1, 600
#: Shares of the budget, in percent, at which a search is looked at.
SHARES = (25, 50, 75, 100)


@dataclass(frozen=True)
class Problem:
    """A pool, and what runs of its candidates find.

    Attributes
    ----------
    candidates : DataFrame
        Inputs.
    values : dict of fidelity to array
        What a run of each candidate finds, cheapest first; NaN where it was never made.
    goal : str
    known : bool
        Whether the cheap results are known.
    """

    candidates: pd.DataFrame
    values: dict[str, Array]
    goal: str
    known: bool

    @property
    def losses(self) -> Array:
        """Expensive results, the smaller the better."""
        return (1.0 if self.goal == "minimum" else -1.0) * self.values["high"]

    @property
    def bought(self) -> dict[str, float]:
        """Costs of the runs that can be asked for."""
        return {"high": 1.0} if self.known else {"low": CHEAP, "high": 1.0}


@cache
def concrete(folder: str | None) -> tuple[pd.DataFrame, dict[str, Array]]:
    """Mixes with their formula's strength and the measured one."""
    (path,) = find_files("concrete", folder)
    table = pd.read_csv(path)
    inputs = list(table.columns[:-1])
    table = table.groupby(inputs, as_index=False).mean()
    low = concrete_formula(table[inputs].to_numpy(dtype=float), 1e-6)
    return table[inputs], {"low": low, "high": table["strength"].to_numpy()}


@cache
def cars(folder: str | None) -> tuple[pd.DataFrame, dict[str, Array]]:
    """Car bodies with an analytical estimate of their drag and that of a simulation."""
    (path,) = find_files("drivaernet", folder)
    table = pd.read_csv(path).drop(columns="model_name")
    inputs = list(table.columns[2:])
    table = table.groupby(inputs, as_index=False).mean()
    low, high = (table[f"{word} Fidelity"].to_numpy() for word in ("Low", "High"))
    return table[inputs], {"low": low, "high": high}


@cache
def perovskites(folder: str | None) -> tuple[pd.DataFrame, dict[str, Array]]:
    """Perovskites by three categories, with the energies of three levels of theory."""
    names = ["a", "b", "c", "source", "y"]
    high, mid, low = (
        pd.read_csv(path, header=None, names=names).astype(dict.fromkeys(names[:3], int))
        for path in find_files("hoip", folder)
    )
    keys = high[names[:3]]
    found = {
        name: keys.merge(table.drop_duplicates(names[:3]), how="left")["y"].to_numpy()
        for name, table in (("low", low), ("mid", mid), ("high", high))
    }
    letters = keys.apply(lambda column: column.name + column.astype(str))
    return letters, found


#: Pools by name: how they are read, the goal, and whether cheap results are known.
POOLS: dict[str, tuple[Callable[[str | None], tuple[pd.DataFrame, dict[str, Array]]], str, bool]]
POOLS = {
    "concrete": (concrete, "maximum", False),
    "concrete-known": (concrete, "maximum", True),
    "cars": (cars, "minimum", False),
    "cars-known": (cars, "minimum", True),
    "perovskites-known": (perovskites, "minimum", True),
}


def problem_of(pool: str, seed: int, folder: str | None) -> Problem:
    """The candidates of a seed."""
    read, goal, known = POOLS[pool]
    frame, values = read(folder)
    rng = np.random.default_rng([7, seed])
    rows = np.sort(rng.permutation(len(frame))[:SIZE])
    chosen = frame.iloc[rows].reset_index(drop=True)
    return Problem(chosen, {name: y[rows] for name, y in values.items()}, goal, known)


@dataclass
class Search:
    """What a search has found so far: the place of its best expensive run, by the money spent."""

    problem: Problem
    spent: float = 0.0
    best: float = np.inf

    def __post_init__(self) -> None:
        self.places: dict[int, float] = {}
        self.counts: dict[str, int] = defaultdict(int)

    def run(self, row: int, fidelity: str) -> float:
        """Pay for a run and return what it finds."""
        self.note(self.spent + self.problem.bought[fidelity] - 2e-9)
        self.spent += self.problem.bought[fidelity]
        self.counts[fidelity] += 1
        if fidelity == "high":
            self.best = min(self.best, self.problem.losses[row])
        return float(self.problem.values[fidelity][row])

    def note(self, spent: float) -> None:
        """Look at the search where a share of the budget has been spent."""
        for share in SHARES:
            if share / 100.0 * BUDGET <= spent + 1e-9:
                self.places.setdefault(share, self.place)

    @property
    def place(self) -> float:
        """Percent of the candidates that are better than the best run."""
        return 100.0 * float(np.mean(self.problem.losses < self.best))


def random(problem: Problem, search: Search, seed: int) -> None:
    """Expensive runs in a random order."""
    for row in np.random.default_rng([8, seed]).permutation(len(problem.candidates))[: int(BUDGET)]:
        search.run(int(row), "high")


def cheapest(problem: Problem, search: Search, seed: int) -> None:
    """Expensive runs in the order of the known cheap results; bought ones take half the money."""
    rng = np.random.default_rng([9, seed])
    asked = rng.permutation(len(problem.candidates))
    if not problem.known:
        asked = asked[: int(BUDGET / 2.0 / CHEAP)]
        for row in asked:
            search.run(int(row), "low")
    sign = 1.0 if problem.goal == "minimum" else -1.0
    for row in asked[np.argsort(sign * problem.values["low"][asked])][: int(BUDGET - search.spent)]:
        search.run(int(row), "high")


def study(method: str) -> Callable[[Problem, Search, int], None]:
    """A study with all fidelities, or of the expensive one alone for the method hf-only."""

    def run(problem: Problem, search: Search, seed: int) -> None:
        alone = method == "hf-only"
        cheap = [name for name in problem.values if name != "high" and not alone]
        known = {name: problem.values[name] for name in cheap if problem.known}
        costs = {name: CHEAP * (i + 1) for i, name in enumerate(cheap)} | {"high": 1.0}
        with tempfile.TemporaryDirectory() as folder:
            opened = Study(Path(folder) / "a.study", candidates=problem.candidates.assign(**known),
                           costs=costs, target="y", goal=problem.goal, budget=BUDGET,
                           method=method, random_state=seed)  # fmt: skip
            while trials := opened.ask(allow=["high"] if known else None):
                for trial in trials:
                    opened.tell(trial, search.run(trial.candidate, trial.fidelity))

    return run


STRATEGIES: dict[str, Callable[[Problem, Search, int], None]] = {
    "study": study("auto"),
    "study-ar1": study("ar1"),
    "hf-only": study("hf-only"),
    "cheapest-first": cheapest,
    "random": random,
}


def searched(pool: str, name: str, seed: int, folder: str | None) -> dict[str, Any]:
    """Run a search; return the place of what it found, and its seconds."""
    problem = problem_of(pool, seed, folder)
    search = Search(problem)
    started = time.perf_counter()
    STRATEGIES[name](problem, search, seed)
    search.note(BUDGET)
    return {
        "pool": pool,
        "strategy": name,
        "seed": seed,
        "places": search.places,
        "counts": search.counts,
        "seconds": time.perf_counter() - started,
    }


def report(found: list[dict[str, Any]]) -> Iterator[str]:
    """A table with a row for every pool and strategy."""
    shares = " | ".join(f"{share} %" for share in SHARES)
    yield f"| pool | strategy | seeds | {shares} | best found | cheap, expensive | seconds a run |"
    yield "|---|---|---|" + "---|" * (len(SHARES) + 3)
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for one in found:
        groups[one["pool"], one["strategy"]].append(one)
    for (pool, name), runs in groups.items():
        yield _row(pool, name, runs)


def _row(pool: str, name: str, runs: list[dict[str, Any]]) -> str:
    places = [np.mean([run["places"][str(share)] for run in runs]) for share in SHARES]
    first = np.mean([run["places"]["100"] == 0.0 for run in runs])
    counts = [np.mean([run["counts"].get(m, 0) for run in runs]) for m in ("low", "high")]
    seconds = np.mean([run["seconds"] / sum(run["counts"].values()) for run in runs])
    shown = " | ".join(f"{place:.2f}" for place in places)
    return (
        f"| {pool} | {name} | {len(runs)} | {shown} | {first:.0%} | {counts[0]:.0f}, "
        f"{counts[1]:.0f} | {seconds:.2f} |"
    )


def numbers(text: str) -> range:
    """Seeds of text, as ``25-34``."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main() -> None:
    """Run searches and add them to a file, or print what a file says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pools", default=",".join(POOLS))
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--seeds", type=numbers, default=numbers("25-34"))
    parser.add_argument("--data", default=None, help="folder of the data sets")
    parser.add_argument("-o", "--output", type=Path, default=Path("pools.jsonl"))
    parser.add_argument("--report", type=Path, help="print the table of a file")
    options = parser.parse_args()
    if options.report:
        lines = options.report.read_text(encoding="utf-8").splitlines()
        print(*report([json.loads(line) for line in lines]), sep="\n")
        return
    for seed in options.seeds:
        for pool in options.pools.split(","):
            for name in options.strategies.split(","):
                line = json.dumps(searched(pool, name, seed, options.data))
                print(line, flush=True)
                with options.output.open("a", encoding="utf-8") as file:
                    file.write(line + "\n")


if __name__ == "__main__":
    main()
