"""From searches to cells of tables: values at shares of the budget, and comparisons."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..searches import SEARCHES
from ..tasks import METRICS, SHARES, score_name
from ..version import version_of
from .cells import Cell, Key
from .marks import common_seeds

#: What is kept of a search besides its values at shares of the budget.
_END, RATIO, _COST, _SECONDS = "end", "end_ratio", "cost", "search_seconds"


def search_cells(records: Iterable[Mapping[str, Any]]) -> dict[Key, Cell]:
    """Cells of the searches among some results: values at shares of the budget, and at the end."""
    values: dict[Key, dict[int, float]] = defaultdict(dict)
    versions: dict[Key, set[str]] = defaultdict(set)
    for record in records:
        if record["status"] != "ok" or record["experiment"] not in SEARCHES:
            continue
        for metric, value in _numbers(record).items():
            key = Key(record["experiment"], record["problem"], record["method"], "", metric)
            values[key][record["seed"]] = value
            versions[key].add(version_of(record))
    found = {key: _cell(by_seed, versions[key]) for key, by_seed in values.items()}
    return {**found, **_compared(found)}


def _numbers(record: Mapping[str, Any]) -> dict[str, float]:
    """What a table or a figure shows of one search."""
    goal = SEARCHES[record["experiment"]].goal
    metric = METRICS[goal]
    names = [score_name(metric, share) for share in SHARES[goal]]
    found = {name: record[name] for name in names if name in record}
    return {**found, f"{metric}_{_END}": record[metric], _SECONDS: record[_SECONDS]}


def _cell(by_seed: Mapping[int, float], versions: Iterable[str] = ()) -> Cell:
    ordered_ = {seed: by_seed[seed] for seed in sorted(by_seed)}
    values = np.array(list(ordered_.values()))
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
    return Cell(float(values.mean()), spread, len(values), ordered_, versions=frozenset(versions))


def _compared(table: Mapping[Key, Cell]) -> dict[Key, Cell]:
    """What each strategy reached compared with the yardstick of its goal, on common seeds."""
    found = {}
    for key, cell in table.items():
        goal = SEARCHES[key.experiment].goal
        metric = METRICS[goal]
        yardstick = table.get(_with(key, method=yardstick_of(goal, key.method)))
        if key.metric != f"{metric}_{_END}" or yardstick is None:
            continue
        seeds = common_seeds([cell, yardstick])
        if seeds and goal == "accuracy":
            ratios = {seed: cell.by_seed[seed] / yardstick.by_seed[seed] for seed in seeds}
            found[_with(key, metric=f"{metric}_{RATIO}")] = _cell(ratios, cell.versions)
        elif seeds:
            aim = float(np.mean([yardstick.by_seed[seed] for seed in seeds]))
            share = _share_to_reach(table, key, seeds, aim)
            cost = Cell(share, math.nan, len(seeds), versions=cell.versions)
            found[_with(key, metric=f"{metric}_{_COST}")] = cost
    return found


def yardstick_of(goal: str, method: str) -> str:
    """With whom a strategy is compared: for accuracy a hypercube that is modelled alike.

    >>> yardstick_of("accuracy", "study-ar1")
    'lhs-ar1'
    """
    if goal == "optimum":
        return "hf-logei"
    return "lhs-ar1" if method.endswith("-ar1") else "lhs"


def _share_to_reach(table: Mapping[Key, Cell], key: Key, seeds: Sequence[int], aim: float) -> float:
    """The first share of the budget at which the mean over some seeds is at most a value."""
    goal = SEARCHES[key.experiment].goal
    for share in SHARES[goal]:
        cell = table.get(_with(key, metric=score_name(METRICS[goal], share)))
        if cell is None or not set(seeds) <= set(cell.by_seed):
            continue
        if np.mean([cell.by_seed[seed] for seed in seeds]) <= aim * (1.0 + 1e-9):
            return share / 100.0
    return math.inf


def _with(key: Key, *, method: str | None = None, metric: str | None = None) -> Key:
    return Key(key.experiment, key.problem, method or key.method, "", metric or key.metric)
