"""Figures of a fitted model, for looking at and for reports.

Needs nothing but matplotlib, and no display: every function returns or draws on plain figures.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from ..check.heldout import HeldOut, held_out
from ..check.validation import ALONE, kept_check
from ..errors import DataError, FileError, listed, unknown
from ..files import atomic_write
from ..models.estimator import MultiFidelityRegressor
from ..models.targets import SeveralTargets, models_of
from ..models.transformed import alone_like
from .contours import plot_contour
from .levels import (
    centre_of,
    draw_curves,
    draw_values,
    is_discrete,
    set_scales,
    split_by,
    swing,
)
from .sheets import Panel, Sheet, drawn
from .titles import (
    TITLE_LETTERS,
    UPRIGHT_LETTERS,
    fixed_note,
    page_title,
    panel_title,
    target_with_unit,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

#: What can be drawn.
KINDS = ("all", "parity", "calibration", "slices", "contour", "trust")
#: From so many targets on, each has one row of a figure.
MANY_TARGETS = 3
#: Most slices drawn in one figure; beyond, the inputs with the most influence are chosen.
MAX_SLICES = 6
#: Points further from a slice than this, in the other inputs' scaled RMS, are not drawn on it.
NEAR_SLICE = 0.15
#: But this many of the nearest always are.
AT_LEAST_DRAWN = 5
#: Points of a curve.
_RESOLUTION = 201
#: What the stars in the legend of slices mean.
_STAR = "* measured near this slice, not on it;\n   paler = further away"
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
    return drawn([_sheet(model, _all_panels(model, checked), note=_note(model, "all"))])


def _all_panels(model: MultiFidelityRegressor, checked: HeldOut | None = None) -> list[Panel]:
    """Everything worth a look."""
    checked = _checked(model) if checked is None else checked
    panels: list[Panel] = [partial(plot_parity, model, checked=checked)]
    if checked is not None:
        panels.append(partial(plot_calibration, model, checked=checked))
    if model.trusted_points():
        panels.append(partial(plot_trust, model))
    if model.training_data_.box.varies.sum() > 1:
        panels.append(partial(plot_contour, model, brief=True))
    return [*panels, *_slices(model)]


def _row_panels(model: MultiFidelityRegressor) -> list[Panel]:
    """What is worth a look where there are many targets: as much as fits into a row."""
    checked = _checked(model)
    strongest = max(influential_inputs(model), key=lambda name: _swing_of(model, name))
    panels: list[Panel] = [
        partial(plot_parity, model, checked=checked),
        partial(plot_calibration, model, checked=checked),
        partial(plot_slice, model, column=strongest, legend=False),
    ]
    if model.training_data_.box.varies.sum() > 1:
        panels.append(partial(plot_contour, model, brief=True))
    return panels


def _swing_of(model: MultiFidelityRegressor, name: str) -> float:
    return swing(model, model.training_data_.feature_names.index(name))


def _sheet(
    model: MultiFidelityRegressor, panels: list[Panel], rows: int | None = None, note: str = ""
) -> Sheet:
    return Sheet(page_title(model), panels, note, rows)


def _note(model: MultiFidelityRegressor, kind: str) -> str:
    """What is said below a kind of figure: where inputs are, and which have no slice."""
    if kind not in ("all", "slices", "contour"):
        return ""
    left_out = int(model.training_data_.box.varies.sum()) - MAX_SLICES
    words = ""
    if left_out > 0 and kind != "contour":
        words = f" The {left_out} inputs that change the prediction least have no slice."
    return fixed_note(model) + words


def _slices(model: MultiFidelityRegressor) -> list[Panel]:
    """Slices along the inputs worth one; the page has the legend of them all."""
    return [
        partial(plot_slice, model, column=name, legend=False) for name in influential_inputs(model)
    ]


def plot_parity(model: MultiFidelityRegressor, axes: Axes, checked: HeldOut | None = None) -> None:
    """Predicted against observed for expensive points that the model has not seen."""
    checked = _checked(model) if checked is None else checked
    if checked is None:
        _say_nothing_to_check(axes)
        return
    ends = _ends(np.concatenate([checked.y, checked.mean]), model.is_logarithmic)
    axes.plot(ends, ends, color=_GREY, linewidth=1)
    _draw_intervals(axes, checked, ends)
    axes.set_title(_parity_title(model, checked), fontsize=9)
    if model.is_logarithmic:
        axes.set(xscale="log", yscale="log")
    axes.set(xlim=ends, ylim=ends)  # a long error bar shall not squeeze the points
    axes.set_aspect("equal", adjustable="box")
    axes.set_xlabel(wrapped(f"observed {target_with_unit(model)}"))
    axes.set_ylabel(wrapped(f"predicted {target_with_unit(model)}", UPRIGHT_LETTERS))


def _ends(values: Array, logarithmic: bool) -> tuple[float, float]:
    """Ends of an axis around some values."""
    scaled = np.log(values) if logarithmic else values
    margin = 0.05 * (np.ptp(scaled) or 1.0)
    ends = np.array([scaled.min() - margin, scaled.max() + margin])
    low, high = np.exp(ends) if logarithmic else ends
    return float(low), float(high)


def _checked(model: MultiFidelityRegressor) -> HeldOut | None:
    """Held-out predictions; None where all expensive points are at one place."""
    places = model.training_data_.places(model.training_data_.top)
    return held_out(model) if places.max() > 0 else None


def _say_nothing_to_check(axes: Axes) -> None:
    axes.text(0.5, 0.5, "one expensive place:\nnothing to check with", ha="center", va="center")
    axes.set_axis_off()


def plot_calibration(
    model: MultiFidelityRegressor, axes: Axes, checked: HeldOut | None = None
) -> None:
    """Share of the held-out points inside their intervals, over what the intervals promise.

    The band is where nine of ten models with correct intervals would be, at each share.
    """
    checked = _checked(model) if checked is None else checked
    if checked is None:
        _say_nothing_to_check(axes)
        return
    promised = np.linspace(0.0, 1.0, _RESOLUTION)
    observed = [checked.coverage(share) for share in promised]
    n = len(checked.y)
    low, high = binom.ppf(0.05, n, promised) / n, binom.ppf(0.95, n, promised) / n
    style: dict[str, Any] = {"color": _GREY, "alpha": 0.2, "linewidth": 0}
    axes.fill_between(promised, low, high, label=f"chance (90 %), {n} points", **style)
    axes.plot((0, 1), (0, 1), color=_GREY, linewidth=1, label="intervals that hold")
    axes.plot(promised, observed, color="black", linewidth=1.6, label="held-out points")
    axes.plot(0.95, checked.coverage95, "o", color="black", markersize=4)
    _frame_calibration(axes)
    axes.set_title(_calibration_title(checked), fontsize=9)


def _frame_calibration(axes: Axes) -> None:
    """Axes in percent, and what it means to be above or below the diagonal."""
    axes.set(xlim=(0.0, 1.02), ylim=(0.0, 1.02))
    axes.set_aspect("equal", adjustable="box")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda share, _: f"{share:.0%}")
    axes.set_xlabel("share that intervals promise")
    axes.set_ylabel("share of the points inside")
    words: dict[str, Any] = {"color": _GREY, "fontsize": 8, "transform": axes.transAxes}
    words["bbox"] = {"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 1}
    axes.text(0.03, 0.95, "too wide", ha="left", va="top", **words)
    axes.text(0.97, 0.05, "too narrow", ha="right", va="bottom", **words)


def _calibration_title(checked: HeldOut) -> str:
    n = len(checked.y)
    half, most, nearly = (round(checked.coverage(share) * n) for share in (0.5, 0.8, 0.95))
    return (
        f"Do the intervals hold?\nof {n} held-out points {half} are in their 50 %,\n"
        f"{most} in their 80 % and {nearly} in their 95 % interval"
    )


def _draw_intervals(axes: Axes, checked: HeldOut, ends: tuple[float, float]) -> None:
    """Held-out predictions with their 95 % intervals; arrows where these leave the panel."""
    below, above = checked.interval95
    reach = np.abs(np.array([checked.mean - below, above - checked.mean]))
    style: dict[str, Any] = {"fmt": "o", "elinewidth": 1, "capsize": 2, "markersize": 4}
    axes.errorbar(checked.y, checked.mean, yerr=reach, color=_BLUE, ecolor=_BLUE, **style)
    label: str | None = "interval goes on beyond the panel"
    for marker, end, beyond in (
        ("^", ends[1], above > ends[1]),
        ("v", ends[0], below < ends[0]),
    ):
        if beyond.any():
            x = checked.y[beyond]
            at = np.full(len(x), end)
            axes.scatter(x, at, s=22, marker=marker, color=_BLUE, clip_on=False, label=label)
            label = None


def _parity_title(model: MultiFidelityRegressor, checked: HeldOut) -> str:
    n = len(checked.y)
    how = "leave-one-out" if checked.one_at_a_time else f"{checked.n_folds} folds"
    error = f"RMSE {checked.rmse:.3g}"
    if model.training_data_.cheaper and model.uses_cheap_data:
        error += f" (without the cheap data {_rmse_alone(model):.3g})"
    inside = f"{round(checked.coverage95 * n)} of {n} inside their 95 % interval"
    return f"Held-out check ({how})\n{error}\n{inside}"


def _rmse_alone(model: MultiFidelityRegressor) -> float:
    """Held-out error of the expensive points alone, from the model's own check if it has one."""
    known = {row["model"]: row["rmse"] for row in kept_check(model) or ()}
    if known.get(ALONE) is not None:
        return float(known[ALONE])
    return held_out(alone_like(model)).rmse


