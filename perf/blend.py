"""How a blend's candidates should be weighted: a study of the rules behind `AutoSurrogate`.

Every candidate's held-out and test predictions are computed once, on draws of the `extra` problems
and of the paper's smaller ones, and kept in a folder (remove it when the candidates change); the
rules are then compared on them. Prints, for each group of problems, the geometric means of the RMSE
and of the mean density (both relative to a GP of the whole budget's expensive points), and the mean
coverage of 95 % intervals; then how far each candidate's held-out RMSE is from its true one. MAST's
variants, tried only where MAST is in the running, are left out.

    python perf/blend.py --seeds 4 --store blend-study
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.special import softmax
from scipy.stats import norm

from mastgp.auto.surrogate import _is_joint, _try_each, default_candidates
from mastgp.auto.weights import DRAWS, blend_weights
from mastgp.bench.experiments import experiment, find_problem
from mastgp.data.dataset import Dataset, without_copies
from mastgp.files import atomic_write
from mastgp.gp import blas_threads
from mastgp.gp.distributions import Mixture
from mastgp.progress import listening, progress, report
from study import SMALLER, TEST_SIZE, yardstick

GROUPS = {
    "extra": tuple(experiment("extra").problems),
    "two-fidelity": SMALLER,
    "three-fidelity": SMALLER,
}


@dataclass(frozen=True)
class Draw:
    """One data set: what each candidate predicted, and the truth. Candidates are rows."""

    names: np.ndarray
    joint: np.ndarray  # whether a joint GP
    log_posterior: np.ndarray  # NaN where it cannot be compared
    y: np.ndarray
    held_mean: np.ndarray
    held_std: np.ndarray
    y_test: np.ndarray
    mean: np.ndarray
    std: np.ndarray
    yardstick: np.ndarray  # RMSE and mean density of the single-fidelity GP

    def only(self, keep: np.ndarray) -> Draw:
        """The same with some of the candidates."""
        rows = {"names", "joint", "log_posterior", "held_mean", "held_std", "mean", "std"}
        return Draw(**{k: v[keep] if k in rows else v for k, v in asdict(self).items()})


Rule = Callable[[Draw], np.ndarray]


def compute(group: str, problem: str, seed: int) -> Draw:
    """Fit and check every candidate."""
    draw = experiment(group).draw(find_problem(problem), seed, "", TEST_SIZE)
    reached = yardstick(draw)
    data = without_copies(
        Dataset.from_arrays(draw.X, draw.y, draw.fidelity, costs=draw.costs, bounds=draw.bounds)
    )
    tried = _try_each(list(default_candidates(len(data.fidelities))), data)
    moments = [t.model.predict_unit(data.box.to_unit(draw.X_test)) for t in tried]
    joint = [_is_joint(t.model) for t in tried]
    return Draw(
        names=np.array([t.name for t in tried]),
        joint=np.array(joint),
        log_posterior=np.array(
            [t.model.log_posterior_ if j else np.nan for t, j in zip(tried, joint, strict=True)]
        ),
        y=data.top.y,
        held_mean=np.array([t.checked.mean for t in tried]),
        held_std=np.array([t.checked.std for t in tried]),
        y_test=draw.y_test,
        mean=np.array([mean for mean, _ in moments]),
        std=np.sqrt([var for _, var in moments]),
        yardstick=np.array([reached["rmse"], reached["mean_pdf"]]),
    )


def draws(store: Path, group: str, seeds: int) -> dict[str, list[Draw]]:
    """All draws of a group of problems, from the store where they are in it."""
    found: dict[str, list[Draw]] = {}
    wanted = [(problem, seed) for problem in GROUPS[group] for seed in range(seeds)]
    for done, (problem, seed) in enumerate(wanted):
        report(f"{group}: {problem}", done, len(wanted))
        file = store / f"{group}-{problem}-{seed}.npz"
        if not file.exists():
            with listening(None):
                draw = compute(group, problem, seed)
            with atomic_write(file) as stream:
                np.savez(stream, **asdict(draw))
        with np.load(file) as content:
            found.setdefault(problem, []).append(Draw(**content))
    return found


def errors_rule(temper: float, evidence: float) -> Rule:
    """Bayesian bootstrap of the likelihood of normal errors of each candidate's own size."""

    def weigh(draw: Draw) -> np.ndarray:
        errors = ((draw.held_mean - draw.y) ** 2).T
        prior = evidence * (draw.log_posterior - np.nanmax(draw.log_posterior))
        usable = np.isfinite(errors).all(axis=1)
        return blend_weights(errors[usable], np.nan_to_num(prior), temper=temper)

    return weigh


def held_out_density(draw: Draw) -> np.ndarray:
    """Log density of each held-out point under each candidate."""
    density = norm.logpdf(draw.y, draw.held_mean, draw.held_std).T
    return density[np.isfinite(density).all(axis=1)]


def density_rule(temper: float) -> Rule:
    """Pseudo-BMA with the Bayesian bootstrap, as in the textbook if `temper` is 1."""

    def weigh(draw: Draw) -> np.ndarray:
        density = held_out_density(draw)
        shares = np.random.default_rng(0).dirichlet(np.ones(len(density)), DRAWS)
        return softmax(temper * len(density) * (shares @ density), axis=1).mean(axis=0)

    return weigh


