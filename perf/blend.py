"""How a blend's candidates should be weighted: a study of the rules behind `AutoSurrogate`.

Every candidate's held-out and test predictions are computed once, on draws of the `extra` problems
and of the paper's smaller ones, and kept in a folder (remove it when the candidates change). The
rules are then compared on them. Prints, for each group of problems, the geometric mean of the RMSE
ratio, the mean difference of the NLPD (both relative to a GP of the whole budget's expensive
points), the coverage of 95 % intervals and the lowest coverage of a problem; then how far each
candidate's held-out RMSE is from its true one. Candidates are auto's, and a few more.

    python perf/blend.py --first-seed 110 --seeds 3 --store blend-study
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.special import logsumexp, softmax

from mastgp.auto.candidates import Candidate, default_candidates
from mastgp.auto.trying import Trials
from mastgp.auto.weights import DRAWS, blend_weights
from mastgp.bench.experiments import experiment, find_problem
from mastgp.data.copies import without_copies
from mastgp.data.dataset import Dataset
from mastgp.files import atomic_write
from mastgp.models import FIRE, CoKriging
from mastgp.progress import listening, progress, report
from mastgp.surrogates import GP
from mastgp.threads import blas_threads
from study import SMALLER, yardstick

TEST_SIZE = 500
GROUPS = {
    "two-fidelity": SMALLER,
    "three-fidelity": SMALLER,
    "extra": tuple(experiment("extra").problems),
}
#: Further candidates, which auto has not.
MORE = (
    Candidate("ar1", CoKriging(warp=None)),
    Candidate("shared-bias, matern", CoKriging(structure="shared-bias", kernel="matern52")),
    Candidate("top only", CoKriging(structure="top-only", warp=None)),
    Candidate("top only, matern", CoKriging(structure="top-only", kernel="matern52", warp=None)),
    Candidate("fire, matern", FIRE(surrogate=GP(kernel="matern52"))),
)


@dataclass(frozen=True)
class Draw:
    """One data set: what each candidate predicted, and the truth. Candidates are rows."""

    names: np.ndarray
    y: np.ndarray
    held_mean: np.ndarray
    held_log_density: np.ndarray
    y_test: np.ndarray
    mean: np.ndarray
    log_density: np.ndarray
    below: np.ndarray  # predicted probability of less than the truth
    yardstick: np.ndarray  # RMSE and NLPD of the single-fidelity GP

    def only(self, keep: np.ndarray) -> Draw:
        """The same with some of the candidates."""
        rows = {"names", "held_mean", "held_log_density", "mean", "log_density", "below"}
        return Draw(**{k: v[keep] if k in rows else v for k, v in asdict(self).items()})


Rule = Callable[[Draw], np.ndarray]


def compute(group: str, problem: str, seed: int) -> Draw:
    """Fit and check every candidate."""
    draw = experiment(group).draw(find_problem(problem), seed, "", TEST_SIZE)
    reached = yardstick(draw)
    data = without_copies(
        Dataset.from_arrays(draw.X, draw.y, draw.fidelity, costs=draw.costs, bounds=draw.bounds)
    )
    trials = Trials(data)
    trials.add([*default_candidates(len(data.fidelities)), *MORE])
    predicted = [t.model.distribution_unit(data.box.to_unit(draw.X_test)) for t in trials.tried]
    return Draw(
        names=np.array([t.name for t in trials.tried]),
        y=data.top.y,
        held_mean=np.array([t.checked.mean for t in trials.tried]),
        held_log_density=np.array([t.checked.log_density for t in trials.tried]),
        y_test=draw.y_test,
        mean=np.array([p.mean for p in predicted]),
        log_density=np.array([p.log_density(draw.y_test) for p in predicted]),
        below=np.array([p.cdf(draw.y_test) for p in predicted]),
        yardstick=np.array([reached["rmse"], reached["nlpd"]]),
    )


def stored(store: Path, group: str, problem: str, seed: int) -> Draw:
    """A draw, from the folder if it has been computed before."""
    path = store / f"{group}-{problem}-{seed}.npz"
    if not path.exists():
        with warnings.catch_warnings(), blas_threads(0), listening(None):
            warnings.simplefilter("ignore")
            found = compute(group, problem, seed)
        with atomic_write(path) as file:
            np.savez(file, **asdict(found))
    with np.load(path) as arrays:
        return Draw(**arrays)


def usable(draw: Draw) -> np.ndarray:
    """Log densities (points, candidates) of the points that every candidate predicted."""
    table = draw.held_log_density.T
    return table[np.isfinite(table).all(axis=1)]


def by_densities(temper: float) -> Rule:
    return lambda draw: blend_weights(usable(draw), temper=temper)


def by_errors(temper: float) -> Rule:
    """The rule before: normal errors of each candidate's own size."""

    def weights(draw: Draw) -> np.ndarray:
        errors = ((draw.held_mean - draw.y) ** 2).T
        errors = errors[np.isfinite(errors).all(axis=1)]
        shares = np.random.default_rng(0).dirichlet(np.ones(len(errors)), DRAWS)
        likelihood = -0.5 * len(errors) * np.log(shares @ errors + 1e-12 * errors.mean())
        return softmax(temper * likelihood, axis=1).mean(axis=0)

    return weights


