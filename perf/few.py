"""Whether auto's intervals hold with 50 cheap and very few expensive points.

Prints, for each number of expensive points, the share of the test points inside 95, 80 and 50 %
intervals, the RMSE over that of a GP of the expensive points alone (geometric mean), and the lowest
95 % coverage of a problem, over all problems and seeds.

    python perf/few.py --first 100 --seeds 4
    python perf/few.py --first 25 --seeds 5 --problems branin,ackley --counts 4
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from mastgp import AutoSurrogate
from mastgp.bench import problem, synthetic_draw
from mastgp.check.scores import score
from mastgp.gp import blas_threads
from mastgp.models.single import SingleFidelity
from study import SMALLER

CHEAP = 50
COUNTS = (2, 3, 4, 5, 8)
COVERAGES = ("coverage95", "coverage80", "coverage50")


def reached(name: str, seed: int, count: int) -> list[float]:
    """Coverages of auto, and the logarithm of its error over that of the expensive points alone."""
    draw = synthetic_draw(problem(name), seed, counts={"low": CHEAP, "high": count})
    model = AutoSurrogate(draw.costs, bounds=draw.bounds)
    model.fit(draw.X, draw.y, fidelity=draw.fidelity)
    scores = score(draw.y_test, model.predict_distribution(draw.X_test))
    expensive = draw.fidelity == "high"
    alone = SingleFidelity(bounds=draw.bounds).fit(draw.X[expensive], draw.y[expensive])
    error = np.sqrt(np.mean((alone.predict(draw.X_test) - draw.y_test) ** 2))
    return [*(scores[name] for name in COVERAGES), float(np.log(scores["rmse"] / error))]


def row(count: int, problems: list[str], seeds: range) -> str:
    """What was reached with so many expensive points."""
    by_problem = {p: [reached(p, seed, count) for seed in seeds] for p in problems}
    coverage = {p: float(np.mean([r[0] for r in rows])) for p, rows in by_problem.items()}
    lowest = min(coverage, key=lambda p: coverage[p])
    *held, error = np.mean([r for rows in by_problem.values() for r in rows], axis=0)
    cells = " | ".join(f"{share:.3f}" for share in held)
    return f"| {count} | {cells} | {np.exp(error):.2f} | {coverage[lowest]:.2f} ({lowest}) |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=100, help="first seed")
    parser.add_argument("--seeds", type=int, default=4, help="number of seeds")
    parser.add_argument("--problems", default=",".join(SMALLER))
    parser.add_argument("--counts", default=",".join(map(str, COUNTS)))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    seeds = range(given.first, given.first + given.seeds)
    print("| expensive points | 95 % | 80 % | 50 % | RMSE over expensive alone | lowest 95 % |")
    print("|---|---|---|---|---|---|")
    with blas_threads(0):
        for count in map(int, given.counts.split(",")):
            print(row(count, given.problems.split(","), seeds), flush=True)


if __name__ == "__main__":
    main()
