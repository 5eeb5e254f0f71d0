"""Categorical inputs as such against encodings and other libraries.

    python perf/categories.py [--seeds 0-9] [--problems borehole,beam] [--methods ar1,smt]
    python perf/categories.py --table

Four problems of two fidelities with one to three categorical inputs, without noise, which all
methods are told. Every method sees the same draws. The score is the RMSE on 500 expensive points
over the spread of the response. Results are appended to docs/results/categories.jsonl, and units
that are there are not run again.
`--table` prints the table of docs/notes/categories.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import mastgp
from mastgp.bench.protocol import latin_hypercube, stream
from mastgp.data.dataset import Dataset
from mastgp.models import CoKriging, SingleFidelity
from mastgp.surrogates import GP

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "categories.jsonl"
COSTS = {"low": 0.1, "high": 1.0}
EXACT = {"low": 0.0, "high": 0.0}
N_TEST = 500


@dataclass(frozen=True)
class MixedProblem:
    """A response of numbers and categories, with a cheap version of it.

    `high` and `low` take a table of numbers (n, d), and for each category an array of level codes.
    """

    name: str
    bounds: dict[str, tuple[float, float]]
    levels: dict[str, tuple[str, ...]]
    high: Callable[..., np.ndarray]
    low: Callable[..., np.ndarray]
    n_high: int
    n_low: int

    def draw(self, n: int, seed: int, purpose: str) -> pd.DataFrame:
        """A Latin hypercube of the numbers; levels at random, each about as often."""
        rng = stream(self.name, len(self.bounds), seed, purpose)
        X = latin_hypercube(np.array(list(self.bounds.values())), n, rng)
        frame = pd.DataFrame(X, columns=list(self.bounds))
        for name, levels in self.levels.items():
            codes = rng.permutation(np.arange(n) % len(levels))
            frame[name] = np.array(levels)[codes]
        return frame

    def evaluate(self, frame: pd.DataFrame, fidelity: str) -> np.ndarray:
        codes = [
            frame[name].map({label: i for i, label in enumerate(levels)}).to_numpy()
            for name, levels in self.levels.items()
        ]
        numbers = frame[list(self.bounds)].to_numpy()
        return (self.high if fidelity == "high" else self.low)(numbers, *codes)


#: Levels of the two inputs of GP+'s mixed Borehole that are made categorical: uniform draws.
_RW = np.random.default_rng(1).uniform(0.05, 0.15, 5)
_LENGTH = np.random.default_rng(2).uniform(1120.0, 1680.0, 3)


def _borehole(X: np.ndarray, rw: np.ndarray, length: np.ndarray, a: float, b: float) -> np.ndarray:
    r, Tu, Hu, Tl, Hl, Kw = X.T
    rw, length = _RW[rw], _LENGTH[length]
    log = np.log(r / rw)
    return a * Tu * (Hu - Hl) / (log * (b + 2 * length * Tu / (log * rw**2 * Kw) + Tu / Tl))


BOREHOLE = MixedProblem(
    "mixed-borehole",
    {
        "r": (100.0, 50000.0),
        "Tu": (63070.0, 115600.0),
        "Hu": (990.0, 1110.0),
        "Tl": (63.1, 116.0),
        "Hl": (700.0, 820.0),
        "Kw": (9855.0, 12045.0),
    },
    {"rw": tuple("abcde"), "L": ("short", "middle", "long")},
    lambda X, rw, length: _borehole(X, rw, length, 2 * np.pi, 1.0),
    lambda X, rw, length: _borehole(X, rw, length, 5.0, 1.5),
    28,
    120,
)

#: Second moment of area over h^4 of six cross-sections, moduli (GPa) of four materials.
_SECTION = np.array([0.0833, 0.0491, 0.0449, 0.0633, 0.0373, 0.0167])
_MODULUS = np.array([69.0, 210.0, 114.0, 140.0])
_SHEAR = np.array([26.0, 80.0, 44.0, 5.0])


def _beam(X: np.ndarray, section: np.ndarray, material: np.ndarray, shear: float) -> np.ndarray:
    length, height, force = X.T
    area = 12.0 * _SECTION[section] * height**2
    bending = force * length**3 / (3.0 * _MODULUS[material] * _SECTION[section] * height**4)
    return np.log(bending + shear * force * length / (_SHEAR[material] * area))


BEAM = MixedProblem(
    "beam",
    {"length": (1.0, 2.0), "height": (0.1, 0.4), "force": (1.0, 5.0)},
    {
        "section": ("square", "circle", "tube", "box", "tee", "angle"),
        "material": ("aluminium", "steel", "titanium", "carbon"),
    },
    lambda X, section, material: _beam(X, section, material, 1.2),
    lambda X, section, material: _beam(X, section, material, 0.0) + 0.2 * X[:, 1] / 0.4,
    30,
    120,
)

_CATALYST = np.random.default_rng(3).random((12, 3))


def _yield(X: np.ndarray, catalyst: np.ndarray, bias: float) -> np.ndarray:
    temperature, pressure, hours = X.T
    best, width, rate = _CATALYST[catalyst].T
    bell = np.exp(-0.5 * ((temperature - 0.2 - 0.6 * best) / (0.15 + 0.25 * width)) ** 2)
    grown = 1.0 - np.exp(-(0.5 + 3.0 * rate) * hours * (0.3 + pressure))
    return 100.0 * bell * grown * (1.0 - 0.3 * bias * pressure) + 10.0 * bias * temperature


CATALYST = MixedProblem(
    "catalyst",
    {"temperature": (0.0, 1.0), "pressure": (0.0, 1.0), "hours": (0.1, 2.0)},
    {"catalyst": tuple(f"C{i}" for i in range(12))},
    lambda X, catalyst: _yield(X, catalyst, 0.0),
    lambda X, catalyst: _yield(X, catalyst, 1.0),
    36,
    150,
)


def _switches(X: np.ndarray, mode: np.ndarray, blade: np.ndarray, fluid: np.ndarray, bias: float):
    speed, angle = X.T
    gain = np.array([1.0, 1.6])[mode]
    shift = np.array([0.0, 0.35, -0.2])[blade]
    thick = np.array([1.0, 0.4, 0.7, 1.3])[fluid]
    lift = gain * np.sin(3.0 * (angle + shift)) * speed**thick
    return lift - bias * 0.4 * thick * speed + bias * 0.2 * np.cos(5.0 * angle)


SWITCHES = MixedProblem(
    "switches",
    {"speed": (0.2, 2.0), "angle": (-0.5, 1.0)},
    {
        "mode": ("eco", "boost"),
        "blade": ("flat", "bent", "twisted"),
        "fluid": ("air", "oil", "water", "argon"),
    },
    lambda X, *codes: _switches(X, *codes, bias=0.0),
    lambda X, *codes: _switches(X, *codes, bias=1.0),
    28,
    120,
)

PROBLEMS = {
    "borehole": BOREHOLE,
    "beam": BEAM,
    "catalyst": CATALYST,
    "switches": SWITCHES,
}


@dataclass(frozen=True)
class Draw:
    """The data of one seed: a frame of inputs per fidelity, and the test points."""

    problem: MixedProblem
    X: dict[str, pd.DataFrame]
    y: dict[str, np.ndarray]
    X_test: pd.DataFrame
    y_test: np.ndarray

    @classmethod
    def of(cls, problem: MixedProblem, seed: int) -> Draw:
        counts = {"low": problem.n_low, "high": problem.n_high}
        X = {name: problem.draw(n, seed, name) for name, n in counts.items()}
        y = {name: problem.evaluate(frame, name) for name, frame in X.items()}
        test = problem.draw(N_TEST, 0, "test")
        return cls(problem, X, y, test, problem.evaluate(test, "high"))

    def ordinal(self, frame: pd.DataFrame) -> np.ndarray:
        """Level codes as numbers."""
        coded = frame.copy()
        for name, levels in self.problem.levels.items():
            coded[name] = frame[name].map({label: i for i, label in enumerate(levels)})
        return coded.to_numpy(dtype=float)

    def one_hot(self, frame: pd.DataFrame) -> np.ndarray:
        """A column of zeros and ones for each level."""
        parts = [frame[list(self.problem.bounds)].to_numpy()]
        for name, levels in self.problem.levels.items():
            parts.append((frame[name].to_numpy()[:, None] == np.array(levels)).astype(float))
        return np.hstack(parts)


def ours(model, encode: str = "as such") -> Callable[[Draw], np.ndarray]:
    """Predictions of an estimator of the package, with categories as such or encoded."""

    def run(draw: Draw) -> np.ndarray:
        names = list(draw.problem.levels)
        if encode == "as such":
            tables = {name: (draw.X[name], draw.y[name]) for name in draw.X}
            data = Dataset.from_tables(tables, costs=COSTS, noise_std=EXACT, categorical=names)
            return model().fit_data(data).predict(draw.X_test)
        change = draw.ordinal if encode == "ordinal" else draw.one_hot
        tables = {name: (change(draw.X[name]), draw.y[name]) for name in draw.X}
        data = Dataset.from_tables(tables, costs=COSTS, noise_std=EXACT)
        return model().fit_data(data).predict(change(draw.X_test))

    return run


def smt_mfk(draw: Draw) -> np.ndarray:
    """SMT's MFK with a mixed design space, by its only kernel for this: continuous relaxation."""
    from smt.applications.mfk import MFK
    from smt.design_space import CategoricalVariable, DesignSpace, FloatVariable
    from smt.surrogate_models import MixIntKernelType

    space = DesignSpace(
        [FloatVariable(*limits) for limits in draw.problem.bounds.values()]
        + [CategoricalVariable(list(levels)) for levels in draw.problem.levels.values()]
    )
    model = MFK(
        design_space=space,
        categorical_kernel=MixIntKernelType.CONT_RELAX,
        hyper_opt="Cobyla",
        n_start=3,
        print_global=False,
    )
    for level, name in ((0, "low"), (None, "high")):
        model.set_training_values(draw.ordinal(draw.X[name]), draw.y[name][:, None], name=level)
    model.train()
    return model.predict_values(draw.ordinal(draw.X_test)).ravel()


