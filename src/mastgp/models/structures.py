"""How the levels of a joint Gaussian process are related, and what is expected of each part.

A structure says which components the covariance has and how each level loads on them. Priors say
how large each part is expected to be. Both together, with what the data look like, make the
engine's model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..data.categories import engine_categories
from ..data.dataset import Dataset, Fidelity
from ..data.places import cdist
from ..gp import Component, Model, without_priors
from ..gp.priors import FACTOR_PRIOR, Cauchy, Gamma, LogNormal, Prior, lengthscale_prior

Array = NDArray[np.float64]

#: Wide enough for clean expensive runs and for cheap data that are mostly noise.
NOISE_PRIOR = LogNormal(-4.0, 3.0)
#: What the noise and the lengthscales are expected to be where draws are made of them. An optimum
#: prefers small values of parameters whose prior is wide, and draws do not: with the priors of the
#: optimum, draws would take too much for noise (docs/notes/cokriging.md).
DRAWN_NOISE_PRIOR = LogNormal(-7.0, 2.0)
DRAWN_LENGTHSCALE_SHIFT = -1.5
#: A discrepancy is expected to be small, and allowed not to be.
DISCREPANCY_PRIOR = LogNormal(-2.0, 2.0)
#: A bias that fades by a known law cannot be small at one level and large at another.
FADING_PRIOR = LogNormal(-0.5, 0.7)
#: Levels in the same units are usually about equal, but may be opposite.
EQUAL_LEVELS_PRIOR = Cauchy(1.0, 0.2)
#: Far narrower than the default: a joint model has many points to bend the inputs with
#: (docs/notes/cokriging.md).
WARP_PRIOR = LogNormal(0.0, 0.2)
#: What BoTorch's multi-fidelity kernel takes for the shared function and for the biases.
BOTORCH_SHARED, BOTORCH_BIAS = Gamma(3.0, 6.0), Gamma(6.0, 2.0)
#: Levels whose spreads differ by less than this factor are taken to be in the same units.
SAME_UNITS = 3.0
#: Levels whose means differ by less than this many spreads may share one.
SAME_MEAN = 0.5
#: A level with fewer points does not tell its mean.
FEW = 3

PRIORS = ("wide", "botorch", None)


def autoregressive(n_levels: int) -> tuple[Component, ...]:
    """Kennedy and O'Hagan: each level is rho times the one below, plus a discrepancy."""
    return tuple(
        Component(
            loadings=tuple(float(level >= start) for level in range(n_levels)),
            factors=tuple(tuple(range(start, level)) for level in range(n_levels)),
        )
        for start in range(n_levels)
    )


def shared_bias(n_levels: int) -> tuple[Component, ...]:
    """One function for all levels, plus a bias of its own for each cheap one."""
    biases = (
        Component(loadings=tuple(float(level == biased) for level in range(n_levels)))
        for biased in range(n_levels - 1)
    )
    return (Component(loadings=(1.0,) * n_levels), *biases)


def common_bias(n_levels: int) -> tuple[Component, ...]:
    """One function for all levels, plus one bias that each cheap level has to its own degree."""
    bias = Component(
        loadings=(1.0,) * (n_levels - 1) + (0.0,),
        factors=((), *((level,) for level in range(n_levels - 2)), ()),
    )
    return (Component(loadings=(1.0,) * n_levels), bias)


def fading_bias(n_levels: int) -> tuple[Component, ...]:
    """One function for all levels, plus one bias that fades from the cheapest to the top.

    Its variance at each level is that of BoTorch's linear truncated kernel with power 1 and levels
    from 0.5 to 1, where biases of different levels are nearly, not wholly, the same function.
    """
    level = np.linspace(0.5, 1.0, n_levels)
    fading = (1.0 - level) * np.sqrt(1.0 + level**2)
    return (Component(loadings=(1.0,) * n_levels), Component(loadings=tuple(fading.tolist())))


def general(n_levels: int) -> tuple[Component, ...]:
    """One function that each level has to its own degree, plus a function of its own for each.

    Contains the other structures for two levels; what is not needed is left small.
    """
    shared = Component(
        loadings=(1.0,) * n_levels, factors=((), *((level,) for level in range(n_levels - 1)))
    )
    own = (
        Component(loadings=tuple(float(level == owner) for level in range(n_levels)))
        for owner in range(n_levels)
    )
    return (shared, *own)


def top_only(n_levels: int) -> tuple[Component, ...]:
    """The most expensive level alone; the others are not looked at."""
    return (Component(),)


STRUCTURES = {
    "autoregressive": autoregressive,
    "shared-bias": shared_bias,
    "common-bias": common_bias,
    "fading-bias": fading_bias,
    "general": general,
    "top-only": top_only,
}
#: Structures that change with the order of the cheap levels.
ORDERED = ("autoregressive", "fading-bias")
#: Structures whose levels are one function and biases about zero, so that one mean serves all.
_BIASED = ("shared-bias", "common-bias", "fading-bias")
#: Structures whose levels are multiples of others, plus something.
_CONNECTED = ("autoregressive", "general")


