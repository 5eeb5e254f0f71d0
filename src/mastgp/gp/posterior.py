"""Draws of a model's hyperparameters from their posterior.

One optimum is too sure of itself where few points tell little about lengthscales, noise and
factors. Predictions averaged over draws of the hyperparameters are not.

Draws are made in two stages. First points are proposed from Student's t distributions about all
modes found, with importance weights. Where the Pareto shape of the weights says that they can be
trusted, some of the points are kept. Otherwise the points are starts of short Hamiltonian Monte
Carlo chains.

Priors are densities of the parameters. A positive parameter's coordinate is its logarithm u, so the
density that is drawn from has the factor exp(u) for each of them, which the optimiser's objective
does not have. The density is zero outside the optimiser's box. A smooth change of variables takes
the box to the whole space, so that no draw has to be rejected or reflected at a bound.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ..threads import blas_threads
from . import hmc
from .batch import evaluate_many
from .laplace import Density, Proposal, find_modes
from .likelihood import Objective
from .linalg import NotPositiveDefiniteError
from .parameters import Hyperparameters
from .psis import GOOD_SHAPE, effective_size, smooth_weights

Array = NDArray[np.float64]

#: Number of draws unless another is asked for.
N_DRAWS = 24
#: Points proposed for each draw that is wanted.
PROPOSED_PER_DRAW = 2
#: A sample is good enough if it is worth this share of its size in independent draws.
ENOUGH = 0.75
#: Points are moved by no more trajectories than this.
MOST_MOVES = 3
#: Noise variance (standardised) of the start that takes the data to be noisy.
NOISY = 0.5
#: How far inside the box starts are, in the optimiser's coordinates.
MARGIN = 0.3


@dataclass(frozen=True)
class DrawReport:
    """What was done to get the draws, and how far to trust them.

    Attributes
    ----------
    method : {"importance", "hamiltonian"}
        Whether the proposals were good enough, or chains were run from them.
    n_modes : int
        Modes that the proposals are about.
    pareto_shape : float or None
        Shape k of the tail of the proposals' importance weights; above 0.7 they are not trusted.
        None where there are too few to tell.
    acceptance : float or None
        Mean acceptance probability of the chains; None without chains.
    effective_draws : float
        Number of independent draws that these are worth.
    gradients, values : int
        How often the density was evaluated with its gradient and without.
    seconds : float
    """

    method: str
    n_modes: int
    pareto_shape: float | None
    acceptance: float | None
    effective_draws: float
    gradients: int
    values: int
    seconds: float


@dataclass(frozen=True)
class Draws:
    """Weighted draws of hyperparameters.

    Attributes
    ----------
    thetas : array of shape (k, p)
        In the optimiser's coordinates.
    parameters : tuple of k Hyperparameters
    weights : array of shape (k,)
        Of sum one.
    mode : Hyperparameters
        Where the density that was drawn from has the mode of the largest evidence.
    report : DrawReport
    """

    thetas: Array
    parameters: tuple[Hyperparameters, ...]
    weights: Array
    mode: Hyperparameters
    report: DrawReport


class LogPosterior(Density):
    """Log posterior density of a model's hyperparameters, up to a constant, without bounds.

    Its coordinates v are the optimiser's well inside the box, and go to infinity at the bounds:
    ``theta = lower + log(1 + exp(v - lower)) - log(1 + exp(v - upper))``.

    Attributes
    ----------
    gradients, values : int
        How often it has been evaluated with its gradient and without.
    """

    def __init__(self, objective: Objective) -> None:
        self._objective = objective
        self._layout = objective.layout
        self._lower, self._upper = objective.layout.lower, objective.layout.upper
        self._logarithmic: Array = objective.layout.logarithmic.astype(float)
        self.gradients = self.values = 0

    def __call__(self, point: Array) -> tuple[float, Array]:
        """Log density and its gradient; minus infinity where K cannot be factorised."""
        self.gradients += 1
        theta = self.theta(point)
        try:
            value, gradient = self._objective(theta)
        except NotPositiveDefiniteError:
            return -math.inf, np.zeros_like(point)
        n = len(self._objective.data.y)
        slope, bend = self._slope(point)
        total = float(-n * value + self._log_volume(theta, slope))
        return total, (self._logarithmic - n * gradient) * slope + bend / slope

    def many(self, points: Array) -> tuple[Array, Array]:
        """Log densities and gradients at many points (b, p) at once."""
        self.gradients += len(points)
        thetas = self.theta(points)
        values, gradients = evaluate_many(self._objective, thetas)
        n = len(self._objective.data.y)
        slopes, bends = self._slope(points)
        totals = -n * values + self._log_volume(thetas, slopes)
        return totals, (self._logarithmic - n * gradients) * slopes + bends / slopes

    def value(self, point: Array) -> float:
        """Log density alone, at about half the cost."""
        self.values += 1
        theta = self.theta(point)
        try:
            factorisation = self._objective.factorise(self._layout.unpack(theta))
        except NotPositiveDefiniteError:
            return -math.inf
        log_posterior = (
            self._objective.log_density(factorisation) + self._layout.log_prior(theta)[0]
        )
        return float(log_posterior + self._log_volume(theta, self._slope(point)[0]))

    def theta(self, point: Array) -> Array:
        """The optimiser's coordinates of a point, inside the box."""
        above = np.logaddexp(0.0, point - self._lower)
        theta = self._lower + above - np.logaddexp(0.0, point - self._upper)
        return np.clip(theta, self._lower, self._upper)

    def point(self, theta: Array) -> Array:
        """Inverse of `theta`; what is closer than MARGIN to a bound is moved inside."""
        inside = np.clip(theta, self._lower + MARGIN, self._upper - MARGIN)
        at_lower = np.log1p(-np.exp(self._lower - inside))
        at_upper = np.log1p(-np.exp(inside - self._upper))
        return inside + at_lower - at_upper

    def _slope(self, point: Array) -> tuple[Array, Array]:
        """First and second derivative of theta with respect to the point."""
        low, high = expit(point - self._lower), expit(point - self._upper)
        slope = np.maximum(low - high, np.finfo(float).tiny)
        return slope, low * (1.0 - low) - high * (1.0 - high)

    def _log_volume(self, theta: Array, slope: Array) -> Any:
        """Log derivative of the parameters with respect to the point, summed over them."""
        return theta @ self._logarithmic + np.log(slope).sum(axis=-1)


