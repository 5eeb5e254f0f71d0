"""What a cell looks like in a table, in every format."""

from __future__ import annotations

import math

from .cells import Cell
from .marks import OTHER_CODE, digits


def cell_text(
    cell: Cell | None, metric: str = "", plus_minus: str = "±", differs: str = "≠"
) -> str:
    """A cell as text: mean, standard deviation where it is known, the paper's mean in brackets."""
    if cell is None:
        return ""
    if math.isinf(cell.mean):
        return "never"
    places = digits(cell.mean, metric)
    text = f"{cell.mean:.{places}f}"
    if math.isfinite(cell.std):
        text += f" {plus_minus} {cell.std:.{places}f}"
    if cell.other_code:
        text += OTHER_CODE
    if cell.paper is not None:
        text += f" [{cell.paper:.2f}{differs if cell.differs else ''}]"
    return text
