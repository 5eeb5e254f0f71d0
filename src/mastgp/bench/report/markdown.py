"""Tables as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .marks import best
from .tables import Table
from .text import cell_text


def markdown(
    tables: Sequence[Table],
    notes: Sequence[str],
    figures: Iterable[str],
    link: str = "{}.svg",
    title: str = "Benchmark results",
) -> str:
    """Notes, tables and links to the figures as one page of Markdown."""
    lines = [f"# {title}", "", *notes, ""]
    for table in tables:
        lines += _table(table)
    for name in figures:
        lines += [f"![{name}]({link.format(name)})", ""]
    return "\n".join(lines)


def _table(table: Table) -> list[str]:
    lines = [f"## {table.title}", "", "| | " + " | ".join(table.columns) + " |"]
    lines.append("|---" * (len(table.columns) + 1) + "|")
    for name, row in table.rows:
        marked = best(row, table.metric)
        texts = [cell_text(c, table.metric) for c in row]
        shown = [f"**{text}**" if i in marked else text for i, text in enumerate(texts)]
        lines.append(f"| {name} | " + " | ".join(shown) + " |")
    return [*lines, "", *(f"{note}\n" for note in table.all_notes)]
