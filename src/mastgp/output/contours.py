"""Maps of the prediction, or of its uncertainty, over two inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..models.estimator import MultiFidelityRegressor
from .levels import category_of, centre_of, is_discrete, swing, values_along
from .titles import UPRIGHT_LETTERS, panel_title, target_with_unit, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

#: Points in each direction, and filled levels.
_POINTS, _LEVELS = 41, 14
#: Letters of a title that fit above a map: the scale of its colours takes a part of the width.
_TITLE_LETTERS = 40


def plot_contour(
    model: MultiFidelityRegressor, axes: Axes, uncertainty: bool = False, brief: bool = False
) -> None:
    """Map of the mean, or of the standard deviation, over the two inputs that matter most.

    All other inputs are in the middle of the expensive points; the title says where, or with
    `brief` the page. Dots are the expensive points. Colours are logarithmic where nothing but the
    logarithm of the response is modelled.
    """
    i, j = strongest_pair(model)
    x, y, values = _map(model, i, j, uncertainty)
    style: dict[str, Any] = {"cmap": "viridis", "norm": _norm(model, values, uncertainty)}
    data = model.training_data_
    if is_discrete(data, i) or is_discrete(data, j):
        drawn: Any = axes.pcolormesh(x, y, values, shading="nearest", **style)
    else:
        drawn = axes.contourf(x, y, values, levels=_levels(style["norm"], values), **style)
        axes.contour(drawn, colors="white", linewidths=0.4)
    dots: dict[str, Any] = {"s": 20, "facecolor": "black", "edgecolor": "white", "linewidths": 0.8}
    label = f"{data.top.name} in maps, other inputs anywhere"
    axes.scatter(data.top.X[:, i], data.top.X[:, j], zorder=3, label=label, **dots)
    target = target_with_unit(model)
    shown = f"std of {target}" if uncertainty else target
    axes.figure.colorbar(drawn, ax=axes, label=wrapped(shown, UPRIGHT_LETTERS), format="%.4g")
    _name_axes(model, axes, i, j)
    what = "Uncertainty (std)" if uncertainty else "Prediction"
    over = f"{what} over {data.feature_names[i]} and {data.feature_names[j]}"
    axes.set_title(panel_title(model, over, (i, j), brief, _TITLE_LETTERS), fontsize=9)


def _norm(model: MultiFidelityRegressor, values: Array, uncertainty: bool) -> Any:
    """The scale of the colours."""
    from matplotlib.colors import LogNorm, Normalize

    logarithmic = model.is_logarithmic and not uncertainty and values.min() < values.max()
    return (LogNorm if logarithmic else Normalize)(values.min(), values.max())


def _levels(norm: Any, values: Array) -> Any:
    """Filled levels: as many as look well, and equally spaced on the scale of the colours."""
    from matplotlib.colors import LogNorm

    if not isinstance(norm, LogNorm):
        return _LEVELS
    return np.geomspace(values.min(), values.max(), _LEVELS)


def strongest_pair(model: MultiFidelityRegressor) -> tuple[int, int]:
    """The two inputs along which the prediction varies most, in their order."""
    varying = np.flatnonzero(model.training_data_.box.varies)
    if len(varying) < 2:
        raise DataError("a map needs two inputs that vary; draw 'slices' instead")
    first, second = sorted(int(i) for i in sorted(varying, key=lambda i: -swing(model, int(i)))[:2])
    return first, second


def _map(
    model: MultiFidelityRegressor, i: int, j: int, uncertainty: bool
) -> tuple[Array, Array, Array]:
    """Values of both inputs, and what is mapped, shape (number of y, number of x)."""
    data = model.training_data_
    x, y = (values_along(data, column, _POINTS) for column in (i, j))
    points = np.tile(centre_of(data), (len(x) * len(y), 1))
    points[:, j], points[:, i] = (part.ravel() for part in np.meshgrid(y, x, indexing="ij"))
    U = data.box.to_unit(points)
    if uncertainty:
        values = model.calibration_ * np.sqrt(model.moments_unit(U, False)[1])
    else:
        values = model.mean_unit(U)
    return x, y, values.reshape(len(y), len(x))


def _name_axes(model: MultiFidelityRegressor, axes: Axes, i: int, j: int) -> None:
    """Names with units; levels by their names; logarithmic where the input is."""
    data = model.training_data_
    for column, axis, scale in ((i, axes.xaxis, axes.set_xscale), (j, axes.yaxis, axes.set_yscale)):
        name = data.feature_names[column]
        axis.set_label_text(wrapped(data.with_unit(name) or name, 40))
        category = category_of(data, column)
        if category is not None:
            axis.set_ticks(range(len(category.levels)), labels=list(category.levels))
        elif column in data.box.logs:
            scale("log")
