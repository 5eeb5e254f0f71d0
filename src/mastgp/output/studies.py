"""Figures of a study: what was found for what was spent, where it ran, and how well it is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import MastError
from ..next.trials import DONE, FAILED, Trial
from .figures import plot_parity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..next.study import Study

Array = NDArray[np.float64]

#: Okabe and Ito's colours, which stay apart for colour-blind readers.
_COLOURS = ("#000000", "#E69F00", "#009E73", "#CC79A7", "#56B4E9")
_RED = "#D55E00"
#: Inputs whose values are drawn over the target, at most.
MOST_INPUTS = 4


def plot_study(study: Study) -> Figure:
    """Draw a study: values over cost, the held-out check, and values over the inputs.

    Parameters
    ----------
    study : Study

    Returns
    -------
    matplotlib Figure
    """
    from matplotlib.figure import Figure

    trials = study.trials()
    names = list(study.definition.domain.names)[:MOST_INPUTS]
    columns = max(2, len(names))
    figure = Figure(figsize=(4.4 * columns, 7.4), layout="constrained")
    grid = figure.add_gridspec(2, columns)
    draw_progress(figure.add_subplot(grid[0, : columns - 1]), study, trials)
    _draw_check(figure.add_subplot(grid[0, columns - 1]), study)
    for column, name in enumerate(names):
        draw_input(figure.add_subplot(grid[1, column]), study, trials, name)
    return figure


def draw_progress(axes: Axes, study: Study, trials: Sequence[Trial]) -> None:
    """Results over what was spent until then, and the best expensive one."""
    definition = study.definition
    ended, spent = spent_until(trials)
    for colour, name in zip(_colours(study), definition.costs, strict=True):
        rows = [i for i, t in enumerate(ended) if t.fidelity == name and t.status == DONE]
        values = [ended[i].values[definition.target] for i in rows]
        axes.plot(spent[rows], values, "o", color=colour, markersize=4, label=name)
    failed = [i for i, trial in enumerate(ended) if trial.status == FAILED]
    if failed:
        floor = np.zeros(len(failed))
        axes.plot(spent[failed], floor, "x", color=_RED, label="failed",
                  transform=axes.get_xaxis_transform(), clip_on=False)  # fmt: skip
    _draw_best(axes, study, ended, spent)
    axes.set_xlabel("spent")
    axes.set_ylabel(definition.target)
    axes.set_title(f"{definition.goal} of {definition.target}")
    if ended:
        axes.legend(fontsize="small")


def spent_until(trials: Sequence[Trial]) -> tuple[list[Trial], Array]:
    """Trials that have ended, in the order of their ends, and what was spent until each end."""
    ended = sorted((t for t in trials if t.ended_at is not None), key=lambda t: t.ended_at or 0.0)
    return ended, np.cumsum([trial.spent for trial in ended], dtype=float)


def best_so_far(study: Study, ended: Sequence[Trial], spent: Array) -> list[tuple[float, float]]:
    """What was spent and the best expensive value then, whenever a better one was found.

    The last one is repeated at the end. A study for accuracy has none.
    """
    definition = study.definition
    so_far: list[tuple[float, float]] = []
    for trial, money in zip(ended, spent, strict=True):
        if trial.fidelity != definition.top or trial.status != DONE:
            continue
        if not all(limit.holds(trial.values) for limit in definition.limits):
            continue
        value = trial.values[definition.target]
        if not so_far or definition.loss(value) < definition.loss(so_far[-1][1]):
            so_far.append((float(money), value))
    if definition.goal == "accuracy" or not so_far:
        return []
    return [*so_far, (float(spent[-1]), so_far[-1][1])]


def _draw_best(axes: Axes, study: Study, ended: Sequence[Trial], spent: Array) -> None:
    """The best expensive value so far, as steps."""
    steps = best_so_far(study, ended, spent)
    if steps:
        label = f"best {study.definition.top}"
        axes.step(*zip(*steps, strict=True), where="post", color="#0072B2", label=label)


def _draw_check(axes: Axes, study: Study) -> None:
    """Held-out predictions, where there is a model."""
    try:
        plot_parity(study.model(), axes)
        axes.set_title("held-out check", fontsize="medium")  # a longer one has no room here
    except MastError:
        axes.set_axis_off()
        axes.text(0.5, 0.5, "too few results\nfor a model", ha="center", va="center")


def draw_input(axes: Axes, study: Study, trials: Sequence[Trial], name: str) -> None:
    """Results over one input; failed runs at the bottom."""
    definition = study.definition
    levels = {c.name: c.levels for c in definition.domain.categories}.get(name)
    for colour, fidelity in zip(_colours(study), definition.costs, strict=True):
        own = [t for t in trials if t.fidelity == fidelity]
        done = [trial for trial in own if trial.status == DONE]
        values = [trial.values[definition.target] for trial in done]
        axes.plot(_places(done, name, levels), values, "o", color=colour, markersize=4)
        failed = [trial for trial in own if trial.status == FAILED]
        if not failed:
            continue
        axes.plot(_places(failed, name, levels), np.zeros(len(failed)), "x", color=_RED,
                  transform=axes.get_xaxis_transform(), clip_on=False)  # fmt: skip
    if levels is not None:
        axes.set_xticks(range(len(levels)), levels)
    axes.set_xlabel(name)
    axes.set_ylabel(definition.target)


def _places(trials: Sequence[Trial], name: str, levels: Sequence[str] | None) -> list[float]:
    if levels is None:
        return [float(trial.inputs[name]) for trial in trials]
    return [float(levels.index(str(trial.inputs[name]))) for trial in trials]


def _colours(study: Study) -> list[str]:
    """A colour for each fidelity, the most expensive one in black, as in all figures."""
    n = len(study.definition.costs)
    return [_COLOURS[(n - 1 - i) % len(_COLOURS)] for i in range(n)]
