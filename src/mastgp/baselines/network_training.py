"""Training and sampling of networks: Adam, and preconditioned Langevin dynamics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .clock import Clock
from .networks import Energy
from .torch_support import import_torch

if TYPE_CHECKING:
    from torch import Tensor

#: First learning rate of Adam; it falls to zero linearly.
LEARNING_RATE = 1e-2
#: Step sizes of the sampler, at the beginning and after the burn-in.
FIRST_STEP, LAST_STEP = 1e-2, 3e-3
#: The preconditioner remembers the squared gradients of this share of the chain so far, but of not
#: more than this many steps. It must forget the way from the start. A memory shorter than the
#: chain's own would make the preconditioner follow the state, and bias the samples.
RMS_SHARE, RMS_STEPS = 0.1, 1000
#: What is added to the root of the mean square.
RMS_FLOOR = 1e-5


@dataclass(frozen=True)
class Chain:
    """Length of a Markov chain, and which of its states are samples.

    Attributes
    ----------
    iterations : int
        Steps, burn-in included.
    burn_in : int
        Steps whose states are not used.
    thinning : int
        Steps from one sample to the next.
    """

    iterations: int
    burn_in: int
    thinning: int

    def step_size(self, iteration: int) -> float:
        """Return the size of a step; the first iteration is 1."""
        warmth = max(0.0, 1.0 - iteration / self.burn_in) if self.burn_in else 0.0
        return float(LAST_STEP * (FIRST_STEP / LAST_STEP) ** warmth)

    def is_kept(self, iteration: int) -> bool:
        """Whether the state after an iteration is a sample."""
        after = iteration - self.burn_in
        return after > 0 and after % self.thinning == 0


def train(energy: Energy, epochs: int, clock: Clock, on_step: Callable[[], None]) -> Tensor:
    """Minimise the energy with Adam.

    Returns
    -------
    tensor of shape (1, weights)
        Weights of the network with the lowest energy.
    """
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


def sample(energy: Energy, chain: Chain, clock: Clock, on_step: Callable[[], None]) -> Tensor:
    """Draw parameters from exp(-energy) with preconditioned Langevin dynamics.

    The preconditioner is that of RMSprop (Li et al. 2016). The small term with the gradient of
    the preconditioner is left out. Steps shrink during the burn-in and are constant after it.

    Returns
    -------
    tensor of shape (samples, parameters)
        The samples of all networks. If time runs out before the first sample, these are the
        present parameters.
    """
    energy.update_gradient()
    mean_square, noise = energy.gradient.square(), energy.gradient.clone()
    samples = []
    for iteration in range(1, chain.iterations + 1):
        step = chain.step_size(iteration)
        energy.update_gradient()
        memory = 1.0 + min(RMS_SHARE * iteration, RMS_STEPS)
        mean_square.lerp_(energy.gradient.square(), 1.0 / memory)
        preconditioner = mean_square.sqrt().add_(RMS_FLOOR).reciprocal_()
        energy.parameters.addcmul_(energy.gradient, preconditioner, value=-0.5 * step)
        noise.normal_(generator=energy.generator)
        energy.parameters.addcmul_(noise, preconditioner.mul_(step).sqrt_())
        on_step()
        if chain.is_kept(iteration):
            samples.append(energy.parameters.clone())
        if clock.is_over():
            break
    return import_torch().cat(samples or [energy.parameters.clone()])
