"""What draws of the hyperparameters are worth, against their optimum and a long run of chains.

Prints, for each problem, structure and way, averages over seeds: RMSE relative to the optimum's,
negative log predictive density, CRPS (relative to the optimum's), coverage of 95 % intervals, and
what the draws cost: gradients (a value counts as half of one) and seconds of one core. The
expensive response is predicted on a test set free of noise.

    python perf/posterior.py --seeds 4 --long

Seeds start at 100: those below are kept for reports.
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
from scipy.special import erf

from mastgp.bench.experiments import experiment, find_problem
from mastgp.bench.protocol import Draw
from mastgp.check.scores import score
from mastgp.gp import GaussianProcess, Hyperparameters, blas_threads
from mastgp.gp import posterior as engine
from mastgp.gp.distributions import Mixture
from mastgp.gp.hmc import Chains
from mastgp.gp.laplace import Proposal, find_modes
from mastgp.gp.likelihood import Objective
from mastgp.gp.posterior import LogPosterior, sample_posterior, systematic
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
    """Weighted hyperparameters, and what they cost."""

    parameters: Sequence[Hyperparameters]
    weights: Array
    gradients: float = 0.0
    seconds: float = 0.0
    shape: float = math.nan
    worth: float = math.nan
    moved: float = 0.0


def optimum(process: GaussianProcess, seed: int) -> Sample:
    return Sample([process.parameters], np.ones(1))


def draws(process: GaussianProcess, seed: int, n_draws: int) -> Sample:
    objective, theta = _start(process)
    started = time.process_time()
    drawn = sample_posterior(objective, [theta], n_draws, seed)
    seconds, report = time.process_time() - started, drawn.report
    return Sample(
        drawn.parameters,
        drawn.weights,
        report.gradients + 0.5 * report.values,
        seconds,
        report.pareto_shape,
        report.effective_draws,
        float(report.method == "hamiltonian"),
    )


def importance(process: GaussianProcess, seed: int, n_draws: int) -> Sample:
    """Proposals about the modes with smoothed weights, never moved."""
    rng = np.random.default_rng(seed)
    started = time.process_time()
    density, proposal = _proposal(process)
    proposed = proposal.draw(MANY_PROPOSED, rng)
    values = np.array([density.value(point) for point in proposed])
    weights, shape = smooth_weights(values - proposal.log_density(proposed))
    kept = proposed[systematic(weights, n_draws, rng)]
    seconds = time.process_time() - started
    cost = density.gradients + 0.5 * density.values
    return _sample(process, density, kept, gradients=cost, seconds=seconds, shape=shape)


def long_run(process: GaussianProcess, seed: int) -> Sample:
    """Many trajectories from proposals at all modes."""
    rng = np.random.default_rng(seed)
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
    return Sample(parameters, counts / counts.sum(), **more)


def mixture(process: GaussianProcess, sample: Sample, X: Array) -> Mixture:
    """Prediction of the top group averaged over a sample."""
    predictions = [
        GaussianProcess(
            process.model, parameters, process._data, process.y_mean, process.y_scale
        ).predict(X, process.model.n_groups - 1)
        for parameters in sample.parameters
    ]
    means, variances = zip(*predictions, strict=True)
    return Mixture(sample.weights, np.array(means), np.array(variances))


def crps(predicted: Mixture, y: Array) -> float:
    """Continuous ranked probability score of mixtures of normals, in closed form.

    Grimit, Gneiting, Berrocal, Johnson (2006), QJRMS 132.
    """
    weights, means, variances = predicted.weights, predicted.means, predicted.variances
    accuracy = weights @ mean_distance(y - means, variances)
    between = np.zeros(len(y))
    for weight, mean, variance in zip(weights, means, variances, strict=True):
        between += weight * (weights @ mean_distance(mean - means, variance + variances))
    return float(np.mean(accuracy - 0.5 * between))


def mean_distance(shift: Array, variance: Array) -> Array:
    """Mean absolute value of normal variables."""
    std = np.sqrt(variance)
    z = shift / std
    return 2.0 * std * np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) + shift * erf(
        z / math.sqrt(2.0)
    )


def scores(draw: Draw, structure: str, ways: dict[str, Callable[..., Sample]], seed: int) -> Array:
    """Scores of every way on one draw, shape (n_ways, n_scores)."""
    model = CoKriging(draw.costs, bounds=draw.bounds, structure=structure)
    model.fit(draw.X, draw.y, fidelity=draw.fidelity)
    X = (draw.X_test - draw.bounds[:, 0]) / np.ptp(draw.bounds, axis=1)
    rows = []
    for way in ways.values():
        sample = way(model.process_, seed)
        predicted = mixture(model.process_, sample, X)
        mean, std = predicted.mean, np.sqrt(predicted.variance)
        reached = score(draw.y_test, mean, std, predicted)
        rows.append(
            [
                reached["rmse"],
                crps(predicted, draw.y_test),
                reached["nlpd"],
                reached["coverage95"],
                reached["coverage50"],
                sample.gradients,
                sample.seconds,
                sample.shape,
                sample.worth,
                sample.moved,
            ]
        )
    return np.array(rows)


def table_row(label: str, way: str, reached: Array, base: Array) -> str:
    """One row: `reached` and the optimum's `base` of shape (n, n_scores)."""
    ratio = np.exp(np.mean(np.log(reached[:, :2] / base[:, :2]), axis=0))
    rest = reached[:, 2:].mean(axis=0)
    figures = [f"{v:.3f}" for v in (*ratio, rest[0] - base[:, 2].mean(), *rest[1:3])]
    figures += [f"{rest[3]:.0f}", f"{rest[4]:.2f}", *(f"{v:.2f}" for v in rest[5:])]
    return f"| {label} | {way} | " + " | ".join(figures) + " |"


