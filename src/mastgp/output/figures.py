"""Figures of a fitted model, for looking at and for reports.

Needs nothing but matplotlib, and no display: every function returns or draws on plain figures.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..check.heldout import HeldOut, held_out
from ..errors import DataError, FileError, listed
from ..files import atomic_write
from ..models.estimator import Z95, MultiFidelityRegressor
from ..models.single import expensive_alone

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase

Array = NDArray[np.float64]

#: Most slices drawn in one figure; beyond, the inputs with the most influence are chosen.
MAX_SLICES = 6
#: Points further from a slice than this, in the other inputs' scaled RMS, are not drawn on it.
NEAR_SLICE = 0.15
#: But this many of the nearest always are.
AT_LEAST_DRAWN = 5
#: Okabe and Ito's colours, which stay apart for colour-blind readers.
_BLUE, _ORANGE, _GREEN, _PURPLE, _GREY = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#666666"
_CHEAP_COLOURS = (_ORANGE, _GREEN, _PURPLE)


def plot_model(model: MultiFidelityRegressor, checked: HeldOut | None = None) -> Figure:
    """Draw everything worth a look on one page.

    Parameters
    ----------
    model : fitted estimator
    checked : HeldOut, optional
        Held-out predictions, where they are known already.

    Returns
    -------
    matplotlib Figure
    """
    slices = influential_inputs(model)
    columns = min(3, max(len(slices), 2))
    rows = math.ceil(len(slices) / columns)
    figure = _figure(columns, 1 + rows)
    top, below = figure.subfigures(2, 1, height_ratios=[1, rows], squeeze=False)[:, 0]
    if model.trusted_points():
        plot_parity(model, top.add_subplot(1, 2, 1), checked)
        plot_trust(model, top.add_subplot(1, 2, 2))
    else:
        plot_parity(model, top.add_subplot(), checked)
    _draw_slices(model, below, slices, rows, columns)
    figure.suptitle(_title(model), fontsize=11)
    return figure


def plot_parity(model: MultiFidelityRegressor, axes: Axes, checked: HeldOut | None = None) -> None:
    """Predicted against observed for expensive points that the model has not seen."""
    if model.training_data_.places(model.training_data_.top).max() < 1:
        axes.text(0.5, 0.5, "one expensive place:\nnothing to check with", ha="center", va="center")
        axes.set_axis_off()
        return
    checked = held_out(model) if checked is None else checked
    both = np.concatenate([checked.y, checked.mean])
    margin = 0.05 * (np.ptp(both) or 1.0)
    ends = [both.min() - margin, both.max() + margin]
    axes.plot(ends, ends, color=_GREY, linewidth=1)
    axes.errorbar(
        checked.y,
        checked.mean,
        yerr=Z95 * checked.std,
        fmt="o",
        color=_BLUE,
        ecolor=_BLUE,
        elinewidth=1,
        capsize=2,
        markersize=4,
    )
    n = len(checked.y)
    how = "leave-one-out" if checked.one_at_a_time else f"{checked.n_folds} folds"
    inside = round(checked.coverage95 * n)
    title = f"Held-out check ({how}): RMSE {checked.rmse:.3g}"
    if len(model.training_data_.cheaper):
        alone = held_out(expensive_alone(model.training_data_))
        title += f" (without the cheap data {alone.rmse:.3g})"
    axes.set_title(f"{title},\n{inside} of {n} inside their 95 % interval", fontsize=9)
    axes.set(xlim=ends, ylim=ends)  # a long error bar shall not squeeze the points
    axes.set_aspect("equal", adjustable="box")
    axes.set_xlabel(f"observed {_target(model)}")
    axes.set_ylabel(f"predicted {_target(model)}")


def plot_trust(model: MultiFidelityRegressor, axes: Axes) -> None:
    """Trust in each cheap point over its distance to the nearest expensive one."""
    for points, colour in zip(model.trusted_points(), _colours(model), strict=True):
        axes.scatter(
            points.nearest,
            points.trust,
            s=14,
            color=colour,
            alpha=0.7,
            label=points.name,
            linewidths=0,
        )
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlim(left=0.0)
    top = model.training_data_.top.name
    axes.set_xlabel(f"distance to the nearest {top} point (inputs scaled to 0-1)")
    axes.set_ylabel("trust W")
    axes.set_title(
        f"What each cheap point became: 0 = what the {top} points alone say,\n"
        "1 = its own value, corrected",
        fontsize=9,
    )
    axes.legend(fontsize=8, loc="lower right")


def plot_slice(model: MultiFidelityRegressor, axes: Axes, column: str, legend: bool = True) -> None:
    """Prediction along one input, the others at the median of the expensive points.

    Training points near the slice are drawn too, the fainter the further they lie from it.
    """
    data = model.training_data_
    i = data.feature_names.index(column)
    centre = np.median(data.top.X, axis=0)
    line = np.tile(centre, (201, 1))
    line[:, i] = np.linspace(data.box.low[i], data.box.high[i], 201)
    U = data.box.to_unit(line)
    mean = model.mean_unit(U)
    low, high = model.distribution_unit(U).interval(0.95)
    axes.fill_between(
        line[:, i],
        low,
        high,
        color=_BLUE,
        alpha=0.3,
        linewidth=0,
        label="95 % interval",
    )
    axes.plot(line[:, i], mean, color=_BLUE, linewidth=1.6, label="prediction")
    for (name, X, y), colour in zip(model.cheap_points(), _colours(model), strict=True):
        _scatter(axes, model, X, y, i, centre, colour, 14)
        axes.scatter([], [], s=14, color=colour, label=f"{name} *")
    _scatter(axes, model, data.top.X, data.top.y, i, centre, "black", 22)
    axes.scatter([], [], s=22, color="black", label=f"{data.top.name} *")
    axes.plot([], [], " ", label="* near this slice only")
    axes.set_xlabel(column)
    axes.set_ylabel(_target(model))
    others = [
        f"{name} = {value:.4g}"
        for name, value in zip(data.feature_names, centre, strict=True)
        if name != column
    ]
    shown = ", ".join(others[:3]) + (", ..." if len(others) > 3 else "")
    axes.set_title(f"at {shown}" if others else "prediction", fontsize=9)
    if legend:
        axes.legend(fontsize=7)


def _draw_slices(
    model: MultiFidelityRegressor, figure: FigureBase, names: list[str], rows: int, columns: int
) -> None:
    for i, name in enumerate(names):
        plot_slice(model, figure.add_subplot(rows, columns, i + 1), name, legend=i == 0)


def influential_inputs(model: MultiFidelityRegressor) -> list[str]:
    """Inputs worth a slice: those along which the prediction varies most, at most six."""
    data = model.training_data_
    centre = data.box.to_unit(np.median(data.top.X, axis=0)[None])
    swings = []
    for i, varies in enumerate(data.box.varies):
        line = np.tile(centre, (41, 1))
        line[:, i] = np.linspace(0.0, 1.0, 41)
        swings.append(np.ptp(model.mean_unit(line)) if varies else -1.0)
    strongest = np.argsort(swings)[::-1][:MAX_SLICES]
    names = [data.feature_names[i] for i in sorted(strongest) if data.box.varies[i]]
    return names or list(data.feature_names[:1])


def draw(model: MultiFidelityRegressor, kind: str = "all") -> Figure:
    """Draw one kind of figure: ``all``, ``parity``, ``slices`` or ``trust``."""
    if kind == "all":
        return plot_model(model)
    if kind == "trust" and not model.trusted_points():
        raise DataError("only MAST models of several fidelities have trust weights to draw")
    if kind == "slices":
        names = influential_inputs(model)
        columns = min(3, len(names))
        rows = math.ceil(len(names) / columns)
        figure = _figure(columns, rows)
        _draw_slices(model, figure, names, rows, columns)
        return figure
    single: dict[str, Any] = {"parity": plot_parity, "trust": plot_trust}
    if kind not in single:
        raise DataError(f"unknown kind {kind!r}; choose one of 'all', 'slices', {listed(single)}")
    figure = _figure(1, 1)
    single[kind](model, figure.add_subplot())
    return figure


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure; its format is the file's ending (png, pdf, svg)."""
    suffix = Path(path).suffix.lower().lstrip(".") or "png"
    known = figure.canvas.get_supported_filetypes()
    if suffix not in known:
        raise FileError(f"cannot write {path}: use one of the endings {listed(sorted(known))}")
    with atomic_write(path) as file:
        figure.savefig(file, format=suffix, dpi=150)


