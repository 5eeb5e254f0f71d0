"""How far our MAST and its ablations are from the paper's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..experiments import EXPERIMENTS
from .cells import Cell, Key

#: How far a ratio of MAST may be from the paper's: the limit, and whether it is relative.
_LIMITS = {"rmse": (0.15, False), "mean_pdf": (0.25, True)}
#: Fewest values of which a rank correlation is taken.
_FEWEST = 3


@dataclass(frozen=True)
class RankCorrelation:
    """Spearman correlation of our ablation cells with the paper's.

    Attributes
    ----------
    pooled : float
        Over all cells. It is high if problems differ more than variants do.
    within : float
        Mean of the correlations within a problem, which say whether variants rank alike. Problems
        in which all variants are equal, in ours or in the paper, have none.
    n_cells, n_problems : int
        Numbers of cells, and of correlations within a problem.
    """

    pooled: float
    within: float
    n_cells: int
    n_problems: int

    def __str__(self) -> str:
        return (
            f"Spearman correlation with the paper: {self.within:.2f} within a problem (mean over "
            f"{self.n_problems}), {self.pooled:.2f} over all {self.n_cells} cells."
        )


def rank_correlation(table: Mapping[Key, Cell], metric: str = "rmse") -> RankCorrelation:
    """Spearman correlation of our ablation cells with the paper's, within problems and pooled."""
    groups: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for key, cell in table.items():
        if (
            key.experiment.startswith("ablation")
            and key.metric == metric
            and cell.paper is not None
        ):
            groups[key.experiment, key.problem].append((cell.mean, cell.paper))
    everything = [pair for pairs in groups.values() for pair in pairs]
    within = [value for pairs in groups.values() if np.isfinite(value := _spearman(pairs))]
    return RankCorrelation(
        _spearman(everything),
        float(np.mean(within)) if within else float("nan"),
        len(everything),
        len(within),
    )


def _spearman(pairs: Sequence[tuple[float, float]]) -> float:
    """Spearman correlation; NaN for too few pairs, or where one side is constant."""
    from scipy.stats import spearmanr

    ours, theirs = {a for a, _ in pairs}, {b for _, b in pairs}
    if len(pairs) < _FEWEST or len(ours) < 2 or len(theirs) < 2:
        return float("nan")
    return float(spearmanr(*zip(*pairs, strict=True)).statistic)


def agreement(table: Mapping[Key, Cell]) -> list[str]:
    """How far our MAST is from the paper's, in sentences."""
    lines = []
    for name in EXPERIMENTS:
        for metric in _LIMITS:
            own = {k: c for k, c in table.items() if (k.experiment, k.metric) == (name, metric)}
            if name.startswith("ablation"):
                correlation = rank_correlation(own, metric)
                if correlation.n_problems:
                    lines.append(f"- {name}, {metric}: {correlation}")
            else:
                lines += _distance(name, metric, own)
    return lines


def differing_rows(table: Mapping[Key, Cell]) -> list[tuple[Key, Cell]]:
    """RMSE ratios of MAST in the main tables that differ from the paper's, worst first."""
    rows = [
        (key, cell)
        for key, cell in table.items()
        if key.experiment in ("two-fidelity", "three-fidelity")
        and (key.method, key.metric) == ("mast", "rmse")
        and cell.differs
    ]
    order = list(EXPERIMENTS)
    return sorted(
        rows,
        key=lambda row: (order.index(row[0].experiment), (row[1].paper or 0.0) - row[1].mean),
    )


def _distance(name: str, metric: str, own: Mapping[Key, Cell]) -> list[str]:
    """How many rows of MAST are near the paper's, and which are not."""
    limit, relative = _LIMITS[metric]
    off = {
        key.problem: (cell.mean - cell.paper) / (cell.paper if relative else 1.0)
        for key, cell in own.items()
        if key.method == "mast" and key.setting == "" and cell.paper is not None
    }
    if not off:
        return []
    far = [f"{p} {d:+.2f}" for p, d in sorted(off.items()) if round(abs(d), 2) > limit]
    kind = "relative" if relative else "absolute"
    return [
        f"- {name}, MAST, {metric} ratio: {len(off) - len(far)} of {len(off)} rows within {limit} "
        f"({kind}) of the paper's; beyond: {', '.join(far) or 'none'}."
    ]
