"""What `calibrate` does for MAST's intervals, on the problems of the two-fidelity table.

Prints, for each problem, the share of 1000 test points inside 50, 80 and 95 % intervals and the
NLPD, without and with calibration, as means over the seeds, and their means.

    python perf/calibration.py --first 100 --seeds 5
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from mastgp import MAST
from mastgp.bench.experiments import experiment, find_problem
from mastgp.bench.protocol import Draw
from mastgp.check.scores import score
from mastgp.gp import blas_threads
from study import SMALLER, TEST_SIZE

METRICS = ("coverage50", "coverage80", "coverage95", "nlpd")


def reached(draw: Draw, calibrate: bool) -> list[float]:
    """Scores of one fit."""
    model = MAST(draw.costs, bounds=draw.bounds, calibrate=calibrate)
    model.fit(draw.X, draw.y, fidelity=draw.fidelity)
    scores = score(draw.y_test, model.predict_distribution(draw.X_test))
    return [scores[metric] for metric in METRICS]


def row(values: np.ndarray) -> str:
    """Scores without and with calibration."""
    return " | ".join(", ".join(f"{v:.2f}" for v in scores) for scores in values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=100, help="first seed")
    parser.add_argument("--seeds", type=int, default=5, help="number of seeds")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    table = experiment("two-fidelity")
    rows = []
    print(f"{', '.join(METRICS)}: as in the paper | calibrated")
    with blas_threads(0):
        for name in SMALLER:
            problem = find_problem(name)
            seeds = range(given.first, given.first + given.seeds)
            draws = [table.draw(problem, seed, "", TEST_SIZE) for seed in seeds]
            scores = [[reached(draw, calibrate) for calibrate in (False, True)] for draw in draws]
            rows.append(np.mean(scores, axis=0))
            print(f"{name:10s} {row(rows[-1])}", flush=True)
    print(f"{'mean':10s} {row(np.mean(rows, axis=0))}")


if __name__ == "__main__":
    main()