def _figure(columns: int, rows: int) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(4.4 * columns, 3.4 * rows + 0.3), layout="constrained")


def _scatter(
    axes: Axes,
    model: MultiFidelityRegressor,
    X: Array,
    y: Array,
    i: int,
    centre: Array,
    colour: str,
    size: int,
) -> None:
    """Points near the slice through `centre` along input i, the fainter the further from it."""
    box = model.training_data_.box
    away = box.to_unit(X) - box.to_unit(centre[None])
    away[:, i] = 0.0
    distance = np.sqrt(np.mean(away**2, axis=1))
    cut = max(NEAR_SLICE, float(np.sort(distance)[:AT_LEAST_DRAWN][-1]))
    near = distance <= cut
    alpha = 1.0 - 0.8 * distance[near] / cut
    axes.scatter(X[near, i], y[near], s=size, color=colour, alpha=alpha, linewidths=0, zorder=3)


def _colours(model: MultiFidelityRegressor) -> list[str]:
    n_cheap = len(model.training_data_.cheaper)
    return [_CHEAP_COLOURS[i % len(_CHEAP_COLOURS)] for i in range(n_cheap)]


def _target(model: MultiFidelityRegressor) -> str:
    return model.target_name_ or "y"


def _title(model: MultiFidelityRegressor) -> str:
    counts = [f"{len(f.y)} {f.name}" for f in reversed(model.training_data_.fidelities)]
    return f"{model.label} surrogate of {_target(model)} from {' + '.join(counts)} points"
