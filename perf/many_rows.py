"""Very many rows of one response: our choice beside every tool alone and beside other libraries.

    python perf/many_rows.py                               all problems, 100,000 rows, three draws
    python perf/many_rows.py --problems levy --rows 1000,10000 --draws 1 --tools ours,boosting
    python perf/many_rows.py --rows 2000,4000 --tools ours,exact-4000
    python perf/many_rows.py --minutes 8                   as far as it gets; again to go on
    python perf/many_rows.py --table                       tables of what was recorded

Every run is a process of its own on one thread, with a limit of processor time. Results are kept
in a file of JSON lines, and what it has is not run again. All see the same rows of a draw.
Errors are those of the mean against the noise-free response at 3000 points, over the standard
deviation of the rows; coverage is that of 95 % intervals of the response. Seconds are those of the
processor, so that a busy machine does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import numpy as np

from mastgp.bench import problem
from mastgp.surrogates.many import learning, tools
from mastgp.surrogates.many.additive import AdditiveSums
from mastgp.surrogates.many.rows import Rows, shuffled

N_TEST = 3_000
STORE = Path(__file__).parents[1] / "docs" / "results" / "many-rows.jsonl"
#: Seed of the first draw that is recorded: tools were chosen on those above 99, and looked at on
#: those below this one.
FIRST_SEED = 34
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
    """What every method does with so many rows of a fidelity."""
    from mastgp.gp import GaussianProcess, Model
    from mastgp.surrogates.gp import MANY_ROWS
    from mastgp.surrogates.many.fitted import fit_many

    if len(y) < MANY_ROWS:
        print("exact", file=sys.stderr)
        return GaussianProcess.fit(Model(U.shape[1]), U, y).predict(Q)
    fitted = fit_many(U, y)
    print(fitted.report_of_choice.chosen, file=sys.stderr)
    return fitted.predict(Q)


def alone(kind: str) -> Tool:
    """One of our tools at its largest, whatever the held-out rows say."""

    def fit(U: np.ndarray, y: np.ndarray, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows, units = shuffled(U, y, None)
        n_held_out = min(5000, len(rows) // 10)
        held_out, rows = rows.some(slice(0, n_held_out)), rows.some(slice(n_held_out, None))
        mean, var = _fitted_alone(kind, rows, held_out).predict(Q)
        return units.mean + units.scale * mean, units.scale**2 * var

    return fit


def _fitted_alone(kind: str, rows: Rows, held_out: Rows) -> tools.Tool:
    """The tool, given rows; splines find their penalty by those that were held out."""
    if kind == "inducing":
        learned = learning.from_bound(rows, learning.from_neighbours(rows, "rbf"))
        return tools.fit_inducing(learned, rows, tools.LADDER[-1])
    if kind == "neighbours":
        learned = learning.rougher(rows, learning.from_neighbours(rows, "rbf"))
        return tools.fit_neighbours(learned, rows, tools.NEAREST[-1])
    trend = AdditiveSums(rows).best(held_out)[0]
    if kind == "additive":
        return trend
    if kind == "trend-boosting":
        return tools.fit_boosted(rows, trend)
    left = tools.left_by(trend, rows)
    rough = learning.rougher(left, learning.from_neighbours(left, "rbf"))
    process = tools.fit_inducing(learning.from_bound(left, rough), left, tools.LADDER[-1])
    return tools.Trended(trend, process)


def exact(most: int) -> Tool:
    """The exact engine, of so many rows at most."""

    def fit(U: np.ndarray, y: np.ndarray, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        from mastgp.gp import GaussianProcess, Model

        return GaussianProcess.fit(Model(U.shape[1]), U[:most], y[:most]).predict(Q)

    return fit


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
    "trend-inducing": alone("trend-inducing"),
    "boosting": boosting,
    "exact-2000": exact(2_000),
    "exact-4000": exact(4_000),
    "sgpr": gpytorch_model("sgpr"),
    "svgp": gpytorch_model("svgp"),
    "gpboost-vecchia": gpboost_model("vecchia"),
    "gpboost-fitc": gpboost_model("fitc"),
}


def run_one(tool: str, name: str, n: int, seed: int, limit: int) -> None:
    """Fit one tool to one draw and print what came of it as JSON."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    U, y, Q, truth = drawn(name, n, seed)
    started = time.process_time()
    mean, var = TOOLS[tool](U, y, Q)
    seconds = time.process_time() - started
    spread = y.std()
    response = Rows(Q, truth / spread)
    densities = tools.log_density(mean / spread, var / spread**2, response, 0.0)
    covered = np.abs(mean - truth) < 1.96 * np.sqrt(var)
    result = {
        "rmse": float(f"{np.sqrt(np.mean((mean - truth) ** 2)) / spread:.5g}"),
        "nlpd": None if np.isnan(var).all() else round(float(-densities.mean()), 4),
        "coverage": None if np.isnan(var).all() else round(float(covered.mean()), 4),
        "seconds": round(seconds, 2),
        "megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
    print(json.dumps(result))


def measured(tool: str, name: str, n: int, seed: int, limit: int) -> dict[str, object]:
    """The same in a process of its own; what went wrong where there is no result."""
    command = [sys.executable, __file__, "--one", f"{tool},{name},{n},{seed},{limit}"]
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=one_thread)
    if run.returncode < 0:
        return {"failed": f"not done in {limit} s"}
    if run.returncode:
        return {"failed": run.stderr.strip().splitlines()[-1][:80]}
    chosen = {"chosen": run.stderr.split()[-1]} if tool == "ours" else {}
    return json.loads(run.stdout.splitlines()[-1]) | chosen


