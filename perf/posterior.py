"""What draws of the hyperparameters are worth, against their optimum and a long run of chains.

Prints, for each problem, structure and way, averages over seeds: RMSE and CRPS relative to the
optimum's, the median difference of the negative log predictive density, coverage of 95 % intervals,
and what the draws cost: gradients (a value counts as half of one) and seconds of one core. The
optimum is that of ``CoKriging(inference="map")``, with its own priors. The draws are those of
``inference="bayes"``. The expensive response is predicted on a test set free of noise.

    python perf/posterior.py --first-seed 104 --seeds 4 --test-size 500

Seeds below 100 are kept for reports.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mastgp.bench.experiments import experiment, find_problem
from mastgp.bench.protocol import Draw
from mastgp.check.scores import score
from mastgp.gp import GaussianProcess, Hyperparameters, blas_threads
from mastgp.gp import posterior as engine
from mastgp.gp.distributions import Mixture
from mastgp.gp.hmc import Chains
from mastgp.gp.laplace import Proposal, find_modes
from mastgp.gp.likelihood import Objective
from mastgp.gp.posterior import LogPosterior, systematic
from mastgp.gp.psis import smooth_weights
from mastgp.models.cokriging import CoKriging
from study import SMALLER, TEST_SIZE

EXTRA = ("forrester", "currin", "unrelated", "noisy", "otl", "piston", "wing")
GROUPS = {"two-fidelity": SMALLER, "extra": EXTRA}
STRUCTURES = ("autoregressive", "top-only")
FIRST_SEED = 100
#: Points proposed when importance weights have to do alone.
MANY_PROPOSED = 192
#: Chains and trajectories of the reference, the first quarter of which is not kept.
LONG_CHAINS, LONG_TRAJECTORIES = 24, 40

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Weighted hyperparameters of a process, and what they cost."""

    process: GaussianProcess
    parameters: Sequence[Hyperparameters]
    weights: Array
    gradients: float = 0.0
    seconds: float = 0.0
    shape: float = math.nan
    worth: float = math.nan
    moved: float = 0.0


@dataclass(frozen=True)
class Fits:
    """One structure fitted to one draw of the data: at the optimum, and with draws."""

    optimum: CoKriging
    drawn: CoKriging
    seed: int


def optimum(fits: Fits) -> Sample:
    process = fits.optimum.process_
    return Sample(process, [process.parameters], np.ones(1))


def draws(fits: Fits) -> Sample:
    """What the estimator itself drew."""
    ensemble, report = fits.drawn.posterior_, fits.drawn.draw_report_
    return Sample(
        fits.drawn.process_,
        [process.parameters for process in ensemble.processes],
        ensemble.weights,
        report.gradients + 0.5 * report.values,
        report.seconds,
        math.nan if report.pareto_shape is None else report.pareto_shape,
        report.effective_draws,
        float(report.method == "hamiltonian"),
    )


def importance(fits: Fits, n_draws: int) -> Sample:
    """Proposals about the modes with smoothed weights, never moved."""
    process, rng = fits.drawn.process_, np.random.default_rng(fits.seed)
    started = time.process_time()
    density, proposal = _proposal(process)
    proposed = proposal.draw(MANY_PROPOSED, rng)
    values = np.array([density.value(point) for point in proposed])
    weights, shape = smooth_weights(values - proposal.log_density(proposed))
    kept = proposed[systematic(weights, n_draws, rng)]
    seconds = time.process_time() - started
    cost = density.gradients + 0.5 * density.values
    return _sample(process, density, kept, gradients=cost, seconds=seconds, shape=shape)


def long_run(fits: Fits) -> Sample:
    """Many trajectories from proposals at all modes."""
    process, rng = fits.drawn.process_, np.random.default_rng(fits.seed)
    started = time.process_time()
    density, proposal = _proposal(process)
    proposed = proposal.draw(LONG_CHAINS * 4, rng)
    values = np.array([density.value(point) for point in proposed])
    weights, _ = smooth_weights(values - proposal.log_density(proposed))
    starts = proposed[systematic(weights, LONG_CHAINS, rng)]
    roots = [mode.root for mode in proposal.modes]
    chains = Chains(density, starts, roots, proposal.owners(starts))
    kept = []
    for trajectory in range(LONG_TRAJECTORIES):
        chains.move(rng)
        if trajectory >= LONG_TRAJECTORIES // 4 and trajectory % 5 == 4:
            kept.append(chains.points)
    seconds = time.process_time() - started
    return _sample(
        process, density, np.concatenate(kept), gradients=density.gradients, seconds=seconds
    )


def _start(process: GaussianProcess) -> tuple[Objective, Array]:
    objective = Objective(process.model, process._data)
    return objective, objective.layout.pack(process.parameters)


def _proposal(process: GaussianProcess) -> tuple[LogPosterior, Proposal]:
    objective, theta = _start(process)
    density = LogPosterior(objective)
    guesses = engine._starts(objective, density, [theta])
    return density, Proposal(find_modes(density, guesses))


