"""From units to cells of tables: ratios to the yardstick, paired per seed, then averaged."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..check.scores import PAPER_METRICS, SMALLER_IS_BETTER
from ..methods import METHODS
from .experiments import BASELINE, experiment

Array = NDArray[np.float64]
#: What is reported as it is, beside the paper's ratios.
ABSOLUTE_METRICS = (
    "nlpd",
    "coverage50",
    "coverage80",
    "coverage95",
    "width95",
    "fit_seconds",
    "predict_seconds",
)


@dataclass(frozen=True)
class Cell:
    """A number of a table, over seeds.

    Attributes
    ----------
    mean, std : float
    n : int
        Number of seeds.
    paper, paper_std : float or None
        The paper's value.
    values : tuple of float
        One per seed, in the order of the seeds.
    """

    mean: float
    std: float
    n: int
    values: tuple[float, ...] = ()
    paper: float | None = None
    paper_std: float | None = None

    @property
    def differs(self) -> bool:
        """Whether ours and the paper's value lie more than two standard errors apart.

        The paper's standard error is that of its 25 seeds.
        """
        if self.paper is None:
            return False
        variance = self.std**2 / max(self.n, 1) + (self.paper_std or 0.0) ** 2 / 25
        return abs(self.mean - self.paper) > 2.0 * float(np.sqrt(variance))


@dataclass(frozen=True)
class Key:
    """What a cell is about."""

    experiment: str
    problem: str
    method: str
    setting: str
    metric: str


def cells(records: Iterable[Mapping[str, Any]]) -> dict[Key, Cell]:
    """Summarise results: ratios of the paper's metrics, other metrics as they are."""
    good = [record for record in records if record["status"] == "ok"]
    baselines = {
        (r["experiment"], r["problem"], r["setting"], r["seed"], r["test_size"]): r
        for r in good
        if r["method"] == BASELINE
    }
    values: dict[Key, dict[int, float]] = defaultdict(dict)
    for record in good:
        name, setting = record["experiment"], record["setting"]
        yardstick = baselines.get(
            (
                name,
                record["problem"],
                experiment(name).baseline_setting(setting),
                record["seed"],
                record["test_size"],
            )
        )
        of = (name, record["problem"], record["method"], setting)
        for metric in ABSOLUTE_METRICS:
            if metric in record:  # files of older versions lack some
                values[Key(*of, metric)][record["seed"]] = record[metric]
        if yardstick is not None and record["method"] != BASELINE:
            for metric in PAPER_METRICS:
                ratio = record[metric] / yardstick[metric] if yardstick[metric] else np.nan
                values[Key(*of, metric)][record["seed"]] = ratio
    return {key: _cell(key, by_seed) for key, by_seed in values.items()}


def _cell(key: Key, by_seed: Mapping[int, float]) -> Cell:
    array = np.array([by_seed[seed] for seed in sorted(by_seed)])
    spread = float(np.std(array, ddof=1)) if len(array) > 1 else 0.0
    paper, paper_std = paper_value(key)
    return Cell(float(array.mean()), spread, len(array), tuple(array), paper, paper_std)


def is_better(metric: str, a: float, b: float) -> bool:
    """Whether a is a better value of a metric than b."""
    if metric.startswith("coverage"):
        share = float(metric.removeprefix("coverage")) / 100.0
        return abs(a - share) < abs(b - share)
    return a < b if metric in SMALLER_IS_BETTER else a > b


@cache
def _paper_table() -> dict[tuple[str, str, str, str, str], tuple[float, float | None]]:
    """The numbers of the paper's tables (Nasr, Elham and Sheikh, MAST)."""
    text = files(__package__).joinpath("paper.csv").read_text(encoding="utf-8")
    table = {}
    for row in csv.DictReader(text.splitlines()):
        key = (
            row["table"],
            row["fidelities"],
            row["problem"].lower(),
            row["method"],
            row["metric"],
        )
        std = float(row["std"]) if row["std"] else None
        table[key] = (float(row["mean"]), std)
    return table


_TABLES = {
    "two-fidelity": ("main", "2"),
    "three-fidelity": ("main", "3"),
    "icl": ("icl", "2"),
    "ablation-radius": ("ablation", "2"),
    "ablation-weight": ("ablation", "2"),
    "ablation-metric": ("ablation", "2"),
}


def paper_value(key: Key) -> tuple[float | None, float | None]:
    """The paper's mean and standard deviation of a cell, where it has one."""
    if key.experiment == "collocated":
        where = ("collocated", "3" if key.problem == "hoip" else "2")
    elif key.experiment in _TABLES:
        where = _TABLES[key.experiment]
    else:
        return None, None
    if key.experiment.startswith("ablation"):
        name: str | None = key.setting if key.method == "mast" else None
    else:
        name = METHODS[key.method].paper_name if key.method in METHODS else None
    if name is None:
        return None, None
    return _paper_table().get((*where, key.problem, name, key.metric), (None, None))


@dataclass(frozen=True)
class Robustness:
    """How a method fared over a sweep.

    Attributes
    ----------
    consistency : dict of metric to float
        Share of (problem, interior setting, seed) in which it beats the yardstick.
    worst : float
        Largest mean RMSE ratio over problems and settings.
    """

    consistency: dict[str, float]
    worst: float


def robustness(table: Mapping[Key, Cell], name: str, method: str) -> Robustness:
    """Consistency rates and worst case of a method in a sweep, as the paper defines them.

    In the allocation sweep both ends are anchors, not interior, and the worst case leaves out
    expensive shares of at most 0.2, where too few expensive points are left.
    """
    own = {k: c for k, c in table.items() if k.experiment == name and k.method == method}

    def interior(setting: str) -> bool:
        return name != "sweep-ratio" or 0.0 < float(setting) < 1.0

    rates = {}
    for metric in ("rmse", "mean_pdf"):
        values = [
            v
            for k, c in own.items()
            if k.metric == metric and interior(k.setting)
            for v in c.values
        ]
        wins = [is_better(metric, value, 1.0) for value in values]
        rates[metric] = float(np.mean(wins)) if wins else float("nan")
    errors = [
        c.mean
        for k, c in own.items()
        if k.metric == "rmse" and not (name == "sweep-ratio" and float(k.setting) <= 0.2)
    ]
    return Robustness(rates, max(errors, default=float("nan")))


def rank_correlation(table: Mapping[Key, Cell], metric: str = "rmse") -> tuple[float, int]:
    """Spearman correlation of our ablation cells with the paper's, and their number."""
    from scipy.stats import spearmanr

    pairs = [
        (cell.mean, cell.paper)
        for key, cell in table.items()
        if key.experiment.startswith("ablation") and key.metric == metric and cell.paper is not None
    ]
    if len(pairs) < 3:
        return float("nan"), len(pairs)
    ours, theirs = zip(*pairs, strict=True)
    return float(spearmanr(ours, theirs).statistic), len(pairs)