def recorded(store: Path) -> dict[tuple[str, int, int, str], dict[str, object]]:
    """Results by problem, rows, seed and tool."""
    lines = store.read_text(encoding="utf-8").splitlines() if store.exists() else []
    found = map(json.loads, lines)
    return {(r["problem"], r["rows"], r["seed"], r["tool"]): r for r in found}


def recorded_or_run(
    store: Path, name: str, n: int, seed: int, tool: str, limit: int
) -> dict[str, object]:
    """A result from the store, or a new one that is added to it."""
    known = recorded(store).get((name, n, seed, tool))
    if known is not None:
        return known
    head = {"problem": name, "rows": n, "seed": seed, "tool": tool}
    result = head | measured(tool, name, n, seed, limit)
    with store.open("a", encoding="utf-8") as file:
        file.write(json.dumps(result) + "\n")
    return result


HEAD = (
    "| problem | rows | seed | tool | RMSE | coverage | seconds | MB |",
    "|---|---|---|---|---|---|---|---|",
)


def line(found: dict[str, object]) -> str:
    """One row of the table."""
    head = f"| {found['problem']} | {found['rows']} | {found['seed']} | {found['tool']} |"
    if "failed" in found:
        return f"{head} {found['failed']} | | | |"
    label = f" ({found['chosen']})" if "chosen" in found else ""
    coverage = "" if found["coverage"] is None else f"{found['coverage']:.3f}"
    cells = f"{found['rmse']:.4f}{label} | {coverage} | {found['seconds']:.1f}"
    return f"{head} {cells} | {found['megabytes']} |"


def mean_table(store: Path, n: int) -> Iterator[str]:
    """Mean error of each tool on each problem over the recorded draws of n rows."""
    results = [r for r in recorded(store).values() if r["rows"] == n]
    yield "| tool | " + " | ".join(PROBLEMS.split(",")) + " |"
    yield "|---" * (1 + len(PROBLEMS.split(","))) + "|"
    for tool in TOOLS:
        yield (
            f"| {tool} | " + " | ".join(_cell(results, tool, p) for p in PROBLEMS.split(",")) + " |"
        )


def _cell(results: list[dict[str, object]], tool: str, name: str) -> str:
    """Error, coverage, seconds, and how many draws; or why there is none."""
    own = [r for r in results if (r["tool"], r["problem"]) == (tool, name)]
    done = [r for r in own if "failed" not in r]
    if not done:
        return str(own[0]["failed"]) if own else ""
    rmse, seconds = (np.mean([r[key] for r in done]) for key in ("rmse", "seconds"))
    covered = [r["coverage"] for r in done if r["coverage"] is not None]
    coverage = f", {np.mean(covered):.3f}" if covered else ""
    return f"{rmse:.4f}{coverage} ({seconds:.0f} s, {len(done)})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", default=PROBLEMS)
    parser.add_argument("--rows", default="100000")
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--limit", type=int, default=120, help="processor seconds of every run")
    parser.add_argument("--minutes", type=float, default=1e9, help="start nothing after them")
    parser.add_argument("--store", type=Path, default=STORE)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sizes = list(map(int, options.rows.split(",")))
    if options.one:
        tool, name, *numbers = options.one.split(",")
        run_one(tool, name, *map(int, numbers))
    elif options.table:
        print(*(text for n in sizes for text in mean_table(options.store, n)), sep="\n")
    else:
        seeds = range(options.first_seed, options.first_seed + options.draws)
        runs = product(options.problems.split(","), sizes, seeds, options.tools.split(","))
        ends = time.monotonic() + 60.0 * options.minutes
        print(*HEAD, sep="\n", flush=True)
        for run in runs:
            if time.monotonic() < ends:
                print(line(recorded_or_run(options.store, *run, options.limit)), flush=True)


if __name__ == "__main__":
    main()