def botorch_mixed(draw: Draw) -> np.ndarray:
    """BoTorch's MixedSingleTaskGP of the expensive points."""
    import torch
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import MixedSingleTaskGP
    from botorch.models.transforms.input import Normalize
    from botorch.models.transforms.outcome import Standardize
    from gpytorch.mlls import ExactMarginalLogLikelihood

    d, n_cat = len(draw.problem.bounds), len(draw.problem.levels)
    X = torch.as_tensor(draw.ordinal(draw.X["high"]))
    y = torch.as_tensor(draw.y["high"])[:, None]
    model = MixedSingleTaskGP(
        X,
        y,
        cat_dims=list(range(d, d + n_cat)),
        train_Yvar=torch.full_like(y, 1e-6 * float(y.var())),
        outcome_transform=Standardize(1),
        input_transform=Normalize(d + n_cat, indices=list(range(d))),
    )
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    with torch.no_grad():
        return model.posterior(torch.as_tensor(draw.ordinal(draw.X_test))).mean[:, 0].numpy()


METHODS: dict[str, Callable[[Draw], np.ndarray]] = {
    "ar1": ours(CoKriging),
    "ar1, exchangeable": ours(lambda: CoKriging(categories="exchangeable")),
    "ar1, one-hot": ours(CoKriging, "one-hot"),
    "ar1, ordinal": ours(CoKriging, "ordinal"),
    "mast": ours(mastgp.MAST),
    "mast, exchangeable": ours(lambda: mastgp.MAST(surrogate=GP(categories="exchangeable"))),
    "mast, one-hot": ours(mastgp.MAST, "one-hot"),
    "mast, ordinal": ours(mastgp.MAST, "ordinal"),
    "hf-only": ours(SingleFidelity),
    "hf-only, exchangeable": ours(lambda: SingleFidelity(surrogate=GP(categories="exchangeable"))),
    "hf-only, one-hot": ours(SingleFidelity, "one-hot"),
    "hf-only, ordinal": ours(SingleFidelity, "ordinal"),
    "auto": ours(mastgp.AutoSurrogate),
    "smt mfk": smt_mfk,
    "botorch mixed": botorch_mixed,
}


