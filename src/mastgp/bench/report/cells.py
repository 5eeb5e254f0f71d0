"""From units to cells of tables: ratios to the yardstick, paired per seed, then averaged."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...check.scores import PAPER_METRICS
from ..experiments import BASELINE, experiment
from ..version import code_of, version_of
from .paper import paper_value

#: What is reported as it is, beside the paper's ratios.
ABSOLUTE_METRICS = (
    "nlpd",
    "crps",
    "coverage50",
    "coverage80",
    "coverage95",
    "width95",
    "fit_seconds",
    "predict_seconds",
)


@dataclass(frozen=True)
class Key:
    """What a cell is about."""

    experiment: str
    problem: str
    method: str
    setting: str
    metric: str


@dataclass(frozen=True)
class Cell:
    """A number of a table, over seeds.

    Attributes
    ----------
    mean : float
    std : float
        Standard deviation over the seeds; NaN where it is unknown, as with one seed.
    n : int
        Number of seeds.
    by_seed : dict of seed to value
        Empty where only mean and standard deviation were recorded.
    paper, paper_std : float or None
        The paper's value.
    versions : frozenset of str
        Versions of the code of its method that computed it.
    recorded_differs : bool or None
        What :attr:`differs` was when the cell was recorded with all its digits.
    other_code : bool
        Whether other code computed some of it than most cells of its method in its experiment.
    """

    mean: float
    std: float
    n: int
    by_seed: Mapping[int, float] = field(default_factory=dict)
    paper: float | None = None
    paper_std: float | None = None
    versions: frozenset[str] = frozenset()
    recorded_differs: bool | None = None
    other_code: bool = False

    @property
    def differs(self) -> bool:
        """Whether ours and the paper's value lie more than two standard errors apart.

        The paper's standard error is that of its 25 seeds. Where our standard deviation is
        unknown, so is the answer, and nothing is marked.
        """
        if self.paper is None or np.isnan(self.std):
            return False
        if self.recorded_differs is not None:
            return self.recorded_differs
        variance = self.std**2 / max(self.n, 1) + (self.paper_std or 0.0) ** 2 / 25
        return bool(abs(self.mean - self.paper) > 2.0 * np.sqrt(variance))


def cells(records: Iterable[Mapping[str, Any]]) -> dict[Key, Cell]:
    """Summarise results: ratios of the paper's metrics, other metrics as they are."""
    good = [record for record in records if record["status"] == "ok"]
    yardsticks = {_place(r, r["setting"]): r for r in good if r["method"] == BASELINE}
    values: dict[Key, dict[int, float]] = defaultdict(dict)
    versions: dict[Key, set[str]] = defaultdict(set)
    for record in good:
        name, setting = record["experiment"], record["setting"]
        yardstick = yardsticks.get(_place(record, experiment(name).baseline_setting(setting)))
        for metric, value in _numbers(record, yardstick).items():
            key = Key(name, record["problem"], record["method"], setting, metric)
            values[key][record["seed"]] = value
            versions[key].add(version_of(record))
    return {key: _cell(key, by_seed, versions[key]) for key, by_seed in values.items()}


def marked(table: Mapping[Key, Cell]) -> dict[Key, Cell]:
    """Cells that say whether they come from other code than most of their method's."""
    seeds: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for key, cell in table.items():
        for version in cell.versions:
            seeds[key.experiment, key.method][code_of(version)] += cell.n
    most = {where: max(sorted(codes), key=codes.__getitem__) for where, codes in seeds.items()}
    return {
        key: replace(cell, other_code=True)
        if {code_of(v) for v in cell.versions} - {most.get((key.experiment, key.method))}
        else cell
        for key, cell in table.items()
    }


def _place(record: Mapping[str, Any], setting: str) -> tuple[Any, ...]:
    """What a result and its yardstick share."""
    return (record["experiment"], record["problem"], setting, record["seed"], record["test_size"])


def _numbers(record: Mapping[str, Any], yardstick: Mapping[str, Any] | None) -> dict[str, float]:
    """Numbers of one result by metric."""
    found = {m: record[m] for m in ABSOLUTE_METRICS if m in record}  # older ones lack some
    if yardstick is not None and record["method"] != BASELINE:
        for metric in PAPER_METRICS:
            found[metric] = record[metric] / yardstick[metric] if yardstick[metric] else np.nan
    return found


def _cell(key: Key, by_seed: Mapping[int, float], versions: Iterable[str]) -> Cell:
    ordered = {seed: by_seed[seed] for seed in sorted(by_seed)}
    values = np.array(list(ordered.values()))
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")
    where = (key.experiment, key.problem, key.method, key.setting, key.metric)
    paper, paper_std = paper_value(*where)
    return Cell(
        float(values.mean()), spread, len(values), ordered, paper, paper_std, frozenset(versions)
    )
