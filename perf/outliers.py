"""What spoiled cheap rows do to auto, and how many of them it finds.

One cheap row in twenty is replaced by a value ten to a thousand standard deviations away. Prints
how often clean data lose a row, how many of the spoiled rows are found, and with `--fit` the error
of auto with spoiled rows over that with clean ones, when they are left out and when they are kept.

    python perf/outliers.py --first-seed 100 --seeds 6
    python perf/outliers.py --first-seed 100 --seeds 1 --fit
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import numpy as np

from mastgp import AutoSurrogate
from mastgp.auto.outliers import without_outliers
from mastgp.bench.experiments import experiment, find_problem
from mastgp.bench.protocol import Draw
from mastgp.check.scores import rmse
from mastgp.data.copies import without_copies
from mastgp.data.dataset import Dataset
from mastgp.progress import listening
from study import SMALLER

GROUPS = {"two-fidelity": SMALLER, "extra": tuple(experiment("extra").problems)}
SHARE = 0.05
#: What --fit fits: auto takes seconds.
FITTED = ("branin", "hartmann3", "park1", "borehole")


def draws(seeds: range) -> Iterator[tuple[str, int, Draw]]:
    for group, problems in GROUPS.items():
        for problem in problems:
            for seed in seeds:
                yield problem, seed, experiment(group).draw(find_problem(problem), seed, "", 500)


def data_of(draw: Draw, y: np.ndarray) -> Dataset:
    return without_copies(
        Dataset.from_arrays(draw.X, y, draw.fidelity, costs=draw.costs, bounds=draw.bounds)
    )


def spoiled(draw: Draw, seed: int) -> tuple[np.ndarray, int]:
    """Targets of which some cheap ones are no results, and how many these are."""
    rng, y = np.random.default_rng(seed), draw.y.copy()
    top = max(draw.costs, key=lambda name: draw.costs[name])
    cheap = np.flatnonzero(np.asarray(draw.fidelity) != top)
    bad = rng.choice(cheap, max(1, round(SHARE * len(cheap))), replace=False)
    size = y[cheap].std() * 10.0 ** rng.uniform(1.0, 3.0, len(bad))
    y[bad] = rng.choice([-1.0, 1.0], len(bad)) * size
    return y, len(bad)


def detection(seeds: range) -> str:
    n_draws = n_touched = n_bad = n_found = 0
    for _, seed, draw in draws(seeds):
        clean, (y, count) = data_of(draw, draw.y), spoiled(draw, seed)
        dirty = data_of(draw, y)
        n_draws += 1
        n_touched += without_outliers(clean) is not clean
        n_bad += count
        n_found += min(dirty.n_points - without_outliers(dirty).n_points, count)
    return (
        f"{n_touched} of {n_draws} clean draws lose a row; {n_found} of {n_bad} spoiled rows are "
        "found"
    )


def accuracy(seeds: range) -> Iterator[str]:
    for problem, seed, draw in draws(seeds):
        if problem not in FITTED:
            continue
        y, _ = spoiled(draw, seed)
        errors = []
        for targets, outliers in ((draw.y, "drop"), (y, "drop"), (y, "keep")):
            model = AutoSurrogate(draw.costs, bounds=draw.bounds, outliers=outliers)
            model.fit(draw.X, targets, fidelity=draw.fidelity)
            errors.append(rmse(model.predict(draw.X_test) - draw.y_test))
        left_out, kept = errors[1] / errors[0], errors[2] / errors[0]
        yield f"| {problem} | {seed} | {left_out:.2f} | {kept:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first-seed", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    with warnings.catch_warnings(), listening(None):
        warnings.simplefilter("ignore")
        if options.fit:
            print("| problem | seed | left out | kept |\n|---|---|---|---|")
            for row in accuracy(seeds):
                print(row, flush=True)
        else:
            print(detection(seeds))


if __name__ == "__main__":
    main()
