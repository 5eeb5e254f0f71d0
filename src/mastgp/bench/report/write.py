"""Reports on disk: a folder of tables in several formats, or a page of documentation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...errors import MixedVersionsWarning, listed, warn
from ...files import atomic_write
from ..searches import SEARCHES
from .agreement import agreement
from .figures import sweep_figures
from .html import web_page
from .latex import latex
from .markdown import markdown
from .marks import OTHER_CODE, RECORDED_RULE, RULE
from .recorded import long_csv
from .search_figures import search_figures
from .searches import search_tables
from .summaries import Results
from .tables import build_tables

#: Metrics of a page of documentation; a report has all of them.
PAGE_METRICS = ("rmse", "mean_pdf", "nlpd", "crps", "coverage95")

#: What a report consists of, besides its figures.
REPORT_FILES = ("report.md", "report.tex", "report.csv", "report.html")

_CELLS = (
    "Each cell: mean ± standard deviation over the seeds, the paper's mean in brackets, marked ≠ "
    "where the two lie more than two standard errors apart. The standard deviation of one seed is "
    "unknown and not shown."
)


def write_report(results: Results, folder: str | Path) -> list[Path]:
    """Write report.md, report.tex, report.csv, report.html and figures; return their paths."""
    warn_if_mixed(results)
    tables = [*build_tables(results), *search_tables(results.cells)]
    figures = {**sweep_figures(results.cells), **search_figures(results.cells)}
    notes = [*head(results), *agreement(results.cells)]
    return write_files(
        Path(folder),
        {f"{name}.svg": figure for name, figure in figures.items()}
        | {
            "report.md": markdown(tables, notes, figures).encode(),
            "report.tex": latex(tables).encode(),
            "report.csv": long_csv(results).encode(),
            "report.html": web_page(tables, notes, figures).encode(),
        },
    )


def write_page(results: Results, page: str | Path, comment: str = "") -> list[Path]:
    """Write a shorter report as a page of documentation, figures in ``images`` beside it."""
    warn_if_mixed(results)
    target = Path(page)
    drawn = {**sweep_figures(results.cells, "png"), **search_figures(results.cells, "png")}
    figures = {f"{name}.png": figure for name, figure in drawn.items()}
    text = page_text(results, comment)
    (target.parent / "images").mkdir(exist_ok=True)
    return [
        *write_files(target.parent, {target.name: text.encode()}),
        *write_files(target.parent / "images", figures),
    ]


def page_text(results: Results, comment: str = "") -> str:
    """The page of documentation: `comment`, agreement with the paper, and the main tables."""
    tables = [*build_tables(results, PAGE_METRICS), *search_tables(results.cells)]
    drawn = dict.fromkeys(
        k.experiment
        for k in results.cells
        if k.experiment.startswith("sweep") or k.experiment in SEARCHES
    )
    notes = [*head(results), "", comment.strip(), ""]
    if agreed := agreement(results.cells):
        notes += ["## Agreement with the paper", "", *agreed]
    only_searches = all(k.experiment in SEARCHES for k in results.cells)
    title = "Searches" if results.cells and only_searches else "Benchmark results"
    return markdown(tables, notes, drawn, "images/{}.png", title)


def warn_if_mixed(results: Results) -> None:
    """Warn where different code computed the cells of a method."""
    if results.mixed:
        warn(
            f"different versions of the code computed the results of {listed(results.mixed)}; "
            f"cells that differ from the rest of their method are marked {OTHER_CODE} and not "
            "compared",
            MixedVersionsWarning,
        )


def head(results: Results) -> list[str]:
    """What holds for all tables: versions of the code, seeds, and how cells are compared."""
    named = (f"{method} {' '.join(found)}" for method, found in results.versions.items())
    versions = ", ".join(named) or "none"
    recorded = any(not c.by_seed for k, c in results.cells.items() if k.experiment not in SEARCHES)
    return [
        f"Versions of the code: {versions}. {' '.join(results.notes)}".strip(),
        _CELLS,
        f"{RULE} {RECORDED_RULE}" if recorded else RULE,
    ]


def write_files(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write files into a folder; return their paths."""
    for name, content in files.items():
        with atomic_write(folder / name) as file:
            file.write(content)
    return [folder / name for name in files]
