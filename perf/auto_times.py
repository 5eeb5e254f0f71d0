"""How long auto takes, with its check and verdict, beside AR1 with draws and BoTorch's model.

The methods are fitted in turn to the same data, on one thread. Times are CPU seconds, so that other
work on the machine counts less. Prints medians over the seeds, and the ratio of BoTorch's time to
auto's, per seed, median.

    python perf/auto_times.py --seeds 3
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import torch
from threadpoolctl import threadpool_limits

import peers
from mastgp import AutoSurrogate
from mastgp.bench import Draw, problem, synthetic_draw
from mastgp.bench.protocol import Budget
from mastgp.models import CoKriging

#: Four fidelities of Hartmann6, as many rows of each as in a data set of a user.
FOUR = Budget(
    shares={"first": 0.25, "second": 0.25, "third": 0.25, "fine": 0.25},
    costs={"first": 1.0, "second": 2.0, "third": 4.0, "fine": 20.0},
    degradations={"first": 1.0, "second": 0.7, "third": 0.4, "fine": 0.0},
)
FOUR_COUNTS = {"first": 200, "second": 180, "third": 150, "fine": 20}
CASES: dict[str, Callable[[int], Draw]] = {
    "branin, 2-D": lambda seed: synthetic_draw(problem("branin"), seed),
    "hartmann6, 6-D": lambda seed: synthetic_draw(problem("hartmann6"), seed),
    "borehole, 8-D": lambda seed: synthetic_draw(problem("borehole"), seed),
    "four fidelities, 6-D": lambda seed: synthetic_draw(
        problem("hartmann6"), seed, FOUR, counts=FOUR_COUNTS
    ),
}
METHODS: dict[str, Callable[[Draw], object]] = {
    "auto": lambda d: AutoSurrogate(d.costs, bounds=d.bounds).fit(d.X, d.y, fidelity=d.fidelity),
    "AR1 with draws": lambda d: CoKriging(d.costs, bounds=d.bounds).fit(
        d.X, d.y, fidelity=d.fidelity
    ),
    "BoTorch MF-GP": peers.botorch_multifidelity,
}


def cpu_seconds(function: Callable[[], object]) -> float:
    started = time.process_time()
    function()
    return time.process_time() - started


def rows(seeds: int, first: int = 100) -> Iterator[str]:
    """The table, row by row."""
    yield "| data | points | " + " | ".join(f"{name} (s)" for name in METHODS) + " | ratio |"
    yield "|---" * (len(METHODS) + 3) + "|"
    for fit in METHODS.values():
        fit(CASES["branin, 2-D"](first))  # nobody pays for imports
    for name, draw_of in CASES.items():
        draws = [draw_of(first + i) for i in range(seeds)]
        times = np.array([[cpu_seconds(lambda f=f, d=d: f(d)) for f in METHODS.values()]
                          for d in draws])  # fmt: skip
        cells = " | ".join(f"{seconds:.2f}" for seconds in np.median(times, axis=0))
        ratio = float(np.median(times[:, -1] / times[:, 0]))
        yield f"| {name} | {len(draws[0].y)} | {cells} | {ratio:.1f} |"


def measured(seeds: int) -> list[str]:
    """The table, printed as it grows."""
    lines = []
    torch.set_num_threads(1)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for line in rows(seeds):
            print(line, flush=True)
            lines.append(line)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    measured(parser.parse_args().seeds)


if __name__ == "__main__":
    main()
