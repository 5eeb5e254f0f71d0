"""Numbers that sum up many cells: geometric means, comparisons with auto, robustness."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..experiments import BASELINE
from ..real import REAL_PROBLEMS
from ..searches import SEARCHES
from ..units import latest
from .cells import Cell, Key, cells, marked
from .marks import common_seeds, is_better
from .search_cells import search_cells

#: What stands in place of a problem in the keys of summaries.
GEOMETRIC_MEAN = "geometric-mean"
OVER_AUTO = "over-auto"
BEATS = "beats-yardstick"
WORST = "worst"
SUMMARIES = (GEOMETRIC_MEAN, OVER_AUTO, BEATS, WORST)

#: Metrics that are summed up.
SUMMED = ("rmse", "mean_pdf")


@dataclass(frozen=True)
class Results:
    """Everything that tables are made of.

    Attributes
    ----------
    cells : dict of Key to Cell
    summaries : dict of Key to Cell
        Keys have one of :data:`SUMMARIES` as their problem; `n` is the number of cells behind it.
    notes : tuple of str
        Which seeds there are, and what failed.
    """

    cells: Mapping[Key, Cell]
    summaries: Mapping[Key, Cell]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, records: Iterable[Mapping[str, Any]]) -> Results:
        """Results of stored units."""
        records = list(latest(records).values())
        table = cells(record for record in records if record["experiment"] not in SEARCHES)
        both = marked({**table, **search_cells(records)})
        return cls(both, summarise(table), _notes(records))

    @property
    def versions(self) -> dict[str, list[str]]:
        """Versions of the code that computed the cells, by method."""
        found: dict[str, set[str]] = defaultdict(set)
        for key, cell in self.cells.items():
            found[key.method] |= cell.versions
        return {method: sorted(found[method]) for method in sorted(found)}

    @property
    def mixed(self) -> list[str]:
        """Methods whose cells in an experiment come from different code."""
        return sorted({key.method for key, cell in self.cells.items() if cell.other_code})


def _notes(records: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Which seeds there are, and what failed."""
    seeds = sorted({record["seed"] for record in records})
    failed = [record for record in records if record["status"] != "ok"]
    notes = [f"Seeds {seeds[0]} to {seeds[-1]}."] if seeds else ["No results yet."]
    if failed:
        first = failed[0]
        notes.append(
            f"{len(failed)} units failed or ran out of time, the first: {first['method']} on "
            f"{first['problem']}, seed {first['seed']}: {first['error']}"
        )
    return tuple(notes)


def summarise(table: Mapping[Key, Cell]) -> dict[Key, Cell]:
    """All summaries of a table of cells."""
    found: dict[Key, Cell] = {}
    ratios = [k for k in table if k.metric in SUMMED and k.method != BASELINE]
    for name, method, metric in dict.fromkeys((k.experiment, k.method, k.metric) for k in ratios):
        own = {k: table[k] for k in ratios if (k.experiment, k.metric) == (name, metric)}
        if name.startswith("sweep"):
            new = _robustness(name, method, metric, own)
        elif name.startswith("ablation"):
            continue
        else:
            new = _against_others(method, own)
        for what, cell in new.items():
            found[Key(name, what, method, "", metric)] = cell
    return found


def _against_others(method: str, own: Mapping[Key, Cell]) -> dict[str, Cell]:
    """Geometric mean of a method over the synthetic problems, and over that of auto."""
    synthetic = {(k.problem, k.method): c for k, c in own.items() if k.problem not in REAL_PROBLEMS}
    problems = {problem for problem, _ in synthetic}
    found = {}
    means = [c.mean for (_, m), c in synthetic.items() if m == method]
    if len(means) == len(problems) and means and min(means) > 0.0:
        found[GEOMETRIC_MEAN] = _summary(_geometric(means), len(means))
    pairs = [(synthetic.get((p, method)), synthetic.get((p, "auto"))) for p in problems]
    ratios = [_over(a, b) for a, b in pairs if a and b and method != "auto"]
    ratios = [ratio for ratio in ratios if ratio > 0.0]
    if ratios:
        found[OVER_AUTO] = _summary(_geometric(ratios), len(ratios))
    return found


def _over(cell: Cell, other: Cell) -> float:
    """Ratio of two cells' means over their common seeds; zero if they have none."""
    seeds = common_seeds([cell, other])
    if not seeds:
        return 0.0
    return sum(cell.by_seed[s] for s in seeds) / sum(other.by_seed[s] for s in seeds)


def _robustness(name: str, method: str, metric: str, own: Mapping[Key, Cell]) -> dict[str, Cell]:
    """How often a method beats the yardstick in a sweep, and its worst mean, as in the paper.

    In the allocation sweep both ends are anchors and not counted, and the worst case leaves out
    expensive shares of at most 0.2, where too few expensive points are left.
    """
    of_method = {k: c for k, c in own.items() if k.method == method}
    ratio = name == "sweep-ratio"
    interior = [c for k, c in of_method.items() if not ratio or 0.0 < float(k.setting) < 1.0]
    wins = [is_better(metric, value, 1.0) for c in interior for value in c.by_seed.values()]
    means = [c.mean for k, c in of_method.items() if not ratio or float(k.setting) > 0.2]
    found = {}
    if wins:
        found[BEATS] = _summary(sum(wins) / len(wins), len(wins))
    if metric == "rmse" and means:
        found[WORST] = _summary(max(means), len(means))
    return found


def _summary(value: float, n: int) -> Cell:
    return Cell(value, float("nan"), n)


def _geometric(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))
