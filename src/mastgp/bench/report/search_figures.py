"""Figures of searches: what was found against what was spent, for every problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..searches import SEARCHES, Search
from ..strategies import STRATEGIES
from ..tasks import METRICS, SHARES, score_name
from .cells import Cell, Key
from .figures import STYLES, figure_file
from .tables import ordered

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMNS = 4
_LABELS = {"regret": "regret of the recommended point", "rmse": "RMSE"}
#: Where a panel ends: at this share of the largest mean.
_FLOOR = 1e-6
_TINY = 1e-300


def search_figures(table: Mapping[Key, Cell], kind: str = "svg") -> dict[str, bytes]:
    """One figure per search experiment for which there are results, as svg or png."""
    found = {}
    for name, search in SEARCHES.items():
        keys = [k for k in table if k.experiment == name and k.metric == _first(search)]
        if keys:
            found[name] = _figure(search, table, keys, kind)
    return found


def _first(search: Search) -> str:
    """A metric that every search of a goal has: its value at the end of the budget."""
    return score_name(METRICS[search.goal], 100)


def _figure(search: Search, table: Mapping[Key, Cell], keys: Sequence[Key], kind: str) -> bytes:
    from matplotlib.figure import Figure

    problems = ordered({k.problem for k in keys}, list(search.problems))
    methods = ordered({k.method for k in keys}, list(STRATEGIES))
    columns = min(_COLUMNS, len(problems))
    rows = -(-len(problems) // columns)
    figure = Figure(figsize=(3.1 * columns + 0.6, 2.6 * rows + 0.9), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel, problem in zip(panels, problems, strict=False):
        _draw(panel, search, table, problem, methods)
    for panel in panels[len(problems) :]:
        panel.set_axis_off()
    handles = {h.get_label(): h for p in panels for h in p.get_legend_handles_labels()[0]}
    figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=4, fontsize=8)
    figure.supxlabel("share of the budget that is spent", fontsize=9)
    figure.supylabel(_LABELS[METRICS[search.goal]], fontsize=9)
    return figure_file(figure, kind)


def _draw(
    axes: Axes, search: Search, table: Mapping[Key, Cell], problem: str, methods: Sequence[str]
) -> None:
    """Mean of every strategy over the share of the budget, with a band of two standard errors."""
    metric, styles = METRICS[search.goal], dict(zip(STRATEGIES, STYLES, strict=False))
    largest = 0.0
    for method in methods:
        own = {
            share / 100.0: cell
            for share in SHARES[search.goal]
            if (cell := table.get(Key(search.name, problem, method, "", score_name(metric, share))))
        }
        most = max((cell.n for cell in own.values()), default=0)
        x = np.array([share for share, cell in own.items() if cell.n == most])
        mean = np.array([own[share].mean for share in x])
        error = np.array([own[share].std / own[share].n ** 0.5 for share in x])
        largest = max(largest, float(mean.max(initial=0.0)))
        colour, line = styles[method]
        axes.plot(x, mean, line, color=colour, label=method, linewidth=1.4)
        high = mean + 2 * error
        low = mean**2 / np.maximum(high, _TINY)  # as far below as above, on a logarithmic axis
        axes.fill_between(x, low, high, color=colour, alpha=0.15, lw=0)
    axes.set_yscale("log")
    axes.set_ylim(bottom=max(_FLOOR * largest, _TINY))
    axes.set_title(problem, fontsize=9)
    axes.tick_params(labelsize=7)
