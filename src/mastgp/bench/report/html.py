"""Everything on one web page that needs nothing else."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape

from .cells import Cell
from .marks import best
from .tables import Table
from .text import cell_text

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem;
       color: #222; background: #fff; }
h2 { font-size: 1.05rem; margin-top: 2.2rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; display: block;
        overflow-x: auto; }
th, td { padding: .25rem .7rem; text-align: right; white-space: nowrap;
         border-bottom: 1px solid #ddd; }
th:first-child { text-align: left; } thead th { border-bottom: 2px solid #444; }
.best { font-weight: 700; } .paper { color: #666; font-weight: 400; }
.differs { color: #b00020; } img { max-width: 100%; } .note { color: #555; }
"""


def web_page(tables: Sequence[Table], notes: Sequence[str], figures: Mapping[str, bytes]) -> str:
    """Everything on one page that needs nothing else."""
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>mastgp benchmark results</title><style>{_STYLE}</style>",
        "<h1>Benchmark results</h1>",
        *_notes(notes),
    ]
    for table in tables:
        parts += _table(table)
    for name, figure in figures.items():
        data = base64.b64encode(figure).decode()
        parts.append(f"<h2>{escape(name)}</h2>")
        parts.append(f"<img alt='{escape(name)}' src='data:image/svg+xml;base64,{data}'>")
    return "\n".join(parts) + "\n</html>\n"


def _table(table: Table) -> list[str]:
    parts = [f"<h2>{escape(table.title)}</h2><table><thead><tr><th></th>"]
    parts += [f"<th>{escape(column)}</th>" for column in table.columns]
    parts.append("</tr></thead><tbody>")
    for name, row in table.rows:
        marked = best(row, table.metric)
        shown = "".join(_cell(c, table.metric, i in marked) for i, c in enumerate(row))
        parts.append(f"<tr><th>{escape(name)}</th>{shown}</tr>")
    return [*parts, "</tbody></table>", *_notes(table.all_notes)]


def _cell(cell: Cell | None, metric: str, is_best: bool) -> str:
    if cell is None:
        return "<td></td>"
    ours, _, paper = cell_text(cell, metric).partition(" [")
    kind = "paper differs" if cell.differs else "paper"
    beside = f" <span class='{kind}'>[{escape(paper)}</span>" if paper else ""
    return f"<td class='{'best' if is_best else ''}'>{escape(ours)}{beside}</td>"


def _notes(notes: Sequence[str]) -> list[str]:
    return [f"<p class='note'>{escape(note)}</p>" for note in notes if note]
