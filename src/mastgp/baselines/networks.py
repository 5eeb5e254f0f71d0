"""Small neural networks that are computed side by side, and their posterior."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..blocks import in_blocks
from .torch_support import import_torch

if TYPE_CHECKING:
    from torch import Generator, Tensor

Array = NDArray[np.float64]

#: Networks that are trained or sampled side by side. They are so small that four cost little more
#: than one.
NETWORKS = 4
#: Prior variance of a bias, and of a weight times the number of inputs of its unit.
BIAS_VAR, WEIGHT_VAR = 1.0, 2.0
#: Normal prior of the log noise variance of standardised residuals, as in the package's GPs.
LOG_NOISE_MEAN, LOG_NOISE_STD = -4.0, 1.0
#: Least noise variance of a likelihood of standardised targets. With less, chains hardly move.
LEAST_NOISE_VAR = 1e-4
#: Numbers that a prediction may hold in memory at once.
CHUNK = 4_000_000


class Energy:
    """Negative log posterior of a network's parameters, for several networks side by side.

    A weight has a normal prior with the variance `WEIGHT_VAR` divided by the number of inputs of
    its unit. A bias has a normal prior with the variance `BIAS_VAR`. The likelihood is normal. If
    its variances are not known, the logarithm of one for all points is the last parameter.

    Parameters
    ----------
    hidden : sequence of int
        Units of the hidden layers.
    U : array of shape (n, d)
        Inputs in the unit cube.
    y : array of shape (n,)
        Standardised targets.
    noise_var : array of shape (n,) or None
        Known noise variances of the targets.
    generator : torch.Generator
        Source of the start values.

    Attributes
    ----------
    parameters : tensor of shape (networks, parameters)
        They are changed in place.
    gradient : tensor of shape (networks, parameters)
        What the last `update_gradient` found.
    """

    def __init__(
        self,
        hidden: Sequence[int],
        U: Array,
        y: Array,
        noise_var: Array | None,
        generator: Generator,
    ) -> None:
        self.sizes = (U.shape[1], *hidden, 1)
        self.generator = generator
        self.learns_noise = noise_var is None
        self._X, self._y = _inputs(U), single(y)[:, None]
        self._prior_precision = 1.0 / _prior_var(self.sizes)
        self.n_weights = len(self._prior_precision)
        self.parameters = self._drawn_from_the_prior()
        self.gradient = self.parameters.clone()
        if noise_var is None:
            self._log_noise.fill_(LOG_NOISE_MEAN)
        else:
            self._precision = single(1.0 / np.maximum(noise_var, LEAST_NOISE_VAR))[:, None]
        self._layers = layers_of(self.weights, self.sizes)
        self._layer_gradients = layers_of(self.gradient, self.sizes)

    def _drawn_from_the_prior(self) -> Tensor:
        torch = import_torch()
        shape = (NETWORKS, self.n_weights + self.learns_noise)
        drawn: Tensor = torch.empty(shape, dtype=torch.float32).normal_(generator=self.generator)
        drawn[:, : self.n_weights].div_(self._prior_precision.sqrt())
        return drawn

    @property
    def weights(self) -> Tensor:
        """Weights and biases of the networks: the parameters without the noise."""
        return self.parameters[:, : self.n_weights]

    @property
    def _log_noise(self) -> Tensor:
        return self.parameters[:, -1]

    def values(self) -> Tensor:
        """Compute the energy of every network, up to a constant; the noise must be known."""
        error = forward(self._layers, self._X)[-1] - self._y
        misfit = (self._precision * error.square()).sum(dim=(1, 2))
        return 0.5 * (misfit + self.weights.square() @ self._prior_precision)

    def update_gradient(self) -> None:
        """Compute the gradient of the energy at the present parameters."""
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


@dataclass(frozen=True)
class Ensemble:
    """Networks of one architecture whose predictions are averaged.

    Attributes
    ----------
    sizes : tuple of int
        Units of every layer, from the inputs to the output.
    weights : tensor of shape (networks, weights)
        Weights and biases of each network.
    mean, scale : float
        The target is ``mean + scale * output``.
    """

    sizes: tuple[int, ...]
    weights: Tensor
    mean: float
    scale: float

    def predict(self, U: Array) -> tuple[Array, Array]:
        """Compute mean and variance over the networks, at unit-cube inputs."""
        rows = max(1, CHUNK // (len(self.weights) * max(self.sizes)))
        layers = layers_of(self.weights, self.sizes)

        def moments(block: Array) -> tuple[Array, Array]:
            output = forward(layers, _inputs(block))[-1][:, :, 0].numpy()
            return output.mean(axis=0), output.var(axis=0)

        mean, var = in_blocks(moments, U, rows)
        return self.mean + self.scale * mean, self.scale**2 * var


def layers_of(parameters: Tensor, sizes: Sequence[int]) -> list[tuple[Tensor, Tensor]]:
    """Return views of every layer's weights (networks, in, out) and biases (networks, 1, out)."""
    layers, start = [], 0
    for n_in, n_out in pairwise(sizes):
        middle, end = start + n_in * n_out, start + (n_in + 1) * n_out
        weights = parameters[:, start:middle].view(-1, n_in, n_out)
        layers.append((weights, parameters[:, None, middle:end]))
        start = end
    return layers


def forward(layers: Sequence[tuple[Tensor, Tensor]], X: Tensor) -> list[Tensor]:
    """Return the inputs and every layer's outputs, shapes (networks, n, units)."""
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
    """Return the prior variance of every weight and bias."""
    parts = []
    for n_in, n_out in pairwise(sizes):
        parts += [np.full(n_in * n_out, WEIGHT_VAR / n_in), np.full(n_out, BIAS_VAR)]
    return single(np.concatenate(parts))


def _inputs(U: Array) -> Tensor:
    """Scale unit-cube points for a network: mean 0 and variance 1 over the cube."""
    return single((U - 0.5) * math.sqrt(12.0))


def single(values: Array) -> Tensor:
    """Convert an array to a tensor of single precision."""
    torch = import_torch()
    tensor: Tensor = torch.as_tensor(values, dtype=torch.float32)
    return tensor
