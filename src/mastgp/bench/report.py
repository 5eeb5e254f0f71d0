"""Tables like the paper's, in Markdown, LaTeX, CSV and one self-contained HTML page."""

from __future__ import annotations

import base64
import csv
import html
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from .. import __version__
from ..check.scores import PAPER_METRICS
from ..files import atomic_write
from ..methods import METHODS
from .experiments import BASELINE, EXPERIMENTS, SYNTHETIC
from .figures import sweep_figures
from .problems import EXTRA
from .real import REAL_PROBLEMS
from .results import (
    ABSOLUTE_METRICS,
    Cell,
    Key,
    cells,
    is_better,
    rank_correlation,
    robustness,
)

_TITLES = {
    "rmse": "RMSE over that of the HF-only GP (below 1 is better)",
    "mean_pdf": "mean predictive density over that of the HF-only GP (above 1 is better)",
    "r2": "R² over that of the HF-only GP (above 1 is better; erratic where that is near 0)",
    "nlpd": "negative log predictive density (smaller is better)",
    "coverage50": "share of the test points inside their 50 % interval",
    "coverage80": "share of the test points inside their 80 % interval",
    "coverage95": "share of the test points inside their 95 % interval",
    "width95": "mean width of the 95 % interval",
    "fit_seconds": "seconds to fit",
    "predict_seconds": "seconds to predict the test set",
}


@dataclass(frozen=True)
class Table:
    """A table to print: rows of cells, with what to say above and below it."""

    title: str
    columns: list[str]
    rows: list[tuple[str, list[Cell | None]]]
    metric: str
    notes: list[str]


def write_report(records: Iterable[Mapping[str, Any]], folder: str | Path) -> list[Path]:
    """Write report.md, report.tex, report.csv and report.html; return their paths."""
    records = list(records)
    target = Path(folder)
    table = cells(records)
    tables = build_tables(table)
    figures = sweep_figures(table)
    notes = [*_notes(records), *agreement(table)]
    outputs = {
        "report.md": markdown(tables, notes, figures),
        "report.tex": latex(tables),
        "report.csv": long_csv(table),
        "report.html": web_page(tables, notes, figures),
    }
    paths = []
    for name, figure in figures.items():
        paths.append(target / f"{name}.svg")
        with atomic_write(paths[-1]) as file:
            file.write(figure)
    for name, text in outputs.items():
        paths.append(target / name)
        with atomic_write(paths[-1]) as file:
            file.write(text.encode())
    return paths


def build_tables(table: Mapping[Key, Cell]) -> list[Table]:
    """All tables for which there are results, in the order of the experiments."""
    built = []
    for name in EXPERIMENTS:
        for metric in (*PAPER_METRICS, *ABSOLUTE_METRICS):
            keys = [k for k in table if k.experiment == name and k.metric == metric]
            if not keys:
                continue
            if name.startswith("ablation"):
                if metric in ("rmse", "mean_pdf"):
                    built.append(_ablation_table(name, metric, keys, table))
            elif name.startswith("sweep"):
                if metric in ("rmse", "mean_pdf"):
                    built += _sweep_tables(name, metric, keys, table)
            else:
                built.append(_method_table(name, metric, keys, table))
    return built


def _method_table(name: str, metric: str, keys: list[Key], table: Mapping[Key, Cell]) -> Table:
    methods = _ordered({k.method for k in keys}, [*METHODS, BASELINE])
    rows = _rows(table, keys, [(method, "") for method in methods])
    wins = [0] * len(methods)
    for _, row in rows:
        for i in _best(row, metric):
            wins[i] += 1
    notes = [f"Seeds: {_seeds(methods, rows)}"]
    if len(methods) > 1:
        notes.append("Wins: " + ", ".join(f"{m} {w}" for m, w in zip(methods, wins, strict=True)))
    if metric in ("rmse", "mean_pdf"):
        notes.append(f"Geometric mean over the synthetic rows: {_geometric_means(methods, rows)}")
        notes.append(
            f"The same over that of auto, on its rows and seeds: {_over_auto(methods, rows)}"
        )
    return Table(f"{name}: {_TITLES[metric]}", methods, rows, metric, notes)


