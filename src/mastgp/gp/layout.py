"""The optimiser's vector: where each hyperparameter sits, its bounds, its start and its prior."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .categorical import n_learned, n_positions
from .model import Component, Model
from .parameters import Hyperparameters
from .priors import Flat, LogNormal, Normal, Prior, lengthscale_prior

Array = NDArray[np.float64]

LENGTHSCALE_BOUNDS = (0.025, 1e4)
SCALE_BOUNDS = (1e-6, 1e6)
NOISE_BOUNDS = (1e-4, 1e2)
WARP_BOUNDS = (math.exp(-4.0), math.exp(4.0))
FACTOR_BOUNDS = (-1e3, 1e3)
POSITION_BOUNDS = (-8.0, 8.0)
APART_BOUNDS = (1e-4, 1e2)
#: A search whose prior starts beyond a bound starts this far inside (in logarithms).
START_MARGIN = math.log(10.0)
#: A coordinate this close to a bound counts as lying on it.
_ON_BOUND = 1e-9


@dataclass(frozen=True)
class Block:
    """A run of the optimiser's vector that holds parameters of one kind.

    A block is empty where the model does not learn such parameters.

    Attributes
    ----------
    name : str
        What reports call the parameters.
    where : slice
        Their place in the vector.
    prior : Prior
        Prior of each of them.
    bounds : tuple of float
        Smallest and largest value, in natural units.
    logarithmic : bool
        Whether the vector holds their logarithms.
    """

    name: str
    where: slice
    prior: Prior
    bounds: tuple[float, float]
    logarithmic: bool = True

    @property
    def size(self) -> int:
        """Number of parameters in the block."""
        return int(self.where.stop - self.where.start)

    @property
    def box(self) -> tuple[float, float]:
        """Bounds of the coordinates."""
        low, high = self.bounds
        return (math.log(low), math.log(high)) if self.logarithmic else self.bounds

    def coordinates(self, values: Array) -> Array:
        """What the vector holds for natural values."""
        return np.log(values) if self.logarithmic else values

    def label(self, index: int) -> str:
        """What reports call one parameter, such as ``lengthscale0[2]``."""
        return f"{self.name}[{index}]" if self.size > 1 else self.name


class Layout:
    """Where each hyperparameter of a model sits in the optimiser's vector.

    The vector holds the logarithms of positive parameters. It holds factors as they are, because
    they may be negative, and so the positions of levels.

    Attributes
    ----------
    model : Model
    size : int
        Length of the vector.
    lower, upper : arrays of shape (size,)
        Box bounds of the vector.
    logarithmic : bool array of shape (size,)
        Which entries are logarithms of parameters.
    lengthscale_index : int array of shape (n_components, n_inputs)
        Entries that hold the lengthscales.
    lengthscales, scales : tuples of Block
        One for each component.
    factors, noise, warp_a, warp_b, positions, apart : Block
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        vector = _Blocks()
        pairs = [_blocks_of(vector, model, c, part) for c, part in enumerate(model.components)]
        self.lengthscales = tuple(lengthscales for lengthscales, _ in pairs)
        self.scales = tuple(scale for _, scale in pairs)
        self.factors = vector.add(
            "factor", model.n_factors, model.factor_prior, FACTOR_BOUNDS, logarithmic=False
        )
        n_noises = model.n_groups if model.learn_noise else 0
        self.noise = vector.add("noise", n_noises, model.noise_prior, NOISE_BOUNDS)
        n_warped = model.n_numeric if model.warp else 0
        self.warp_a = vector.add("warp_a", n_warped, model.warp_prior, WARP_BOUNDS)
        self.warp_b = vector.add("warp_b", n_warped, model.warp_prior, WARP_BOUNDS)
        self.positions = vector.add(
            "position",
            n_positions(model.categories),
            model.position_prior,
            POSITION_BOUNDS,
            logarithmic=False,
        )
        n_apart = n_learned(model.categories)
        self.apart = vector.add("apart", n_apart, model.apart_prior, APART_BOUNDS)
        self._prepare(vector.blocks)

    def _prepare(self, blocks: list[Block]) -> None:
        """Compute once what every evaluation needs."""
        self._blocks = [block for block in blocks if block.size]
        self.size = sum(block.size for block in self._blocks)
        self.lower, self.upper = self._fill(block.box for block in self._blocks)
        self.logarithmic = np.ones(self.size, dtype=bool)
        self.logarithmic[self.factors.where] = self.logarithmic[self.positions.where] = False
        n_inputs, index = self.model.n_inputs, np.arange(self.size)
        # A component with one lengthscale uses it for all inputs.
        self.lengthscale_index = np.array(
            [np.broadcast_to(index[block.where], n_inputs) for block in self.lengthscales]
        )
        self._scaled = [(c, block.where.start) for c, block in enumerate(self.scales) if block.size]
        self._priors = _JointPrior(self._blocks, self.size)

    def _fill(self, pairs: Iterable[tuple[float, float]]) -> Array:
        """Two vectors from two numbers for each block."""
        filled = np.empty((2, self.size))
        for block, pair in zip(self._blocks, pairs, strict=True):
            filled[:, block.where] = np.array(pair)[:, None]
        return filled

    def start(self, *, noise: float | None = None, lengthscale: float | None = None) -> Array:
        """A vector at the start of each prior.

        Starts beyond a bound are moved well inside: from the bound itself the first step of a
        search can lead anywhere.

        Parameters
        ----------
        noise : float, optional
            Noise variance of all groups, instead of its prior's start.
        lengthscale : float, optional
            All lengthscales, instead of their priors' starts.
        """
        theta = np.empty(self.size)
        for block in self._blocks:
            theta[block.where] = block.prior.start
        if noise is not None:
            theta[self.noise.where] = math.log(noise)
        if lengthscale is not None:
            theta[self.lengthscale_index] = math.log(lengthscale)
        # The warp starts as the identity: its prior's mode is no better a guess.
        theta[self.warp_a.where] = theta[self.warp_b.where] = 0.0
        margin = np.where(self.logarithmic, START_MARGIN, 0.0)
        theta = np.where(theta < self.lower, self.lower + margin, theta)
        return np.where(theta > self.upper, self.upper - margin, theta)

    def unpack(self, theta: Array) -> Hyperparameters:
        """Natural values of the vector's parameters."""
        natural = np.exp(theta, where=self.logarithmic, out=theta.copy())
        scales = np.ones(len(self.scales))
        for c, where in self._scaled:
            scales[c] = natural[where]
        return Hyperparameters(
            lengthscales=natural[self.lengthscale_index],
            scales=scales,
            factors=natural[self.factors.where],
            noise_var=natural[self.noise.where],
            warp_a=natural[self.warp_a.where],
            warp_b=natural[self.warp_b.where],
            positions=natural[self.positions.where],
            apart=natural[self.apart.where],
        )

    def pack(self, parameters: Hyperparameters) -> Array:
        """Inverse of `unpack`."""
        theta = np.empty(self.size)
        for block, values in (
            *zip(self.lengthscales, parameters.lengthscales, strict=True),
            *zip(self.scales, parameters.scales[:, None], strict=True),
            (self.factors, parameters.factors),
            (self.noise, parameters.noise_var),
            (self.warp_a, parameters.warp_a),
            (self.warp_b, parameters.warp_b),
            (self.positions, parameters.positions),
            (self.apart, parameters.apart),
        ):
            theta[block.where] = block.coordinates(values[: block.size])
        return theta

    def log_prior(self, theta: Array) -> tuple[Any, Array]:
        """Log prior density of the parameters and its gradient in the vector's coordinates.

        Of one vector (p,) or of many at once (b, p).
        """
        return self._priors(theta)

    def at_bounds(self, theta: Array) -> list[str]:
        """Names of the parameters that ended on a bound, such as ``lengthscale0[2]``."""
        hit = (theta <= self.lower + _ON_BOUND) | (theta >= self.upper - _ON_BOUND)
        return [
            block.label(int(i)) for block in self._blocks for i in np.flatnonzero(hit[block.where])
        ]


