"""A deep Gaussian process with one layer per fidelity, trained as a whole.

Layer t models fidelity t as a function of the inputs and of layer t-1's response there. Its
posterior is that of a Gaussian process that saw pseudo-observations: values and variances of its
own at fixed inducing inputs. So q(u) follows the kernel while that is learned, is the exact
posterior where there is one layer, and needs no inverse of a kernel matrix without noise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from sklearn.utils import check_random_state, gen_batches

from ..data.dataset import Bounds, Dataset
from ..errors import DataError, FitWarning, warn
from ..gp import GaussianProcess, Model
from ..models.estimator import MultiFidelityRegressor
from ..progress import counter, shown
from .torch_support import import_torch, torch_on_one_thread

Array = NDArray[np.float64]
#: A ``torch.Tensor``; torch itself is loaded only when a model is fitted.
Tensor = Any

#: Ranges of what is learned on a log scale, in the unit cube and in standardised targets: as wide
#: as double precision can bear.
BOUNDS = {
    "lengthscales": (1e-2, 1e2),
    "variances": (1e-6, 1e4),
    "noise_var": (1e-6, 1e1),
    "pseudo_var": (1e-6, 1e6),
}
#: Noise variances that the first training step tries: the bound often has a mode for each.
START_NOISE_VARS = (1e-2, 1e-4)
#: Share of the iterations in the first step, which learns the kernels only.
FIRST_STEP_SHARE = 0.3
#: Learning rate of the first step, in that of the second: nothing is random there.
FIRST_STEP_PACE = 3.0
#: Monte Carlo samples per iteration of the training.
TRAINING_SAMPLES = 10
#: Numbers in the largest block of cross-covariances kept at a time (8 bytes each).
_BLOCK_ENTRIES = 2_000_000
_SMALLEST_VAR = 1e-12


class DeepGP(MultiFidelityRegressor):
    """Deep multi-fidelity Gaussian process (MF-DGP), after Cutajar and others.

    Use it when the expensive response is a nonlinear function of the cheap one, and when there
    are enough expensive points to learn that function. It takes seconds to minutes to train, and
    has many more hyperparameters than co-kriging: with few points, or where the fidelities are
    linearly related, co-kriging is the better choice.

    All layers are trained together by maximising the evidence lower bound of all fidelities'
    data with Adam, inducing inputs fixed at the training inputs. A first step learns the kernels
    with noise, pseudo-observations and the lower layers' responses fixed, a second one everything.

    Parameters
    ----------
    iterations : int
        Iterations of the training, both steps together.
    n_samples : int
        Monte Carlo samples of the lower layers' responses in a prediction.
    learning_rate : float
        Of Adam, in the second step; it falls to zero over the last half of that.
    time_limit : float, optional
        Seconds after which the training stops where it is, with a warning.
    verbose : bool
        Whether a fit that takes more than two seconds shows its progress in the terminal.
    costs, order, noise_std, bounds
        As in :class:`mastgp.MAST`.
    random_state : int, RandomState or None
        Seed of the Monte Carlo samples, in training and predictions.

    Attributes
    ----------
    layers_ : list of Layer
        Cheapest fidelity first.
    n_iter_ : int
        Iterations done.

    References
    ----------
    K. Cutajar, M. Pullin, A. Damianou, N. Lawrence, J. González: Deep Gaussian Processes for
    Multi-fidelity Modeling, arXiv:1903.07320, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from mastgp.baselines.deep_gp import DeepGP
    >>> x = np.linspace(0, 1, 30)[:, None]
    >>> y = np.where(np.arange(30) % 3, np.sin(8 * x[:, 0]), np.sin(8 * x[:, 0]) ** 2)
    >>> model = DeepGP(order=["coarse", "fine"], iterations=200, random_state=0)
    >>> model = model.fit(x, y, fidelity=["fine", "coarse", "coarse"] * 10)
    >>> bool(abs(model.predict([[0.2]])[0] - np.sin(1.6) ** 2) < 0.1)
    True
    """

    def __init__(
        self,
        costs: Mapping[Any, float] | None = None,
        *,
        order: Sequence[Any] | None = None,
        iterations: int = 5000,
        n_samples: int = 100,
        learning_rate: float = 0.01,
        time_limit: float | None = None,
        verbose: bool = True,
        noise_std: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        random_state: Any = None,
    ) -> None:
        self.costs = costs
        self.order = order
        self.iterations = iterations
        self.n_samples = n_samples
        self.learning_rate = learning_rate
        self.time_limit = time_limit
        self.verbose = verbose
        self.noise_std = noise_std
        self.bounds = bounds
        self.random_state = random_state

    def _fit_unit(self, data: Dataset) -> None:
        self._check_options()
        deadline = np.inf if self.time_limit is None else monotonic() + self.time_limit
        random = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        means = [float(fidelity.y.mean()) for fidelity in data.fidelities]
        scales = [data.scale_of(fidelity.y) for fidelity in data.fidelities]
        with torch_on_one_thread(), shown(self.verbose):
            self.layers_, self.n_iter_ = train(
                _observations(data, means, scales),
                self.iterations,
                self.learning_rate,
                random,
                deadline,
                counter("training the deep GP", self.iterations),
            )
        self._y_mean, self._y_scale = means[-1], scales[-1]
        self._base_samples = _spread_samples(len(self.layers_) - 1, self.n_samples, random)
        if self.n_iter_ < self.iterations:
            warn(
                f"the training stopped at its time limit, after {self.n_iter_} of "
                f"{self.iterations} iterations",
                FitWarning,
            )

    def _check_options(self) -> None:
        for name in ("iterations", "n_samples", "learning_rate"):
            if getattr(self, name) <= 0:
                raise DataError(f"{name} is {getattr(self, name)}; it must be positive")
        if self.time_limit is not None and self.time_limit <= 0:
            raise DataError(f"time_limit is {self.time_limit}; it must be positive, or None")

    @property
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity, in the target's squared units."""
        return float(self.layers_[-1].value("noise_var").mean()) * self._y_scale**2

    def _predict_unit(self, U: Array) -> tuple[Array, Array]:
        mean, var = np.empty(len(U)), np.empty(len(U))
        per_point = max(len(layer.y) for layer in self.layers_) * self.n_samples
        with torch_on_one_thread() as torch, torch.no_grad():
            layers = [(layer, *layer.factorise()) for layer in self.layers_]
            eps = torch.from_numpy(self._base_samples)
            for rows in gen_batches(len(U), max(1, _BLOCK_ENTRIES // per_point)):
                mean[rows], var[rows] = _mixture(layers, torch.from_numpy(U[rows]), eps)
        return self._y_mean + self._y_scale * mean, self._y_scale**2 * var


@dataclass(frozen=True)
class Observations:
    """One fidelity's data, targets standardised.

    Attributes
    ----------
    x : array of shape (n, d)
        Inputs in the unit cube.
    f : array of shape (n,) or None
        Predicted response of the fidelity below, there; None for the cheapest one.
    y : array of shape (n,)
    noise_var : array of shape (n,) or None
        Known noise variances; None where one is to be learned.
    """

    x: Array
    f: Array | None
    y: Array
    noise_var: Array | None


class Layer:
    """One fidelity's data, kernel, noise, and variational posterior at fixed inducing inputs.

    Parameters
    ----------
    data : Observations
        Their inputs and `f` are the inducing inputs too.
    start_noise_var : float
        Where to start, unless the noise is known.
    """

    def __init__(self, data: Observations, start_noise_var: float) -> None:
        n, d = data.x.shape
        self.learns_noise = data.noise_var is None
        noise_var = np.full(1, start_noise_var) if data.noise_var is None else data.noise_var
        noise_var = np.maximum(noise_var, BOUNDS["noise_var"][0])
        start = {
            # Of k_delta and, above the first layer, of k_rho and of k_f.
            "lengthscales": np.ones(d if data.f is None else 2 * d + 1),
            # Of k_delta and, above the first layer, of the linear kernel and of k_f.
            "variances": np.ones(1 if data.f is None else 3),
            "noise_var": noise_var,
            "pseudo_var": noise_var * np.ones(n),
        }
        from_numpy = import_torch().from_numpy
        self.x: Tensor = from_numpy(data.x)
        self.f: Tensor = None if data.f is None else from_numpy(data.f)
        self.y: Tensor = from_numpy(data.y)
        self.pseudo_y: Tensor = self.y.clone()
        self.log = {name: from_numpy(np.log(value)) for name, value in start.items()}

    def value(self, name: str) -> Tensor:
        """A positive parameter, by its name in `BOUNDS`."""
        return self.log[name].exp()

    def kernel_parameters(self) -> list[Tensor]:
        """What the first training step learns."""
        return [self.log["lengthscales"], self.log["variances"]]

    def parameters(self) -> list[Tensor]:
        """What the second training step learns."""
        noise = [self.log["noise_var"]] if self.learns_noise else []
        return [*self.kernel_parameters(), self.pseudo_y, self.log["pseudo_var"], *noise]

    def keep_in_bounds(self) -> None:
        """Bring parameters back into their ranges."""
        for name, (low, high) in BOUNDS.items():
            if self.learns_noise or name != "noise_var":
                self.log[name].clamp_(np.log(low), np.log(high))

    def covariance(self, x: Tensor, f: Tensor) -> Tensor:
        """Prior covariance of points with the inducing points.

        Parameters
        ----------
        x : tensor of shape (n_points, d)
        f : tensor of shape (..., n_points) or None
            Samples of the layer below, there.

        Returns
        -------
        K : tensor of shape (..., n_points, n)
        """
        d = x.shape[1]
        lengthscales, variances = self.value("lengthscales"), self.value("variances")
        k_delta = variances[0] * _rbf(x, self.x, lengthscales[:d])
        if self.f is None:
            return k_delta
        f = f[..., None]
        k_rho = _rbf(x, self.x, lengthscales[d : 2 * d])
        linear = variances[1] * f * self.f
        k_f = variances[2] * (-0.5 * ((f - self.f) / lengthscales[-1]) ** 2).exp()
        return k_rho * (linear + k_f) + k_delta

    def prior_var(self, f: Tensor) -> Tensor:
        """Prior variance at points where the layer below has the values `f`."""
        variances = self.value("variances")
        if self.f is None:
            return variances[0]
        return variances[0] + variances[1] * f**2 + variances[2]

    def factorise(self) -> tuple[Tensor, Tensor]:
        """Cholesky factor of K + D, and weights a = (K + D)^-1 y~; y~ and D are the pseudo-data."""
        linalg = import_torch().linalg
        K = self.covariance(self.x, self.f)
        L = linalg.cholesky(K + self.value("pseudo_var").diag_embed())
        weights = self.pseudo_y[:, None].cholesky_solve(L)[:, 0]
        return L, weights

    def marginals(self, L: Tensor, weights: Tensor, x: Tensor, f: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of q(f_t) at points, given samples of the layer below."""
        K = self.covariance(x, f)
        V = import_torch().linalg.solve_triangular(L, K.reshape(-1, len(L)).T, upper=False)
        explained = (V**2).sum(0).reshape(K.shape[:-1])
        return K @ weights, (self.prior_var(f) - explained).clamp_min(_SMALLEST_VAR)

    def divergence(self, L: Tensor, weights: Tensor) -> Tensor:
        """KL(q(u) || p(u)) = (tr(D C) - n + a'Ka + log|K + D| - log|D|) / 2, C = (K + D)^-1."""
        pseudo_var = self.value("pseudo_var")
        trace = (pseudo_var * import_torch().cholesky_inverse(L).diagonal()).sum()
        quadratic = weights @ (self.pseudo_y - pseudo_var * weights)
        log_ratio = 2.0 * L.diagonal().log().sum() - self.log["pseudo_var"].sum()
        return 0.5 * (trace - len(L) + quadratic + log_ratio)

    def expected_log_likelihood(self, mean: Tensor, var: Tensor) -> Tensor:
        """E_q[log p(y | f_t)] from the marginals at the training inputs, averaged over samples."""
        log_noise_var = self.log["noise_var"] + np.log(2.0 * np.pi)
        error = ((self.y - mean) ** 2 + var) / self.value("noise_var")
        return -0.5 * (log_noise_var + error).sum(-1).mean()


def lower_bound(layers: Sequence[Layer], eps: Sequence[Tensor]) -> Tensor:
    """Evidence lower bound of all fidelities' data, estimated with base samples.

    Parameters
    ----------
    layers : sequence of Layer
    eps : sequence of tensors of shape (n_samples, n_points)
        For every layer but the last: standard normal numbers for the points of the layers above.
    """
    x, f = import_torch().cat([layer.x for layer in layers]), None
    bound = 0.0
    for t, layer in enumerate(layers):
        n = len(layer.y)
        factorisation = layer.factorise()
        mean, var = layer.marginals(*factorisation, x, f)
        bound = bound + layer.expected_log_likelihood(mean[..., :n], var[..., :n])
        bound = bound - layer.divergence(*factorisation)
        if t < len(eps):
            x, f = x[n:], mean[..., n:] + var[..., n:].sqrt() * eps[t]
    return bound


def train(
    data: Sequence[Observations],
    iterations: int,
    learning_rate: float,
    random: np.random.Generator,
    deadline: float,
    on_iteration: Callable[[], None],
) -> tuple[list[Layer], int]:
    """Learn the layers in two steps; also return how many iterations were done in time."""
    per_start = int(FIRST_STEP_SHARE * iterations) // len(START_NOISE_VARS)
    done = 0
    starts = []
    for noise_var in START_NOISE_VARS:
        layers = [Layer(observations, noise_var) for observations in data]
        kernels = [parameter for layer in layers for parameter in layer.kernel_parameters()]
        rates = np.full(per_start, FIRST_STEP_PACE * learning_rate)
        alone = partial(_bound_of_separate_layers, layers)
        done += maximise(alone, kernels, layers, rates, deadline, on_iteration)
        starts.append(layers)
    layers = max(starts, key=lambda start: float(_sampled_bound(start, random)))

    everything = [parameter for layer in layers for parameter in layer.parameters()]
    remaining = iterations - len(START_NOISE_VARS) * per_start
    rates = learning_rate * np.minimum(1.0, np.linspace(2.0, 0.0, remaining, endpoint=False))
    joint = partial(_sampled_bound, layers, random)
    done += maximise(joint, everything, layers, rates, deadline, on_iteration)
    return layers, done


def maximise(
    bound: Callable[[], Tensor],
    parameters: Sequence[Tensor],
    layers: Sequence[Layer],
    rates: Array,
    deadline: float,
    on_iteration: Callable[[], None],
) -> int:
    """Climb with Adam, one iteration per learning rate; return how many were done in time."""
    torch = import_torch()
    adam = Adam(parameters)
    done = 0
    while done < len(rates) and monotonic() < deadline:
        with torch.enable_grad():
            for parameter in parameters:
                parameter.requires_grad_()
            gradients = torch.autograd.grad(bound(), parameters)
        for parameter in parameters:
            parameter.requires_grad_(False)
        adam.ascend(gradients, float(rates[done]))
        for layer in layers:
            layer.keep_in_bounds()
        done += 1
        on_iteration()
    return done


class Adam:
    """The optimiser of Kingma and Ba (2015), with their default decay rates.

    Loading torch's own takes seconds and leaves traces in the process.
    """

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        self._n_steps = 0
        self._states = [(p, p.clone().zero_(), p.clone().zero_()) for p in parameters]

    def ascend(self, gradients: Sequence[Tensor], rate: float) -> None:
        """Move the parameters up their gradients."""
        self._n_steps += 1
        step = rate / (1.0 - 0.9**self._n_steps)
        correction = (1.0 - 0.999**self._n_steps) ** 0.5
        for (parameter, mean, square), gradient in zip(self._states, gradients, strict=True):
            mean.lerp_(gradient, 0.1)
            square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
            parameter.addcdiv_(mean, square.sqrt().div_(correction).add_(1e-8), value=step)


def _bound_alone(layer: Layer) -> Tensor:
    """Lower bound of a layer's own data, the layer below taken as it is at the inducing inputs."""
    factorisation = layer.factorise()
    marginals = layer.marginals(*factorisation, layer.x, layer.f)
    return layer.expected_log_likelihood(*marginals) - layer.divergence(*factorisation)


def _bound_of_separate_layers(layers: Sequence[Layer]) -> Tensor:
    return sum(_bound_alone(layer) for layer in layers)


def _sampled_bound(layers: Sequence[Layer], random: np.random.Generator) -> Tensor:
    """The joint lower bound, with fresh samples."""
    from_numpy = import_torch().from_numpy
    above = np.cumsum([len(layer.y) for layer in layers[:0:-1]])[::-1]
    return lower_bound(
        layers, [from_numpy(random.standard_normal((TRAINING_SAMPLES, n))) for n in above]
    )


def _rbf(a: Tensor, b: Tensor, lengthscales: Tensor) -> Tensor:
    a, b = a / lengthscales, b / lengthscales
    distances = (a**2).sum(-1)[:, None] + (b**2).sum(-1) - 2.0 * a @ b.T
    return (-0.5 * distances.clamp_min(0.0)).exp()


def _mixture(
    layers: Sequence[tuple[Layer, Tensor, Tensor]], x: Tensor, eps: Tensor
) -> tuple[Array, Array]:
    """Mean and variance of the last layer over samples of those below it."""
    f = None
    for t, (layer, L, weights) in enumerate(layers):
        mean, var = layer.marginals(L, weights, x, f)
        if t < len(eps):
            f = mean + var.sqrt() * eps[t][:, None]
    if f is None:
        return mean.numpy(), var.numpy()
    return mean.mean(0).numpy(), (var.mean(0) + mean.var(0, correction=0)).numpy()


def _observations(
    data: Dataset, means: Sequence[float], scales: Sequence[float]
) -> list[Observations]:
    """Standardise the data, and predict each fidelity's response at the next one's inputs.

    That is done by a chain of GPs: each sees the one below as an input, as the layers will.
    """
    observations = []
    chain: list[GaussianProcess] = []
    for fidelity, mean, scale in zip(data.fidelities, means, scales, strict=True):
        U, y = data.unit(fidelity), (fidelity.y - mean) / scale
        noise_var = None if fidelity.noise_var is None else fidelity.noise_var / scale**2
        inputs = _chained_inputs(chain, U)
        below = inputs[:, -1].copy() if chain else None
        observations.append(Observations(U, below, y, noise_var))
        if fidelity is not data.top:
            model = Model(inputs.shape[1], learn_noise=noise_var is None)
            chain.append(GaussianProcess.fit(model, inputs, y, noise_var=noise_var, y_scale=1.0))
    return observations


def _chained_inputs(chain: Sequence[GaussianProcess], U: Array) -> Array:
    """Inputs of the next GP of the chain: x, and what the last one predicts there."""
    inputs = U
    for process in chain:
        inputs = np.column_stack([U, process.predict_mean(inputs)])
    return inputs


def _spread_samples(n_rows: int, n_samples: int, random: np.random.Generator) -> Array:
    """Standard normal samples in rows: each row has one in each of `n_samples` equal shares."""
    ranks = np.array([random.permutation(n_samples) for _ in range(n_rows)]).reshape(-1, n_samples)
    return np.asarray(ndtri((ranks + 0.5) / n_samples))
