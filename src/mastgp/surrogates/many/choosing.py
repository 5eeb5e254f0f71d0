"""Which tool models very many rows: rows that were held out decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...gp.inducing import InducingProcess
from ...gp.neighbours import NeighbourProcess
from .additive import Additive, AdditiveSums
from .learning import Learned, from_bound, from_neighbours, rougher
from .rows import Rows
from .tools import (
    Boosted,
    Tool,
    enough_inducing,
    fit_boosted,
    fit_exact,
    fit_inducing,
    fit_neighbours,
    log_density,
)

Array = NDArray[np.float64]
Evaluated = Callable[[], None]

#: Share of the rows that is held out, and how many of them at most.
HELD_OUT, MOST_HELD_OUT = 0.1, 5_000
#: Rows by which tools are compared first. Those that are far behind are not given all rows.
N_PART = 20_000
#: A tool is far behind if its squared error, less the noise, is so many times the least.
FAR_BEHIND = 4.0
#: ... and its squared error, noise included, is more than this times the least.
BEHIND_AT_ALL = 1.01
#: Up to this many rows the exact process is one of the tools.
MOST_EXACT = 5_000
#: Held-out rows that neighbours are tried on: each takes its own matrix.
N_TRIED = 2_000
#: Share of the noise by which a tool's error may exceed it before its variance is widened.
TOLERATED = 0.03
#: Tools whose variance is that of a Gaussian process.
PROCESSES = ("neighbours", "inducing", "exact")
#: Squared error, relative to the least, up to which a process has a say in what is noise.
NEARLY = 1.05
#: Least noise variance, in standardised units.
LEAST_NOISE = 1e-8


@dataclass(frozen=True)
class Tried:
    """A tool and how it predicts rows that were held out, in standardised units.

    Attributes
    ----------
    kind : str
        "inducing", "neighbours", "additive", "boosting" or "exact".
    tool : Tool
    squared : float
        Mean squared error, noise included.
    left : float
        Mean squared error of the first of the rows less the variance that it claims there: noise,
        and what it does not know of.
    away, var : arrays
        Errors, and variances that it claims.
    """

    kind: str
    tool: Tool
    squared: float
    left: float
    away: Array
    var: Array


@dataclass(frozen=True)
class Choice:
    """What was chosen.

    Attributes
    ----------
    kind : str
    tool : Tool
        Given all rows.
    noise : float
        Noise variance, in standardised units.
    extra : float
        Variance that held-out rows have and the tool does not know of.
    errors, densities : dict of str to float
        Of each tool that was tried: root mean squared error on held-out rows, and mean log density,
        both in standardised units.
    """

    kind: str
    tool: Tool
    noise: float
    extra: float
    errors: dict[str, float]
    densities: dict[str, float]


def choose(rows: Rows, on_evaluation: Evaluated | None = None) -> Choice:
    """Try all tools on a part of the rows, the better ones on all, and keep the best.

    Parameters
    ----------
    rows : Rows
        In a random order.
    on_evaluation : callable, optional
        Called now and then.
    """
    n_held_out = int(min(MOST_HELD_OUT, max(1, HELD_OUT * len(rows))))
    held_out, train = rows.some(slice(0, n_held_out)), rows.some(slice(n_held_out, None))
    ticking = on_evaluation or (lambda: None)
    smooth = from_neighbours(train, "rbf", evaluated=ticking)
    rough = rougher(train, smooth, ticking)
    tried = _first(train.some(slice(0, N_PART)), train, held_out, smooth, rough, ticking)
    noise = _noise(rows, tried)
    if len(train) > N_PART:
        tried = _second(tried, train, held_out, noise, ticking)
        noise = _noise(rows, tried)
    best = min(tried, key=lambda entry: entry.squared)
    return Choice(
        best.kind,
        _with_held_out(best.tool, rows, held_out),
        noise,
        _extra(best, noise),
        {entry.kind: float(np.sqrt(entry.squared)) for entry in tried},
        {entry.kind: _density(entry, held_out, noise) for entry in tried},
    )


def _try(kind: str, tool: Tool, held_out: Rows) -> Tried:
    """Predict held-out rows."""
    some = held_out.some(slice(0, N_TRIED)) if kind == "neighbours" else held_out
    mean, var = tool.predict(some.X)
    away, first = some.y - mean, slice(0, N_TRIED)
    left = float(np.mean(away[first] ** 2 - var[first]))
    return Tried(kind, tool, float(np.mean(away**2)), left, away, var)


def _extra(entry: Tried, noise: float) -> float:
    """Variance that held-out rows have and the tool does not know of."""
    return max(entry.left - (1.0 + TOLERATED) * noise, 0.0)


def _density(entry: Tried, held_out: Rows, noise: float) -> float:
    """Mean log density of held-out rows, with the variance that they were found to have."""
    own = held_out.some(slice(0, len(entry.away)))
    var = entry.var + _extra(entry, noise)
    return float(np.mean(log_density(own.y - entry.away, var, own, noise)))


def _first(
    part: Rows, train: Rows, held_out: Rows, smooth: Learned, rough: Learned, ticking: Evaluated
) -> list[Tried]:
    """All tools, given a part of the rows; neighbours are looked for among all."""
    bound = from_bound(part, smooth, ticking)
    trend, _ = AdditiveSums(part).best(held_out)
    ticking()
    near = [_try("neighbours", fit_neighbours(way, train), held_out) for way in (smooth, rough)]
    ticking()
    inducing = [
        _try("inducing", enough_inducing(way, part, held_out), held_out) for way in (smooth, bound)
    ]
    ticking()
    tried = [
        min(near, key=lambda entry: entry.squared),
        min(inducing, key=lambda entry: entry.squared),
        _try("additive", trend, held_out),
        _try("boosting", _boosted(part, trend, held_out), held_out),
    ]
    if len(train) <= MOST_EXACT:
        exact = [_try("exact", fit_exact(way, train), held_out) for way in (bound, rough)]
        tried.append(min(exact, key=lambda entry: entry.squared))
    return tried


def _second(
    tried: list[Tried], train: Rows, held_out: Rows, noise: float, ticking: Evaluated
) -> list[Tried]:
    """The tools that are not far behind, given all rows; the others as they were."""
    least = min(entry.squared for entry in tried)
    near = max(FAR_BEHIND * (least - noise) + noise, BEHIND_AT_ALL * least)
    again = []
    for entry in tried:
        ticking()
        if entry.squared <= near and entry.kind != "neighbours":
            entry = _try(entry.kind, _given(entry.tool, train, held_out), held_out)
        again.append(entry)
    return again


def _given(tool: Tool, rows: Rows, held_out: Rows) -> Tool:
    """The same tool, given other rows."""
    if isinstance(tool, InducingProcess):
        learned = Learned(tool.model, tool.parameters)
        m = len(tool.basis)
        return fit_inducing(learned, rows, m)
    if isinstance(tool, Additive):
        return AdditiveSums(rows).best(held_out)[0]
    assert isinstance(tool, Boosted)
    grown = fit_boosted(rows, AdditiveSums(rows).best(held_out)[0])
    return grown.compared(tool, held_out)


def _boosted(rows: Rows, trend: Additive, held_out: Rows) -> Boosted:
    """Boosted trees, with a variance from those of half of the rows."""
    smaller = fit_boosted(rows.some(slice(0, len(rows) // 2)), trend)
    return fit_boosted(rows, trend).compared(smaller, held_out)


def _with_held_out(tool: Tool, rows: Rows, held_out: Rows) -> Tool:
    """The same tool with the held-out rows too, where that is cheap."""
    if isinstance(tool, InducingProcess):
        return tool.with_rows(held_out.observations)
    if isinstance(tool, NeighbourProcess):
        return fit_neighbours(Learned(tool.model, tool.parameters), rows)
    return tool


def _noise(rows: Rows, tried: list[Tried]) -> float:
    """Noise variance: the known one, or the least that a good tool leaves of its error.

    A tool may claim too little variance and leave too much. So other processes that predict nearly
    as well have a say.
    """
    if rows.noise_var is not None:
        return float(rows.noise_var.mean())
    best = min(tried, key=lambda entry: entry.squared)
    nearly = [entry for entry in tried if entry.squared <= NEARLY * best.squared]
    processes = [entry.left for entry in nearly if entry.kind in PROCESSES]
    return max(min([best.left, *processes]), LEAST_NOISE)