def _sample(
    process: GaussianProcess, density: LogPosterior, points: Array, **more: float
) -> Sample:
    layout = Objective(process.model, process._data).layout
    unique, counts = np.unique(points, axis=0, return_counts=True)
    parameters = [layout.unpack(density.theta(point)) for point in unique]
    return Sample(process, parameters, counts / counts.sum(), **more)


def mixture(sample: Sample, X: Array) -> Mixture:
    """Prediction of the top group averaged over a sample."""
    process = sample.process
    predictions = [
        GaussianProcess(
            process.model, parameters, process._data, process.y_mean, process.y_scale
        ).predict(X, process.model.n_groups - 1)
        for parameters in sample.parameters
    ]
    means, variances = zip(*predictions, strict=True)
    return Mixture(sample.weights, np.array(means), np.array(variances))


#: Ways to predict, by name.
Ways = dict[str, Callable[[Fits], Sample]]


def fits_of(draw: Draw, structure: str, seed: int, n_draws: int) -> Fits:
    """Both ways to infer, on one draw of the data."""
    fitted = {
        inference: CoKriging(
            draw.costs,
            bounds=draw.bounds,
            structure=structure,
            inference=inference,
            n_draws=n_draws,
            random_state=seed,
        ).fit(draw.X, draw.y, fidelity=draw.fidelity)
        for inference in ("map", "bayes")
    }
    return Fits(fitted["map"], fitted["bayes"], seed)


def scores(
    draw: Draw, structure: str, ways: Ways, seed: int, n_draws: int = engine.N_DRAWS
) -> Array:
    """Scores of every way on one draw, shape (n_ways, n_scores)."""
    fits = fits_of(draw, structure, seed, n_draws)
    X = (draw.X_test - draw.bounds[:, 0]) / np.ptp(draw.bounds, axis=1)
    rows = []
    for way in ways.values():
        sample = way(fits)
        reached = score(draw.y_test, mixture(sample, X))
        wanted = ("rmse", "crps", "nlpd", "coverage95", "coverage50")
        cost = (sample.gradients, sample.seconds, sample.shape, sample.worth, sample.moved)
        rows.append([*(reached[name] for name in wanted), *cost])
    return np.array(rows)


def table_row(label: str, way: str, reached: Array, base: Array) -> str:
    """One row: `reached` and the optimum's `base` of shape (n, n_scores)."""
    ratio = np.exp(np.mean(np.log(reached[:, :2] / base[:, :2]), axis=0))
    rest = reached[:, 2:].mean(axis=0)
    nlpd = np.median(reached[:, 2] - base[:, 2])
    figures = [f"{v:.3f}" for v in (*ratio, nlpd, *rest[1:3])]
    figures += [f"{rest[3]:.0f}", f"{rest[4]:.2f}", *(f"{v:.2f}" for v in rest[5:])]
    return f"| {label} | {way} | " + " | ".join(figures) + " |"


HEADER = (
    "| problem | way | RMSE | CRPS | median NLPD − optimum's | coverage 95 | coverage 50 "
    "| gradients | seconds | k | effective | moved |\n" + "|---" * 12 + "|"
)


def study(seeds: range, problems: Sequence[str], ways: Ways, n_draws: int, test_size: int) -> None:
    """Print a table for each structure, and its averages."""
    wanted = [(g, n) for g, names in GROUPS.items() for n in names if not problems or n in problems]
    for structure in STRUCTURES:
        print(f"\n{structure}, {len(seeds)} seeds from {seeds.start}\n\n{HEADER}")
        everything = []
        for group, name in wanted:
            cases = []
            for seed in seeds:
                draw = experiment(group).draw(find_problem(name), seed, "", test_size)
                cases.append(scores(draw, structure, ways, seed, n_draws))
            everything.append(np.array(cases))
            print_rows(name, ways, everything[-1])
        print_rows("all", ways, np.concatenate(everything))


def print_rows(label: str, ways: Ways, cases: Array) -> None:
    """Rows of all ways; `cases` has shape (n, n_ways, n_scores)."""
    for i, way in enumerate(ways):
        print(table_row(label, way, cases[:, i], cases[:, 0]), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--test-size", type=int, default=TEST_SIZE)
    parser.add_argument("--draws", type=int, default=engine.N_DRAWS)
    parser.add_argument("--problems", nargs="*", default=[])
    parser.add_argument("--importance", action="store_true", help="importance weights alone too")
    parser.add_argument("--long", action="store_true", help="a long run of chains too")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    ways: Ways = {"optimum": optimum, "draws": draws}
    if asked.importance:
        ways["importance"] = partial(importance, n_draws=asked.draws)
    if asked.long:
        ways["long run"] = long_run
    seeds = range(asked.first_seed, asked.first_seed + asked.seeds)
    with blas_threads(0):
        study(seeds, asked.problems, ways, asked.draws, asked.test_size)


if __name__ == "__main__":
    main()
