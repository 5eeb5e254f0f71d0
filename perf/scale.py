"""Fit MAST to a given number of Borehole points and print seconds and peak memory as JSON.

A process of its own, because peak memory is counted per process.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

from mastgp import MAST
from mastgp.bench import problem


def main(n: int) -> None:
    rng = np.random.default_rng(0)
    p = problem("borehole")
    X = rng.uniform(*p.bounds.T, (n, p.n_inputs))
    fidelity = np.where(np.arange(n) < 0.9 * n, "low", "high")
    y = np.where(fidelity == "low", p.observe(X, 1.0, rng), p.observe(X, 0.0, rng))
    before = peak_kilobytes()
    started = time.perf_counter()
    MAST({"low": 1, "high": 10}, bounds=p.bounds).fit(X, y, fidelity=fidelity)
    seconds = time.perf_counter() - started
    print(json.dumps({"seconds": seconds, "megabytes": (peak_kilobytes() - before) / 1024}))


def peak_kilobytes() -> int:
    """Peak resident memory of this program; getrusage would count its parent's as well."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise RuntimeError("memory can be measured on Linux only")


if __name__ == "__main__":
    main(int(sys.argv[1]))