def plot_trust(model: MultiFidelityRegressor, axes: Axes) -> None:
    """Trust in each cheap point over its distance to the nearest expensive one."""
    trusted = model.trusted_points()
    for points, colour in zip(trusted, _colours(model), strict=True):
        style: dict[str, Any] = {"s": 14, "color": colour, "alpha": 0.7, "linewidths": 0}
        axes.scatter(points.nearest, points.trust, label=points.name, **style)
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlim(left=0.0)
    top = model.training_data_.top.name
    axes.set_xlabel(wrapped(f"scaled distance to the nearest {top} point"))
    axes.set_ylabel("trust W")
    lines = (
        "Trust in each cheap point",
        f"0: replaced by what the {top} points say",
        "1: its own value, corrected",
    )
    axes.set_title("\n".join(wrapped(line, TITLE_LETTERS) for line in lines), fontsize=9)
    axes.legend(fontsize=8, loc="lower right")


def plot_slice(model: MultiFidelityRegressor, axes: Axes, column: str, legend: bool = True) -> None:
    """Prediction along one input, the others at the median of the expensive points.

    Training points near the slice are drawn too, the fainter the further they lie from it. With a
    categorical input there is a curve for each of its levels, with all points of that level.
    """
    data = model.training_data_
    i = data.feature_names.index(column)
    centre = centre_of(data)
    category = split_by(model, i)
    if category is not None:
        draw_curves(model, axes, i, centre, category)
    else:
        _draw_with_points(model, axes, i, centre)
    set_scales(model, axes, i)
    axes.set_xlabel(wrapped(data.with_unit(column) or column))
    axes.set_ylabel(wrapped(target_with_unit(model), UPRIGHT_LETTERS))
    varied = {i} if category is None else {i, category.column}
    title = panel_title(model, f"Prediction along {column}", varied, brief=not legend)
    axes.set_title(title, fontsize=9)
    if legend:
        axes.legend(fontsize=7, loc="best")


