"""Tables as LaTeX (booktabs)."""

from __future__ import annotations

from collections.abc import Sequence

from .marks import best
from .tables import Table
from .text import cell_text


def latex(tables: Sequence[Table]) -> str:
    """Tables as LaTeX (booktabs)."""
    return "\n".join(line for table in tables for line in _table(table))


def _table(table: Table) -> list[str]:
    lines = [
        r"\begin{table}",
        rf"\caption{{{_escape(table.title)}}}",
        rf"\begin{{tabular}}{{l{'c' * len(table.columns)}}}",
        r"\toprule",
        " & ".join(["", *map(_escape, table.columns)]) + r" \\",
        r"\midrule",
    ]
    for name, row in table.rows:
        marked = best(row, table.metric)
        plain = [cell_text(c, table.metric, r"$\pm$", r"$\neq$") for c in row]
        shown = [rf"\textbf{{{t}}}" if i in marked else t for i, t in enumerate(plain)]
        lines.append(" & ".join([_escape(name), *shown]) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""]


def _escape(text: str) -> str:
    for character in "&%_#":
        text = text.replace(character, "\\" + character)
    return text.replace("²", "$^2$")
