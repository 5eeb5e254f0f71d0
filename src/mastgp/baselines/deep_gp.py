"""A deep Gaussian process with one layer per fidelity, trained as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ..blocks import in_blocks
from ..data.dataset import Bounds, Dataset
from ..errors import DataError, FitWarning, warn
from ..estimators import check_random_state
from ..gp import GaussianProcess, Model
from ..models.estimator import MultiFidelityRegressor
from ..models.known import Known
from ..progress import counter, shown
from .clock import Clock
from .deep_layers import LayerData, mixture
from .deep_training import Schedule, train
from .library import warn_about_categories
from .torch_support import torch_on_one_thread

Array = NDArray[np.float64]

#: Numbers in the largest block of cross-covariances kept at a time (8 bytes each).
_BLOCK_ENTRIES = 2_000_000


class DeepGP(MultiFidelityRegressor):
    """Deep multi-fidelity Gaussian process (MF-DGP), after Cutajar and others.

    Use it when the expensive response is a nonlinear function of the cheap one, and when there
    are enough expensive points to learn that function. The training takes seconds to minutes.
    The model has many more hyperparameters than co-kriging. With few points, or where the
    fidelities are linearly related, co-kriging is the better choice.

    All layers are trained together: Adam maximises the evidence lower bound of all fidelities'
    data. The inducing inputs are fixed at the training inputs. A first step learns the kernels
    while noise, pseudo-observations and the lower layers' responses are fixed. A second step
    learns everything.

    Parameters
    ----------
    iterations : int
        Iterations of both training steps together.
    n_samples : int
        Monte Carlo samples of the lower layers' responses in a prediction.
    learning_rate : float
        Learning rate of Adam in the second step. It falls to zero over the last half of the step.
    time_limit : float, optional
        Seconds after which the training stops where it is and a `FitWarning` is given. The time
        before the training counts too.
    verbose : bool
        Whether a fit that takes more than two seconds shows its progress in the terminal.
    costs, order, calibrate, noise_std, bounds
        As in :class:`mastgp.MAST`.
    random_state : int, RandomState or None
        Seeds the Monte Carlo samples of training and predictions.

    Attributes
    ----------
    layers_ : list of Layer
        The layers, cheapest fidelity first.
    n_iter_ : int
        Iterations that were done.

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
        calibrate: bool = False,
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
        self.calibrate = calibrate
        self.noise_std = noise_std
        self.bounds = bounds
        self.random_state = random_state

    def fit_unit(self, data: Dataset, known: Known) -> None:
        """Train all layers together."""
        warn_about_categories(self, data)
        self._check_options()
        clock = Clock(self.time_limit)
        random = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        means = [float(fidelity.y.mean()) for fidelity in data.fidelities]
        scales = [data.scale_of(fidelity.y) for fidelity in data.fidelities]
        step = counter("training the deep GP", self.iterations)
        schedule = Schedule(self.iterations, self.learning_rate, clock, step)
        with torch_on_one_thread(), shown(self.verbose):
            layer_data = _layer_data(data, means, scales)
            self.layers_, self.n_iter_ = train(layer_data, schedule, random)
        self._y_mean, self._y_scale = means[-1], scales[-1]
        self._base_samples = _spread_samples(len(self.layers_) - 1, self.n_samples, random)
        self._warn_if_stopped_early()

    def _check_options(self) -> None:
        for name in ("iterations", "n_samples", "learning_rate"):
            if getattr(self, name) <= 0:
                raise DataError(f"{name} is {getattr(self, name)}; it must be positive")

    def _warn_if_stopped_early(self) -> None:
        if self.n_iter_ < self.iterations:
            warn(
                f"the training stopped at its time limit, after {self.n_iter_} of "
                f"{self.iterations} iterations",
                FitWarning,
            )

    @property
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity, in the target's squared units."""
        return float(self.layers_[-1].value("noise_var").mean()) * self._y_scale**2

    def predict_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance of the most expensive fidelity."""
        per_point = max(len(layer.y) for layer in self.layers_) * self.n_samples
        with torch_on_one_thread() as torch, torch.no_grad():
            layers = [(layer, *layer.factorise()) for layer in self.layers_]
            eps = torch.from_numpy(self._base_samples)
            mean, var = in_blocks(
                lambda block: mixture(layers, torch.from_numpy(block), eps),
                U,
                max(1, _BLOCK_ENTRIES // per_point),
            )
        return self._y_mean + self._y_scale * mean, self._y_scale**2 * var


def _layer_data(data: Dataset, means: Sequence[float], scales: Sequence[float]) -> list[LayerData]:
    """Standardise the data, and predict each fidelity's response at the next one's inputs.

    A chain of GPs makes the predictions: each GP has the one below it as an input, as the layers
    will have.
    """
    layers = []
    chain: list[GaussianProcess] = []
    for fidelity, mean, scale in zip(data.fidelities, means, scales, strict=True):
        U, y = data.unit(fidelity), (fidelity.y - mean) / scale
        noise_var = None if fidelity.noise_var is None else fidelity.noise_var / scale**2
        inputs = _chained_inputs(chain, U)
        below = inputs[:, -1].copy() if chain else None
        layers.append(LayerData(U, below, y, noise_var))
        if fidelity is not data.top:
            model = Model(inputs.shape[1], learn_noise=noise_var is None)
            chain.append(GaussianProcess.fit(model, inputs, y, noise_var=noise_var, y_scale=1.0))
    return layers


def _chained_inputs(chain: Sequence[GaussianProcess], U: Array) -> Array:
    """Return the inputs of the next GP of the chain: x, and what the last GP predicts there."""
    inputs = U
    for process in chain:
        inputs = np.column_stack([U, process.predict_mean(inputs)])
    return inputs


def _spread_samples(n_rows: int, n_samples: int, random: np.random.Generator) -> Array:
    """Draw rows of standard normal samples, one in each of `n_samples` equally likely ranges."""
    ranks = np.array([random.permutation(n_samples) for _ in range(n_rows)]).reshape(-1, n_samples)
    return np.asarray(ndtri((ranks + 0.5) / n_samples))
