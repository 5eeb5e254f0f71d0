"""The numbers of the paper's tables (Nasr, Elham and Sheikh, MAST)."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

from ...methods import METHODS

_TABLES = {
    "two-fidelity": ("main", "2"),
    "three-fidelity": ("main", "3"),
    "icl": ("icl", "2"),
    "ablation-radius": ("ablation", "2"),
    "ablation-weight": ("ablation", "2"),
    "ablation-metric": ("ablation", "2"),
}


def paper_value(
    experiment: str, problem: str, method: str, setting: str, metric: str
) -> tuple[float | None, float | None]:
    """The paper's mean and standard deviation of a cell, where it has one."""
    table = _table_of(experiment, problem)
    name = _name_of(experiment, method, setting)
    if table is None or name is None:
        return None, None
    return _numbers().get((*table, problem, name, metric), (None, None))


def _table_of(experiment: str, problem: str) -> tuple[str, str] | None:
    """Which of the paper's tables an experiment repeats, and the number of fidelities."""
    if experiment == "collocated":
        return "collocated", "3" if problem == "hoip" else "2"
    return _TABLES.get(experiment)


def _name_of(experiment: str, method: str, setting: str) -> str | None:
    """What the paper's table calls a column: a method, or in ablations a setting of MAST."""
    if experiment.startswith("ablation"):
        return setting if method == "mast" else None
    return METHODS[method].paper_name if method in METHODS else None


@cache
def _numbers() -> dict[tuple[str, str, str, str, str], tuple[float, float | None]]:
    """All numbers: table, fidelities, problem, method and metric lead to mean and std."""
    text = files("mastgp.bench").joinpath("paper.csv").read_text(encoding="utf-8")
    table = {}
    for row in csv.DictReader(text.splitlines()):
        key = (row["table"], row["fidelities"], row["problem"].lower(), row["method"])
        std = float(row["std"]) if row["std"] else None
        table[(*key, row["metric"])] = (float(row["mean"]), std)
    return table
