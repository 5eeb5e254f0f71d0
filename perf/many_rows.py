"""Very many rows of one response: our choice beside every tool alone and beside other libraries.

    python perf/many_rows.py                               all problems, 100,000 rows, three draws
    python perf/many_rows.py --problems levy --rows 1000,10000 --draws 1 --tools ours,boosting

Every run is a process of its own on one thread, with a time limit. All see the same rows of a
draw. Errors are those of the mean against the noise-free response at 3000 points, over the
standard deviation of the rows; coverage is that of 95 % intervals of the response. Seconds are
those of the processor, so that a busy machine does not count.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np

from mastgp.bench import problem

N_TEST = 3_000
PROBLEMS = "borehole,hartmann6,otl,wing,levy,rastrigin,ackley,jump"
#: Mean and variance at test points, given rows.
Tool = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def drawn(name: str, n: int, seed: int) -> tuple[np.ndarray, ...]:
    """Rows of the cheap level in the unit cube, test points, and the response there."""
    rng = np.random.default_rng(seed)
    if name == "jump":
        U = rng.random((n + N_TEST, 2))
        step = U[:, 0] + 0.5 * np.sin(4.0 * U[:, 1]) > 0.8
        f = np.sin(6.0 * U[:, 0]) + U[:, 1] ** 2 + 3.0 * step
        return U[:n], f[:n] + 0.05 * rng.standard_normal(n), U[n:], f[n:]
    p = problem(name)
    X = rng.uniform(*p.bounds.T, (n + N_TEST, p.n_inputs))
    y = p.observe(X[:n], 1.0, rng)
    U = (X - p.bounds[:, 0]) / np.ptp(p.bounds, axis=1)
    return U[:n], y, U[n:], p.evaluate(X[n:], 1.0)


def ours(U: np.ndarray, y: np.ndarray, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from mastgp.surrogates.many.fitted import fit_many

    fitted = fit_many(U, y)
    print(fitted.report_of_choice.chosen, file=sys.stderr)
    return fitted.predict(Q)


def alone(kind: str) -> Tool:
    """One of our tools, whatever the held-out rows say."""

    def fit(U: np.ndarray, y: np.ndarray, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        from mastgp.surrogates.many.additive import AdditiveSums
        from mastgp.surrogates.many.learning import from_bound, from_neighbours, rougher
        from mastgp.surrogates.many.rows import shuffled
        from mastgp.surrogates.many.tools import fit_boosted, fit_inducing, fit_neighbours

        rows, units = shuffled(U, y, None)
        n_held_out = min(5000, len(rows) // 10)
        held_out, rows = rows.some(slice(0, n_held_out)), rows.some(slice(n_held_out, None))
        if kind == "inducing":
            smooth = from_neighbours(rows, "rbf")
            tool = fit_inducing(from_bound(rows, smooth), rows, 1000)
        elif kind == "neighbours":
            tool = fit_neighbours(rougher(rows, from_neighbours(rows, "rbf")), rows)
        else:
            tool = AdditiveSums(rows).best(held_out)[0]
            tool = fit_boosted(rows, tool) if kind == "trend-boosting" else tool
        mean, var = tool.predict(Q)
        return units.mean + units.scale * mean, units.scale**2 * var

    return fit


def exact(U: np.ndarray, y: np.ndarray, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The exact engine, of at most 2000 rows."""
    from mastgp.gp import GaussianProcess, Model

    return GaussianProcess.fit(Model(U.shape[1]), U[:2000], y[:2000]).predict(Q)