def _draw_with_points(model: MultiFidelityRegressor, axes: Axes, i: int, centre: Array) -> None:
    """The prediction along input i, and the points near the slice."""
    data = model.training_data_
    (draw_values if is_discrete(data, i) else _draw_curve)(model, axes, i, centre)
    star = " *" if len(data.feature_names) > 1 else ""
    for (name, X, y), colour in zip(model.cheap_points(), _colours(model), strict=True):
        _scatter(axes, model, X, y, i, centre, colour, 14)
        axes.scatter([], [], s=14, color=colour, label=f"{name}{star}")
    _scatter(axes, model, data.top.X, data.top.y, i, centre, "black", 22)
    axes.scatter([], [], s=22, color="black", label=f"{data.top.name}{star}")
    if star:
        axes.plot([], [], " ", label=_STAR)


def _draw_curve(model: MultiFidelityRegressor, axes: Axes, i: int, centre: Array) -> None:
    """The prediction along input i through `centre`, with its 95 % interval."""
    box = model.training_data_.box
    line = np.tile(centre, (_RESOLUTION, 1))
    x = line[:, i] = box.spaced(i, _RESOLUTION)
    U = box.to_unit(line)
    low, high = model.predictive_unit(U).interval(0.95)
    axes.fill_between(x, low, high, color=_BLUE, alpha=0.3, linewidth=0, label="95 % interval")
    axes.plot(x, model.mean_unit(U), color=_BLUE, linewidth=1.6, label="prediction")