class _Blocks:
    """Blocks of a vector, one after the other."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []

    def add(
        self,
        name: str,
        size: int,
        prior: Prior,
        bounds: tuple[float, float],
        logarithmic: bool = True,
    ) -> Block:
        """Append a block of `size` parameters."""
        start = self.blocks[-1].where.stop if self.blocks else 0
        block = Block(name, slice(start, start + size), prior, bounds, logarithmic)
        self.blocks.append(block)
        return block


def _blocks_of(
    vector: _Blocks, model: Model, index: int, component: Component
) -> tuple[Block, Block]:
    """Append the lengthscales and the scale of a component."""
    prior = component.lengthscale_prior or lengthscale_prior(model.n_inputs)
    size = 1 if component.isotropic else model.n_inputs
    lengthscales = vector.add(f"lengthscale{index}", size, prior, LENGTHSCALE_BOUNDS)
    n_scales = int(component.learn_scale)
    scale = vector.add(f"scale{index}", n_scales, component.scale_prior, SCALE_BOUNDS)
    return lengthscales, scale


class _JointPrior:
    """The priors of all blocks as one function of the vector.

    The normal and log-normal ones are gathered in vectors: together they cost no more than one.
    """

    def __init__(self, blocks: list[Block], size: int) -> None:
        self._centre, self._precision, self._tilt = np.zeros((3, size))
        self._constant = 0.0
        self._others: list[Block] = []
        for block in blocks:
            if isinstance(block.prior, LogNormal | Normal):
                self._gather(block, block.prior)
            elif not isinstance(block.prior, Flat):
                self._others.append(block)

    def _gather(self, block: Block, prior: LogNormal | Normal) -> None:
        self._centre[block.where] = prior.loc
        self._precision[block.where] = prior.scale**-2
        self._tilt[block.where] = isinstance(prior, LogNormal)
        self._constant -= block.size * math.log(prior.scale * math.sqrt(2.0 * math.pi))

    def __call__(self, theta: Array) -> tuple[Any, Array]:
        """Log density and gradient."""
        away = theta - self._centre
        pull = self._precision * away
        value = self._constant - 0.5 * (pull * away).sum(axis=-1) - theta @ self._tilt
        gradient = -pull - self._tilt
        for block in self._others:
            u = theta[..., block.where]
            value += block.prior.log_density(u).sum(axis=-1)
            gradient[..., block.where] = block.prior.slope(u)
        return value, gradient
