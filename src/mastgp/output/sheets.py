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
        Whether the last sheet has the legend of all.
    """
    from matplotlib.figure import Figure

    heights = [HEIGHT * sheet.grid[0] + MARGIN for sheet in sheets]
    width = max(WIDTH * max(sheet.grid[1], 1.2) for sheet in sheets)
    figure = Figure(figsize=(width, sum(heights)), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.08)  # type: ignore[union-attr,call-arg]
    parts: Any = [figure]
    if len(sheets) > 1:
        parts = figure.subfigures(len(sheets), 1, height_ratios=heights)
    for part, sheet in zip(parts, sheets, strict=True):
        _draw(part, sheet, width)
        if not one_legend:
            _add_legend(part, sheet, [part], width)
    if one_legend:
        _add_legend(parts[-1], sheets[-1], parts, width)
    return figure


def _draw(part: Any, sheet: Sheet, width: float) -> None:
    rows, columns = sheet.grid
    for i, panel in enumerate(sheet.panels):
        panel(part.add_subplot(rows, columns, i + 1))
    part.suptitle(fill(sheet.title, int(_TITLE_LETTERS * width)), fontsize=11)


def _add_legend(part: Any, sheet: Sheet, explained: Sequence[Any], width: float) -> None:
    """Explain what is labelled in the panels, each label once: in an empty place, or below."""
    labelled = [
        axes.get_legend_handles_labels()
        for figure in explained
        for axes in figure.axes
        if not axes.get_legend()
    ]
    entries = {label: handle for pair in labelled for handle, label in zip(*pair, strict=True)}
    rows, columns = sheet.grid
    empty = rows * columns - len(sheet.panels)
    inches = WIDTH * empty if empty else 0.9 * width
    note = fill(sheet.note, int(_NOTE_LETTERS * inches))
    if not entries and not note:
        return
    style: dict[str, Any] = {"fontsize": 8, "title": note or None, "title_fontsize": 8}
    if empty:
        grid = part.add_gridspec(rows, columns)
        place = part.add_subplot(grid[rows - 1, columns - empty :])
        place.set_axis_off()
        where: Any = place
        style |= {"loc": "center", "frameon": False}
    else:
        where = part
        style |= {"loc": "outside lower center", "ncols": min(max(len(entries), 1), 3)}
    where.legend(list(entries.values()), list(entries), **style)
