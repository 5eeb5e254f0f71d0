"""How often the verdict on cheap data is right, where the truth is known.

Random smooth functions of two and three inputs, seen at 8 to 14 expensive points and forty cheap
ones of a kind that helps (useful, opposite) or cannot help (pure noise, an unrelated function).
With ``--beside`` there is a second cheap source, which is useful, and the verdict is on what the
first one adds to it. Prints how often each word was said of each kind.

    python perf/verdicts.py --repeats 16 --first 100
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Callable

import numpy as np

from mastgp import Dataset
from mastgp.auto.candidates import default_candidates
from mastgp.auto.trying import Trials
from mastgp.auto.verdict import FidelityVerdict, judge
from mastgp.gp import blas_threads

N_CHEAP = 40
FEWEST, MOST = 8, 14

Function = Callable[[np.ndarray], np.ndarray]


def random_function(rng: np.random.Generator, d: int) -> Function:
    frequencies, phases = 3 * rng.standard_normal((3, d)), 6 * rng.random(3)
    return lambda X: np.sin(X @ frequencies.T + phases).sum(axis=1)


def cheap_versions(rng: np.random.Generator, truth: Function, d: int) -> dict[str, Function]:
    error, unrelated = random_function(rng, d), random_function(rng, d)
    return {
        "useful": lambda X: 0.8 * truth(X) + 0.2 * error(X),
        "opposite": lambda X: 1.0 - 2.0 * truth(X),
        "noise": lambda X: rng.standard_normal(len(X)),
        "unrelated": unrelated,
    }


def verdict(seed: int, kind: str, beside: bool) -> FidelityVerdict:
    """The verdict on one draw."""
    rng = np.random.default_rng(seed)
    d, n_dear = 2 + seed % 2, int(rng.integers(FEWEST, MOST + 1))
    truth = random_function(rng, d)
    versions = cheap_versions(rng, truth, d)
    coarse, fine = rng.random((N_CHEAP, d)), rng.random((n_dear, d))
    tables = {"coarse": (coarse, versions[kind](coarse)), "fine": (fine, truth(fine))}
    if beside:
        middle = rng.random((N_CHEAP, d))
        tables["middle"] = (middle, versions["useful"](middle))
    order = [name for name in ("coarse", "middle", "fine") if name in tables]
    data = Dataset.from_tables(tables, order=order)
    trials = Trials(data)
    trials.add(list(default_candidates(len(order))))
    return judge(data, trials).fidelities[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=8, help="draws per kind of cheap data")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--beside", action="store_true", help="beside another, useful source")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    with blas_threads(0):
        for kind in ("useful", "opposite", "noise", "unrelated"):
            seeds = range(given.first, given.first + given.repeats)
            words = Counter(verdict(seed, kind, given.beside).word for seed in seeds)
            counts = ", ".join(f"{name} {n}" for name, n in words.most_common())
            print(f"{kind:10s} {counts}", flush=True)


if __name__ == "__main__":
    main()
