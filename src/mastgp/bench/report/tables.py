"""Tables like the paper's: which rows, columns and notes each of them has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...check.scores import PAPER_METRICS
from ...methods import METHODS
from ..experiments import BASELINE, EXPERIMENTS, SYNTHETIC
from ..problems import EXTRA
from ..real import REAL_PROBLEMS
from .agreement import rank_correlation
from .cells import ABSOLUTE_METRICS, Cell, Key
from .marks import OTHER_CODE_NOTE, UNRANKED, best
from .summaries import BEATS, GEOMETRIC_MEAN, OVER_AUTO, SUMMED, WORST, Results

Row = tuple[str, list[Cell | None]]

ALL_METRICS = (*PAPER_METRICS, *ABSOLUTE_METRICS)

_TITLES = {
    "rmse": "RMSE over that of the HF-only GP (below 1 is better)",
    "mean_pdf": "mean predictive density over that of the HF-only GP (above 1 is better)",
    "r2": "R² over that of the HF-only GP (above 1 is better; erratic where that is near 0)",
    "nlpd": "negative log predictive density (smaller is better)",
    "crps": "continuous ranked probability score, in the response's units (smaller is better)",
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
    rows: list[Row]
    metric: str
    notes: list[str]

    @property
    def all_notes(self) -> list[str]:
        """Its notes, and what the mark of cells from other code means if there are some."""
        mixed = any(cell.other_code for _, row in self.rows for cell in row if cell)
        return [*self.notes, OTHER_CODE_NOTE] if mixed else self.notes


def build_tables(results: Results, metrics: Sequence[str] = ALL_METRICS) -> list[Table]:
    """All tables of some metrics for which there are results, in the order of the experiments."""
    built = []
    for name in EXPERIMENTS:
        for metric in metrics:
            keys = [k for k in results.cells if (k.experiment, k.metric) == (name, metric)]
            if not keys:
                continue
            if not name.startswith(("ablation", "sweep")):
                built.append(_method_table(name, metric, keys, results))
            elif metric in SUMMED:
                make = _ablation_tables if name.startswith("ablation") else _sweep_tables
                built += make(name, metric, keys, results)
    return built


def _method_table(name: str, metric: str, keys: list[Key], results: Results) -> Table:
    methods = ordered({k.method for k in keys}, [*METHODS, BASELINE])
    rows = _rows(results.cells, keys, [(method, "") for method in methods])
    notes = [f"Seeds: {seeds_note(methods, rows)}."]
    if len(methods) > 1 and metric not in UNRANKED:
        notes.append(f"Wins: {_wins(methods, rows, metric)}.")
    if metric in SUMMED:
        notes += _summary_notes(name, metric, methods, results.summaries)
    return Table(f"{name}: {_TITLES[metric]}", methods, rows, metric, notes)


def _summary_notes(
    name: str, metric: str, methods: Sequence[str], summaries: Mapping[Key, Cell]
) -> list[str]:
    """Geometric means over the synthetic rows, and over that of auto."""
    means = {m: summaries.get(Key(name, GEOMETRIC_MEAN, m, "", metric)) for m in methods}
    over = {m: summaries.get(Key(name, OVER_AUTO, m, "", metric)) for m in methods}
    notes = []
    if any(means.values()):
        shown = ", ".join(f"{m} {c.mean:.3f}" for m, c in means.items() if c)
        notes.append(f"Geometric mean over the synthetic rows: {shown}.")
    if any(over.values()):
        shown = ", ".join(f"{m} {c.mean:.2f} ({c.n} rows)" for m, c in over.items() if c)
        notes.append(f"The same over that of auto, on the seeds that both have: {shown}.")
    return notes


def _wins(methods: Sequence[str], rows: Sequence[Row], metric: str) -> str:
    """How often each method is the best of a row, without those that never are."""
    marked = [i for _, row in rows for i in best(row, metric)]
    counts = {method: marked.count(i) for i, method in enumerate(methods)}
    return ", ".join(f"{method} {count}" for method, count in counts.items() if count) or "none"


def seeds_note(methods: Sequence[str], rows: Sequence[Row]) -> str:
    """How many seeds each method's cells have."""
    counts = [sorted({c.n for _, row in rows if (c := row[i])}) for i in range(len(methods))]
    return ", ".join(
        f"{method} {n[0]}" + (f" to {n[-1]}" if len(n) > 1 else "")
        for method, n in zip(methods, counts, strict=True)
        if n
    )


def _ablation_tables(name: str, metric: str, keys: list[Key], results: Results) -> list[Table]:
    settings = list(EXPERIMENTS[name].settings)
    rows = _rows(results.cells, keys, [("mast", setting) for setting in settings])
    own = {k: c for k, c in results.cells.items() if k.experiment == name}
    notes = [str(rank_correlation(own, metric))]
    return [Table(f"{name}: {_TITLES[metric]}", settings, rows, metric, notes)]


def _sweep_tables(name: str, metric: str, keys: list[Key], results: Results) -> list[Table]:
    built = []
    for method in ordered({k.method for k in keys} - {BASELINE}, list(METHODS)):
        own = [k for k in keys if k.method == method]
        settings = sorted({k.setting for k in own}, key=float)
        rows = _rows(results.cells, own, [(method, setting) for setting in settings])
        notes = _sweep_notes(name, method, metric, results.summaries)
        built.append(Table(f"{name}, {method}: {_TITLES[metric]}", settings, rows, metric, notes))
    return built


def _sweep_notes(name: str, method: str, metric: str, summaries: Mapping[Key, Cell]) -> list[str]:
    beats = summaries.get(Key(name, BEATS, method, "", metric))
    worst = summaries.get(Key(name, WORST, method, "", "rmse"))
    notes = []
    if beats:
        notes.append(f"Beats the HF-only GP in {beats.mean:.0%} of the interior points.")
    if worst:
        notes.append(f"Worst RMSE ratio: {worst.mean:.2f}.")
    return notes


def _rows(
    table: Mapping[Key, Cell], keys: list[Key], columns: Sequence[tuple[str, str]]
) -> list[Row]:
    """A row per problem of `keys`, all of one experiment and metric; columns: method, setting."""
    name, metric = keys[0].experiment, keys[0].metric
    problems = ordered({k.problem for k in keys}, [*SYNTHETIC, *EXTRA, *REAL_PROBLEMS])
    return [(p, [table.get(Key(name, p, m, s, metric)) for m, s in columns]) for p in problems]


def ordered(names: Iterable[str], order: Sequence[str]) -> list[str]:
    """Names in a given order, those that it does not have last."""
    rank = {name: i for i, name in enumerate(order)}
    return sorted(names, key=lambda name: (rank.get(name, len(rank)), name))
