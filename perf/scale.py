"""Fit MAST to a given number of Borehole points and print seconds and peak memory as JSON.

A process of its own, because peak memory is counted per process.
"""

from __future__ import annotations

import json
import resource
import sys
import time

import numpy as np

from mastgp import MAST
from mastgp.bench import problem


def main(n: int) -> None:
    rng = np.random.default_rng(0)
    p = problem("borehole")
    X = rng.uniform(*p.bounds.T, (n, p.n_inputs))
    fidelity = np.where(np.arange(n) < 0.9 * n, "low", "high")
    y = np.where(fidelity == "low", p.observe(X, 1.0, rng), p.observe(X, 0.0, rng))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    MAST({"low": 1, "high": 10}, bounds=p.bounds).fit(X, y, fidelity=fidelity)
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"seconds": seconds, "megabytes": (after - before) / 1024}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
