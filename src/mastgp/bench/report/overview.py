"""All methods at one glance: errors and honesty over the synthetic problems of an experiment.

Methods may have different seeds. So each is also compared with auto on the seeds that both have.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...methods import METHODS
from ..experiments import BASELINE
from ..real import REAL_PROBLEMS, VARIANTS
from .cells import Cell, Key
from .marks import common_seeds

#: The method that others are compared with.
YARDSTICK = "auto"


@dataclass(frozen=True)
class Standing:
    """How a method does on all synthetic problems of an experiment.

    Attributes
    ----------
    rmse, rmse_std : float
        Geometric mean over the problems of the RMSE ratio, and the standard deviation of the
        same over the seeds that all problems have.
    seeds : tuple of int
        Smallest and largest number of seeds of a problem.
    coverage : float
        Mean over the problems of the share of test points in their 95 % intervals.
    rmse_over_auto : float
        Geometric mean over the problems of the RMSE over that of auto, on common seeds.
    nlpd_over_auto : float
        Mean over the problems of the NLPD minus that of auto, on common seeds.
    """

    rmse: float
    rmse_std: float
    seeds: tuple[int, int]
    coverage: float
    rmse_over_auto: float
    nlpd_over_auto: float


def standings(table: Mapping[Key, Cell], experiment: str) -> dict[str, Standing]:
    """How the methods do that have results on all synthetic problems, the best first."""
    own = {
        (k.method, k.metric, k.problem): c
        for k, c in table.items()
        if k.experiment == experiment and k.problem not in (*REAL_PROBLEMS, *VARIANTS)
    }
    problems = sorted({problem for _, _, problem in own})
    methods = [m for m in METHODS if all((m, "rmse", p) in own for p in problems) and problems]
    found = {m: _standing(own, m, problems) for m in methods if m != BASELINE}
    return dict(sorted(found.items(), key=lambda item: item[1].rmse))


def _standing(
    own: Mapping[tuple[str, str, str], Cell], method: str, problems: Sequence[str]
) -> Standing:
    errors = [own[method, "rmse", p] for p in problems]
    coverages = [own.get((method, "coverage95", p)) for p in problems]
    pairs = {
        metric: [(own.get((method, metric, p)), own.get((YARDSTICK, metric, p))) for p in problems]
        for metric in ("rmse", "nlpd")
    }
    return Standing(
        geometric(cell.mean for cell in errors),
        _spread(errors),
        (min(cell.n for cell in errors), max(cell.n for cell in errors)),
        _mean(cell.mean if cell else math.nan for cell in coverages),
        geometric(a / b for a, b in _paired(pairs["rmse"])),
        _mean(a - b for a, b in _paired(pairs["nlpd"])),
    )


def _spread(errors: Sequence[Cell]) -> float:
    """Standard deviation over seeds of the geometric mean over problems; NaN where unknown."""
    seeds = common_seeds(errors)
    if len(seeds) < 2:
        return math.nan
    return float(np.std([geometric(c.by_seed[s] for c in errors) for s in seeds], ddof=1))


def _paired(cells: Iterable[tuple[Cell | None, Cell | None]]) -> list[tuple[float, float]]:
    """Means of pairs of cells over the seeds that both have; none if a pair has none in common."""
    found = []
    for a, b in cells:
        seeds = common_seeds([a, b]) if a and b else []
        if not (a and b and seeds):
            return []
        found.append(tuple(float(np.mean([c.by_seed[s] for s in seeds])) for c in (a, b)))
    return [(a, b) for a, b in found]


def geometric(values: Iterable[float]) -> float:
    """Geometric mean of positive numbers; NaN of none."""
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / len(known) if known else math.nan


_COLUMNS = ("seeds", "RMSE ratio", "over auto's", "coverage", "NLPD")


def overview_table(table: Mapping[Key, Cell], experiments: Sequence[str]) -> list[str]:
    """Standings of the methods in some experiments, as lines of a Markdown table."""
    columns = {e: found for e in experiments if (found := standings(table, e))}
    if not columns:
        return []
    methods = list(dict.fromkeys(m for found in columns.values() for m in found))
    short = {e: f", {e.partition('-')[0]}" if len(columns) > 1 else "" for e in columns}
    heads = [f"{name}{short[e]}" for e in columns for name in _COLUMNS]
    lines = ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for method in methods:
        texts = [t for found in columns.values() for t in _texts(found.get(method))]
        lines.append(f"| {method} | " + " | ".join(texts) + " |")
    return lines


def _texts(found: Standing | None) -> list[str]:
    if found is None:
        return [""] * len(_COLUMNS)
    low, high = found.seeds
    return [
        f"{low}" if low == high else f"{low} to {high}",
        f"{found.rmse:.3f}" + (f" ± {found.rmse_std:.3f}" if found.rmse_std > 0 else ""),
        _number(found.rmse_over_auto, ".2f"),
        _number(found.coverage, ".3f"),
        _number(found.nlpd_over_auto, "+.2f"),
    ]


def _number(value: float, how: str) -> str:
    return "" if math.isnan(value) else format(value, how)
