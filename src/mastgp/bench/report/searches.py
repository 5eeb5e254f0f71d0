"""Tables of searches: what each strategy had found at the end, and what it took to get there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ..searches import SEARCHES
from ..strategies import STRATEGIES
from .cells import Cell, Key
from .search_cells import RATIO
from .tables import Row, Table, ordered, seeds_note

_TITLES = {
    "regret_end": "regret of the recommended point at the end (smaller is better)",
    "regret_cost": "share of the budget after which the mean regret is at most that of hf-logei at "
    "the end (smaller is better)",
    "rmse_end": "RMSE at the end, in the response's units (smaller is better)",
    "rmse_end_ratio": "RMSE at the end over that of a Latin hypercube with the same model (below "
    "1 is better)",
}


def search_tables(table: Mapping[Key, Cell]) -> list[Table]:
    """All tables of searches for which there are results."""
    built = []
    for name, search in SEARCHES.items():
        for metric, title in _TITLES.items():
            keys = [k for k in table if (k.experiment, k.metric) == (name, metric)]
            if keys:
                built.append(_table(f"{name}: {title}", search.problems, keys, table))
    return built


def _table(
    title: str, problems: Sequence[str], keys: Sequence[Key], table: Mapping[Key, Cell]
) -> Table:
    name, metric = keys[0].experiment, keys[0].metric
    methods = ordered({k.method for k in keys}, list(STRATEGIES))
    rows: list[Row] = [
        (p, [table.get(Key(name, p, method, "", metric)) for method in methods])
        for p in ordered({k.problem for k in keys}, list(problems))
    ]
    notes = [f"Seeds: {seeds_note(methods, rows)}."]
    if metric.endswith(RATIO):
        notes += _geometric_note(methods, rows)
    return Table(title, methods, rows, metric, notes)


def _geometric_note(methods: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Geometric means over the problems, each with its number of problems."""
    shown = []
    for i, method in enumerate(methods):
        means = [cell.mean for _, row in rows if (cell := row[i])]
        if means:
            value = math.exp(sum(map(math.log, means)) / len(means))
            shown.append(f"{method} {value:.3f} ({len(means)})")
    return [f"Geometric mean of the rows, and how many: {', '.join(shown)}."]
