"""A network of the cheap data, a linear transfer, and a Bayesian network of what remains."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.utils import check_random_state

from ..data.dataset import Bounds, Dataset, Fidelity
from ..errors import DataError, FitWarning, warn
from ..gp import target_scale
from ..models.estimator import MultiFidelityRegressor
from ..progress import counter, shown
from .torch_support import import_torch, torch_on_one_thread

if TYPE_CHECKING:
    from torch import Generator, Tensor

Array = NDArray[np.float64]

#: Networks that are trained or sampled side by side: when so small, four cost little more than one.
NETWORKS = 4
#: Prior variance of a bias, and of a weight times the number of inputs of its unit.
BIAS_VAR, WEIGHT_VAR = 1.0, 2.0
#: Normal prior of the log noise variance on standardised residuals: that of the package's GPs.
LOG_NOISE_MEAN, LOG_NOISE_STD = -4.0, 1.0
#: Least noise variance of a likelihood on standardised targets: less makes chains stand still.
LEAST_NOISE_VAR = 1e-4
#: Noise variance that the weight decay of a deterministic network stands for.
DECAY_NOISE_VAR = 1e-2
#: First learning rate of Adam; it falls to zero linearly.
LEARNING_RATE = 1e-2
#: Step sizes of the sampler, at the beginning and after the burn-in.
FIRST_STEP, LAST_STEP = 1e-2, 3e-3
#: The preconditioner remembers squared gradients of this share of the chain so far, but not more
#: than this many steps: the way from the start must be forgotten, yet a memory shorter than the
#: chain's own makes the preconditioner follow the state, and biases the samples.
RMS_SHARE, RMS_STEPS = 0.1, 1000
#: What is added to the root of the mean square.
RMS_FLOOR = 1e-5
#: A residual's scale is at least this share of its fidelity's.
LEAST_RESIDUAL = 1e-2
#: Numbers a prediction may hold in memory at once.
CHUNK = 4_000_000


class MFBNN(MultiFidelityRegressor):
    """Multi-fidelity Bayesian neural network in three stages, as in Yi et al. (2024).

    A deterministic network is trained on the cheap data, its predictions are carried over to the
    expensive fidelity by a straight line, and a Bayesian network models the residuals of the
    expensive data: the prediction is ``beta[0] + beta[1] * network(x) + residual(x)``. The
    posterior of the residual's weights is sampled with preconditioned stochastic gradient
    Langevin dynamics (Li et al. 2016) on all data at once.

    Use it where cheap data are plenty, the inputs many, and the two responses nearly
    proportional. With a few dozen points in all a Gaussian process is faster and more accurate,
    and the uncertainty of the cheap data's network is left out, as in the publication.

    More than two fidelities make a chain: each one between the cheapest and the most expensive
    is the fidelity below it, carried over by a line, plus a deterministic network of its own
    residuals. One fidelity alone is a Bayesian network.

    Parameters
    ----------
    costs, order, bounds
        As in :class:`mastgp.MAST`.
    hidden : sequence of int
        Units of the hidden layers, with ReLU, of every network; none gives linear models.
    lf_epochs : int
        Steps of Adam for each deterministic network.
    iterations : int
        Steps of the sampler, burn-in included.
    burn_in : int
        Steps whose samples are not used.
    thinning : int
        Every so many steps a sample is kept.
    time_limit : float, optional
        Seconds after which a fit stops with a `FitWarning` and makes do with what it has.
    verbose : bool
        Whether a fit that takes more than two seconds shows its progress in the terminal.
    noise_std : mapping of fidelity name to float, optional
        Known noise standard deviation in the target's units; only the most expensive fidelity's
        is used. It is sampled with the weights where it is not known.
    random_state : int, RandomState or None
        Seeds the networks and the sampler.

    Attributes
    ----------
    beta_ : array of shape (2,)
        Intercept and slope of the line to the most expensive fidelity; zero where it is alone.
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
        self.noise_std = noise_std
        self.bounds = bounds
        self.random_state = random_state

    #: Models of the cheaper fidelities that need not be fitted again.
    _known: tuple[Stage, ...] = ()

    def _fit_unit(self, data: Dataset) -> None:
        """Run the three stages."""
        self._check_options()
        generators = _generators(self.random_state, len(data.fidelities))
        clock = Clock(self.time_limit)
        with torch_on_one_thread(), shown(self.verbose):
            self.trend_ = self._known
            known = len(self._known)
            for fidelity, generator in zip(data.cheaper[known:], generators[known:], strict=False):
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
        if self.time_limit is not None and not self.time_limit > 0.0:
            raise DataError(f"time_limit is {self.time_limit}; it must be a number above zero")

    def _fit_stage(
        self, data: Dataset, fidelity: Fidelity, generator: Generator, clock: Clock
    ) -> Stage:
        """Model a cheaper fidelity: the line from the one below, and a network of the rest."""
        beta, target = self._transferred(data, fidelity)
        noise_var = np.full(len(target.y), DECAY_NOISE_VAR)
        energy = Energy(self.hidden, data.unit(fidelity), target.y, noise_var, generator)
        on_step = counter(f"training for {fidelity.name}", self.lf_epochs)
        best = train(energy, self.lf_epochs, clock, on_step)
        return Stage(beta, Ensemble(energy.sizes, best, target.mean, target.scale))

    def _fit_residual(self, data: Dataset, generator: Generator, clock: Clock) -> None:
        """Transfer to the most expensive fidelity, and sample networks of what remains."""
        top = data.top
        self.beta_, target = self._transferred(data, top)
        known_var = None if top.noise_var is None else top.noise_var / target.scale**2
        energy = Energy(self.hidden, data.unit(top), target.y, known_var, generator)
        on_step = counter(f"sampling for {top.name}", self.iterations)
        samples = sample(energy, self.iterations, self.burn_in, self.thinning, clock, on_step)
        weights = samples[:, : energy.n_weights]
        self.residual_ = Ensemble(energy.sizes, weights, target.mean, target.scale)
        if top.noise_var is None:
            self._noise_var = target.scale**2 * float(samples[:, -1].exp().mean())
        else:
            self._noise_var = float(np.mean(top.noise_var))

    def _transferred(self, data: Dataset, fidelity: Fidelity) -> tuple[Array, Target]:
        """Line from the models so far to a fidelity, and its residuals, standardised."""
        if not self.trend_:
            return np.zeros(2), Target.of(fidelity.y, fidelity.y, data)
        base = self._trend(data.unit(fidelity))
        beta = fit_line(base, fidelity.y)
        return beta, Target.of(fidelity.y - beta[0] - beta[1] * base, fidelity.y, data)

    def _trend(self, U: Array) -> Array:
        """Prediction of the fidelity below the most expensive."""
        value = np.zeros(len(U))
        for stage in self.trend_:
            value = stage.beta[0] + stage.beta[1] * value + stage.network.predict(U)[0]
        return value

    @property
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity, in the target's squared units."""
        return self._noise_var

    def _predict_unit(self, U: Array) -> tuple[Array, Array]:
        with torch_on_one_thread():
            mean, var = self.residual_.predict(U)
            return self.beta_[0] + self.beta_[1] * self._trend(U) + mean, var

    def _refit(self, data: Dataset) -> Self:
        """Fit a copy to part of the data, with the stages below the first that loses something."""
        copy: Self = clone(self)
        copy._known = self.trend_[: self._n_unchanged(data)]
        return copy._fit_data(data)


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
        # A line passes through two points: what remains of them tells nothing.
        told = len(residual) > (1 if residual is y else 2)
        scale = max(float(residual.std()), LEAST_RESIDUAL * whole) if told else whole
        return cls((residual - mean) / scale, mean, scale)


