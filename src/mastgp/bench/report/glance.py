"""The main figure: the RMSE ratio of every method on every row, as colours and numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...methods import METHODS
from ..experiments import BASELINE, EXPERIMENTS
from .cells import Cell, Key
from .figures import figure_file
from .marks import FEWEST_SEEDS, best
from .overview import geometric
from .tables import ordered

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Experiments of the figure, side by side.
GLANCED = ("two-fidelity", "three-fidelity", "extra")
#: The colours end where an error is so many times smaller or larger than the yardstick's.
_END = 4.0
#: Size of a cell, in inches.
_WIDTH, _HEIGHT = 0.33, 0.27


def glance(table: Mapping[Key, Cell], kind: str = "png") -> bytes | None:
    """The figure as svg or png; None without results of the main experiments."""
    from matplotlib.figure import Figure

    problems = {e: _problems(table, e) for e in GLANCED if _problems(table, e)}
    methods = _methods(table)
    if not problems or not methods:
        return None
    counts = [len(names) for names in problems.values()]
    size = (_WIDTH * sum(counts) + 1.9, _HEIGHT * len(methods) + 1.5)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(1, len(problems), squeeze=False, width_ratios=counts)[0]
    for panel, (name, where) in zip(panels, problems.items(), strict=True):
        _draw(panel, table, name, where, methods)
        panel.set_yticks(range(len(methods)))
        panel.set_yticklabels(methods if panel is panels[0] else [""] * len(methods))
    return figure_file(figure, kind, dpi=110)


def _problems(table: Mapping[Key, Cell], experiment: str) -> list[str]:
    present = {k.problem for k in table if (k.experiment, k.metric) == (experiment, "rmse")}
    return ordered(present, EXPERIMENTS[experiment].problems)


def _methods(table: Mapping[Key, Cell]) -> list[str]:
    """Methods with results, the smallest geometric mean of all their ratios first."""
    ratios: dict[str, list[float]] = {}
    for key, cell in table.items():
        if key.experiment in GLANCED and key.metric == "rmse" and key.method != BASELINE:
            ratios.setdefault(key.method, []).append(cell.mean)
    known = [m for m in ratios if m in METHODS and min(ratios[m]) > 0.0]
    return sorted(known, key=lambda m: geometric(ratios[m]))


def _draw(
    axes: Axes,
    table: Mapping[Key, Cell],
    name: str,
    problems: Sequence[str],
    methods: Sequence[str],
) -> None:
    """One experiment: a column per problem, a row per method; the best of a column is framed."""
    from matplotlib.patches import Rectangle

    shown = np.full((len(methods), len(problems)), math.nan)
    for j, problem in enumerate(problems):
        column = [table.get(Key(name, problem, m, "", "rmse")) for m in methods]
        for i, cell in enumerate(column):
            if cell:
                shown[i, j] = math.log(cell.mean)
                style = "normal" if cell.n >= FEWEST_SEEDS else "italic"
                text = f"{cell.mean:.2f}" if cell.mean < 9.95 else f"{cell.mean:.0f}"
                axes.text(j, i, text, ha="center", va="center", fontsize=6, style=style)
        for i in best(column, "rmse"):
            frame = Rectangle((j - 0.47, i - 0.47), 0.94, 0.94, fill=False, lw=1.3)
            axes.add_patch(frame)
    end = math.log(_END)
    axes.imshow(shown, cmap="RdBu_r", vmin=-end, vmax=end, aspect="auto", alpha=0.75)
    axes.set_xticks(range(len(problems)), problems, rotation=60, ha="right", fontsize=7)
    axes.tick_params(axis="y", labelsize=8, length=0)
    axes.set_title(name, fontsize=9)