def stacking(pseudo_points: float) -> Rule:
    """Weights of the largest held-out density of the mixture, with a Dirichlet prior."""

    def weights(draw: Draw) -> np.ndarray:
        densities = usable(draw)
        likelihood = np.exp(densities - densities.max(axis=1, keepdims=True))
        n, k = densities.shape
        w = np.full(k, 1.0 / k)
        for _ in range(300):
            shares = w * likelihood
            shares /= shares.sum(axis=1, keepdims=True)
            w = (shares.sum(axis=0) + pseudo_points / k) / (n + pseudo_points)
        return w

    return weights


def plain_mean(draw: Draw) -> np.ndarray:
    return np.full(len(draw.names), 1.0 / len(draw.names))


RULES: dict[str, Rule] = {
    "densities, counting by 1": by_densities(1.0),
    "densities, counting by 0.5: the rule": by_densities(0.5),
    "densities, counting by 0.3": by_densities(0.3),
    "stacking of densities": stacking(0.0),
    "stacking with a prior of one point": stacking(1.0),
    "errors, counting by 0.3": by_errors(0.3),
    "errors, counting by 0.5": by_errors(0.5),
    "plain mean": plain_mean,
}


def of_auto(draw: Draw) -> np.ndarray:
    return ~np.isin(draw.names, [candidate.name for candidate in MORE])


def scores(draw: Draw, weights: np.ndarray) -> np.ndarray:
    """RMSE ratio, difference of the NLPD, coverage."""
    rmse = np.sqrt(np.mean((weights @ draw.mean - draw.y_test) ** 2))
    log_weights = np.log(np.maximum(weights, 1e-300))[:, None]
    nlpd = -np.mean(np.maximum(logsumexp(log_weights + draw.log_density, axis=0), -700.0))
    covered = np.mean(np.abs(weights @ draw.below - 0.5) <= 0.475)
    return np.array([rmse / draw.yardstick[0], nlpd - draw.yardstick[1], covered])


def cell(draws: dict[str, list[Draw]], rule: Rule, keep: Callable[[Draw], np.ndarray]) -> str:
    """A rule's scores on the draws of a group of problems."""
    table, lowest = [], 1.0
    for of_problem in draws.values():
        rows = [scores(part, rule(part)) for part in (d.only(keep(d)) for d in of_problem)]
        lowest = min(lowest, float(np.mean([row[2] for row in rows])))
        table += rows
    ratio, nlpd, covered = np.array(table).T
    error = np.exp(np.mean(np.log(ratio)))
    return f"{error:.3f}, {nlpd.mean():.2f}, {covered.mean():.3f}, {lowest:.2f}"


def everything(draw: Draw) -> np.ndarray:
    return np.ones(len(draw.names), dtype=bool)


def rows(groups: dict[str, dict[str, list[Draw]]]) -> Iterator[str]:
    """The table of rules, then of candidates."""
    yield "| rule | " + " | ".join(groups) + " |"
    yield "|---" * (len(groups) + 1) + "|"
    for name, rule in RULES.items():
        yield f"| {name} | " + " | ".join(cell(d, rule, of_auto) for d in groups.values()) + " |"
    wide = [
        cell(d, RULES["densities, counting by 0.5: the rule"], everything) for d in groups.values()
    ]
    yield "| the rule, more candidates | " + " | ".join(wide) + " |"
    yield ""
    yield "Held-out over true RMSE, geometric mean:"
    every = (draw for draws in groups.values() for drawn in draws.values() for draw in drawn)
    for name in dict.fromkeys(name for draw in every for name in draw.names):
        yield f"| {name} | " + " | ".join(optimism(d, name) for d in groups.values()) + " |"


def optimism(draws: dict[str, list[Draw]], name: str) -> str:
    """Ratio of a candidate's held-out error to its true one."""
    ratios = []
    for draw in (d for of_problem in draws.values() for d in of_problem):
        for i in np.flatnonzero(draw.names == name):
            held = np.sqrt(np.nanmean((draw.held_mean[i] - draw.y) ** 2))
            ratios.append(held / np.sqrt(np.mean((draw.mean[i] - draw.y_test) ** 2)))
    return f"{np.exp(np.mean(np.log(ratios))):.2f}" if ratios else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first-seed", type=int, default=110)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--store", type=Path, default=Path("blend-study"))
    options = parser.parse_args()
    options.store.mkdir(parents=True, exist_ok=True)
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    todo = [(g, p, s) for g, problems in GROUPS.items() for p in problems for s in seeds]
    groups: dict[str, dict[str, list[Draw]]] = {group: {} for group in GROUPS}
    with progress():
        for done, (group, problem, seed) in enumerate(todo):
            report("fitting candidates", done, len(todo))
            draw = stored(options.store, group, problem, seed)
            groups[group].setdefault(problem, []).append(draw)
    print("\n".join(rows(groups)))


if __name__ == "__main__":
    main()
