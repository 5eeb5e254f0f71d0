"""What figures draw of categorical and whole-number inputs: one curve per level, no mixtures."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Dataset
from ..data.levels import Category
from ..models.estimator import MultiFidelityRegressor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

#: Most levels that are drawn in one panel: those with the most expensive points.
MAX_LEVELS = 6
#: Whole-number inputs with more values than this are drawn as curves.
MAX_WHOLE = 25
#: Okabe and Ito's colours, which stay apart for colour-blind readers.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
#: Letters that fit below a panel, for names of levels beside each other.
_LETTERS_ACROSS = 44
#: Points of a curve.
RESOLUTION = 201


def centre_of(data: Dataset) -> Array:
    """A possible point in the middle of the expensive ones: medians and the commonest levels."""
    centre = np.median(data.top.X, axis=0)
    for column in data.integers:
        centre[column] = np.rint(centre[column])
    for category in data.categories:
        centre[category.column] = _by_frequency(data, category)[0]
    return centre


def values_along(data: Dataset, i: int, resolution: int = RESOLUTION) -> Array:
    """Values of an input that a figure may show: all of a range, or what is possible."""
    if is_discrete(data, i):
        return np.arange(float(data.box.low[i]), float(data.box.high[i]) + 0.5)
    return data.box.spaced(i, resolution)


def set_scales(model: MultiFidelityRegressor, axes: Axes, i: int) -> None:
    """Logarithmic axes for a log input, and for a response whose logarithm is modelled."""
    data = model.training_data_
    if i in data.box.logs and data.box.varies[i]:
        axes.set_xscale("log")
    if model.is_logarithmic:
        axes.set_yscale("log")


def is_discrete(data: Dataset, i: int) -> bool:
    """Whether an input is categorical, or takes a few whole numbers."""
    few = data.box.high[i] - data.box.low[i] <= MAX_WHOLE
    return i in [c.column for c in data.categories] or (i in data.integers and bool(few))


def category_of(data: Dataset, i: int) -> Category | None:
    """The category that an input is, if it is one."""
    return next((c for c in data.categories if c.column == i), None)


def split_by(model: MultiFidelityRegressor, i: int) -> Category | None:
    """The category whose levels get a curve each in a slice along input i: the one that matters.

    None where there is none, or where the slice is along a category itself.
    """
    data = model.training_data_
    others = [c for c in data.categories if len(c.levels) > 1]
    if not others or category_of(data, i) is not None:
        return None
    return max(others, key=lambda category: swing(model, category.column))


def swing(model: MultiFidelityRegressor, i: int) -> float:
    """How much the prediction varies along an input, through the middle of the data."""
    data = model.training_data_
    values = values_along(data, i, 41)
    line = np.tile(centre_of(data), (len(values), 1))
    line[:, i] = values
    return float(np.ptp(model.mean_unit(data.box.to_unit(line))))


def shown_levels(data: Dataset, category: Category) -> list[int]:
    """Codes of the levels to draw, in the order of the levels."""
    return sorted(_by_frequency(data, category)[:MAX_LEVELS])


def draw_curves(
    model: MultiFidelityRegressor, axes: Axes, i: int, centre: Array, category: Category
) -> None:
    """One curve and its 95 % interval for each level of a category, with the level's points."""
    data = model.training_data_
    levels = shown_levels(data, category)
    for colour, code in zip(COLOURS, levels, strict=False):
        at = centre.copy()
        at[category.column] = code
        x = values_along(data, i)
        mean, low, high = _predicted(model, at, i, x)
        label = f"{category.name} = {category.levels[code]}"
        axes.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.plot(x, mean, color=colour, linewidth=1.6, label=label)
        for X, y, size in _points(model):
            own = X[:, category.column] == code
            axes.scatter(X[own, i], y[own], s=size, color=colour, alpha=0.7, linewidths=0)
    if len(levels) < len(category.levels):
        axes.plot([], [], " ", label=f"{len(levels)} of {len(category.levels)} levels are shown")


def draw_values(model: MultiFidelityRegressor, axes: Axes, i: int, centre: Array) -> None:
    """The prediction and its 95 % interval at each value of a discrete input."""
    data = model.training_data_
    x = values_along(data, i)
    mean, low, high = _predicted(model, centre, i, x)
    reach = np.abs(np.array([mean - low, high - mean]))
    style = {"fmt": "o", "color": COLOURS[0], "capsize": 3}
    axes.errorbar(x, mean, yerr=reach, label="prediction, 95 % interval", **style)  # type: ignore[arg-type]
    category = category_of(data, i)
    if category is not None:
        axes.set_xticks(x)
        names, turned = level_labels(category.levels)
        axes.set_xticklabels(names, rotation=turned, fontsize=8)


def level_labels(levels: Sequence[str]) -> tuple[list[str], float]:
    r"""Names of levels for an axis across, in several lines where that helps, and their turn.

    >>> level_labels(["steel", "titanium grade 5", "aluminium 7075", "al"])[0][1].split("\n")
    ['titanium', 'grade 5']
    """
    letters = _LETTERS_ACROSS // len(levels)
    lines = [wrap(level, max(letters, 1)) or [level] for level in levels]
    fits = all(
        len(own) <= 3 and " ".join(own) == level for own, level in zip(lines, levels, strict=True)
    )
    return (["\n".join(own) for own in lines], 0.0) if fits else (list(levels), 90.0)


def _predicted(
    model: MultiFidelityRegressor, centre: Array, i: int, x: Array
) -> tuple[Array, Array, Array]:
    """Mean and ends of the 95 % interval along input i through `centre`."""
    line = np.tile(centre, (len(x), 1))
    line[:, i] = x
    U = model.training_data_.box.to_unit(line)
    return (model.mean_unit(U), *model.predictive_unit(U).interval(0.95))


def _by_frequency(data: Dataset, category: Category) -> list[int]:
    """Codes of levels, the one with the most expensive points first."""
    codes = np.rint(data.top.X[:, category.column]).astype(int)
    counts = np.bincount(codes, minlength=len(category.levels))
    return [int(code) for code in np.argsort(-counts, kind="stable")]


def _points(model: MultiFidelityRegressor) -> list[tuple[Array, Array, int]]:
    """Inputs, targets and size of each fidelity's points, the most expensive the largest."""
    top = model.training_data_.top
    return [*((X, y, 8) for _, X, y in model.cheap_points()), (top.X, top.y, 26)]
