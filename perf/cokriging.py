"""What the choices behind co-kriging are worth: each is undone, and the error looked at.

Prints, for each variant, the geometric mean over problems of the RMSE relative to a GP of the whole
budget's expensive points, and the mean coverage of 95 % intervals: of `ar1` and `shared-bias`.

    python perf/cokriging.py --seeds 6
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

import numpy as np

from mastgp.bench.experiments import experiment, find_problem
from mastgp.bench.protocol import Draw
from mastgp.check.scores import score
from mastgp.data.dataset import Dataset
from mastgp.gp import Model, blas_threads
from mastgp.gp.priors import FACTOR_PRIOR, SCALE_PRIOR, WARP_PRIOR, LogNormal
from mastgp.models import cokriging, structures
from mastgp.models.cokriging import CoKriging
from mastgp.models.structures import JointModel, Traits
from study import SMALLER, TEST_SIZE, yardstick

#: Cheap data that are not unrelated to the expensive ones.
EXTRA = ("camel", "currin", "forrester", "front", "noisy", "opposite", "otl", "piston", "wing")
GROUPS = {"two-fidelity": SMALLER, "three-fidelity": SMALLER, "extra": EXTRA}
STRUCTURES = ("autoregressive", "shared-bias")


@contextmanager
def constant(name: str, value: object) -> Iterator[None]:
    """A constant of co-kriging set to another value."""
    home = structures if hasattr(structures, name) else cokriging
    with patch.object(home, name, value):
        yield


@contextmanager
def means(kind: str) -> Iterator[None]:
    """Other means of the levels."""
    original = JointModel.build

    def changed(self: JointModel, data: Dataset, traits: Traits) -> Model:
        return replace(original(self, data, traits), means=kind)

    with patch.object(JointModel, "build", changed):
        yield


VARIANTS = {
    "as it is": lambda: constant("FEW", structures.FEW),
    "means profiled": lambda: means("profiled"),
    "means never shared": lambda: means("own"),
    "factor ~ Normal(1, 1)": lambda: constant("EQUAL_LEVELS_PRIOR", FACTOR_PRIOR),
    "always one scale per level": lambda: constant("SAME_UNITS", 1.0),
    "warp as wide as MAST's": lambda: constant("WARP_PRIOR", WARP_PRIOR),
    "warp ~ LogNormal(0, 0.3)": lambda: constant("WARP_PRIOR", LogNormal(0.0, 0.3)),
    "warp ~ LogNormal(0, 0.1)": lambda: constant("WARP_PRIOR", LogNormal(0.0, 0.1)),
    "discrepancy's variance about 1": lambda: constant("DISCREPANCY_PRIOR", SCALE_PRIOR),
    "searches to the last digit": lambda: constant("TOLERANCE", None),
}


def scores(draw: Draw, structure: str) -> tuple[float, float]:
    """RMSE and coverage of one fit."""
    model = CoKriging(draw.costs, bounds=draw.bounds, structure=structure, inference="map")
    model.fit(draw.X, draw.y, fidelity=draw.fidelity)
    reached = score(draw.y_test, model.predict_distribution(draw.X_test))
    return reached["rmse"], reached["coverage95"]


def cell(problems: list[list[Draw]], yardsticks: list[float], structure: str) -> str:
    """Geometric mean of the RMSE ratio and mean coverage."""
    reached = np.array([np.mean([scores(t, structure) for t in cases], 0) for cases in problems])
    ratio = np.exp(np.mean(np.log(reached[:, 0] / yardsticks)))
    return f"{ratio:.3f}, {reached[:, 1].mean():.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=6)
    seeds = range(parser.parse_args().seeds)
    warnings.simplefilter("ignore")
    with blas_threads(0):
        draws = {
            group: [
                [experiment(group).draw(find_problem(name), seed, "", TEST_SIZE) for seed in seeds]
                for name in names
            ]
            for group, names in GROUPS.items()
        }
        yardsticks = {
            group: [float(np.mean([yardstick(t)["rmse"] for t in cases])) for cases in problems]
            for group, problems in draws.items()
        }
        print(
            "| variant: RMSE, coverage | "
            + " | ".join(f"{structure}, {group}" for structure in STRUCTURES for group in GROUPS)
            + " |"
        )
        print("|---" * (1 + len(GROUPS) * len(STRUCTURES)) + "|")
        for label, variant in VARIANTS.items():
            with variant():
                cells = [
                    cell(draws[group], yardsticks[group], structure)
                    for structure in STRUCTURES
                    for group in GROUPS
                ]
            print(f"| {label} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