def _seeds(methods: Sequence[str], rows: Sequence[tuple[str, list[Cell | None]]]) -> str:
    """How many seeds each method's cells have."""
    counts = [sorted({c.n for _, row in rows if (c := row[i])}) for i in range(len(methods))]
    return ", ".join(
        f"{method} {n[0]}" + (f" to {n[-1]}" if len(n) > 1 else "")
        for method, n in zip(methods, counts, strict=True)
        if n
    )


def _geometric_means(methods: Sequence[str], rows: Sequence[tuple[str, list[Cell | None]]]) -> str:
    """Geometric mean of each method that has all synthetic rows of the table."""
    synthetic = [row for problem, row in rows if problem not in REAL_PROBLEMS]
    parts = []
    for i, method in enumerate(methods):
        means = [c.mean for row in synthetic if (c := row[i]) is not None]
        if len(means) == len(synthetic) and means and min(means) > 0.0:
            parts.append(f"{method} {math.exp(sum(map(math.log, means)) / len(means)):.3f}")
    return ", ".join(parts) or "-"


def _over_auto(methods: Sequence[str], rows: Sequence[tuple[str, list[Cell | None]]]) -> str:
    """Geometric mean of each method over that of auto, where both have a row, on common seeds."""
    if "auto" not in methods:
        return "-"
    auto, parts = list(methods).index("auto"), []
    synthetic = [row for problem, row in rows if problem not in REAL_PROBLEMS]
    for i, method in enumerate(methods):
        logs = []
        for row in synthetic:
            cell, own = row[i], row[auto]
            if i != auto and cell is not None and own is not None:
                common = min(cell.n, own.n)  # seeds are counted from zero
                logs.append(math.log(sum(cell.values[:common]) / sum(own.values[:common])))
        if logs:
            parts.append(f"{method} {math.exp(sum(logs) / len(logs)):.2f} ({len(logs)} rows)")
    return ", ".join(parts) or "-"


def _ablation_table(name: str, metric: str, keys: list[Key], table: Mapping[Key, Cell]) -> Table:
    settings = list(EXPERIMENTS[name].settings)
    rows = _rows(table, keys, [("mast", setting) for setting in settings])
    own = {k: c for k, c in table.items() if k.experiment == name}
    correlation, n = rank_correlation(own, metric)
    notes = [f"Spearman correlation with the paper over {n} cells: {correlation:.2f}"]
    return Table(f"{name}: {_TITLES[metric]}", settings, rows, metric, notes)


def _sweep_tables(
    name: str, metric: str, keys: list[Key], table: Mapping[Key, Cell]
) -> list[Table]:
    built = []
    for method in _ordered({k.method for k in keys} - {BASELINE}, list(METHODS)):
        own = [k for k in keys if k.method == method]
        settings = sorted({k.setting for k in own}, key=float)
        rows = _rows(table, own, [(method, setting) for setting in settings])
        summary = robustness(table, name, method)
        notes = [
            f"Beats the HF-only GP in {summary.consistency[metric]:.0%} of the interior points; "
            f"worst RMSE ratio {summary.worst:.2f}"
        ]
        built.append(Table(f"{name}, {method}: {_TITLES[metric]}", settings, rows, metric, notes))
    return built


def _rows(
    table: Mapping[Key, Cell], keys: list[Key], columns: Sequence[tuple[str, str]]
) -> list[tuple[str, list[Cell | None]]]:
    """A row per problem of `keys`, all of one experiment and metric; columns: method, setting."""
    name, metric = keys[0].experiment, keys[0].metric
    problems = _ordered({k.problem for k in keys}, [*SYNTHETIC, *EXTRA, *REAL_PROBLEMS])
    return [(p, [table.get(Key(name, p, m, s, metric)) for m, s in columns]) for p in problems]