def sample_posterior(
    objective: Objective,
    optima: Sequence[Array],
    n_draws: int = N_DRAWS,
    rng: np.random.Generator | int = 0,
) -> Draws:
    """Draw hyperparameters from their posterior.

    Parameters
    ----------
    objective : Objective
    optima : sequence of arrays of shape (p,)
        Where searches ended, the best first, in the optimiser's coordinates.
    n_draws : int
        Points that are kept. Equal ones are put together, so that there may be fewer.
    rng : numpy.random.Generator or int
        Source of random numbers, or its seed. The same seed gives the same draws.

    Examples
    --------
    >>> import numpy as np
    >>> from mastgp.gp import Model
    >>> from mastgp.gp.likelihood import Objective
    >>> from mastgp.gp.observations import Observations
    >>> X = np.linspace(0, 1, 8)[:, None]
    >>> data = Observations(X, np.sin(6 * X[:, 0]), np.zeros(8, dtype=np.intp))
    >>> objective = Objective(Model(n_inputs=1), data)
    >>> draws = sample_posterior(objective, [objective.layout.start()], n_draws=16)
    >>> len(draws.weights) <= 16, round(float(draws.weights.sum()), 6)
    (True, 1.0)
    """
    started = time.perf_counter()
    rng = np.random.default_rng(rng)
    density = LogPosterior(objective)
    with blas_threads(len(objective.data.y)):
        sample = _draw(density, _starts(objective, density, optima), n_draws, rng)
    thetas = np.array([density.theta(point) for point in sample.points])
    report = replace(
        sample.report,
        gradients=density.gradients,
        values=density.values,
        seconds=time.perf_counter() - started,
    )
    unpack = objective.layout.unpack
    mode = unpack(density.theta(sample.mode))
    return Draws(thetas, tuple(map(unpack, thetas)), sample.weights, mode, report)


