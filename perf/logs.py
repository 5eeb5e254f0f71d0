"""A target over six decades, as it is and by its logarithm.

    python perf/logs.py [--seeds 100-109] [--methods hf-only,mast,ar1,auto]

Two fidelities of a reaction rate that follows Arrhenius' law between 400 and 1400 kelvin: 15
expensive and 60 cheap rows, the cheap ones with another activation energy. Scores are of the
rate itself on 300 points, averaged over the seeds: the mean negative log density, the share of
points inside their 95 % interval, and the number of lower bounds below zero. Coverage is also
counted among the smallest, middle and largest third of the rates: intervals that are as wide as
the largest rate hold all small ones, so that the average over all sizes hides what is wrong. The
table is in docs/guide/targets.md.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

import mastgp
from mastgp.bench.protocol import latin_hypercube, stream

COSTS = {"low": 1.0, "high": 20.0}
#: Temperature (K), pressure (bar), share of promoter.
BOUNDS = np.array([[400.0, 1400.0], [1.0, 20.0], [0.0, 1.0]])


def rate(X: np.ndarray, energy: float) -> np.ndarray:
    """Arrhenius' law, with an order of pressure and a promoter that saturates."""
    temperature, pressure, promoter = X.T
    law = 1e9 * np.exp(-energy / (8.314 * temperature))
    return law * pressure**0.6 * (1.0 + 4.0 * promoter / (0.2 + promoter))


def draw(seed: int) -> tuple[dict, np.ndarray, np.ndarray]:
    """Tables of both fidelities, and the test points."""

    def points(n: int, purpose: str) -> np.ndarray:
        return latin_hypercube(BOUNDS, n, stream("rate", 3, seed, purpose))

    low, high = points(60, "low"), points(15, "high")
    tables = {"low": (low, 0.7 * rate(low, 6.6e4)), "high": (high, rate(high, 7.0e4))}
    test = points(300, "test")
    return tables, test, rate(test, 7.0e4)


def scores(method: str, log: bool, seed: int) -> np.ndarray:
    """NLPD; coverage of all points and of each third; lower bounds below zero."""
    tables, X, y = draw(seed)
    options = {"transform": False} if method == "auto" and not log else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = mastgp.fit(tables, COSTS, method=method, log=log, **options)
    predicted = model.predict_distribution(X)
    low, high = predicted.interval(0.95)
    inside = (low <= y) & (y <= high)
    thirds = np.array_split(np.argsort(y), 3)
    covered = [inside.mean(), *(inside[third].mean() for third in thirds)]
    return np.array([-predicted.log_density(y).mean(), *covered, (low < 0.0).sum()])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="100-109")
    parser.add_argument("--methods", default="hf-only,mast,ar1,auto")
    options = parser.parse_args()
    first, _, last = options.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    _, _, y = draw(seeds[0])
    print(f"decades of the rate: {np.log10(y.max() / y.min()):.1f}; {len(seeds)} seeds")
    print("| | NLPD | 95 % covers | small | middle | large | off by | bounds below zero |")
    print("|---|---|---|---|---|---|---|---|")
    for method in options.methods.split(","):
        for log in (False, True):
            found = np.mean([scores(method, log, seed) for seed in seeds], axis=0)
            nlpd, covered, thirds, negative = found[0], found[1], found[2:5], found[5]
            off = np.abs(thirds - 0.95).mean()
            name = f"`{method}`, log" if log else f"`{method}`"
            shares = " | ".join(f"{share:.2f}" for share in (covered, *thirds, off))
            print(f"| {name} | {nlpd:.2f} | {shares} | {negative:.0f} of 300 |", flush=True)


if __name__ == "__main__":
    main()