def boosting(U: np.ndarray, y: np.ndarray, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """scikit-learn's, untuned but for the number of trees."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    trees = HistGradientBoostingRegressor(max_iter=2000, early_stopping=True, random_state=0)
    mean = trees.fit(U, y).predict(Q)
    return mean, np.full(len(Q), np.nan)


def gpytorch_model(kind: str) -> Tool:
    """GPyTorch with 500 inducing points: SGPR by 100 steps of Adam on 20,000 rows, or SVGP."""

    def fit(U: np.ndarray, y: np.ndarray, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        import gpytorch_peers

        return gpytorch_peers.predict(kind, U, y, Q)

    return fit


def gpboost_model(approximation: str) -> Tool:
    """GPBoost's own defaults for an approximation, with one lengthscale per input."""

    def fit(U: np.ndarray, y: np.ndarray, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        import gpboost

        options = {"num_ind_points": 500} if approximation == "fitc" else {"num_neighbors": 20}
        model = gpboost.GPModel(
            gp_coords=U, cov_function="matern_ard", cov_fct_shape=2.5,
            gp_approx=approximation, **options,
        )  # fmt: skip
        model.fit(y=y - y.mean(), params={"trace": False})
        found = model.predict(gp_coords_pred=Q, predict_var=True, predict_response=False)
        return y.mean() + found["mu"], found["var"]

    return fit


TOOLS: dict[str, Tool] = {
    "ours": ours,
    "inducing": alone("inducing"),
    "neighbours": alone("neighbours"),
    "additive": alone("additive"),
    "trend-boosting": alone("trend-boosting"),
    "boosting": boosting,
    "exact-2000": exact,
    "sgpr": gpytorch_model("sgpr"),
    "svgp": gpytorch_model("svgp"),
    "gpboost-vecchia": gpboost_model("vecchia"),
    "gpboost-fitc": gpboost_model("fitc"),
}


def run_one(tool: str, name: str, n: int, seed: int) -> None:
    """Fit one tool to one draw and print what came of it as JSON."""
    warnings.simplefilter("ignore")
    U, y, Q, truth = drawn(name, n, seed)
    started = time.process_time()
    mean, var = TOOLS[tool](U, y, Q)
    seconds = time.process_time() - started
    covered = np.abs(mean - truth) < 1.96 * np.sqrt(var)
    result = {
        "rmse": float(np.sqrt(np.mean((mean - truth) ** 2)) / y.std()),
        "coverage": None if np.isnan(var).all() else float(covered.mean()),
        "seconds": seconds,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(result))


def measured(tool: str, name: str, n: int, seed: int, limit: float) -> dict[str, object]:
    """The same in a process of its own; what went wrong where there is no result."""
    command = [sys.executable, __file__, "--one", f"{tool},{name},{n},{seed}"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {"failed": f"not done in {limit:.0f} s"}
    if run.returncode:
        return {"failed": run.stderr.strip().splitlines()[-1][:80]}
    return json.loads(run.stdout.splitlines()[-1]) | {"chosen": run.stderr.strip()[-20:]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", default=PROBLEMS)
    parser.add_argument("--rows", default="100000")
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=100)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for every run")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        tool, name, n, seed = options.one.split(",")
        run_one(tool, name, int(n), int(seed))
        return
    print("| problem | rows | seed | tool | RMSE | coverage | seconds | MB |", flush=True)
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for name in options.problems.split(","):
        for n in map(int, options.rows.split(",")):
            for seed in range(options.first_seed, options.first_seed + options.draws):
                for tool in options.tools.split(","):
                    print(line(tool, name, n, seed, options.limit), flush=True)


def line(tool: str, name: str, n: int, seed: int, limit: float) -> str:
    """One row of the table."""
    found = measured(tool, name, n, seed, limit)
    head = f"| {name} | {n} | {seed} | {tool} |"
    if "failed" in found:
        return f"{head} {found['failed']} | | | |"
    label = f" ({found['chosen']})" if tool == "ours" else ""
    coverage = "" if found["coverage"] is None else f"{found['coverage']:.3f}"
    cells = f"{found['rmse']:.4f}{label} | {coverage} | {found['seconds']:.1f}"
    return f"{head} {cells} | {found['megabytes']:.0f} |"


if __name__ == "__main__":
    main()