def _starts(objective: Objective, density: LogPosterior, optima: Sequence[Array]) -> list[Array]:
    """Where modes are looked for: at the optima, and where the data are mostly noise.

    That explanation has a small density at its best and a large volume, so that searches for an
    optimum pass it by.
    """
    layout = objective.layout
    starts = [density.point(theta) for theta in optima]
    parameters = layout.unpack(optima[0])
    if parameters.noise_var.size:
        smooth = math.sqrt(parameters.lengthscales.shape[1])
        noisy = replace(
            parameters,
            noise_var=np.full_like(parameters.noise_var, NOISY),
            lengthscales=np.maximum(parameters.lengthscales, smooth),
        )
        starts.append(density.point(layout.pack(noisy)))
    return starts


@dataclass(frozen=True)
class _Sample:
    """Points in the density's coordinates, with equal ones put together."""

    points: Array
    weights: Array
    mode: Array
    report: DrawReport


def _draw(
    density: LogPosterior, guesses: list[Array], n_draws: int, rng: np.random.Generator
) -> _Sample:
    """Draw points; the report lacks what counters and the clock know."""
    proposal = Proposal(find_modes(density, guesses))
    proposed = proposal.draw(PROPOSED_PER_DRAW * n_draws, rng)
    values = np.array([density.value(point) for point in proposed])
    weights, shape = smooth_weights(values - proposal.log_density(proposed))
    kept = proposed[systematic(weights, n_draws, rng)]
    worth = min(effective_size(weights), n_draws)
    told = shape if math.isfinite(shape) else None
    report = DrawReport("importance", len(proposal.modes), told, None, worth, 0, 0, 0.0)
    if shape <= GOOD_SHAPE and worth >= ENOUGH * n_draws:
        return _Sample(*_together(kept), proposal.modes[0].centre, report)
    return _moved(density, proposal, kept, report, rng)


def _moved(
    density: LogPosterior,
    proposal: Proposal,
    starts: Array,
    report: DrawReport,
    rng: np.random.Generator,
) -> _Sample:
    """Move each point along trajectories until the sample is worth enough."""
    roots = [mode.root for mode in proposal.modes]
    chains = hmc.Chains(density, starts, roots, proposal.owners(starts))
    whitened = proposal.modes[0].whitened
    for _ in range(MOST_MOVES):
        chains.move(rng)
        memory = hmc.correlation(whitened(starts), whitened(chains.points))
        worth = worth_after(report.effective_draws, len(starts), memory)
        if worth >= ENOUGH * len(starts):
            break
    acceptance = float(np.mean(chains.acceptances))
    report = replace(report, method="hamiltonian", acceptance=acceptance, effective_draws=worth)
    return _Sample(*_together(chains.points), proposal.modes[0].centre, report)


def worth_after(worth: float, n: int, memory: float) -> float:
    """Number of independent draws that n points are worth after a move.

    A point is `memory` times where it was, a sample worth `worth` draws, plus something of its own.
    """
    return 1.0 / (memory**2 / worth + (1.0 - memory**2) / n)


def systematic(weights: Array, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Choose n indices by their weights, each as often as its weight says to within one."""
    levels = (np.arange(n) + rng.random()) / n
    return np.minimum(np.searchsorted(np.cumsum(weights), levels), len(weights) - 1)


def _together(points: Array) -> tuple[Array, Array]:
    """Points without repetitions, and the share of each."""
    unique, counts = np.unique(points, axis=0, return_counts=True)
    return unique, counts / len(points)
