"""Which tool models very many rows: rows that were held out decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...gp import GaussianProcess
from ...gp.inducing import InducingProcess
from ...gp.neighbours import NeighbourProcess
from ...threads import blas_threads
from .additive import Additive, AdditiveSums
from .exact import from_part
from .learning import Learned, from_bound, from_neighbours, rougher
from .rows import LEAST_NOISE, Rows
from .tools import (
    LADDER,
    NEAREST,
    Boosted,
    Tool,
    Trended,
    enough_inducing,
    fit_boosted,
    fit_exact,
    fit_inducing,
    fit_neighbours,
    left_by,
    log_density,
    neighbours_again,
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
#: Share of the squared error, less the noise, that more neighbours must take away.
WORTH_MORE_NEIGHBOURS = 0.05
#: What splines leave is modelled further if trees make their squared error so many times smaller.
WORTH_TREND = 1.003
#: Standard errors by which a mean difference of squared errors is more than chance.
CLEARLY = 2.0
#: Share of the noise by which a tool's error may exceed it before its variance is widened.
TOLERATED = 0.03
#: Tools whose variance is that of a Gaussian process.
PROCESSES = ("neighbours", "inducing", "exact", "trended")
#: Squared error, relative to the least, up to which a process has a say in what is noise.
NEARLY = 1.05
#: Tools whose mean is expected to move by what they claim.
MOVING = (InducingProcess, NeighbourProcess, Trended)
#: Part of the rows from which the mean moves to that of all rows.
EARLIER = 0.2
#: Of rows whose variance shrinks less than this by the others, moves say nothing.
SHRINKS = 2.0
#: What a share of moves does not exceed, in units of their variance, and that share.
USUAL_MOVE, USUAL_SHARE = 3.84, 0.95
#: Least and most that variances are widened by how far means move. The least stands for
#: hyperparameters that are taken as known. Neighbours that move less claim too much.
LEAST_WIDENING, MOST_WIDENING = 1.35, 4.0
LEAST_OF_NEIGHBOURS = 0.5
#: Factors for tools whose moves say nothing. Splines take their penalty as known.
WIDENING = {"additive": 1.1}


@dataclass(frozen=True)
class Tried:
    """A tool and how it predicts rows that were held out, in standardised units.

    Attributes
    ----------
    kind : str
        "inducing", "neighbours", "additive", "boosting", "trended" or "exact".
    tool : Tool
    squared : float
        Mean squared error, noise included.
    away, var : arrays
        Errors, and variances that it claims.
    """

    kind: str
    tool: Tool
    squared: float
    away: Array
    var: Array

    @property
    def left(self) -> float:
        """Squared error less the variance that it claims: noise, and what it does not know of."""
        return self.squared - float(self.var.mean())


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
    widening : float
        Factor of the variances that the tool claims.
    errors, densities : dict of str to float
        Of each tool that was tried: root mean squared error on held-out rows, and mean log density,
        both in standardised units.
    """

    kind: str
    tool: Tool
    noise: float
    extra: float
    widening: float
    errors: dict[str, float]
    densities: dict[str, float]


@blas_threads(0)  # blocks of rows between short steps: threads get in the way, not only of time
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
    trials = Trials(train, held_out, on_evaluation or (lambda: None))
    tried = trials.second(trials.first())
    noise = trials.noise(tried)
    best = preferred(tried)
    moved = trials.widening(best)
    return Choice(
        best.kind,
        _with_held_out(best.tool, rows, held_out),
        noise,
        _extra(best, noise) if moved is None else 0.0,
        WIDENING.get(best.kind, 1.0) if moved is None else moved,
        {entry.kind: float(np.sqrt(entry.squared)) for entry in tried},
        {entry.kind: _density(entry, held_out, noise) for entry in tried},
    )