def _ordered(names: Iterable[str], order: Sequence[str]) -> list[str]:
    rank = {name: i for i, name in enumerate(order)}
    return sorted(names, key=lambda name: (rank.get(name, len(rank)), name))


def _best(row: Sequence[Cell | None], metric: str) -> list[int]:
    """Which cells of a row are the best, to the digits that are shown."""
    present = [(i, round(c.mean, 2)) for i, c in enumerate(row) if c is not None]
    if len(present) < 2:
        return []
    best = present[0][1]
    for _, value in present[1:]:
        best = value if is_better(metric, value, best) else best
    return [i for i, value in present if value == best]


def _notes(records: list[Mapping[str, Any]]) -> list[str]:
    seeds = sorted({record["seed"] for record in records})
    failed = [record for record in records if record["status"] != "ok"]
    lines = [
        f"mastgp {__version__}, {date.today()}, seeds {seeds[0]} to {seeds[-1]}."
        if seeds
        else "No results yet.",
        "Each cell: mean ± standard deviation over the seeds, the paper's mean in brackets, "
        "marked ≠ where the two lie more than two standard errors apart; best of a row in bold.",
    ]
    if failed:
        first = failed[0]
        lines.append(
            f"{len(failed)} units failed or ran out of time, the first: {first['method']} on "
            f"{first['problem']}, seed {first['seed']}: {first['error']}"
        )
    return lines


def _text(cell: Cell | None, plus_minus: str = "±", differs: str = "≠") -> str:
    if cell is None:
        return ""
    digits = 3 if abs(cell.mean) < 0.1 else 2
    text = f"{cell.mean:.{digits}f} {plus_minus} {cell.std:.{digits}f}"
    if cell.paper is not None:
        text += f" [{cell.paper:.2f}{differs if cell.differs else ''}]"
    return text


def markdown(
    tables: Sequence[Table],
    notes: Sequence[str],
    figures: Mapping[str, bytes],
    link: str = "{}.svg",
) -> str:
    """Tables as Markdown, with links to the figures."""
    lines = ["# Benchmark results", "", *notes, ""]
    for table in tables:
        lines += [f"## {table.title}", "", "| | " + " | ".join(table.columns) + " |"]
        lines.append("|---" * (len(table.columns) + 1) + "|")
        for name, row in table.rows:
            best = _best(row, table.metric)
            shown = [f"**{_text(c)}**" if i in best else _text(c) for i, c in enumerate(row)]
            lines.append(f"| {name} | " + " | ".join(shown) + " |")
        lines += ["", *table.notes, ""]
    for name in figures:
        lines += [f"![{name}]({link.format(name)})", ""]
    return "\n".join(lines)


def latex(tables: Sequence[Table]) -> str:
    """Tables as LaTeX (booktabs)."""
    lines = []
    for table in tables:
        lines += [
            r"\begin{table}",
            rf"\caption{{{_escape(table.title)}}}",
            rf"\begin{{tabular}}{{l{'c' * len(table.columns)}}}",
            r"\toprule",
            " & ".join(["", *map(_escape, table.columns)]) + r" \\",
            r"\midrule",
        ]
        for name, row in table.rows:
            best = _best(row, table.metric)
            plain = [_text(c, r"$\pm$", r"$\neq$") for c in row]
            shown = [rf"\textbf{{{t}}}" if i in best else t for i, t in enumerate(plain)]
            lines.append(" & ".join([_escape(name), *shown]) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}", ""]
    return "\n".join(lines)


def _escape(text: str) -> str:
    for character in "&%_#":
        text = text.replace(character, "\\" + character)
    return text.replace("²", "$^2$")