def score(problem: str, method: str, seed: int) -> dict:
    """Run one unit; a method that fails has no RMSE but a reason."""
    draw = Draw.of(PROBLEMS[problem], seed)
    started = time.perf_counter()
    unit = {"problem": problem, "method": method, "seed": seed}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            error = METHODS[method](draw) - draw.y_test
    except Exception as reason:
        return {**unit, "rmse": None, "reason": f"{type(reason).__name__}: {reason}"[:200]}
    rmse = float(np.sqrt(np.mean(error**2)) / np.std(draw.y_test))
    return {**unit, "rmse": rmse, "seconds": round(time.perf_counter() - started, 2)}


def read(path: Path) -> pd.DataFrame:
    """Results so far."""
    lines = path.read_text().splitlines() if path.exists() else []
    return pd.DataFrame(
        [json.loads(line) for line in lines],
        columns=["problem", "method", "seed", "rmse", "seconds", "reason"],
    )


def table(results: pd.DataFrame) -> str:
    """Geometric mean over the seeds of RMSE over spread, a row per method."""
    logs = results.assign(log=np.log(results.rmse.astype(float)))
    means = np.exp(logs.pivot_table(index="method", columns="problem", values="log"))
    means = means.reindex([m for m in METHODS if m in means.index])
    means = means[[p for p in PROBLEMS if p in means.columns]]
    means["all"] = np.exp(np.log(means).mean(axis=1))
    lines = ["| " + " | ".join(["", *means.columns]) + " |"]
    lines.append("|---" * (len(means.columns) + 1) + "|")
    for name, row in means.iterrows():
        lines.append("| " + " | ".join([str(name), *(f"{v:.3f}" for v in row)]) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0-9")
    parser.add_argument("--problems", default=",".join(PROBLEMS))
    parser.add_argument("--methods", default=";".join(METHODS), help="separated by semicolons")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--table", action="store_true", help="only print the table")
    options = parser.parse_args()
    first, _, last = options.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    done = set(read(options.out)[["problem", "method", "seed"]].itertuples(index=False, name=None))
    if not options.table:
        for seed in seeds:
            for problem in options.problems.split(","):
                for method in options.methods.split(";"):
                    if (problem, method, seed) not in done:
                        result = score(problem, method, seed)
                        with options.out.open("a") as file:
                            file.write(json.dumps(result) + "\n")
                        print(result, file=sys.stderr, flush=True)
    results = read(options.out)
    print(table(results[results.seed.isin(seeds)]))


if __name__ == "__main__":
    main()
