"""Training of a deep Gaussian process: first the kernels of each layer alone, then everything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .clock import Clock
from .deep_layers import Layer, LayerData, bound_of_separate_layers, lower_bound
from .torch_support import import_torch

Array = NDArray[np.float64]
#: A ``torch.Tensor``. PyTorch itself is imported only when a model is fitted.
Tensor = Any

#: Noise variances that the first step starts from: the bound often has a mode for each.
START_NOISE_VARS = (1e-2, 1e-4)
#: Share of the iterations in the first step, which learns only the kernels.
FIRST_STEP_SHARE = 0.3
#: Learning rate of the first step as a multiple of that of the second: it has no random samples.
FIRST_STEP_PACE = 3.0
#: Monte Carlo samples per iteration of the training.
TRAINING_SAMPLES = 10


@dataclass(frozen=True)
class Schedule:
    """How long and how fast the layers are trained.

    Attributes
    ----------
    iterations : int
        Iterations of both steps together.
    learning_rate : float
        Learning rate of the second step. It falls to zero over the last half of that step.
    clock : Clock
        The training stops when it is over.
    on_iteration : callable
        It is called after every iteration.
    """

    iterations: int
    learning_rate: float
    clock: Clock
    on_iteration: Callable[[], None]

    @property
    def first_rates(self) -> Array:
        """Learning rate of every iteration of the first step, from one of its starts."""
        n = int(FIRST_STEP_SHARE * self.iterations) // len(START_NOISE_VARS)
        return np.full(n, FIRST_STEP_PACE * self.learning_rate)

    @property
    def second_rates(self) -> Array:
        """Learning rate of every iteration of the second step."""
        n = self.iterations - len(START_NOISE_VARS) * len(self.first_rates)
        return self.learning_rate * np.minimum(1.0, np.linspace(2.0, 0.0, n, endpoint=False))


def train(
    data: Sequence[LayerData], schedule: Schedule, random: np.random.Generator
) -> tuple[list[Layer], int]:
    """Learn the layers in two steps; also return how many iterations were done in time."""
    starts, done = [], 0
    for noise_var in START_NOISE_VARS:
        layers = [Layer(layer_data, noise_var) for layer_data in data]
        done += _learn_kernels(layers, schedule)
        starts.append(layers)
    best = max(starts, key=lambda layers: float(_sampled_bound(layers, random)))
    return best, done + _learn_everything(best, schedule, random)


def _learn_kernels(layers: Sequence[Layer], schedule: Schedule) -> int:
    """Take the first step: each layer on its own, with all but its kernel fixed."""
    kernels = [parameter for layer in layers for parameter in layer.kernel_parameters()]
    bound = partial(bound_of_separate_layers, layers)
    return maximise(bound, kernels, layers, schedule.first_rates, schedule)


def _learn_everything(
    layers: Sequence[Layer], schedule: Schedule, random: np.random.Generator
) -> int:
    """Take the second step: all parameters of all layers together."""
    everything = [parameter for layer in layers for parameter in layer.parameters()]
    bound = partial(_sampled_bound, layers, random)
    return maximise(bound, everything, layers, schedule.second_rates, schedule)


def maximise(
    bound: Callable[[], Tensor],
    parameters: Sequence[Tensor],
    layers: Sequence[Layer],
    rates: Array,
    schedule: Schedule,
) -> int:
    """Maximise a bound with Adam, one iteration per learning rate.

    Returns
    -------
    int
        How many iterations were done in time.
    """
    adam = Adam(parameters)
    for done, rate in enumerate(rates):
        if schedule.clock.is_over():
            return done
        adam.ascend(_gradients(bound, parameters), float(rate))
        for layer in layers:
            layer.keep_in_bounds()
        schedule.on_iteration()
    return len(rates)


def _gradients(bound: Callable[[], Tensor], parameters: Sequence[Tensor]) -> Sequence[Tensor]:
    """Compute the gradients of a bound with respect to parameters."""
    torch = import_torch()
    with torch.enable_grad():
        for parameter in parameters:
            parameter.requires_grad_()
        gradients: Sequence[Tensor] = torch.autograd.grad(bound(), parameters)
    for parameter in parameters:
        parameter.requires_grad_(False)
    return gradients


class Adam:
    """The optimiser of Kingma and Ba (2015), with their default decay rates.

    PyTorch has one too, but loading it takes seconds and changes the state of the process.
    """

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        self._n_steps = 0
        self._states = [(p, p.clone().zero_(), p.clone().zero_()) for p in parameters]

    def ascend(self, gradients: Sequence[Tensor], rate: float) -> None:
        """Move the parameters along their gradients, in place."""
        self._n_steps += 1
        step = rate / (1.0 - 0.9**self._n_steps)
        correction = (1.0 - 0.999**self._n_steps) ** 0.5
        for (parameter, mean, square), gradient in zip(self._states, gradients, strict=True):
            mean.lerp_(gradient, 0.1)
            square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
            parameter.addcdiv_(mean, square.sqrt().div_(correction).add_(1e-8), value=step)


def _sampled_bound(layers: Sequence[Layer], random: np.random.Generator) -> Tensor:
    """Estimate the joint lower bound with new samples."""
    from_numpy = import_torch().from_numpy
    above = np.cumsum([len(layer.y) for layer in layers[:0:-1]])[::-1]
    return lower_bound(
        layers, [from_numpy(random.standard_normal((TRAINING_SAMPLES, n))) for n in above]
    )
