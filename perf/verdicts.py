"""How often the verdict on cheap data is right, where the truth is known.

Random smooth functions of two and three inputs, seen at 8 to 14 expensive points and forty cheap
ones of a kind that helps (useful, opposite) or cannot help (pure noise, an unrelated function).
Prints how often each kind was said to help, to be neutral and to hurt.

    python perf/verdicts.py --repeats 8
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Callable

import numpy as np

from mastgp import Dataset
from mastgp.auto.verdict import judge
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


def word(seed: int, kind: str) -> str:
    """The verdict on one draw."""
    rng = np.random.default_rng(seed)
    d, n_dear = 2 + seed % 2, int(rng.integers(FEWEST, MOST + 1))
    truth = random_function(rng, d)
    cheap = cheap_versions(rng, truth, d)[kind]
    coarse, fine = rng.random((N_CHEAP, d)), rng.random((n_dear, d))
    tables = {"coarse": (coarse, cheap(coarse)), "fine": (fine, truth(fine))}
    data = Dataset.from_tables(tables, order=["coarse", "fine"])
    return judge(data, data).fidelities[0].word


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=8, help="draws per kind of cheap data")
    repeats = parser.parse_args().repeats
    warnings.simplefilter("ignore")
    with blas_threads(0):
        for kind in ("useful", "opposite", "noise", "unrelated"):
            words = Counter(word(seed, kind) for seed in range(repeats))
            counts = ", ".join(f"{name} {n}" for name, n in words.most_common())
            print(f"{kind:10s} {counts}", flush=True)


if __name__ == "__main__":
    main()
