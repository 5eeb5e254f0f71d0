"""How long four suggestions take: a model of 150 points in 8-D, by goal.

    python perf/suggestions.py

Printed are seconds of CPU time, the smallest of three, with one thread.
"""

from __future__ import annotations

import time
import warnings

import mastgp
from mastgp.bench import problem
from mastgp.bench.protocol import synthetic_draw
from mastgp.methods import method
from mastgp.threads import blas_threads

COUNTS = {"low": 120, "high": 30}
GOALS = ("accuracy", "minimum", "maximum")


def seconds(name: str, seed: int = 100) -> dict[str, float]:
    """CPU seconds of four suggestions for every goal, by a method."""
    draw = synthetic_draw(problem("borehole"), seed, counts=COUNTS, test_size=2)
    model = method(name).build(costs=draw.costs, bounds=draw.bounds, random_state=0)
    model.fit(draw.X, draw.y, fidelity=draw.fidelity)
    found = {}
    for goal in GOALS:
        times = []
        for _ in range(3):
            started = time.process_time()
            mastgp.suggest(model, 4, goal)
            times.append(time.process_time() - started)
        found[goal] = min(times)
    return found


def main() -> None:
    with blas_threads(0), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("ar1", "auto"):
            shown = ", ".join(f"{goal} {taken:.2f} s" for goal, taken in seconds(name).items())
            print(f"{name}: {shown}")


if __name__ == "__main__":
    main()