HEADER = (
    "| problem | way | RMSE | CRPS | NLPD − optimum's | coverage 95 | coverage 50 "
    "| gradients | seconds | k | effective | moved |\n" + "|---" * 12 + "|"
)


def study(seeds: range, problems: Sequence[str], ways: dict[str, Callable[..., Sample]]) -> None:
    """Print a table for each structure, and its averages."""
    for structure in STRUCTURES:
        print(f"\n{structure}, {len(seeds)} seeds from {seeds.start}\n\n{HEADER}")
        everything = []
        for group, names in GROUPS.items():
            for name in names:
                if problems and name not in problems:
                    continue
                draws_of = (
                    experiment(group).draw(find_problem(name), seed, "", TEST_SIZE)
                    for seed in seeds
                )
                cases = [
                    scores(draw, structure, ways, seed)
                    for seed, draw in zip(seeds, draws_of, strict=True)
                ]
                everything.append(np.array(cases))
                print_rows(name, ways, everything[-1])
        print_rows("all", ways, np.concatenate(everything))


def print_rows(label: str, ways: dict[str, Callable[..., Sample]], cases: Array) -> None:
    """Rows of all ways; `cases` has shape (n, n_ways, n_scores)."""
    for i, way in enumerate(ways):
        print(table_row(label, way, cases[:, i], cases[:, 0]), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--draws", type=int, default=engine.N_DRAWS)
    parser.add_argument("--problems", nargs="*", default=[])
    parser.add_argument("--long", action="store_true", help="a long run of chains too")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    ways: dict[str, Callable[..., Sample]] = {
        "optimum": optimum,
        "importance": partial(importance, n_draws=asked.draws),
        "draws": partial(draws, n_draws=asked.draws),
    }
    if asked.long:
        ways["long run"] = long_run
    with blas_threads(0):
        study(range(FIRST_SEED, FIRST_SEED + asked.seeds), asked.problems, ways)


if __name__ == "__main__":
    main()