class Trials:
    """All tools on the same rows.

    Parameters
    ----------
    train : Rows
        What tools may be given.
    held_out : Rows
        What they predict.
    ticking : callable
        Called now and then.
    """

    def __init__(self, train: Rows, held_out: Rows, ticking: Evaluated) -> None:
        self.train, self.held_out, self._ticking = train, held_out, ticking
        self.part = train.some(slice(0, N_PART))
        self._trends: dict[int, Additive] = {}

    def first(self) -> list[Tried]:
        """All tools, given a part of the rows; neighbours are looked for among all."""
        smooth = from_neighbours(self.train, "rbf", evaluated=self._ticking)
        rough = rougher(self.train, smooth, self._ticking)
        bound = from_bound(self.part, smooth, self._ticking)
        tried = [*self._processes(smooth, rough, bound), *self._sums_and_trees()]
        tried = _aligned(tried)
        if self._trend_and_more(tried):
            tried.append(self._trended())
        return _aligned([self._refined(entry, tried) for entry in tried])

    def second(self, tried: list[Tried]) -> list[Tried]:
        """The tools that are not far behind, given all rows; the others as they were."""
        again = []
        for entry in tried:
            self._ticking()
            if entry.kind in self._near(tried):
                entry = self._with_all_rows(entry)
            again.append(entry)
        return _aligned(again)

    def noise(self, tried: list[Tried]) -> float:
        """Noise variance: the known one, or the least that a good tool leaves of its error.

        A tool may claim too little variance and leave too much. So other processes that predict
        nearly as well have a say.
        """
        if self.train.noise_var is not None:
            return float(self.train.noise_var.mean())
        best = min(tried, key=lambda entry: entry.squared)
        nearly = [entry for entry in tried if entry.squared <= NEARLY * best.squared]
        processes = [entry.left for entry in nearly if entry.kind in PROCESSES]
        return max(min([best.left, *processes]), LEAST_NOISE)

    def widening(self, entry: Tried) -> float | None:
        """Factor of the variances that a tool claims, by how far its mean moves with more rows.

        The mean should move by the difference of the variances before and after. Rows that are
        mostly noise hide a tool's error, but not how far its mean moves. None where moves say
        nothing.
        """
        if not isinstance(entry.tool, MOVING):
            return None
        n = int(min(N_PART, EARLIER * len(self.train)))
        earlier = self._try(entry.kind, self._given(entry.tool, self.train.some(slice(0, n))))
        shrinks = earlier.var > SHRINKS * entry.var
        if 2 * np.count_nonzero(shrinks) < len(shrinks):
            return None
        moves, claimed = earlier.away - entry.away, earlier.var - entry.var
        usual = np.quantile(moves[shrinks] ** 2 / claimed[shrinks], USUAL_SHARE)
        near = isinstance(entry.tool, NeighbourProcess)
        least = LEAST_OF_NEIGHBOURS if near else LEAST_WIDENING
        return float(np.clip(usual / USUAL_MOVE, least, MOST_WIDENING))

    def _processes(self, smooth: Learned, rough: Learned, bound: Learned) -> list[Tried]:
        """Neighbours, inducing points and the exact process, each with its best hyperparameters."""
        near = [self._try("neighbours", fit_neighbours(w, self.train)) for w in (smooth, rough)]
        self._ticking()
        few = [
            self._try("inducing", fit_inducing(w, self.part, LADDER[0])) for w in (smooth, bound)
        ]
        way = min(zip(few, (smooth, bound), strict=True), key=lambda pair: pair[0].squared)[1]
        inducing = self._try("inducing", enough_inducing(way, self.part, self.held_out))
        self._ticking()
        tried = [min(near, key=lambda entry: entry.squared), inducing]
        if len(self.train) <= MOST_EXACT:
            learned = from_part(self.train, self._ticking)
            tried.append(self._try("exact", fit_exact(learned, self.train)))
        return tried

    def _sums_and_trees(self) -> list[Tried]:
        """Additive splines, and boosted trees of what they leave."""
        trend = self._trend(self.part)
        self._ticking()
        trees = fit_boosted(self.part, trend)
        return [self._try("additive", trend), self._try("boosting", trees)]

    def _trended(self) -> Tried:
        """Inducing points of what splines leave: rough responses, so with the Matérn kernel."""
        trend = self._trend(self.part)
        left, held_out = left_by(trend, self.train), left_by(trend, self.held_out)
        smooth = from_neighbours(left, "rbf", evaluated=self._ticking)
        learned = from_bound(left, rougher(left, smooth, self._ticking), self._ticking)
        process = enough_inducing(learned, left_by(trend, self.part), held_out)
        return self._try("trended", Trended(trend, process))

    def _trend(self, rows: Rows) -> Additive:
        """Additive splines of rows, found once for all tools that need them."""
        if len(rows) not in self._trends:
            self._trends[len(rows)] = AdditiveSums(rows).best(self.held_out)[0]
        return self._trends[len(rows)]

    def _refined(self, entry: Tried, tried: list[Tried]) -> Tried:
        """A tool that is not far behind, with what makes it better or its variance known."""
        if isinstance(entry.tool, NeighbourProcess):
            return self._more_neighbours(entry, tried)
        if isinstance(entry.tool, Boosted) and entry.kind in self._near(tried):
            return self._try(entry.kind, self._with_variance(entry.tool, self.part))
        return entry

    def _with_variance(self, tool: Boosted, rows: Rows) -> Boosted:
        """Trees of rows, with a variance from trees of half of them.

        Trees of a smaller part would show too little: their error falls more slowly than the
        number of rows grows.
        """
        half = rows.some(slice(0, len(rows) // 2))
        return tool.compared(fit_boosted(half, self._trend(half)), self.held_out)

    def _more_neighbours(self, entry: Tried, tried: list[Tried]) -> Tried:
        """As many neighbours as help, if few are nearly as good as the best tool."""
        best = min(tried, key=lambda other: other.squared)
        noise = best.left
        if entry.squared > max(NEARLY * best.squared, noise + FAR_BEHIND * (best.squared - noise)):
            return entry
        assert isinstance(entry.tool, NeighbourProcess)
        process = entry.tool
        for k in NEAREST[1:]:
            self._ticking()
            more = self._try("neighbours", neighbours_again(process, self.train, k))
            before, after = (float(np.mean(e.away**2)) for e in (entry, more))
            if before - after < WORTH_MORE_NEIGHBOURS * max(before - noise, 0.0):
                break
            entry = more
        return entry

    def _trend_and_more(self, tried: list[Tried]) -> bool:
        """Whether trees of what splines leave are the best of all tools so far."""
        squared = {entry.kind: entry.squared for entry in tried}
        trees = squared.pop("boosting")
        return trees * WORTH_TREND < squared["additive"] and trees < min(squared.values())

    def _near(self, tried: list[Tried]) -> set[str]:
        """Tools that are not far behind."""
        least, noise = min(entry.squared for entry in tried), self.noise(tried)
        near = max(FAR_BEHIND * (least - noise) + noise, BEHIND_AT_ALL * least)
        return {entry.kind for entry in tried if entry.squared <= near}

    def _with_all_rows(self, entry: Tried) -> Tried:
        """The same tool given all rows, unless it has them."""
        if len(self.train) <= N_PART or entry.kind in ("neighbours", "exact"):
            return entry
        tool = self._given(entry.tool, self.train)
        if isinstance(tool, Boosted):
            tool = self._with_variance(tool, self.train)
        return self._try(entry.kind, tool)

    def _given(self, tool: Tool, rows: Rows) -> Tool:
        """The same tool, given other rows."""
        if isinstance(tool, InducingProcess):
            return InducingProcess.given(tool.basis, rows.observations)
        if isinstance(tool, NeighbourProcess):
            return neighbours_again(tool, rows, tool.k)
        trend = self._trend(rows)
        if isinstance(tool, Trended):
            left = left_by(trend, rows)
            return Trended(trend, InducingProcess.given(tool.process.basis, left.observations))
        return fit_boosted(rows, trend) if isinstance(tool, Boosted) else trend

    def _try(self, kind: str, tool: Tool) -> Tried:
        """Predict held-out rows."""
        some = self.held_out.some(slice(0, N_TRIED)) if kind == "neighbours" else self.held_out
        mean, var = tool.predict(some.X)
        away = some.y - mean
        return Tried(kind, tool, float(np.mean(away**2)), away, var)


def preferred(tried: list[Tried]) -> Tried:
    """The tool of the least error, unless chance may have made it so.

    The exact process is kept where nothing is clearly better: others approximate it. Trees are
    kept only where they are clearly better than all others: another tool has a variance for every
    point, and is cheaper.
    """
    best = min(tried, key=lambda entry: entry.squared)
    as_good = [entry for entry in tried if not _clearly_better(best, entry)]
    for entry in as_good:
        if entry.kind == "exact":
            return entry
    if best.kind != "boosting":
        return best
    others = [entry for entry in as_good if entry is not best]
    return min(others, key=lambda entry: entry.squared, default=best)


def _clearly_better(one: Tried, other: Tried) -> bool:
    """Whether squared errors on the same rows differ by more than chance."""
    n = min(len(one.away), len(other.away))
    gain = other.away[:n] ** 2 - one.away[:n] ** 2
    return float(gain.mean()) > CLEARLY * float(gain.std()) / np.sqrt(n)


def _aligned(tried: list[Tried]) -> list[Tried]:
    """Squared errors on the same rows: neighbours are tried on the first ones only.

    How far neighbours are from the best of the others is measured on the rows that both have.
    """
    best = min((e for e in tried if e.kind != "neighbours"), key=lambda e: e.squared)
    return [
        replace(e, squared=best.squared + float(np.mean(e.away**2 - best.away[: len(e.away)] ** 2)))
        if e.kind == "neighbours"
        else e
        for e in tried
    ]


def _extra(entry: Tried, noise: float) -> float:
    """Variance that held-out rows have and the tool does not know of."""
    return max(entry.left - (1.0 + TOLERATED) * noise, 0.0)


def _density(entry: Tried, held_out: Rows, noise: float) -> float:
    """Mean log density of held-out rows, with the variance that they were found to have."""
    own = held_out.some(slice(0, len(entry.away)))
    var = entry.var + _extra(entry, noise)
    return float(np.mean(log_density(own.y - entry.away, var, own, noise)))


def _with_held_out(tool: Tool, rows: Rows, held_out: Rows) -> Tool:
    """The same tool with the held-out rows too, where that is cheap."""
    if isinstance(tool, InducingProcess):
        return tool.with_rows(held_out.observations)
    if isinstance(tool, Trended):
        return tool.with_rows(held_out)
    if isinstance(tool, NeighbourProcess):
        return neighbours_again(tool, rows, tool.k)
    if isinstance(tool, GaussianProcess):
        return fit_exact(Learned(tool.model, tool.parameters), rows)
    return tool
