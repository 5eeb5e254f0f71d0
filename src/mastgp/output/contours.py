"""Maps of the prediction, or of its uncertainty, over two inputs."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..models.estimator import MultiFidelityRegressor
from .levels import category_of, centre_of, is_discrete, swing, values_along

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

#: Points in each direction, and filled levels.
_POINTS, _LEVELS = 41, 14
#: Letters of a title that fit into the width of a panel.
_TITLE_LETTERS = 54


def plot_contour(model: MultiFidelityRegressor, axes: Axes, uncertainty: bool = False) -> None:
    """Map of the mean, or of the standard deviation, over the two inputs that matter most.

    All other inputs are in the middle of the expensive points; the title says where. Dots are the
    expensive points.
    """
    i, j = strongest_pair(model)
    x, y, values = _map(model, i, j, uncertainty)
    data = model.training_data_
    if is_discrete(data, i) or is_discrete(data, j):
        drawn: Any = axes.pcolormesh(x, y, values, shading="nearest", cmap="viridis")
    else:
        drawn = axes.contourf(x, y, values, levels=_LEVELS, cmap="viridis")
        axes.contour(x, y, values, levels=_LEVELS, colors="white", linewidths=0.4)
    style = {"s": 20, "facecolor": "black", "edgecolor": "white", "linewidths": 0.8}
    axes.scatter(data.top.X[:, i], data.top.X[:, j], zorder=3, label=data.top.name, **style)  # type: ignore[arg-type]
    target = data.with_unit(model.target_name_) or "y"
    label = f"std of {target}" if uncertainty else target
    axes.figure.colorbar(drawn, ax=axes, label=fill(label, 34))
    _name_axes(model, axes, i, j)
    what = "Uncertainty (std)" if uncertainty else "Prediction"
    axes.set_title(_title(model, what, i, j), fontsize=9)


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
        axis.set_label_text(fill(data.with_unit(name) or name, 40))
        category = category_of(data, column)
        if category is not None:
            axis.set_ticks(range(len(category.levels)), labels=list(category.levels))
        elif column in data.box.logs:
            scale("log")


def _title(model: MultiFidelityRegressor, what: str, i: int, j: int) -> str:
    """What is mapped, and at which values of the other inputs, the first three of many."""
    data, centre = model.training_data_, centre_of(model.training_data_)
    others = []
    for k, name in enumerate(data.feature_names):
        if k in (i, j):
            continue
        category = category_of(data, k)
        value = f"{centre[k]:.4g}" if category is None else category.levels[round(centre[k])]
        others.append(f"{name} = {value}".replace(" ", "\u00a0"))
    head = fill(f"{what} over {data.feature_names[i]} and {data.feature_names[j]}", _TITLE_LETTERS)
    if not others:
        return head
    shown = ", ".join(others[:3]) + (", ..." if len(others) > 3 else "")
    return f"{head}\n{fill(f'at {shown}', _TITLE_LETTERS)}"
