"""Figures of the sweeps: mean ratio over the setting, with a band, for every problem."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...methods import METHODS
from ..experiments import EXPERIMENTS, SYNTHETIC
from ..problems import problem
from ..protocol import TWO_FIDELITIES
from .cells import Cell, Key

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Colours that the colour-blind can tell apart.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000", "#999999")
#: Colour and line of each method: where the colours come again, the line is another one.
STYLES = tuple((colour, line) for line in ("-", "--", ":") for colour in COLOURS)
_X_LABELS = {
    "sweep-ratio": "share of the budget on expensive points",
    "sweep-budget": "budget, in multiples of 5 D",
    "sweep-discrepancy": "degradation d (real data: cost ratio C)",
}
#: Problems side by side in a figure.
_COLUMNS = 4
_METRICS = {"rmse": "RMSE ratio", "mean_pdf": "mean PDF ratio"}


def sweep_figures(table: Mapping[Key, Cell], kind: str = "svg") -> dict[str, bytes]:
    """One figure per sweep for which there are results, as svg or png."""
    figures = {}
    for name in EXPERIMENTS:
        if name.startswith("sweep") and any(k.experiment == name for k in table):
            figures[name] = _sweep(name, table, kind)
    return figures


def _sweep(name: str, table: Mapping[Key, Cell], kind: str) -> bytes:
    """The figure of a sweep: for every problem one panel per metric."""
    from matplotlib.figure import Figure

    keys = [k for k in table if k.experiment == name and k.metric == "rmse"]
    problems = _problems(name, {k.problem for k in keys})
    methods = [m for m in METHODS if any(k.method == m for k in keys)]
    columns = min(_COLUMNS, len(problems))
    blocks = -(-len(problems) // columns)
    figure = Figure(figsize=(3.0 * columns + 0.6, 4.9 * blocks + 0.5), layout="constrained")
    axes = figure.subplots(2 * blocks, columns, squeeze=False)
    for position in range(blocks * columns):
        block, column = divmod(position, columns)
        panels = axes[2 * block : 2 * block + 2, column]
        if position < len(problems):
            _draw_problem(panels, table, name, problems[position], methods, column == 0)
        else:
            for panel in panels:
                panel.set_axis_off()
    axes[0, 0].legend(fontsize=8)
    figure.supxlabel(_X_LABELS[name], fontsize=10)
    return figure_file(figure, kind)


def _problems(name: str, present: set[str]) -> list[str]:
    """Problems that have results: the experiment's own in their order, then others."""
    own = [p for p in EXPERIMENTS[name].problems if p in present]
    return own + sorted(present - set(own))


def figure_file(figure: Figure, kind: str, dpi: int = 65) -> bytes:
    """A figure as a file, the same bytes for the same figure."""
    from matplotlib import rc_context

    buffer = io.BytesIO()
    with rc_context({"svg.hashsalt": "mastgp"}):
        metadata = {"Date": None} if kind == "svg" else {}
        figure.savefig(buffer, format=kind, metadata=metadata, dpi=dpi)
    return _small(buffer) if kind == "png" else buffer.getvalue()


def _small(picture: io.BytesIO) -> bytes:
    """A PNG file of at most 128 colours, a third as large."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.open(picture).convert("RGB").quantize(128).save(buffer, "png", optimize=True)
    return buffer.getvalue()


def _draw_problem(
    panels: Any, table: Mapping[Key, Cell], name: str, p: str, methods: list[str], first: bool
) -> None:
    """Panels of one problem, one per metric below each other."""
    for panel, metric in zip(panels, _METRICS, strict=True):
        _draw(panel, table, name, p, metric, methods)
        if first:
            panel.set_ylabel(_METRICS[metric])
    panels[0].set_title(p, fontsize=10)
    if name == "sweep-discrepancy" and p in SYNTHETIC:
        _add_count_axis(panels[0], p)


def _draw(
    axes: Axes, table: Mapping[Key, Cell], name: str, p: str, metric: str, methods: list[str]
) -> None:
    """Mean of every method over the setting, with a band of two standard errors where known."""
    axes.axhline(1.0, color="#888888", linestyle=":", linewidth=1)
    for (colour, line), method in zip(STYLES, methods, strict=False):
        own = {
            float(k.setting): c
            for k, c in table.items()
            if (k.experiment, k.problem, k.method, k.metric) == (name, p, method, metric)
        }
        x = np.array(sorted(own))
        mean = np.array([own[v].mean for v in x])
        error = np.array([own[v].std / max(own[v].n, 1) ** 0.5 for v in x])
        axes.plot(x, mean, line, marker="o", markersize=3, color=colour, label=method)
        axes.fill_between(x, mean - 2 * error, mean + 2 * error, color=colour, alpha=0.2, lw=0)


def _add_count_axis(axes: Any, p: str) -> None:
    """A second x-axis: the number of cheap points, N_LF = 10 d N_HF."""
    n_high = TWO_FIDELITIES.counts(5 * problem(p).n_inputs)["high"]
    top = axes.secondary_xaxis(
        "top", functions=(lambda d: 10 * d * n_high, lambda n: n / (10 * n_high))
    )
    top.set_xlabel("cheap points", fontsize=8)
    top.tick_params(labelsize=7)
