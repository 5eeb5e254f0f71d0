"""How panels are laid out on a figure: rows and columns, titles above, one legend for all."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Draws one panel.
Panel = Callable[["Axes"], None]

#: Inches of a panel, and of the title and legend of a sheet.
WIDTH, HEIGHT, MARGIN = 4.4, 3.7, 0.7
#: Inches of a legend of all sheets.
LEGEND = 1.1
#: Letters of a title in an inch, and of the notes below.
_TITLE_LETTERS, _NOTE_LETTERS = 11, 13


@dataclass(frozen=True)
class Sheet:
    """Panels that belong together.

    Attributes
    ----------
    title : str
    panels : sequence of functions that draw on axes
    note : str
        What is said below the panels.
    rows : int, optional
        How many rows the panels have; by default as many as look well.
    """

    title: str
    panels: Sequence[Panel]
    note: str = ""
    rows: int | None = None

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns."""
        n = len(self.panels)
        rows = self.rows or (1 if n < 4 else 2 if n < 9 else 3)
        return rows, math.ceil(n / rows)


def drawn(sheets: Sequence[Sheet], one_legend: bool = False) -> Figure:
    """Draw sheets below each other.

    Parameters
    ----------
    sheets : sequence of Sheet
    one_legend : bool
        Whether there is one legend of all below them.
    """
    from matplotlib.figure import Figure

    heights = [HEIGHT * sheet.grid[0] + MARGIN for sheet in sheets]
    if one_legend:
        heights = [*heights, LEGEND]
    width = max(WIDTH * max(sheet.grid[1], 1.2) for sheet in sheets)
    figure = Figure(figsize=(width, sum(heights)), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.08)  # type: ignore[union-attr,call-arg]
    parts: Any = [figure]
    if len(heights) > 1:
        parts = figure.subfigures(len(heights), 1, height_ratios=heights)
    for part, sheet in zip(parts, sheets, strict=not one_legend):
        _draw(part, sheet, width)
        if not one_legend:
            _add_legend(part, sheet, width)
    if one_legend:
        _add_common_legend(parts[-1], parts[:-1], sheets[-1].note, width)
    return figure


def _draw(part: Any, sheet: Sheet, width: float) -> None:
    rows, columns = sheet.grid
    for i, panel in enumerate(sheet.panels):
        panel(part.add_subplot(rows, columns, i + 1))
    part.suptitle(fill(sheet.title, int(_TITLE_LETTERS * width)), fontsize=11)


def _add_legend(part: Any, sheet: Sheet, width: float) -> None:
    """Explain what is labelled in the panels, each label once: in an empty place, or below."""
    handles, labels = _labelled([part])
    rows, columns = sheet.grid
    empty = rows * columns - len(sheet.panels)
    style = _style(sheet.note, WIDTH * empty if empty else 0.9 * width)
    if not labels and style["title"] is None:
        return
    if empty:
        grid = part.add_gridspec(rows, columns)
        place = part.add_subplot(grid[rows - 1, columns - empty :])
        place.set_axis_off()
        place.legend(handles, labels, loc="center", frameon=False, **style)
    else:
        n = min(max(len(labels), 1), 3)
        part.legend(handles, labels, loc="outside lower center", ncols=n, **style)


def _add_common_legend(place: Any, explained: Sequence[Any], note: str, width: float) -> None:
    """Explain what is labelled in the panels of several sheets, in a place of its own."""
    handles, labels = _labelled(explained)
    style = _style(note, 0.9 * width)
    place.legend(handles, labels, loc="center", ncols=min(max(len(labels), 1), 4), **style)


def _labelled(figures: Sequence[Any]) -> tuple[list[Any], list[str]]:
    """What is labelled in panels without a legend of their own, and the labels, each once."""
    pairs = [
        axes.get_legend_handles_labels()
        for figure in figures
        for axes in figure.axes
        if not axes.get_legend()
    ]
    entries = {label: handle for pair in pairs for handle, label in zip(*pair, strict=True)}
    return list(entries.values()), list(entries)


def _style(note: str, inches: float) -> dict[str, Any]:
    """Of a legend that has so many inches for its note."""
    title = fill(note, int(_NOTE_LETTERS * inches)) or None
    return {"fontsize": 8, "title": title, "title_fontsize": 8}