def stacking_rule(draw: Draw) -> np.ndarray:
    """Weights of the mixture that makes the held-out points most likely, found by EM."""
    density = held_out_density(draw)
    likelihood = np.exp(density - density.max(axis=1, keepdims=True))
    weights = np.full(density.shape[1], 1.0 / density.shape[1])
    for _ in range(500):
        shares = likelihood * weights
        weights = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)
    return weights


def plain_mean(draw: Draw) -> np.ndarray:
    """The same weight for all."""
    return np.full(len(draw.names), 1.0 / len(draw.names))


def best_in_truth(draw: Draw) -> np.ndarray:
    """All weight to the candidate of least error on the test points, which nobody knows."""
    errors = np.mean((draw.mean - draw.y_test) ** 2, axis=1)
    return (np.arange(len(errors)) == errors.argmin()).astype(float)


def scored(draw: Draw, rule: Rule) -> tuple[float, float, float]:
    """RMSE, mean density and coverage of the blend."""
    blend = Mixture(rule(draw), draw.mean, draw.std**2)
    inside = np.abs(blend.cdf(draw.y_test) - 0.5) <= 0.475
    rmse = np.sqrt(np.mean((blend.mean - draw.y_test) ** 2))
    return float(rmse), float(blend.density(draw.y_test).mean()), float(inside.mean())


def summary(problems: dict[str, list[Draw]], rule: Rule, keep: Callable[[Draw], Draw]) -> str:
    """Geometric means over the problems, and the mean coverage."""
    rows = []
    for cases in problems.values():
        reached = np.mean([scored(keep(draw), rule) for draw in cases], axis=0)
        single = np.mean([draw.yardstick for draw in cases], axis=0)
        rows.append([*np.log(reached[:2] / single), reached[2]])
    log_rmse, log_density, coverage = np.mean(rows, axis=0)
    return f"{np.exp(log_rmse):.3f}, {np.exp(log_density):.2f}, {coverage:.2f}"


def everything(draw: Draw) -> Draw:
    """All candidates."""
    return draw


def joint_only(draw: Draw) -> Draw:
    """The joint GPs."""
    return draw.only(draw.joint)


def without(word: str) -> Callable[[Draw], Draw]:
    """All candidates but those with a word in their name."""
    return lambda draw: draw.only(np.array([word not in name for name in draw.names]))


def alone(name: str) -> Callable[[Draw], Draw]:
    """One candidate."""
    return lambda draw: draw.only(draw.names == name)


def rules() -> Iterator[tuple[str, Rule, Callable[[Draw], Draw]]]:
    """What is compared."""
    yield "`ar1`, warped, alone", plain_mean, alone("ar1, warped")
    yield "`shared-bias`, warped, alone", plain_mean, alone("shared-bias, warped")
    yield "plain mean of the joint GPs", plain_mean, joint_only
    yield "plain mean of all", plain_mean, everything
    for temper in (1.0, 0.5):
        yield f"densities, counting by {temper:g}", density_rule(temper), everything
    yield "stacking of densities", stacking_rule, everything
    for temper in (1.0, 0.5, 0.3, 0.2):
        for evidence in (0.0, 0.05, 0.15):
            label = f"errors by {temper:g}, posterior by {evidence:g}"
            yield label, errors_rule(temper, evidence), everything
    chosen = errors_rule(0.3, 0.05)
    yield "errors by 0.3, posterior by 0.05, joint GPs only", chosen, joint_only
    for word in ("fire", "mast", "alone", "fading", "matern", "general"):
        yield f"… without {word}", chosen, without(word)
    yield "best in truth (nobody knows it)", best_in_truth, everything


def optimism(problems: dict[str, list[Draw]], name: str) -> str:
    """Held-out RMSE over test RMSE of a candidate, geometric mean over all draws."""
    ratios = []
    for draw in (d for cases in problems.values() for d in cases if name in d.names):
        one = draw.only(draw.names == name)
        held, true = (
            np.sqrt(np.nanmean((mean - y) ** 2))
            for mean, y in ((one.held_mean, one.y), (one.mean, one.y_test))
        )
        ratios.append(held / true)
    return f"{np.exp(np.mean(np.log(ratios))):.2f}" if ratios else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--store", type=Path, default=Path("blend-study"))
    options = parser.parse_args()
    options.store.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    with progress(), blas_threads(0):
        groups = {group: draws(options.store, group, options.seeds) for group in GROUPS}
    print("| rule: RMSE, density, coverage | " + " | ".join(GROUPS) + " |")
    print("|---" * (1 + len(GROUPS)) + "|")
    for label, rule, keep in rules():
        cells = [summary(problems, rule, keep) for problems in groups.values()]
        print(f"| {label} | " + " | ".join(cells) + " |", flush=True)
    print("\n| held-out RMSE / true RMSE | " + " | ".join(GROUPS) + " |")
    print("|---" * (1 + len(GROUPS)) + "|")
    for name in dict.fromkeys(
        n for cases in groups["three-fidelity"].values() for n in cases[0].names
    ):
        cells = [optimism(problems, name) for problems in groups.values()]
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