def influential_inputs(model: MultiFidelityRegressor) -> list[str]:
    """Inputs worth a slice: those along which the prediction varies most, at most six."""
    data = model.training_data_
    swings = [swing(model, i) if varies else -1.0 for i, varies in enumerate(data.box.varies)]
    strongest = np.argsort(swings)[::-1][:MAX_SLICES]
    names = [data.feature_names[i] for i in sorted(strongest) if data.box.varies[i]]
    return names or list(data.feature_names[:1])


def draw(model: MultiFidelityRegressor | SeveralTargets, kind: str = "all") -> Figure:
    """Draw one kind of figure, one of :data:`KINDS`.

    Two targets are drawn below each other. From three on each has one row, or one panel.
    """
    if kind not in KINDS:
        raise unknown("kind", kind, KINDS)
    models = models_of(model)
    if len(models) < MANY_TARGETS:
        return drawn(
            [_sheet(one, _panels(one, kind), note=_note(one, kind)) for one in models.values()]
        )
    first = next(iter(models.values()))
    if kind == "all":
        note = fixed_note(first)
        sheets = [_sheet(one, _row_panels(one), 1, note) for one in models.values()]
        return drawn(sheets, one_legend=True)
    panels = [_named(name, panel) for name, one in models.items() for panel in _panels(one, kind)]
    title = f"{model.label} surrogates of {', '.join(models)}"
    rows = None if kind in ("parity", "calibration", "trust") else len(models)
    return drawn([Sheet(title, panels, _note(first, kind), rows)])


def _named(name: str, panel: Panel) -> Panel:
    """The same panel with the name of its target above."""

    def draw_named(axes: Axes) -> None:
        panel(axes)
        axes.set_title(f"{wrapped(name, TITLE_LETTERS)}\n{axes.get_title()}", fontsize=9)

    return draw_named


def _panels(model: MultiFidelityRegressor, kind: str) -> list[Panel]:
    """The panels of one kind of figure."""
    if kind == "all":
        return _all_panels(model)
    if kind == "slices":
        return _slices(model)
    if kind == "contour":
        return [partial(plot_contour, model, uncertainty=std, brief=True) for std in (False, True)]
    if kind == "parity":
        return [partial(plot_parity, model)]
    if kind == "calibration":
        return [partial(plot_calibration, model)]
    _check_trust(model)
    return [partial(plot_trust, model)]


def _check_trust(model: MultiFidelityRegressor) -> None:
    """Refuse to draw trust where there is none."""
    if not model.training_data_.cheaper:
        raise DataError("there are no cheap points in this model, so there is no trust to draw")
    if not model.trusted_points():
        raise DataError(
            f"{model.label} gives cheap points no trust to draw; draw its 'slices' instead"
        )


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure; its format is the file's ending (png, pdf, svg)."""
    suffix = Path(path).suffix.lower().lstrip(".") or "png"
    known = figure.canvas.get_supported_filetypes()
    if suffix not in known:
        raise FileError(f"cannot write {path}: use one of the endings {listed(sorted(known))}")
    with atomic_write(path) as file:
        figure.savefig(file, format=suffix, dpi=150)


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
    for category in model.training_data_.categories:
        away[:, category.column] = away[:, category.column] != 0.0
    away[:, i] = 0.0
    distance = np.sqrt(np.mean(away**2, axis=1))
    cut = max(NEAR_SLICE, float(np.sort(distance)[:AT_LEAST_DRAWN][-1]))
    near = distance <= cut
    alpha = 1.0 - 0.8 * distance[near] / cut
    axes.scatter(X[near, i], y[near], s=size, color=colour, alpha=alpha, linewidths=0, zorder=3)


def _colours(model: MultiFidelityRegressor) -> list[str]:
    n_cheap = len(model.training_data_.cheaper)
    return [_CHEAP_COLOURS[i % len(_CHEAP_COLOURS)] for i in range(n_cheap)]
