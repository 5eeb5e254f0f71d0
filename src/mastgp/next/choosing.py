"""One choice: the point and the fidelity of the largest gain per cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.places import same_place
from ..errors import DataError
from .accuracy import Accuracy, references
from .beliefs import Seen
from .goals import Extreme, Level, Promise
from .limits import Limit, feasibility
from .money import DUE, spent_since_top, worth_most
from .outlook import Outlook
from .search import ITERATIONS, climb, in_pieces
from .space import Space

Array = NDArray[np.float64]

GOALS = ("accuracy", "minimum", "maximum", "target")
#: Points at which a criterion is evaluated before the search.
SCREENED = 192
#: Reference points over which the variance is averaged.
REFERENCES = 256
#: Points that the search starts from.
STARTS = 3
#: Iterations of the search for accuracy: the variance that a run removes is smooth, and four
#: find nearly all of what twelve do.
FEW_ITERATIONS = 4
#: Fidelities whose screened gain per cost is below this share of the best are not searched on.
CLOSE = 0.5
#: Screened points that lie near the best ones so far.
NEAR = 128
#: The last runs of a search go where the prediction is best, if less than this share of the
#: standard deviation of the expensive results is expected of the most promising point.
LITTLE = 0.03
#: A point that satisfies all limits with less than this probability is no incumbent.
_PROBABLE = np.log(0.5)
_TINY = np.finfo(float).tiny


@dataclass(frozen=True)
class Goal:
    """What the runs are for.

    Attributes
    ----------
    kind : {"accuracy", "minimum", "maximum", "target"}
    value : float or None
        The level that is looked for.
    """

    kind: str
    value: float | None = None

    @classmethod
    def of(cls, goal: Any) -> Goal:
        """Check what a user gave: a name, or ``("target", value)``."""
        kind, value = (goal, None) if isinstance(goal, str) else (*goal, None)[:2]
        if kind not in GOALS or (kind == "target") != (value is not None):
            raise DataError(
                f"unknown goal {goal!r}; use 'accuracy', 'minimum', 'maximum', "
                "or a target: ('target', value), target=VALUE in commands"
            )
        if value is not None and not np.isfinite(value):
            raise DataError(f"the target value is {value!r}; it must be a number")
        return cls(kind, None if value is None else float(value))


@dataclass(frozen=True)
class Chosen:
    """A point and a fidelity, and why.

    Attributes
    ----------
    u : array of shape (d,)
        In the unit cube.
    level : int
        Number of the fidelity.
    gains : dict of int to float
        What a run of each fidelity is expected to bring: for accuracy each at its own best point,
        for the other goals at this one.
    due : float or None
        What was spent on cheap runs since the last expensive one, where that decided.
    candidate : object
        What the pool calls the point.
    """

    u: Array
    level: int
    gains: dict[int, float]
    due: float | None = None
    candidate: Any = None


@dataclass(frozen=True)
class Found:
    """The best point of a search so far.

    Attributes
    ----------
    u : array of shape (d,)
    value : float
        Of the criterion.
    starts : array of shape (n, d)
        Where to search on.
    label : object
        What a pool calls the point.
    """

    u: Array
    value: float
    starts: Array
    label: Any = None


def _best_of(U: Array, values: Array) -> Found:
    """The best of some points, and the best few to search on from."""
    order = np.argsort(-values, kind="stable")[:STARTS]
    return Found(U[order[0]], float(values[order[0]]), U[order])


@dataclass
class Chooser:
    """Chooses runs one after the other.

    Attributes
    ----------
    goal : Goal
    space : Space
    prices : sequence of float
        Cost of a run of each fidelity.
    levels : list of int
        Fidelities that may be chosen.
    limits : sequence of Limit
    rng : Generator
    success : function or None
        Probability that a run succeeds, at points in the unit cube.
    last : bool
        Whether these are the last runs of a search for an extreme value.
    failed : (U, levels) or None
        Runs that failed: candidates of a pool are not run there again.
    """

    goal: Goal
    space: Space
    prices: Sequence[float]
    levels: list[int]
    limits: Sequence[Limit]
    rng: np.random.Generator
    success: Callable[[Array], Array] | None = None
    last: bool = False
    failed: tuple[Array, NDArray[np.intp]] | None = None
    _references: tuple[Seen, Array] | None = field(default=None, init=False)
    _candidates: dict[int, Seen] = field(default_factory=dict, init=False)

    def choose(self, outlook: Outlook) -> Chosen | None:
        """Choose the next run; None where a pool has nothing left."""
        levels = [level for level in self.levels if outlook.belief.informs(level)]
        if not levels:
            raise DataError("the model says nothing about the fidelities that may be suggested")
        if self.goal.kind == "accuracy":
            return self._for_accuracy(outlook, levels)
        return self._for_promise(outlook, levels)

    def _for_accuracy(self, outlook: Outlook, levels: list[int]) -> Chosen | None:
        """The point and fidelity that remove most variance per cost."""
        criterion = self._accuracy(outlook)
        best: dict[int, Found] = {}
        for level in levels:
            found = self._most_learned(outlook, criterion, level)
            if found is not None:
                best[level] = found
        if not best:
            return None
        most = max(found.value / self.prices[i] for i, found in best.items())
        for level, found in best.items():
            if found.value / self.prices[level] >= CLOSE * most:
                values = partial(self._learned, criterion, level)
                best[level] = self._climbed(values, found, FEW_ITERATIONS)
        level = max(best, key=lambda i: best[i].value / self.prices[i])
        gains = {i: found.value for i, found in best.items()}
        return Chosen(best[level].u, level, gains, candidate=best[level].label)

    def _accuracy(self, outlook: Outlook) -> Accuracy:
        if self._references is None:
            self._references = references(outlook.belief, self.space, REFERENCES, self.rng)
        seen, weights = self._references
        probable = np.exp(feasibility(self.limits, self.space.data)(seen.U))
        probable *= self._succeeds(seen.U)
        return Accuracy(outlook, seen, np.maximum(probable, 1e-6) * weights)

    def _most_learned(self, outlook: Outlook, criterion: Accuracy, level: int) -> Found | None:
        """The best of many points, the same ones for all runs of a batch, or of a pool."""
        if self.space.pool is not None:
            return self._best_of_pool(outlook, partial(self._learned, criterion, level), [level])
        if level not in self._candidates:
            seen = self._candidates.values()
            U = next(iter(seen)).U if seen else self.space.sample(SCREENED, self.rng)
            self._candidates[level] = outlook.belief.at(U, level)
        candidates = self._candidates[level]
        values = criterion.gains_at(candidates) * self._succeeds(candidates.U)
        return _best_of(candidates.U, values)

    def _learned(self, criterion: Accuracy, level: int, U: Array) -> Array:
        """Gains of runs of a fidelity, which may fail."""
        return criterion.gains(U, level) * self._succeeds(U)

    def _succeeds(self, U: Array) -> Array:
        """Probability that runs succeed."""
        return np.ones(len(U)) if self.success is None else self.success(U)

    def _for_promise(self, outlook: Outlook, levels: list[int]) -> Chosen | None:
        """The most promising point, then the fidelity that brings most per cost there."""
        criterion, top = self._promise(outlook), outlook.belief.top
        # A candidate whose expensive value is known has nothing more to offer.
        found = self._screen(outlook, criterion.values, [top] if top in levels else levels)
        if found is None:
            return None
        found = self._climbed(criterion.values, found)
        open_levels = self._open(outlook, found.u, levels)
        if self.last and isinstance(criterion, Extreme) and top in levels:
            best = self._best_predicted(outlook, criterion, found)
            found, open_levels = (found, open_levels) if best is None else (best, [top])
        u = found.u
        gains = {level: criterion.gain(u, level) for level in open_levels}
        spent = spent_since_top(outlook, self.prices)
        level = worth_most(gains, self.prices, top)
        due = top in gains and level != top and spent >= DUE * self.prices[top]
        return Chosen(u, top if due else level, gains, spent if due else None, found.label)

    def _best_predicted(
        self, outlook: Outlook, criterion: Extreme, promising: Found
    ) -> Found | None:
        """The best predicted point.

        None where much is expected of the most promising point, and where no prediction is better
        than what is known.
        """
        spread = max(float(np.std(outlook.belief.data.top.y)), _TINY)
        if promising.value >= np.log(LITTLE * spread):
            return None
        found = self._screen(outlook, criterion.predicted, [outlook.belief.top])
        if found is not None:
            found = self._climbed(criterion.predicted, found)
        return None if found is None or found.value <= 0.0 else found

    def _promise(self, outlook: Outlook) -> Promise:
        feasible = feasibility(self.limits, self.space.data)

        def possible(U: Array) -> Array:
            return feasible(U) + np.log(np.maximum(self._succeeds(U), 1e-100))

        if self.goal.value is not None:
            return Level(outlook, possible, self.goal.value)
        belief = outlook.belief
        running = outlook.runs.U[outlook.runs.levels == belief.top]
        U = np.vstack([belief.data.unit(belief.data.top), running])
        allowed = feasible(U) >= _PROBABLE
        seen = belief.at(U[allowed] if allowed.any() else U, belief.top)
        return Extreme(outlook, possible, 1.0 if self.goal.kind == "minimum" else -1.0, seen)

    def _screen(
        self, outlook: Outlook, values: Callable[[Array], Array], levels: list[int]
    ) -> Found | None:
        """The best of many points, or of a pool."""
        if self.space.pool is not None:
            return self._best_of_pool(outlook, values, levels)
        U = self._screened(outlook)
        return _best_of(U, in_pieces(values, U))

    def _climbed(
        self, values: Callable[[Array], Array], found: Found, iterations: int = ITERATIONS
    ) -> Found:
        """The best point that is reached from the best ones of a screen."""
        if self.space.pool is not None:
            return found
        u, value = climb(values, self.space, found.starts, iterations)
        return replace(found, u=u, value=value)

    def _screened(self, outlook: Outlook) -> Array:
        """Points all over the space, and some near expensive ones that have been run."""
        U = self.space.sample(SCREENED, self.rng)
        data = outlook.belief.data
        known = data.unit(data.top)
        if len(known):
            sign = -1.0 if self.goal.kind == "maximum" else 1.0
            away = sign * data.top.y if self.goal.value is None else data.top.y - self.goal.value
            best = known[np.argsort(away if self.goal.value is None else np.abs(away))[:4]]
            U = np.vstack([U, self.space.near(best, NEAR, self.rng)])
        return U

    def _best_of_pool(
        self, outlook: Outlook, values: Callable[[Array], Array], levels: list[int]
    ) -> Found | None:
        """The best candidate that has not been run at all of some fidelities."""
        assert self.space.pool is not None
        pool = self.space.pool
        left = np.zeros(len(pool), dtype=bool)
        for level in levels:
            left |= ~self._done(outlook, pool, level)
        rows = np.flatnonzero(left)
        if not len(rows):
            return None
        found = in_pieces(values, pool[rows])
        best = int(rows[np.argmax(found)])
        label = None if self.space.labels is None else self.space.labels[best]
        return Found(pool[best], float(found.max()), pool[:0], label)

    def _open(self, outlook: Outlook, u: Array, levels: list[int]) -> list[int]:
        """Fidelities of which a candidate has not been run; all of them outside pools."""
        if self.space.pool is None:
            return levels
        return [level for level in levels if not self._done(outlook, u[None], level)[0]]

    def _done(self, outlook: Outlook, U: Array, level: int) -> NDArray[np.bool_]:
        """Which points have been run, or are running, or have failed, at a fidelity."""
        data = outlook.belief.data
        running = outlook.runs.U[outlook.runs.levels == level]
        tried = [data.unit(data.fidelities[level]), running]
        if self.failed is not None:
            tried.append(self.failed[0][self.failed[1] == level])
        return same_place(U, np.vstack(tried))
