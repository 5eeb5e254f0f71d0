"""How methods hold up in the sweeps: consistency rates and worst cases, beside the paper's."""

from __future__ import annotations

from collections.abc import Mapping

from ...methods import METHODS
from ..experiments import EXPERIMENTS
from .cells import Cell, Key
from .summaries import BEATS, WORST, Results
from .tables import ordered

#: The paper's consistency rates of MAST by its mean predictive density (its section on
#: robustness), and its worst RMSE ratio over all problems and the three sweeps.
PAPER_RATES = {"sweep-ratio": 0.77, "sweep-budget": 0.76, "sweep-discrepancy": 0.80}
PAPER_WORST = 2.04
_METHOD_OF_PAPER = "mast"


def robustness_table(results: Results) -> list[str]:
    """Consistency rates and worst cases of every method with sweeps, as lines of Markdown.

    A consistency rate is the share of seeds and interior settings in which a method beats the
    yardstick. It is counted by RMSE and by mean predictive density. The worst case is the largest
    mean RMSE ratio of a problem and a setting.
    """
    summaries = results.summaries
    sweeps = [
        s for s in EXPERIMENTS if any((k.experiment, k.problem) == (s, WORST) for k in summaries)
    ]
    methods = ordered({k.method for k in summaries if k.problem == WORST}, list(METHODS))
    if not sweeps:
        return []
    heads = [
        f"{s.removeprefix('sweep-')}: {what}"
        for s in sweeps
        for what in ("RMSE", "density", "worst")
    ]
    lines = [
        "| | seeds | " + " | ".join(heads) + " | worst of all |",
        "|---" * (len(heads) + 3) + "|",
    ]
    for method in methods:
        texts = [_seeds(results.cells, method)]
        texts += [text for sweep in sweeps for text in _texts(summaries, sweep, method)]
        lines.append(
            f"| {method} | " + " | ".join(texts) + f" | {_worst_of_all(summaries, method)} |"
        )
    return lines


def _seeds(table: Mapping[Key, Cell], method: str) -> str:
    """Smallest and largest number of seeds of a method's cells in the sweeps."""
    counts = {c.n for k, c in table.items() if k.method == method and k.experiment in PAPER_RATES}
    return " to ".join(str(n) for n in sorted({min(counts), max(counts)}))


def _texts(summaries: Mapping[Key, Cell], sweep: str, method: str) -> list[str]:
    """Both rates and the worst case of a method in a sweep."""
    rates = [summaries.get(Key(sweep, BEATS, method, "", m)) for m in ("rmse", "mean_pdf")]
    worst = summaries.get(Key(sweep, WORST, method, "", "rmse"))
    paper = f" [{PAPER_RATES[sweep]:.0%}]" if method == _METHOD_OF_PAPER else ""
    by_error, by_density = (f"{rate.mean:.0%}" if rate else "" for rate in rates)
    return [by_error, by_density + paper, f"{worst.mean:.2f}" if worst else ""]


def _worst_of_all(summaries: Mapping[Key, Cell], method: str) -> str:
    found = max(c.mean for k, c in summaries.items() if (k.problem, k.method) == (WORST, method))
    return f"{found:.2f}" + (f" [{PAPER_WORST}]" if method == _METHOD_OF_PAPER else "")
