"""Speed of mastgp beside its peers, measured in one run on the same data.

    python perf/run.py                    print the tables
    python perf/run.py --output FILE      also write them as a Markdown page
    python perf/run.py --seeds 1 --sizes 500,1000    a shorter run

Fits run on one thread, the methods in turn for every data set, so that whatever else the machine
does falls on all of them. Times are medians over the seeds; what counts are the ratios.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from itertools import product
from pathlib import Path

import numpy as np
import torch
from threadpoolctl import threadpool_limits

import auto_times
import many_rows
import mastgp
import peers
from mastgp import MAST
from mastgp.bench import Draw, problem, synthetic_draw

PROBLEMS = ("branin", "hartmann3", "park1", "hartmann6", "levy", "borehole")
METHODS: dict[str, Callable[[Draw], object]] = {
    "mastgp MAST": lambda t: MAST(t.costs, bounds=t.bounds).fit(t.X, t.y, fidelity=t.fidelity),
    "MAST on BoTorch": peers.mast_on_botorch,
    "BoTorch MF-GP": peers.botorch_multifidelity,
    "SMT MFK": peers.smt_mfk,
}


def seconds(function: Callable[[], object]) -> float:
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def fit_times(seeds: int) -> list[str]:
    """Median fit times per problem, and ratios to mastgp."""
    lines = [
        "| problem | points | " + " | ".join(f"{name} (s)" for name in METHODS)
        + " | ratio, same pipeline | same predictions |",
        "|---" * (len(METHODS) + 4) + "|",
    ]  # fmt: skip
    ratios = []
    for name in PROBLEMS:
        draws = [synthetic_draw(problem(name), seed) for seed in range(seeds)]
        METHODS["mastgp MAST"](draws[0])  # nobody pays for imports
        times = {method: [] for method in METHODS}
        for draw in draws:
            for method, fit in METHODS.items():
                times[method].append(seconds(lambda fit=fit, draw=draw: fit(draw)))
        ours, *theirs = (float(np.median(values)) for values in times.values())
        per_seed = np.array(times["MAST on BoTorch"]) / np.array(times["mastgp MAST"])
        ratios.append(float(np.median(per_seed)))
        cells = " | ".join(f"{value:.3f}" for value in (ours, *theirs))
        agreement = rmse_ratio(draws[0])
        lines.append(
            f"| {name} | {len(draws[0].y)} | {cells} | {ratios[-1]:.1f} | {agreement:.3f} |"
        )
        print(lines[-1], flush=True)
    mean = float(np.exp(np.mean(np.log(ratios))))
    lines.append(f"\nGeometric mean of the ratios: **{mean:.1f}**.")
    print(lines[-1])
    return lines


def rmse_ratio(draw: Draw) -> float:
    """Test error here over test error on BoTorch, first seed."""
    ours = METHODS["mastgp MAST"](draw)
    theirs = peers.mast_on_botorch(draw)
    mean, _ = peers.posterior(theirs, ours.training_data_.box.to_unit(draw.X_test))
    errors = [np.sqrt(np.mean((m - draw.y_test) ** 2)) for m in (ours.predict(draw.X_test), mean)]
    return float(errors[0] / errors[1])


def scaling(sizes: list[int]) -> list[str]:
    """Time and memory of one fit, on all cores."""
    lines = ["| points | fit (s) | additional memory (MB) |", "|---|---|---|"]
    for n in sizes:
        script = str(Path(__file__).with_name("scale.py"))
        run = subprocess.run([sys.executable, script, str(n)], capture_output=True, check=True)
        result = json.loads(run.stdout)
        lines.append(f"| {n} | {result['seconds']:.1f} | {result['megabytes']:.0f} |")
        print(lines[-1], flush=True)
    return lines


def many(sizes: list[int], limit: int) -> list[str]:
    """One cheap level of Borehole, by our choice of tools, each alone, and other libraries."""
    lines = list(many_rows.HEAD)
    for n, tool in product(sizes, many_rows.TOOLS):
        draw = "borehole", n, many_rows.FIRST_SEED
        found = many_rows.recorded_or_run(many_rows.STORE, *draw, tool, limit)
        lines.append(many_rows.line(found))
        print(lines[-1], flush=True)
    return lines


def throughput() -> list[str]:
    """Predictions a second with 150 training points."""
    rng = np.random.default_rng(0)
    X = rng.random((150, 8))
    labels = np.where(np.arange(150) < 120, "low", "high")
    model = MAST({"low": 1, "high": 10}).fit(X, np.sin(X.sum(axis=1)), fidelity=labels)
    Q = np.clip(rng.random((1_000_000, 8)), X.min(axis=0), X.max(axis=0))
    rate = len(Q) / seconds(lambda: model.predict(Q, return_std=True))
    line = f"1,000,000 means and standard deviations in 8-D: **{rate:,.0f} points a second**."
    print(line)
    return [line]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--sizes", default="500,1000,2000,4000")
    parser.add_argument("--many", default="1000,4000,10000,100000,1000000")
    parser.add_argument("--limit", type=int, default=120, help="seconds of a run of many rows")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    with threadpool_limits(1):
        fits = fit_times(options.seeds)
        predictions = throughput()
    blends = auto_times.measured(3)
    sizes = scaling([int(n) for n in options.sizes.split(",")])
    rows = many([int(n) for n in options.many.split(",")], options.limit)
    if options.output:
        text = page(fits, blends, predictions, sizes, rows, options.seeds)
        options.output.write_text(text, encoding="utf-8")


def page(
    fits: list[str],
    blends: list[str],
    predictions: list[str],
    sizes: list[str],
    rows: list[str],
    seeds: int,
) -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in ("botorch", "torch", "smt", "numpy"))
    return "\n".join(
        [
            "# Performance",
            "",
            f"Written by `make perf` on {date.today()}: mastgp {mastgp.__version__}, {versions}.",
            "Absolute times are those of a small shared machine; the ratios are what to look at.",
            "",
            "## Fitting, one thread",
            "",
            f"The paper's two-fidelity problems, {seeds} seeds, medians. *Ratio* is the time of",
            "the same three-stage pipeline on BoTorch over ours, per seed, median; *same",
            "predictions* is our test error over BoTorch's on the first seed (1: same model).",
            "",
            *fits,
            "",
            "## Auto, with its check and verdict, one thread",
            "",
            "`perf/auto_times.py`: three seeds, medians, seconds of the processor. *Ratio* is",
            "the time of BoTorch's one model over that of auto, which fits ten or so.",
            "",
            *blends,
            "",
            "## Predicting, one thread, 150 training points",
            "",
            *predictions,
            "",
            "## Larger data, all cores",
            "",
            "Borehole (8-D), a tenth of the points expensive.",
            "",
            *sizes,
            "",
            "## Scale: very many rows of one response, one thread",
            "",
            "The cheap level of Borehole. Errors are over the standard deviation of the rows,",
            "seconds are those of the processor. `perf/many_rows.py` has the other problems, and",
            "results that `docs/results/many-rows.jsonl` has are not computed again.",
            "",
            *rows,
            "",
        ]
    )


if __name__ == "__main__":
    main()
