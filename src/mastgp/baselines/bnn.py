"""A network of the cheap data, a straight line, and a Bayesian network of what remains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ..data.dataset import Bounds, Dataset, Fidelity
from ..errors import DataError, FitWarning, warn
from ..estimators import check_random_state
from ..gp import target_scale
from ..models.estimator import MultiFidelityRegressor
from ..models.known import Known
from ..progress import counter, shown
from .clock import Clock
from .library import warn_about_categories
from .network_training import Chain, sample, train
from .networks import Energy, Ensemble
from .torch_support import import_torch, torch_on_one_thread

if TYPE_CHECKING:
    from torch import Generator

Array = NDArray[np.float64]

#: Noise variance that the weight decay of a deterministic network stands for.
DECAY_NOISE_VAR = 1e-2
#: The scale of residuals is at least this share of the scale of their fidelity.
LEAST_RESIDUAL = 1e-2


class MFBNN(MultiFidelityRegressor):
    """Multi-fidelity Bayesian neural network in three stages, as in Yi et al. (2024).

    A deterministic network is trained on the cheap data. A straight line carries its predictions
    over to the expensive fidelity. A Bayesian network models the residuals of the expensive data.
    The prediction is ``beta[0] + beta[1] * network(x) + residual(x)``. The posterior of the
    residual's weights is sampled with preconditioned stochastic gradient Langevin dynamics
    (Li et al. 2016) on all data at once. As in the publication, the variance does not include the
    uncertainty of the network of the cheap data.

    Use it where there are many cheap data and many inputs, and where the two responses are nearly
    proportional. With a few dozen points in all a Gaussian process is faster and more accurate.

    More than two fidelities make a chain. A fidelity between the cheapest and the most expensive
    is modelled as a line of the fidelity below it plus a deterministic network of its residuals.
    One fidelity alone is modelled by a Bayesian network.

    Parameters
    ----------
    costs, order, calibrate, bounds
        As in :class:`mastgp.MAST`.
    hidden : sequence of int
        Units of the hidden layers of every network, with ReLU. An empty sequence gives linear
        models.
    lf_epochs : int
        Steps of Adam for each deterministic network.
    iterations : int
        Steps of the sampler, burn-in included.
    burn_in : int
        Steps whose samples are not used.
    thinning : int
        Steps from one sample to the next.
    time_limit : float, optional
        Seconds after which the training stops where it is and a `FitWarning` is given.
    verbose : bool
        Whether a fit that takes more than two seconds shows its progress in the terminal.
    noise_std : mapping of fidelity name to float, optional
        Known noise standard deviations in the target's units. Only that of the most expensive
        fidelity is used. If it is not known, it is sampled with the weights.
    random_state : int, RandomState or None
        Seeds the networks and the sampler.

    Attributes
    ----------
    beta_ : array of shape (2,)
        Intercept and slope of the line to the most expensive fidelity; zeros if it is alone.
    trend_ : tuple of Stage
        The deterministic models of the cheaper fidelities, cheapest first.
    residual_ : Ensemble
        The sampled networks.

    References
    ----------
    J. Yi, J. Cheng, M. A. Bessa, "Practical multi-fidelity machine learning: fusion of
    deterministic and Bayesian models", arXiv:2407.15110, 2024. C. Li, C. Chen, D. Carlson,
    L. Carin, "Preconditioned stochastic gradient Langevin dynamics for deep neural networks",
    AAAI 2016.
    """

    def __init__(
        self,
        costs: Mapping[Any, float] | None = None,
        *,
        order: Sequence[Any] | None = None,
        hidden: Sequence[int] = (20, 20, 20),
        lf_epochs: int = 3000,
        iterations: int = 10_000,
        burn_in: int = 5000,
        thinning: int = 50,
        time_limit: float | None = None,
        verbose: bool = True,
        calibrate: bool = False,
        noise_std: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        random_state: Any = None,
    ) -> None:
        self.costs = costs
        self.order = order
        self.hidden = hidden
        self.lf_epochs = lf_epochs
        self.iterations = iterations
        self.burn_in = burn_in
        self.thinning = thinning
        self.time_limit = time_limit
        self.verbose = verbose
        self.calibrate = calibrate
        self.noise_std = noise_std
        self.bounds = bounds
        self.random_state = random_state

    def fit_unit(self, data: Dataset, known: Known) -> None:
        """Run the three stages; models of fidelities that lost nothing are taken over."""
        warn_about_categories(self, data)
        self._check_options()
        before = known.before
        taken = before.trend_[: known.n_unchanged(data)] if isinstance(before, MFBNN) else ()
        generators = _generators(self.random_state, len(data.fidelities))
        clock = Clock(self.time_limit)
        with torch_on_one_thread(), shown(self.verbose):
            self.trend_: tuple[Stage, ...] = taken
            cheaper = list(zip(data.cheaper, generators, strict=False))
            for fidelity, generator in cheaper[len(taken) :]:
                self.trend_ += (self._fit_stage(data, fidelity, generator, clock),)
            self._fit_residual(data, generators[-1], clock)
        if clock.expired:
            warn(
                f"the networks' time limit of {self.time_limit:g} s ended the fit early: train "
                "longer or expect less",
                FitWarning,
            )

    def _check_options(self) -> None:
        if any(units < 1 for units in self.hidden):
            raise DataError(f"hidden is {self.hidden}; every layer needs at least one unit")
        if self.lf_epochs < 1 or self.thinning < 1:
            raise DataError("lf_epochs and thinning must be at least 1")
        if not 0 <= self.burn_in < self.iterations:
            raise DataError(
                f"burn_in is {self.burn_in}; it must be at least 0 and less than iterations "
                f"({self.iterations})"
            )

    def _fit_stage(
        self, data: Dataset, fidelity: Fidelity, generator: Generator, clock: Clock
    ) -> Stage:
        """Model a cheaper fidelity: a line of the fidelity below, and a network of the rest."""
        beta, target = self._transferred(data, fidelity)
        noise_var = np.full(len(target.y), DECAY_NOISE_VAR)
        energy = Energy(self.hidden, data.unit(fidelity), target.y, noise_var, generator)
        on_step = counter(f"training for {fidelity.name}", self.lf_epochs)
        best = train(energy, self.lf_epochs, clock, on_step)
        return Stage(beta, Ensemble(energy.sizes, best, target.mean, target.scale))

    def _fit_residual(self, data: Dataset, generator: Generator, clock: Clock) -> None:
        """Model the most expensive fidelity: the line, and sampled networks of the rest."""
        top = data.top
        self.beta_, target = self._transferred(data, top)
        known_var = None if top.noise_var is None else top.noise_var / target.scale**2
        energy = Energy(self.hidden, data.unit(top), target.y, known_var, generator)
        chain = Chain(self.iterations, self.burn_in, self.thinning)
        samples = sample(energy, chain, clock, counter(f"sampling for {top.name}", self.iterations))
        weights = samples[:, : energy.n_weights]
        self.residual_ = Ensemble(energy.sizes, weights, target.mean, target.scale)
        if top.noise_var is None:
            self._noise_var = target.scale**2 * float(samples[:, -1].exp().mean())
        else:
            self._noise_var = float(np.mean(top.noise_var))

    def _transferred(self, data: Dataset, fidelity: Fidelity) -> tuple[Array, Target]:
        """Fit the line from the models so far to a fidelity, and standardise its residuals."""
        if not self.trend_:
            return np.zeros(2), Target.of(fidelity.y, fidelity.y, data)
        base = self._trend(data.unit(fidelity))
        beta = fit_line(base, fidelity.y)
        return beta, Target.of(fidelity.y - beta[0] - beta[1] * base, fidelity.y, data)

    def _trend(self, U: Array) -> Array:
        """Predict the fidelity below the most expensive one."""
        value = np.zeros(len(U))
        for stage in self.trend_:
            value = stage.beta[0] + stage.beta[1] * value + stage.network.predict(U)[0]
        return value

    @property
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity, in the target's squared units."""
        return self._noise_var

    def predict_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance of the line and the residual together."""
        with torch_on_one_thread():
            mean, var = self.residual_.predict(U)
            return self.beta_[0] + self.beta_[1] * self._trend(U) + mean, var


@dataclass(frozen=True)
class Stage:
    """Model of a cheaper fidelity: a line of the fidelity below it, and a network."""

    beta: Array
    network: Ensemble


@dataclass(frozen=True)
class Target:
    """Standardised targets of a network: ``mean + scale * y`` are the residuals."""

    y: Array
    mean: float
    scale: float

    @classmethod
    def of(cls, residual: Array, y: Array, data: Dataset) -> Target:
        """Standardise residuals of a fidelity's targets `y`."""
        whole = target_scale(y) if len(y) > 1 and np.ptp(y) > 0.0 else data.y_scale
        mean = float(residual.mean())
        # A line passes through any two points, so their residuals say nothing about the scale.
        says_scale = len(residual) > (1 if residual is y else 2)
        scale = max(float(residual.std()), LEAST_RESIDUAL * whole) if says_scale else whole
        return cls((residual - mean) / scale, mean, scale)


def fit_line(base: Array, y: Array) -> Array:
    """Fit intercept and slope of y over base by least squares.

    L-BFGS-B starts from a slope of one. What the data do not determine, such as the slope through
    a single point, keeps its start value.
    """
    centre, scale = base.mean(), target_scale(y)
    x, z = (base - centre) / scale, (y - y.mean()) / scale

    def half_squares(beta: Array) -> tuple[float, Array]:
        error = beta[0] + beta[1] * x - z
        return 0.5 * float(error @ error), np.array([error.sum(), error @ x])

    tight = {"ftol": 1e-15, "gtol": 1e-10}
    shift, slope = minimize(
        half_squares, np.array([0.0, 1.0]), jac=True, method="L-BFGS-B", options=tight
    ).x
    return np.array([y.mean() + scale * shift - slope * centre, slope])


def _generators(random_state: Any, n: int) -> list[Generator]:
    """Make independent sources of random numbers; torch's own stays untouched."""
    torch = import_torch()
    seeds = check_random_state(random_state).randint(2**31 - 1, size=n)
    return [torch.Generator().manual_seed(int(seed)) for seed in seeds]
