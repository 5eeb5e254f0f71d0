"""Which optimum to keep when two starts end in different ones: a study of the choice.

Random smooth functions seen through little or much noise, fitted from the default starts; the
optimum is chosen by the objective, by the leave-one-out score, or not at all (first start only).
Prints RMSE ratios and differences of negative log predictive density against the first start.

    python perf/starts.py
"""

from __future__ import annotations

import numpy as np

from mastgp.gp import GaussianProcess, Model, blas_threads
from mastgp.gp.fitting import default_starts, maximise
from mastgp.gp.leave_out import leave_one_out_score
from mastgp.gp.likelihood import Objective
from mastgp.gp.observations import Observations

REPEATS = 30


def random_function(rng: np.random.Generator, d: int):
    frequencies, phases = 3 * rng.standard_normal((3, d)) / np.sqrt(d), 6 * rng.random(3)
    return lambda X: np.sin(X @ frequencies.T + phases).sum(axis=1)


def scores(rng: np.random.Generator, d: int, n: int, noise: float) -> list[tuple[float, float]]:
    """RMSE and negative log density for each way to choose."""
    f = random_function(rng, d)
    X, T = rng.random((n, d)), rng.random((400, d))
    y = f(X)
    y = y + noise * y.std() * rng.standard_normal(n)
    model = Model(d)
    data = Observations(X, (y - y.mean()) / y.std(ddof=1), np.zeros(n, np.intp))
    objective = Objective(model, data)
    with blas_threads(n):
        ends = {k: maximise(objective, {k: v}) for k, v in default_starts(objective).items()}
    chosen = [
        "prior",
        min(ends, key=lambda k: ends[k].report.objective),
        max(ends, key=lambda k: leave_one_out_score(objective, ends[k].factorisation)),
    ]
    result = []
    for name in chosen:
        gp = GaussianProcess(model, ends[name].parameters, data, y.mean(), y.std(ddof=1))
        mean, var = gp.predict(T)
        error = mean - f(T)
        density = np.mean(0.5 * error**2 / var + 0.5 * np.log(var))
        result.append((np.sqrt(np.mean(error**2)), density))
    return result


def main() -> None:
    rng = np.random.default_rng(1)
    print("inputs points noise | RMSE ratio: objective, leave-one-out | NLPD: objective, loo")
    for noise in (0.02, 0.3, 1.0):
        rows = []
        for d in (1, 2, 5, 10):
            for n in (10, 30, 80):
                table = np.array([scores(rng, d, n, noise) for _ in range(REPEATS)])
                ratios = np.exp(np.log(table[:, 1:, 0] / table[:, :1, 0]).mean(axis=0))
                change = (table[:, 1:, 1] - table[:, :1, 1]).mean(axis=0)
                rows.append((*ratios, *change))
                print(f"{d:6d} {n:6d} {noise:5.2f} | " + "  ".join(f"{v:6.3f}" for v in rows[-1]))
        print(f"   all    all {noise:5.2f} | " + "  ".join(f"{v:6.3f}" for v in np.mean(rows, 0)))


if __name__ == "__main__":
    main()