@dataclass(frozen=True)
class Stage:
    """Model of a cheaper fidelity: a line from the one below it, and a network."""

    beta: Array
    network: Ensemble


@dataclass(frozen=True)
class Ensemble:
    """Networks of one architecture, a row of `weights` each, and the scale of their target."""

    sizes: tuple[int, ...]
    weights: Tensor
    mean: float
    scale: float

    def predict(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance over the networks, at unit-cube inputs."""
        rows = max(1, CHUNK // (len(self.weights) * max(self.sizes)))
        layers = layers_of(self.weights, self.sizes)
        moments = np.empty((2, len(U)))
        for start in range(0, len(U), rows):
            output = forward(layers, _inputs(U[start : start + rows]))[-1][:, :, 0].numpy()
            moments[:, start : start + rows] = output.mean(axis=0), output.var(axis=0)
        return self.mean + self.scale * moments[0], self.scale**2 * moments[1]


class Energy:
    """Negative log posterior of a network's weights, for several networks side by side.

    Inputs are unit-cube points, `y` standardised. Weights have normal priors whose variance is
    `WEIGHT_VAR` over the number of inputs of their unit, biases `BIAS_VAR`. The likelihood is
    normal with variances `noise_var`; where that is None its logarithm is the last parameter.

    Attributes
    ----------
    parameters, gradient : tensors of shape (networks, parameters)
        To be changed in place; `gradient` is what the last `update_gradient` found.
    """

    def __init__(
        self,
        hidden: Sequence[int],
        U: Array,
        y: Array,
        noise_var: Array | None,
        generator: Generator,
    ) -> None:
        torch = import_torch()
        self.sizes = (U.shape[1], *hidden, 1)
        self.generator = generator
        self.learns_noise = noise_var is None
        self._X = _inputs(U)
        self._y = torch.as_tensor(y, dtype=torch.float32)[:, None]
        self._prior_precision = 1.0 / _prior_var(self.sizes)
        self.n_weights = len(self._prior_precision)
        shape = (NETWORKS, self.n_weights + self.learns_noise)
        self.parameters = torch.empty(shape, dtype=torch.float32).normal_(generator=generator)
        self.weights.div_(self._prior_precision.sqrt())
        self.gradient = torch.empty_like(self.parameters)
        if noise_var is None:
            self._log_noise.fill_(LOG_NOISE_MEAN)
        else:
            floored = np.maximum(noise_var, LEAST_NOISE_VAR)
            self._precision = torch.as_tensor(1.0 / floored, dtype=torch.float32)[:, None]
        self._layers = layers_of(self.weights, self.sizes)
        self._layer_gradients = layers_of(self.gradient, self.sizes)

    @property
    def weights(self) -> Tensor:
        """The networks' weights and biases: the parameters but for the noise."""
        return self.parameters[:, : self.n_weights]

    @property
    def _log_noise(self) -> Tensor:
        return self.parameters[:, -1]

    def values(self) -> Tensor:
        """Energy of every network, up to a constant; the noise must be known."""
        error = forward(self._layers, self._X)[-1] - self._y
        misfit = (self._precision * error.square()).sum(dim=(1, 2))
        return 0.5 * (misfit + self.weights.square() @ self._prior_precision)

    def update_gradient(self) -> None:
        """Compute the energy's gradient at the present parameters."""
        outputs = forward(self._layers, self._X)
        error = outputs[-1] - self._y
        if self.learns_noise:
            self._log_noise.clamp_(min=math.log(LEAST_NOISE_VAR))
            self._precision = self._log_noise.neg().exp_()[:, None, None]
        weighted = self._precision * error
        backward(self._layers, outputs, weighted, self._layer_gradients)
        self.gradient[:, : self.n_weights].addcmul_(self.weights, self._prior_precision)
        if self.learns_noise:
            misfit = (weighted * error).sum(dim=(1, 2))
            pull = (self._log_noise - LOG_NOISE_MEAN) / LOG_NOISE_STD**2
            self.gradient[:, -1] = 0.5 * (len(self._y) - misfit) + pull


def train(energy: Energy, epochs: int, clock: Clock, on_step: Callable[[], None]) -> Tensor:
    """Minimise the energy with Adam; return the best network's weights, shape (1, weights)."""
    first, second = energy.gradient.clone().zero_(), energy.gradient.clone().zero_()
    for epoch in range(1, epochs + 1):
        energy.update_gradient()
        first.lerp_(energy.gradient, 0.1)
        second.lerp_(energy.gradient.square(), 0.001)
        rate = LEARNING_RATE * (1.0 - epoch / (epochs + 1)) / (1.0 - 0.9**epoch)
        root = second.div(1.0 - 0.999**epoch).sqrt_().add_(1e-8)
        energy.parameters.addcdiv_(first, root, value=-rate)
        on_step()
        if clock.is_over():
            break
    best = int(energy.values().argmin())
    return energy.weights[best : best + 1]


def sample(
    energy: Energy,
    iterations: int,
    burn_in: int,
    thinning: int,
    clock: Clock,
    on_step: Callable[[], None],
) -> Tensor:
    """Draw parameters from exp(-energy) with preconditioned Langevin dynamics.

    The preconditioner is RMSprop's (Li et al. 2016, without the small term of its own gradient).
    Steps shrink during the burn-in and are constant after it. One row per sample is returned, the
    networks' samples one after the other; the present parameters if time ran out before any.
    """
    energy.update_gradient()
    mean_square, noise = energy.gradient.square(), energy.gradient.clone()
    samples = []
    for iteration in range(1, iterations + 1):
        warmth = max(0.0, 1.0 - iteration / burn_in) if burn_in else 0.0
        step = LAST_STEP * (FIRST_STEP / LAST_STEP) ** warmth
        energy.update_gradient()
        memory = 1.0 + min(RMS_SHARE * iteration, RMS_STEPS)
        mean_square.lerp_(energy.gradient.square(), 1.0 / memory)
        preconditioner = mean_square.sqrt().add_(RMS_FLOOR).reciprocal_()
        energy.parameters.addcmul_(energy.gradient, preconditioner, value=-0.5 * step)
        noise.normal_(generator=energy.generator)
        energy.parameters.addcmul_(noise, preconditioner.mul_(step).sqrt_())
        on_step()
        if iteration > burn_in and (iteration - burn_in) % thinning == 0:
            samples.append(energy.parameters.clone())
        if clock.is_over():
            break
    return import_torch().cat(samples or [energy.parameters.clone()])


def fit_line(base: Array, y: Array) -> Array:
    """Intercept and slope of y over base: L-BFGS-B on the sum of squares, from slope one.

    What the data cannot tell, such as the slope of a single point, stays as it began.
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


def layers_of(parameters: Tensor, sizes: Sequence[int]) -> list[tuple[Tensor, Tensor]]:
    """Views of every layer's weights (networks, in, out) and biases (networks, 1, out)."""
    layers, start = [], 0
    for n_in, n_out in pairwise(sizes):
        middle, end = start + n_in * n_out, start + (n_in + 1) * n_out
        weights = parameters[:, start:middle].view(-1, n_in, n_out)
        layers.append((weights, parameters[:, None, middle:end]))
        start = end
    return layers


def forward(layers: Sequence[tuple[Tensor, Tensor]], X: Tensor) -> list[Tensor]:
    """Inputs and every layer's outputs, shapes (networks, n, units)."""
    outputs = [X.expand(len(layers[0][0]), -1, -1)]
    for weights, bias in layers[:-1]:
        outputs.append(bias.baddbmm(outputs[-1], weights).relu_())
    weights, bias = layers[-1]
    outputs.append(bias.baddbmm(outputs[-1], weights))
    return outputs


def backward(
    layers: Sequence[tuple[Tensor, Tensor]],
    outputs: Sequence[Tensor],
    delta: Tensor,
    gradients: Sequence[tuple[Tensor, Tensor]],
) -> None:
    """Write the layers' gradients, given the one with respect to the last layer's outputs."""
    for i in reversed(range(len(layers))):
        weights_gradient, bias_gradient = gradients[i]
        weights_gradient.copy_(outputs[i].mT.bmm(delta))
        bias_gradient.copy_(delta.sum(dim=1, keepdim=True))
        if i > 0:
            delta = delta.bmm(layers[i][0].mT).mul_(outputs[i] > 0)


def _prior_var(sizes: Sequence[int]) -> Tensor:
    """Prior variance of every weight and bias."""
    parts = []
    for n_in, n_out in pairwise(sizes):
        parts += [np.full(n_in * n_out, WEIGHT_VAR / n_in), np.full(n_out, BIAS_VAR)]
    tensor: Tensor = import_torch().as_tensor(np.concatenate(parts), dtype=import_torch().float32)
    return tensor


def _inputs(U: Array) -> Tensor:
    """Unit-cube points as inputs of a network: mean 0 and variance 1 over the cube."""
    tensor: Tensor = import_torch().as_tensor(
        (U - 0.5) * math.sqrt(12.0), dtype=import_torch().float32
    )
    return tensor


class Clock:
    """Tells whether a time limit in seconds is over; None means never."""

    def __init__(self, limit: float | None) -> None:
        self._end = math.inf if limit is None else time.monotonic() + limit
        self.expired = False

    def is_over(self) -> bool:
        """Whether the limit is over; `expired` remembers that it was asked after that."""
        self.expired = self.expired or time.monotonic() > self._end
        return self.expired


def _generators(random_state: Any, n: int) -> list[Generator]:
    """Independent sources of random numbers, that leave torch's own untouched."""
    torch = import_torch()
    seeds = check_random_state(random_state).randint(2**31 - 1, size=n)
    return [torch.Generator().manual_seed(int(seed)) for seed in seeds]
