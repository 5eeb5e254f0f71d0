"""How a study should begin: the first design's share of the budget, and its split over fidelities.

    python perf/study_start.py --seeds 100-103

Whole studies for a minimum are run with each setting: 15 expensive runs' worth of budget, a cheap
fidelity that costs a tenth. Printed is the regret of the best expensive run over the geometric
mean over all settings of the same problem and seed, as a geometric mean over problems and seeds,
and the same for the RMSE of the model on 500 points. Below 1 is better than the average setting.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from unittest.mock import patch

import numpy as np

from mastgp import Study
from mastgp.bench import problem as find
from mastgp.next import design

PROBLEMS = ("branin", "hartmann3", "park1")
#: Shares of the budget that the first design costs, and of that which goes to expensive runs.
STARTS, SPLITS = (0.25, 0.5), (0.3, 0.5, 0.7, 0.9)
BUDGET, CHEAP = 15.0, 0.1
#: Smaller regrets and errors than this share of the function's range count as this.
_FLOOR = 1e-5


def scores(name: str, seed: int, start: float, split: float) -> tuple[float, float]:
    """Regret and RMSE at the end of a study, as shares of the function's range."""
    problem = find(name)
    low, width = problem.bounds[:, 0], np.ptp(problem.bounds, axis=1)
    names = [f"x{i}" for i in range(problem.n_inputs)]
    inputs = {one: tuple(map(float, ends)) for one, ends in zip(names, problem.bounds, strict=True)}
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.multiple(design, START_SHARE=start, EXPENSIVE_SHARE=split, RUNS_PER_INPUT=99.0),
    ):
        study = Study(Path(folder) / "a.study", inputs, {"cheap": CHEAP, "dear": 1.0}, "y",
                      budget=BUDGET, method="ar1-map", scouting=1.0, random_state=seed)  # fmt: skip
        while trials := study.ask(2):
            for trial in trials:
                x = [[trial.inputs[one] for one in names]]
                study.tell(trial, problem.evaluate(x, float(trial.fidelity == "cheap"))[0])
        X = low + np.random.default_rng(0).random((20_000, len(low))) * width
        truth = problem.evaluate(X)
        span = float(np.ptp(truth))
        error = study.model().predict(np.asarray(X[:500])) - truth[:500]
        regret = study.best().value - float(truth.min())
        return max(regret / span, _FLOOR), max(float(np.sqrt(np.mean(error**2))) / span, _FLOOR)


def measured(seeds: range) -> Iterator[tuple[str, int, tuple[float, float], tuple[float, float]]]:
    for name, seed, setting in product(PROBLEMS, seeds, product(STARTS, SPLITS)):
        yield name, seed, setting, scores(name, seed, *setting)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="100-103")
    first, last = map(int, parser.parse_args().seeds.split("-"))
    found: dict[tuple[float, float], list[np.ndarray]] = {}
    for name, seed, setting, score in measured(range(first, last + 1)):
        print(name, seed, *setting, *(f"{value:.2e}" for value in score), flush=True)
        found.setdefault(setting, []).append(np.log(score))
    logs = np.array(list(found.values()))  # settings, cases, scores
    relative = np.exp((logs - logs.mean(axis=0)).mean(axis=1))
    print("start  split  regret  rmse")
    for (start, split), (regret, rmse) in zip(found, relative, strict=True):
        print(f"{start:5.2f}  {split:5.2f}  {regret:6.2f}  {rmse:5.2f}")


if __name__ == "__main__":
    main()
