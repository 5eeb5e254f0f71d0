"""What transformed responses are worth to auto: with them and without, on the same draws.

Only draws for which auto tries a transformation are fitted, each twice. Prints, for each problem,
the transformation, the ratio of the errors (RMSE and CRPS) with it and without, the difference of
the NLPD, the coverage of 95 % intervals before and after, and the weight of the transformed models.

    python perf/responses.py --first-seed 110 --seeds 2
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import numpy as np

from mastgp.auto.candidates import default_candidates
from mastgp.auto.responses import worth_trying
from mastgp.auto.trying import Trials
from mastgp.bench.experiments import experiment, find_problem
from mastgp.bench.protocol import Draw
from mastgp.check.scores import score
from mastgp.data.copies import without_copies
from mastgp.data.dataset import Dataset
from mastgp.gp.blends import blended
from mastgp.gp.responses import Logarithm, YeoJohnson
from mastgp.progress import listening, progress, report
from mastgp.threads import blas_threads
from study import SMALLER

GROUPS = {
    "two-fidelity": SMALLER,
    "three-fidelity": SMALLER,
    "extra": tuple(experiment("extra").problems),
}
TEST_SIZE = 500


def blend_scores(
    data: Dataset, draw: Draw, response: Logarithm | YeoJohnson | None
) -> dict[str, float]:
    """Scores of the blend that auto would make; also the weight of transformed models."""
    trials = Trials(data)
    trials.add(list(default_candidates(len(data.fidelities), response)))
    U = data.box.to_unit(draw.X_test)
    weights = trials.weights()
    blend = blended(weights, [entry.model.predictive_unit(U) for entry in trials.tried])
    of_transformed = sum(w for w, t in zip(weights, trials.tried, strict=True) if ":" in t.name)
    return {**score(draw.y_test, blend), "share": of_transformed}


def rows(seeds: range) -> Iterator[str]:
    todo = [(g, p, s) for g, problems in GROUPS.items() for p in problems for s in seeds]
    ratios = []
    for done, (group, problem, seed) in enumerate(todo):
        report("fitting with and without", done, len(todo))
        draw = experiment(group).draw(find_problem(problem), seed, "", TEST_SIZE)
        data = without_copies(
            Dataset.from_arrays(draw.X, draw.y, draw.fidelity, costs=draw.costs, bounds=draw.bounds)
        )
        with listening(None), blas_threads(0):
            response = worth_trying(data)
            if response is None:
                continue
            plain, both = (blend_scores(data, draw, r) for r in (None, response))
        ratios.append(both["rmse"] / plain["rmse"])
        yield (
            f"| {group} | {problem} | {seed} | {response.short} | {ratios[-1]:.3f} "
            f"| {both['crps'] / plain['crps']:.3f} | {both['nlpd'] - plain['nlpd']:+.2f} "
            f"| {plain['coverage95']:.2f} | {both['coverage95']:.2f} | {both['share']:.2f} |"
        )
    mean = np.exp(np.mean(np.log(ratios)))
    of = f"{len(ratios)} of {len(todo)} draws"
    yield f"\nGeometric mean of the RMSE ratio over {of}: {mean:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first-seed", type=int, default=110)
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    print("| table | problem | seed | response | RMSE | CRPS | NLPD | covered | after | weight |")
    print("|---" * 10 + "|")
    with progress(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in rows(range(options.first_seed, options.first_seed + options.seeds)):
            print(row, flush=True)


if __name__ == "__main__":
    main()
