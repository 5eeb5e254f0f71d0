"""How inducing inputs are chosen: at random, by what the others explain least, or as centres.

    python perf/inducing.py --problems borehole,otl --seeds 100

20,000 rows of the cheap level, hyperparameters as the package learns them. The greatest
conditional variance is what a pivoted Cholesky factorisation takes next, so these two are one way.
Errors are those of the mean against the noise-free response, over the standard deviation of the
rows. The bound is per row.
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.cluster import MiniBatchKMeans

from many_rows import drawn
from mastgp.gp.inducing import InducingProcess
from mastgp.gp.sums import Basis
from mastgp.surrogates.many.learning import Learned, from_bound, from_neighbours, inducing_inputs
from mastgp.surrogates.many.rows import Rows, shuffled

N_ROWS = 20_000
SIZES = (60, 125, 250, 500)


def random(learned: Learned, rows: Rows, m: int) -> np.ndarray:
    return rows.X[:m]


def centres(learned: Learned, rows: Rows, m: int) -> np.ndarray:
    """Centres of clusters, in units of the lengthscales."""
    ell = learned.parameters.lengthscales[0]
    found = MiniBatchKMeans(m, n_init=1, random_state=0).fit(rows.X[:5000] / ell)
    return found.cluster_centers_ * ell


WAYS = {"random": random, "least explained": inducing_inputs, "centres": centres}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", default="borehole,otl,hartmann6,ackley")
    parser.add_argument("--seeds", default="100")
    options = parser.parse_args()
    print("| problem | seed | m | " + " | ".join(f"{way}: error, bound" for way in WAYS) + " |")
    print("|---" * (3 + len(WAYS)) + "|")
    for name in options.problems.split(","):
        for seed in map(int, options.seeds.split(",")):
            for line in lines(name, seed):
                print(line, flush=True)


def lines(name: str, seed: int) -> list[str]:
    """One line for each number of inducing points."""
    U, y, Q, truth = drawn(name, N_ROWS, seed)
    rows, units = shuffled(U, y, None)
    target = (truth - units.mean) / units.scale
    learned = from_bound(rows, from_neighbours(rows, "rbf"))
    found = []
    for m in SIZES:
        cells = []
        for way in WAYS.values():
            basis = Basis(learned.model, learned.parameters, way(learned, rows, m))
            process = InducingProcess.given(basis, rows.observations)
            error = np.sqrt(np.mean((process.predict_mean(Q) - target) ** 2))
            cells.append(f"{error:.4f}, {process.solution.bound / N_ROWS:.3f}")
        found.append(f"| {name} | {seed} | {m} | " + " | ".join(cells) + " |")
    return found


if __name__ == "__main__":
    main()
