"""How wide auto's blend should be: a study of the constants in `mastgp.auto.spread`.

Candidates are fitted once for each draw of the `extra` problems, of the paper's smaller ones with
two and three fidelities, and of some with 50 cheap and very few expensive points. Each rule then
sets the width of the blend. Prints, for each rule and group of problems, the mean difference of
the NLPD to that of the yardstick, the coverage of 95, 80 and 50 % intervals, and the lowest 95 %
coverage of a problem. Then whether the held-out check of the blend tells the truth: its RMSE over
that on the test points (geometric mean), and the 95 % coverage in the check and on the test points.

    python perf/spread.py --first-seed 100 --seeds 6
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator

import numpy as np

from mastgp.auto.spread import spread_factor, spread_without_each
from mastgp.auto.surrogate import AutoSurrogate
from mastgp.auto.trying import Trials
from mastgp.bench import problem, synthetic_draw
from mastgp.bench.experiments import experiment, find_problem
from mastgp.bench.protocol import Draw
from mastgp.data.copies import without_copies
from mastgp.data.dataset import Dataset
from mastgp.gp.blends import blended
from mastgp.progress import listening, progress, report
from mastgp.threads import blas_threads
from study import SMALLER, yardstick

TEST_SIZE = 500
FEW_POINTS = ("branin", "hartmann3", "ackley", "park1", "hartmann6", "borehole")
LEVELS = (0.95, 0.8, 0.5)

Rule = Callable[[np.ndarray], float]


def by(size: float, points: float, few: float) -> Rule:
    return lambda z: spread_factor(z, size, points, few)


THE_RULE = "**size 0.86, 8 points, few 0.5: the rule**"
RULES: dict[str, Rule] = {
    "as it is": lambda z: 1.0,
    "size 0.8, 10 points, few 0": by(0.8, 10.0, 0.0),
    "size 0.8, 10 points, few 1": by(0.8, 10.0, 1.0),
    "size 0.86, 4 points, few 0": by(0.86, 4.0, 0.0),
    "size 0.86, 8 points, few 0": by(0.86, 8.0, 0.0),
    THE_RULE: by(0.86, 8.0, 0.5),
    "size 0.86, 8 points, few 1": by(0.86, 8.0, 1.0),
    "size 0.86, 20 points, few 0.5": by(0.86, 20.0, 0.5),
    "size 0.9, 8 points, few 0.5": by(0.9, 8.0, 0.5),
    "never narrower": lambda z: max(1.0, spread_factor(z)),
}


def draws(seeds: range) -> Iterator[tuple[str, str, Draw]]:
    """Group, problem and data of every draw."""
    for seed in seeds:
        for group in ("two-fidelity", "three-fidelity", "extra"):
            names = experiment("extra").problems if group == "extra" else SMALLER
            for name in names:
                yield group, name, experiment(group).draw(find_problem(name), seed, "", TEST_SIZE)
        for count in (3, 4, 8):
            for name in FEW_POINTS:
                counts = {"low": 50, "high": count}
                draw = synthetic_draw(problem(name), seed, counts=counts, test_size=TEST_SIZE)
                yield f"{count} expensive", name, draw


def reached(draw: Draw) -> tuple[np.ndarray, list[float]]:
    """NLPD over the yardstick's, and coverages, of every rule: shape (rules, 1 + levels).

    Also the logarithm of held-out over true RMSE, and the coverage in the check.
    """
    data = without_copies(
        Dataset.from_arrays(draw.X, draw.y, draw.fidelity, costs=draw.costs, bounds=draw.bounds)
    )
    trials = Trials(data)
    trials.add(AutoSurrogate().candidates(data))
    U = data.box.to_unit(draw.X_test)
    members = [t.model.predictive_unit(U) for t in trials.tried]
    weights, z = trials.weights(), trials.residuals()
    reference = yardstick(draw)["nlpd"]
    rows = []
    for rule in RULES.values():
        blend = blended(weights, [member.dilated(rule(z)) for member in members])
        off_centre = np.abs(blend.cdf(draw.y_test) - 0.5)
        nlpd = -float(np.mean(blend.log_density(draw.y_test)))
        rows.append([nlpd - reference, *(np.mean(off_centre <= 0.5 * lev) for lev in LEVELS)])
    checked = trials.blend(spread_without_each(z, trials.groups))
    assert checked is not None
    true_error = np.sqrt(np.mean((blend.mean - draw.y_test) ** 2))
    held_out = [float(np.log(checked.rmse / true_error)), checked.coverage95]
    return np.array(rows), held_out


def cells(by_problem: dict[str, list[np.ndarray]], rule: int) -> str:
    """A rule's scores on a group."""
    rows = [table[rule] for tables in by_problem.values() for table in tables]
    lowest = min(float(np.mean([t[rule, 1] for t in tables])) for tables in by_problem.values())
    nlpd, *coverage = np.mean(rows, axis=0)
    return f"{nlpd:.3f}; " + ", ".join(f"{c:.3f}" for c in coverage) + f"; {lowest:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first-seed", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=6)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    groups: dict[str, dict[str, list[np.ndarray]]] = {}
    checks: dict[str, list[list[float]]] = {}
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    with progress(), blas_threads(0):
        for done, (group, name, draw) in enumerate(draws(seeds), start=1):
            with listening(None):
                table, held_out = reached(draw)
            checks.setdefault(group, []).append(held_out)
            groups.setdefault(group, {}).setdefault(name, []).append(table)
            report("fitting candidates", done, None)
    print("| rule | " + " | ".join(groups) + " |")
    print("|---" * (len(groups) + 1) + "|")
    for i, rule in enumerate(RULES):
        print(f"| {rule} | " + " | ".join(cells(group, i) for group in groups.values()) + " |")
    print("\n| group | held-out over true RMSE | coverage in the check | on test points |")
    print("|---|---|---|---|")
    for group, by_problem in groups.items():
        tables = [table for of_problem in by_problem.values() for table in of_problem]
        print(honesty(group, checks[group], tables))


def honesty(group: str, checks: list[list[float]], tables: list[np.ndarray]) -> str:
    """How a group's held-out checks compare with the truth."""
    ratio, in_check = np.nanmean(checks, axis=0)
    in_truth = np.mean([table[list(RULES).index(THE_RULE), 1] for table in tables])
    return f"| {group} | {np.exp(ratio):.2f} | {in_check:.3f} | {in_truth:.3f} |"


if __name__ == "__main__":
    main()