def long_csv(table: Mapping[Key, Cell]) -> str:
    """Every cell as a row of CSV."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    names = ["experiment", "problem", "method", "setting", "metric"]
    writer.writerow([*names, "mean", "std", "seeds", "paper", "paper_std", "differs"])
    order = sorted(table, key=lambda k: tuple(getattr(k, name) for name in names))
    for key in order:
        cell = table[key]
        writer.writerow(
            [
                *(getattr(key, name) for name in names),
                repr(cell.mean),
                repr(cell.std),
                cell.n,
                "" if cell.paper is None else cell.paper,
                "" if cell.paper_std is None else cell.paper_std,
                "yes" if cell.differs else "",
            ]
        )
    return stream.getvalue()


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
        *(f"<p class='note'>{html.escape(note)}</p>" for note in notes),
    ]
    for table in tables:
        parts.append(f"<h2>{html.escape(table.title)}</h2><table><thead><tr><th></th>")
        parts += [f"<th>{html.escape(column)}</th>" for column in table.columns]
        parts.append("</tr></thead><tbody>")
        for name, row in table.rows:
            best = _best(row, table.metric)
            cells_html = "".join(_html_cell(c, i in best) for i, c in enumerate(row))
            parts.append(f"<tr><th>{html.escape(name)}</th>{cells_html}</tr>")
        parts.append("</tbody></table>")
        parts += [f"<p class='note'>{html.escape(note)}</p>" for note in table.notes]
    for name, figure in figures.items():
        data = base64.b64encode(figure).decode()
        parts.append(f"<h2>{html.escape(name)}</h2>")
        parts.append(f"<img alt='{html.escape(name)}' src='data:image/svg+xml;base64,{data}'>")
    return "\n".join(parts) + "\n</html>\n"


def _html_cell(cell: Cell | None, best: bool) -> str:
    if cell is None:
        return "<td></td>"
    ours, _, paper = _text(cell).partition(" [")
    kind = "paper differs" if cell.differs else "paper"
    beside = f" <span class='{kind}'>[{html.escape(paper)}</span>" if paper else ""
    return f"<td class='{'best' if best else ''}'>{html.escape(ours)}{beside}</td>"


def agreement(table: Mapping[Key, Cell]) -> list[str]:
    """How far our MAST is from the paper's, in sentences."""
    lines = []
    for name in EXPERIMENTS:
        for metric, unit in (("rmse", "absolute"), ("mean_pdf", "relative")):
            off = {
                key.problem: (cell.mean - cell.paper) / (cell.paper if unit == "relative" else 1.0)
                for key, cell in table.items()
                if (key.experiment, key.method, key.metric) == (name, "mast", metric)
                and cell.paper is not None
                and key.setting == ""
            }
            if off:
                limit = 0.15 if metric == "rmse" else 0.25
                far = {p: d for p, d in off.items() if abs(d) > limit}
                shown = ", ".join(f"{p} {d:+.2f}" for p, d in sorted(far.items()))
                lines.append(
                    f"- {name}, MAST, {metric} ratio: {len(off) - len(far)} of {len(off)} rows "
                    f"within {limit} ({unit}) of the paper's; beyond: {shown or 'none'}."
                )
    for metric in ("rmse", "mean_pdf"):
        correlation, n = rank_correlation(table, metric)
        if n >= 3:
            lines.append(
                f"- Ablations, {metric}: Spearman correlation with the paper over all {n} cells "
                f"{correlation:.2f}."
            )
    return lines


def write_page(
    records: Iterable[Mapping[str, Any]], page: str | Path, comment: str = ""
) -> list[Path]:
    """Write the Markdown report as a page of documentation, figures in ``images`` beside it."""
    records = list(records)
    target = Path(page)
    images = target.parent / "images"
    images.mkdir(exist_ok=True)
    table = cells(records)
    figures = sweep_figures(table, "png")
    for name, figure in figures.items():
        with atomic_write(images / f"{name}.png") as file:
            file.write(figure)
    notes = [*_notes(records), "", comment.strip(), "", "## Agreement with the paper", ""]
    text = markdown(build_tables(table), [*notes, *agreement(table)], figures, "images/{}.png")
    with atomic_write(target) as file:
        file.write(text.encode())
    return [target, *(images / f"{name}.png" for name in figures)]