@dataclass(frozen=True)
class Traits:
    """What the targets of the levels have in common, as estimated from the data.

    Attributes
    ----------
    same_units : bool
        Whether their spreads are alike.
    same_mean : bool
        Whether their means are alike, too.
    """

    same_units: bool
    same_mean: bool

    @classmethod
    def of(cls, data: Dataset, fidelities: Sequence[Fidelity]) -> Traits:
        """Look at the spreads, and at the means of levels that have a few points."""
        spreads = np.array([data.scale_of(fidelity.y) for fidelity in fidelities])
        means = np.array([f.y.mean() for f in fidelities if len(f.y) >= FEW])
        gap = float(np.ptp(means)) if len(means) else 0.0
        same_units = bool(spreads.max() <= SAME_UNITS * spreads.min())
        return cls(same_units, same_units and bool(gap <= SAME_MEAN * spreads.max()))


@dataclass(frozen=True)
class JointModel:
    """What kind of joint Gaussian process is wanted.

    Attributes
    ----------
    structure, kernel, warp, priors, isotropic
        As in :class:`mastgp.models.CoKriging`.
    drawn : bool
        Whether draws will be made of the hyperparameters.
    categories : str
        As in :class:`mastgp.models.CoKriging`.
    """

    structure: str
    kernel: str
    warp: str | None
    priors: str | None
    isotropic: bool
    drawn: bool = False
    categories: str = "latent"

    @property
    def connected(self) -> bool:
        """Whether levels are multiples of others, plus something."""
        return self.structure in _CONNECTED

    def levels(self, data: Dataset) -> tuple[Fidelity, ...]:
        """Fidelities that the joint GP is of."""
        return (data.top,) if self.structure == "top-only" else data.fidelities

    def build(self, data: Dataset, traits: Traits, searched: bool = True) -> Model:
        """The engine's model of these data; with a start for factors if they are `searched`."""
        n_levels, n_inputs = len(self.levels(data)), len(data.feature_names)
        equal_units = self.connected and traits.same_units
        model = Model(
            n_inputs,
            components=self._components(n_levels, n_inputs),
            warp=self.warp is not None and len(data.categories) < n_inputs,
            means="shared" if self.structure in _BIASED and traits.same_mean else "own",
            noise_prior=DRAWN_NOISE_PRIOR if self.drawn else NOISE_PRIOR,
            warp_prior=WARP_PRIOR,
            factor_prior=EQUAL_LEVELS_PRIOR if equal_units else FACTOR_PRIOR,
            factor_starts=self._factor_starts(data, traits) if searched and n_levels > 1 else (),
            categories=engine_categories(data.categories, self.categories),
        )
        return without_priors(model) if self.priors is None else model

    def _components(self, n_levels: int, n_inputs: int) -> tuple[Component, ...]:
        """The structure's components with this kernel and these priors."""
        plain = STRUCTURES[self.structure](n_levels) if n_levels > 1 else (Component(),)
        first, *others = (
            replace(c, kernel=self.kernel, learn_scale=True, isotropic=self.isotropic)
            for c in plain
        )
        small = FADING_PRIOR if self.structure == "fading-bias" else DISCREPANCY_PRIOR
        shared, bias = self._lengthscale_priors(n_inputs)
        return (
            replace(first, lengthscale_prior=shared),
            *(replace(other, scale_prior=small, lengthscale_prior=bias) for other in others),
        )

    def _lengthscale_priors(self, n_inputs: int) -> tuple[Prior | None, Prior | None]:
        """Priors of the shared function's lengthscales and of the biases'; None for the default."""
        if self.priors == "botorch":
            return BOTORCH_SHARED, BOTORCH_BIAS
        if not self.drawn:
            return None, None
        usual = lengthscale_prior(n_inputs)
        shifted = LogNormal(usual.loc + DRAWN_LENGTHSCALE_SHIFT, usual.scale)
        return shifted, shifted

    def scales(self, data: Dataset, traits: Traits) -> Array | None:
        """One scale per level where units differ and a factor connects them; else one for all."""
        if not self.connected or traits.same_units:
            return None
        return np.array([data.scale_of(fidelity.y) for fidelity in data.fidelities])

    def _factor_starts(self, data: Dataset, traits: Traits) -> tuple[float, ...]:
        """Ratios of the levels' spreads, negative where neighbours say the opposite."""
        if not self.connected:
            return ()
        levels, own_scales = data.fidelities, self.scales(data, traits) is not None
        lower = levels if self.structure == "autoregressive" else levels[:1] * len(levels)
        ratios = []
        for low, high in zip(lower, levels[1:], strict=False):
            expensive, cheap = (data.apart(data.unit(level)) for level in (high, low))
            nearest = cdist(expensive, cheap).argmin(axis=1)
            away = (low.y[nearest] - low.y[nearest].mean()) @ (high.y - high.y.mean())
            ratio = 1.0 if own_scales else data.scale_of(high.y) / data.scale_of(low.y)
            ratios.append(float(np.copysign(ratio, away)) if away else ratio)
        return tuple(ratios)


def known_noise(fidelities: Sequence[Fidelity]) -> Array | None:
    """Noise variance of all observations, NaN where it is to be learned.

    None if no fidelity has known noise.
    """
    if all(fidelity.noise_var is None for fidelity in fidelities):
        return None
    return np.concatenate(
        [
            np.full(len(fidelity.y), np.nan) if fidelity.noise_var is None else fidelity.noise_var
            for fidelity in fidelities
        ]
    )
