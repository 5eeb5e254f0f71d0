"""Finding hyperparameters: L-BFGS-B from a few deterministic starts, and a report of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from .likelihood import Objective
from .linalg import NotPositiveDefiniteError
from .model import Hyperparameters

Array = NDArray[np.float64]

MAX_ITERATIONS = 500


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
        Final objective of every start.
    iterations, evaluations : int
        Summed over all starts.
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


def default_starts(objective: Objective) -> dict[str, Array]:
    """Where to search from.

    With learned noise the likelihood often has two modes: a wiggly function seen clearly, and a
    smooth one seen through noise. One start lies in each basin.
    """
    layout = objective.layout
    starts = {"prior": layout.start()}
    if objective.model.learn_noise:
        smooth = float(np.sqrt(objective.model.n_inputs))
        starts["noisy"] = layout.start(noise=0.3, lengthscale=smooth)
    return starts


def maximise(
    objective: Objective,
    starts: dict[str, Array] | None = None,
    on_iteration: Callable[[], None] | None = None,
) -> tuple[Hyperparameters, FitReport]:
    """Minimise an objective from every start and keep the best end.

    Parameters
    ----------
    objective : Objective
    starts : dict of str to array, optional
        Named start vectors; `default_starts` if not given.
    on_iteration : callable, optional
        Called after each iteration, for progress displays. It may raise to stop the fit.

    Returns
    -------
    Hyperparameters, FitReport
    """
    layout = objective.layout
    results = {}
    for name, theta in (starts or default_starts(objective)).items():
        results[name] = minimize(
            _guarded(objective),
            theta,
            jac=True,
            method="L-BFGS-B",
            bounds=list(zip(layout.lower, layout.upper, strict=True)),
            callback=None if on_iteration is None else (lambda _: on_iteration()),
            options={"maxiter": MAX_ITERATIONS},
        )
    winner = min(results, key=lambda name: results[name].fun)
    best = results[winner]
    parameters = layout.unpack(best.x)
    factorisation = objective.factorise(parameters)
    report = FitReport(
        objective=float(best.fun),
        log_likelihood=objective.log_density(factorisation),
        start=winner,
        objectives={name: float(result.fun) for name, result in results.items()},
        iterations=sum(int(result.nit) for result in results.values()),
        evaluations=sum(int(result.nfev) for result in results.values()),
        converged=bool(best.success),
        message=str(best.message),
        jitter=factorisation.jitter,
        at_bounds=layout.at_bounds(best.x),
    )
    return parameters, report


def _guarded(objective: Objective) -> Callable[[Array], tuple[float, Array]]:
    """Let a step into numerically impossible parameters look bad instead of ending the search."""

    def evaluate(theta: Array) -> tuple[float, Array]:
        try:
            return objective(theta)
        except NotPositiveDefiniteError:
            return 1e10, np.zeros_like(theta)

    return evaluate
