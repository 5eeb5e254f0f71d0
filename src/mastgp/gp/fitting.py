"""Finding hyperparameters: L-BFGS-B from a few deterministic starts, and a report of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .leave_out import leave_one_out_score
from .likelihood import Factorisation, Objective
from .linalg import NotPositiveDefiniteError
from .parameters import Hyperparameters

Array = NDArray[np.float64]

MAX_ITERATIONS = 500
#: A later search that comes this close to an earlier optimum, in every coordinate, is stopped:
#: it would end there.
SAME_BASIN = 0.3
#: Beyond this many points the search starts where one with SUBSET of them ended.
MANY_POINTS = 450
SUBSET = 300
#: The part has at least this many points of every group that has them.
FEWEST = 50
#: Stands for an objective that cannot be computed.
_IMPOSSIBLE = 1e10


@dataclass(frozen=True)
class FitReport:
    """What a fit did.

    Attributes
    ----------
    objective : float
        Negative log posterior density per observation at the end.
    log_likelihood : float
        Log marginal likelihood of the standardised targets.
    start : str
        Name of the start that won.
    objectives : dict
        Last objective of every start. A search that comes to an optimum found before stops there.
    iterations, evaluations : int
        Summed over all starts; the search in a part of the data is not counted.
    converged : bool
    message : str
        The optimiser's own words about the winning start.
    jitter : float
        What had to be added to K's diagonal; 0 in the ordinary case.
    at_bounds : list of str
        Parameters that ended on a bound of their range.
    """

    objective: float
    log_likelihood: float
    start: str
    objectives: dict[str, float] = field(default_factory=dict)
    iterations: int = 0
    evaluations: int = 0
    converged: bool = True
    message: str = ""
    jitter: float = 0.0
    at_bounds: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Optimum:
    """Where a fit ended.

    Attributes
    ----------
    parameters : Hyperparameters
    factorisation : Factorisation
        Of the covariance matrix at these parameters.
    report : FitReport
    """

    parameters: Hyperparameters
    factorisation: Factorisation
    report: FitReport


def default_starts(objective: Objective) -> dict[str, Array]:
    """Where to search from.

    With learned noise the likelihood often has two modes: a wiggly function seen clearly, and a
    smooth one seen through noise. One start lies in each basin.

    Returns
    -------
    dict of str to array
        Vectors of the objective's layout by name: "prior" and, where noise is learned, "noisy".
    """
    layout = objective.layout
    starts = {"prior": layout.start()}
    if objective.model.learn_noise:
        smooth = float(np.sqrt(objective.model.n_inputs))
        starts["noisy"] = layout.start(noise=0.3, lengthscale=smooth)
    if objective.model.factor_starts:
        where, guess = layout.factors.where, np.array(objective.model.factor_starts)
        starts["prior"][where] = guess
        if "noisy" in starts:
            starts["noisy"][where] = np.copysign(starts["noisy"][where], guess)
    if objective.embedding is not None:
        for start in starts.values():
            start[layout.positions.where] = objective.embedding.start(objective.data.y)
    return starts


def subset_start(
    objective: Objective, on_evaluation: Callable[[], None] | None, tolerance: float | None
) -> Array:
    """The optimum of a random part of the data: close to that of all, at a fraction of the cost."""
    part = Objective(objective.model, objective.data.subset(_stratified(objective.data.groups)))
    searches = _run(part, default_starts(part), on_evaluation, tolerance)
    return objective.layout.pack(searches[_winner(searches)].parameters)


def _stratified(groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """Choose SUBSET rows at random, but at least FEWEST of every group that has them."""
    order = np.random.default_rng(0).permutation(len(groups))
    wanted = [order[groups[order] == group][:FEWEST] for group in np.unique(groups)]
    first = np.concatenate(wanted)
    rest = order[~np.isin(order, first)][: max(SUBSET - len(first), 0)]
    return np.sort(np.concatenate([first, rest]))


def maximise(
    objective: Objective,
    starts: dict[str, Array] | None = None,
    on_evaluation: Callable[[], None] | None = None,
    tolerance: float | None = None,
) -> Optimum:
    """Minimise an objective from every start and keep the end that predicts best.

    Parameters
    ----------
    objective : Objective
    starts : dict of str to array, optional
        Named start vectors. By default those of `default_starts`, and with many points the
        optimum of a part of them.
    on_evaluation : callable, optional
        Called at each evaluation of the objective, for progress displays. It may raise to stop
        the fit.
    tolerance : float, optional
        A search ends when the log posterior density changes by less than this; by default
        practically not at all. With many points it is a hundredth at least.

    Returns
    -------
    Optimum
    """
    if starts is None and len(objective.data.y) > MANY_POINTS:
        starts = {"subset": subset_start(objective, on_evaluation, tolerance)}
    searches = _run(objective, starts or default_starts(objective), on_evaluation, tolerance)
    winner = _winner(searches)
    best = searches[winner]
    report = FitReport(
        objective=best.value,
        log_likelihood=objective.log_density(best.factorisation),
        start=winner,
        objectives={name: search.value for name, search in searches.items()},
        iterations=sum(search.iterations for search in searches.values()),
        evaluations=sum(search.evaluations for search in searches.values()),
        converged=best.converged,
        message=best.message,
        jitter=best.factorisation.jitter,
        at_bounds=objective.layout.at_bounds(best.theta),
    )
    return Optimum(best.parameters, best.factorisation, report)


def _run(
    objective: Objective,
    starts: dict[str, Array],
    on_evaluation: Callable[[], None] | None,
    tolerance: float | None,
) -> dict[str, _Search]:
    """Search from one start after the other."""
    searches: dict[str, _Search] = {}
    for name, theta in starts.items():
        search = _Search(objective, [done.theta for done in searches.values()], on_evaluation)
        search.run(theta, tolerance)
        searches[name] = search
    return searches


def _winner(searches: dict[str, _Search]) -> str:
    """Name of the search whose optimum predicts left-out points best.

    The density of the data (the objective) prefers the wiggly, noise-free mode too often when the
    data are noisy. The leave-one-out score costs little more and does not (perf/starts.py).
    """
    ended = {name: search for name, search in searches.items() if search.ended}
    if not ended:
        raise NotPositiveDefiniteError("no start led to a covariance matrix that can be factorised")
    if len(ended) == 1 or next(iter(ended.values())).n_points < 3:
        return min(ended, key=lambda name: ended[name].value)
    return max(ended, key=lambda name: ended[name].score)


def _options(n: int, tolerance: float | None) -> dict[str, float]:
    """Settings of L-BFGS-B that differ from SciPy's own.

    The objective is per observation. With thousands of them its last digits are worth less than
    a hundredth of the log likelihood's unit, and not worth their cubic cost.
    """
    options: dict[str, float] = {"maxiter": MAX_ITERATIONS, "maxcor": 20}
    if n > MANY_POINTS:
        tolerance = max(tolerance or 0.0, 1e-2)
    if tolerance is not None:
        options["ftol"] = tolerance / n
    return options


class _FoundBeforeError(Exception):
    """A search has come to an optimum that an earlier one found."""


class _Search:
    """One run of the optimiser, stopped early where it can only repeat an earlier one.

    The covariance matrix at its end is factorised once, when somebody asks for it.
    """

    def __init__(
        self, objective: Objective, found: list[Array], on_evaluation: Callable[[], None] | None
    ) -> None:
        self.value = np.inf
        self.found_before = False
        self.iterations = self.evaluations = 0
        self.converged = True
        self.message = "came to an optimum that an earlier start had found"
        self._objective = objective
        self._found = found
        self._on_evaluation = on_evaluation

    @property
    def ended(self) -> bool:
        """Whether the search came to an optimum of its own."""
        return not self.found_before and self.value < _IMPOSSIBLE

    @property
    def n_points(self) -> int:
        """Number of observations."""
        return len(self._objective.data.y)

    @cached_property
    def parameters(self) -> Hyperparameters:
        """Hyperparameters at the end."""
        return self._objective.layout.unpack(self.theta)

    @cached_property
    def factorisation(self) -> Factorisation:
        """Factorisation of the covariance matrix at the end."""
        return self._objective.factorise(self.parameters)

    @property
    def score(self) -> float:
        """How well observations are predicted that are left out."""
        return leave_one_out_score(self._objective, self.factorisation)

    def run(self, theta: Array, tolerance: float | None) -> None:
        """Search from `theta`; the result is in the attributes."""
        from scipy.optimize import Bounds, minimize

        self.theta = theta
        layout = self._objective.layout
        try:
            result = minimize(
                self._evaluate,
                theta,
                jac=True,
                method="L-BFGS-B",
                bounds=Bounds(layout.lower, layout.upper),
                options=_options(self.n_points, tolerance),
            )
        except _FoundBeforeError:
            self.found_before = True
            return
        self.theta, self.value = result.x, float(result.fun)
        self.iterations = int(result.nit)
        self.converged, self.message = bool(result.success), str(result.message)

    def _evaluate(self, theta: Array) -> tuple[float, Array]:
        self.evaluations += 1
        if self._on_evaluation is not None:
            self._on_evaluation()
        try:
            value, gradient = self._objective(theta)
        except NotPositiveDefiniteError:
            # A step into numerically impossible parameters looks bad, but ends nothing.
            return _IMPOSSIBLE, np.zeros_like(theta)
        for optimum in self._found:
            if np.abs(theta - optimum).max() < SAME_BASIN:
                self.theta, self.value = theta.copy(), value
                raise _FoundBeforeError
        return value, gradient
