"""Results as pages of documentation: one to read first, and one of tables per experiment.

The first page is a text of ours. Its lines `OVERVIEW`, `DIFFERENCES` and `ROBUSTNESS` are replaced
by the main figure with the standings of the methods, by the rows of MAST that are not the paper's,
and by consistency rates and worst cases in the sweeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..experiments import EXPERIMENTS
from .agreement import agreement, differing_rows
from .figures import sweep_figures
from .glance import glance
from .markdown import markdown
from .overview import overview_table
from .robustness import robustness_table
from .summaries import Results
from .tables import build_tables
from .text import cell_text
from .write import PAGE_METRICS, head, warn_if_mixed, write_files

OVERVIEW = "<!-- overview -->"
DIFFERENCES = "<!-- differences -->"
ROBUSTNESS = "<!-- robustness -->"
#: Experiments of the overview.
_MAIN = ("two-fidelity", "three-fidelity")
_FIGURE = "glance"


def write_pages(results: Results, page: str | Path, comment: str) -> list[Path]:
    """Write the first page, tables in a folder of its name, and figures in ``images`` beside it."""
    warn_if_mixed(results)
    target = Path(page)
    folder = target.parent
    drawn = sweep_figures(results.cells, "png")
    if (figure := glance(results.cells, "png")) is not None:
        drawn[_FIGURE] = figure
    for name in (target.stem, "images"):
        (folder / name).mkdir(exist_ok=True)
    texts = page_texts(results, target.stem, comment)
    return [
        *write_files(folder, {name: text.encode() for name, text in texts.items()}),
        *write_files(folder / "images", {f"{name}.png": data for name, data in drawn.items()}),
    ]


def page_files(page: str | Path) -> list[Path]:
    """All pages that may be written for a first page of this name."""
    first = Path(page).with_suffix(".md")
    return [first, *(first.parent / first.stem / f"{name}.md" for name in EXPERIMENTS)]


def page_texts(results: Results, stem: str, comment: str) -> dict[str, str]:
    """Texts of all pages by their paths beside the first, which is called `stem`.md."""
    present = {key.experiment for key in results.cells}
    names = [name for name in EXPERIMENTS if name in present]
    tables = {f"{stem}/{name}.md": _tables_page(results, name) for name in names}
    overview = [*_picture(results), *overview_table(results.cells, _MAIN)]
    text = comment.replace(OVERVIEW, "\n".join(overview))
    text = text.replace(DIFFERENCES, "\n".join(_differences(results)))
    text = text.replace(ROBUSTNESS, "\n".join(robustness_table(results)))
    links = [f"- [{name}]({stem}/{name}.md): {EXPERIMENTS[name].about}" for name in names]
    contents = ["```{toctree}", ":hidden:", "", *(f"{stem}/{name}" for name in names), "```"]
    lines = [text.strip(), "", "## All tables", "", *links, "", *contents, ""]
    return {f"{stem}.md": "\n".join(lines), **tables}


def _picture(results: Results) -> list[str]:
    present = any(k.experiment in _MAIN and k.metric == "rmse" for k in results.cells)
    return [f"![RMSE ratio of every method on every problem](images/{_FIGURE}.png)", ""] * present


def _tables_page(results: Results, name: str) -> str:
    """All tables of one experiment."""
    only = replace(
        results,
        cells={k: c for k, c in results.cells.items() if k.experiment == name},
        summaries={k: c for k, c in results.summaries.items() if k.experiment == name},
    )
    summary = overview_table(only.cells, [name]) if name in (*_MAIN, "extra") else []
    notes = [*head(only), "", *agreement(only.cells), "", *summary]
    figures = [name] if name.startswith("sweep") else []
    tables = build_tables(only, PAGE_METRICS)
    return markdown(tables, notes, figures, "../images/{}.png", f"Results: {name}")


def _differences(results: Results) -> Sequence[str]:
    """Rows of MAST that lie more than two standard errors from the paper's, as a table."""
    lines = ["| experiment | problem | ours | seeds | paper |", "|---|---|---|---|---|"]
    for key, cell in differing_rows(results.cells):
        ours = cell_text(replace(cell, paper=None))
        side = "worse" if cell.mean > (cell.paper or 0.0) else "better"
        lines.append(
            f"| {key.experiment} | {key.problem} | {ours}, {side} | {cell.n} | {cell.paper:.2f} |"
        )
    return lines
