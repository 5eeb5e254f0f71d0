"""What a Gaussian process is made of: additive components, loadings, noise, warp, priors.

Observation i belongs to a group m(i). The covariance is::

    K = sum_c  s_c (a_c a_c^T) * k_c(R_c)  +  diag(noise)

where ``a_c[i]`` is the loading of group m(i) on component c; where means are uncertain their prior
variance is added for every pair of observations that share one. One ordinary GP has one component
of loading 1. Kennedy and O'Hagan's co-kriging of two levels has the components (1, rho) and
(0, 1); a function shared by both levels plus a bias of the cheap one has (1, 1) and (1, 0).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .kernels import KERNELS
from .priors import (
    FACTOR_PRIOR,
    NOISE_PRIOR,
    SCALE_PRIOR,
    WARP_PRIOR,
    Flat,
    LogNormal,
    Normal,
    Prior,
    lengthscale_prior,
)

Array = NDArray[np.float64]
Groups = NDArray[np.intp]

LENGTHSCALE_BOUNDS = (0.025, 1e4)
SCALE_BOUNDS = (1e-6, 1e6)
NOISE_BOUNDS = (1e-4, 1e2)
WARP_BOUNDS = (math.exp(-4.0), math.exp(4.0))
FACTOR_BOUNDS = (-1e3, 1e3)
#: How far inside its bounds the logarithm of a parameter starts whose prior would be outside.
START_MARGIN = math.log(10.0)
#: How constant means are dealt with; see :class:`Model`.
MEANS = ("profiled", "own", "shared")
#: Prior variance of uncertain means (standardised units): they may be anywhere near the data.
MEAN_VAR = 100.0
#: Fixed variances are kept above this (standardised units), so that K stays well conditioned.
FIXED_NOISE_FLOOR = 1e-6


@dataclass(frozen=True)
class Component:
    """One additive term of the covariance.

    Parameters
    ----------
    loadings : tuple of float
        Fixed loading of each group; 0 leaves the group out.
    factors : tuple of tuple of int
        For each group, which learned factors (by index) multiply its loading: for three-level
        co-kriging the first component has ``((), (0,), (0, 1))``, that is 1, rho0, rho0 rho1.
    kernel : {"rbf", "matern52"}
    learn_scale : bool
        Whether the component has an output variance of its own; otherwise it is 1.
    lengthscale_prior : Prior, optional
        Default: the dimension-scaled log-normal.
    scale_prior : Prior
    isotropic : bool
        Whether all inputs share one lengthscale: less to learn from few points.
    """

    loadings: tuple[float, ...] = (1.0,)
    factors: tuple[tuple[int, ...], ...] = ()
    kernel: str = "rbf"
    learn_scale: bool = False
    lengthscale_prior: Prior | None = None
    scale_prior: Prior = SCALE_PRIOR
    isotropic: bool = False

    def __post_init__(self) -> None:
        if self.kernel not in KERNELS:
            raise ValueError(f"unknown kernel {self.kernel!r}; choose from {sorted(KERNELS)}")
        if self.factors and len(self.factors) != len(self.loadings):
            raise ValueError("a component needs one tuple of factors per group")


@dataclass(frozen=True)
class Model:
    """The structure of a GP: everything but its hyperparameters' values and the data.

    Parameters
    ----------
    n_inputs : int
    components : tuple of Component
    learn_noise : bool
        One learned variance per group; otherwise each observation's variance is given.
    warp : bool
        Whether a Kumaraswamy warp of the inputs is learned.
    means : {"profiled", "own", "shared"}
        Constant means of the groups: one each, put at its most likely value and taken as known;
        or one each, uncertain and integrated out, as matters where a group has few points; or
        uncertain and one for all groups.
    noise_prior, warp_prior, factor_prior : Prior
    factor_starts : tuple of float
        Where the first search for the factors starts, and their signs in the second; by default
        both start where the prior does.
    """

    n_inputs: int
    components: tuple[Component, ...] = (Component(),)
    learn_noise: bool = True
    warp: bool = False
    means: str = "profiled"
    noise_prior: Prior = NOISE_PRIOR
    warp_prior: Prior = WARP_PRIOR
    factor_prior: Prior = FACTOR_PRIOR
    factor_starts: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if len({len(c.loadings) for c in self.components}) != 1:
            raise ValueError("all components need a loading for each group")
        if self.means not in MEANS:
            raise ValueError(f"unknown means {self.means!r}; choose from {MEANS}")
        if self.factor_starts and len(self.factor_starts) != self.n_factors:
            raise ValueError(
                f"{len(self.factor_starts)} starts were given for {self.n_factors} factors"
            )

    @property
    def n_groups(self) -> int:
        """Number of groups of observations."""
        return len(self.components[0].loadings)

    @property
    def n_factors(self) -> int:
        """Number of learned factors among the loadings."""
        used = [i for c in self.components for group in c.factors for i in group]
        return max(used) + 1 if used else 0

    @property
    def unit_loadings(self) -> bool:
        """Whether every component loads 1 on every group, so that loadings can be skipped."""
        return self.n_factors == 0 and all(set(c.loadings) == {1.0} for c in self.components)

    @property
    def mean_var(self) -> float:
        """Prior variance of a group's mean; 0 where means are profiled."""
        return 0.0 if self.means == "profiled" else MEAN_VAR

    def mean_covariance(self, groups1: Groups, groups2: Groups) -> Array:
        """Covariance that uncertain means give to two sets of observations, by their groups."""
        shared = np.equal.outer(groups1, groups2) | (self.means == "shared")
        return np.where(shared, self.mean_var, 0.0)


def without_priors(model: Model) -> Model:
    """Return the same model fitted by plain Type-II maximum likelihood.

    Searches still start where the priors would have started them.
    """
    default = lengthscale_prior(model.n_inputs)
    components = tuple(
        replace(
            c,
            lengthscale_prior=Flat((c.lengthscale_prior or default).start),
            scale_prior=Flat(c.scale_prior.start),
        )
        for c in model.components
    )
    return replace(
        model,
        components=components,
        noise_prior=Flat(model.noise_prior.start),
        warp_prior=Flat(model.warp_prior.start),
        factor_prior=Flat(model.factor_prior.start),
    )


@dataclass(frozen=True)
class Hyperparameters:
    """Values of everything a fit learns, in standardised target and unit-cube input units.

    Attributes
    ----------
    lengthscales : array of shape (n_components, n_inputs)
    scales : array of shape (n_components,)
    factors : array of shape (n_factors,)
    noise_var : array of shape (n_groups,), or (0,) where noise is given per observation
    warp_a, warp_b : arrays of shape (n_inputs,), or (0,) without a warp
    """

    lengthscales: Array
    scales: Array
    factors: Array
    noise_var: Array
    warp_a: Array
    warp_b: Array

    def loadings(self, model: Model) -> Array:
        """Loading of every group on every component, shape (n_components, n_groups)."""
        table = np.array([c.loadings for c in model.components], dtype=float)
        for row, component in zip(table, model.components, strict=True):
            for group, used in enumerate(component.factors):
                for i in used:
                    row[group] *= self.factors[i]
        return table


_NONE = np.empty(0)


@dataclass(frozen=True)
class _Block:
    """A run of the optimiser's vector that holds one kind of parameter."""

    name: str
    where: slice
    logarithmic: bool
    prior: Prior


class Layout:
    """Where each hyperparameter of a model sits in the optimiser's vector.

    Positive parameters are kept as logarithms, factors as they are.

    Attributes
    ----------
    size : int
    lower, upper : arrays of shape (size,)
        Box bounds of the vector.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.blocks: dict[str, _Block] = {}
        bounds: list[tuple[float, float]] = []

        def add(
            name: str, size: int, prior: Prior, box: tuple[float, float], log: bool = True
        ) -> None:
            start = len(bounds)
            self.blocks[name] = _Block(name, slice(start, start + size), log, prior)
            bounds.extend([(math.log(box[0]), math.log(box[1])) if log else box] * size)

        default = lengthscale_prior(model.n_inputs)
        for c, component in enumerate(model.components):
            prior = component.lengthscale_prior or default
            n_lengthscales = 1 if component.isotropic else model.n_inputs
            add(f"lengthscale{c}", n_lengthscales, prior, LENGTHSCALE_BOUNDS)
            if component.learn_scale:
                add(f"scale{c}", 1, component.scale_prior, SCALE_BOUNDS)
        if model.n_factors:
            add("factor", model.n_factors, model.factor_prior, FACTOR_BOUNDS, log=False)
        if model.learn_noise:
            add("noise", model.n_groups, model.noise_prior, NOISE_BOUNDS)
        if model.warp:
            add("warp_a", model.n_inputs, model.warp_prior, WARP_BOUNDS)
            add("warp_b", model.n_inputs, model.warp_prior, WARP_BOUNDS)
        self.size = len(bounds)
        self.lower, self.upper = (np.array(side) for side in zip(*bounds, strict=True))
        self._logarithmic = np.ones(self.size, dtype=bool)
        if "factor" in self.blocks:
            self._logarithmic[self.blocks["factor"].where] = False
        n = len(model.components)
        self._scaled = [c for c in range(n) if f"scale{c}" in self.blocks]
        index = np.arange(self.size)
        self._lengthscale_index = np.array(
            [
                np.broadcast_to(index[self.blocks[f"lengthscale{c}"].where], model.n_inputs)
                for c in range(n)
            ]
        )
        self._stack_priors()

    def start(self, **values: float) -> Array:
        """A vector at each prior's start, or at `values` (natural units) of the named blocks.

        A name stands for every block that begins with it: ``lengthscale`` for all components'.
        Starts beyond a bound are moved well inside: from the bound itself the first step of a
        search can lead anywhere.
        """
        theta = np.empty(self.size)
        for block in self.blocks.values():
            given = values.get(block.name.rstrip("0123456789"))
            if given is None:
                theta[block.where] = block.prior.start
            else:
                theta[block.where] = math.log(given) if block.logarithmic else given
        # The warp starts as the identity: its prior's mode is no better a guess.
        for name in ("warp_a", "warp_b"):
            if name in self.blocks and name not in values:
                theta[self.blocks[name].where] = 0.0
        margin = np.where(self._logarithmic, START_MARGIN, 0.0)
        theta = np.where(theta < self.lower, self.lower + margin, theta)
        return np.where(theta > self.upper, self.upper - margin, theta)

    def unpack(self, theta: Array) -> Hyperparameters:
        """Natural values of the vector's parameters."""
        natural = np.exp(theta, where=self._logarithmic, out=theta.copy())
        parts = {name: natural[block.where] for name, block in self.blocks.items()}
        scales = np.ones(len(self.model.components))
        for c in self._scaled:
            scales[c] = parts[f"scale{c}"][0]
        return Hyperparameters(
            lengthscales=natural[self._lengthscale_index],
            scales=scales,
            factors=parts.get("factor", _NONE),
            noise_var=parts.get("noise", _NONE),
            warp_a=parts.get("warp_a", _NONE),
            warp_b=parts.get("warp_b", _NONE),
        )

    def pack(self, parameters: Hyperparameters) -> Array:
        """Inverse of `unpack`."""
        natural = {
            "factor": parameters.factors,
            "noise": parameters.noise_var,
            "warp_a": parameters.warp_a,
            "warp_b": parameters.warp_b,
        }
        for c, (lengthscales, scale) in enumerate(
            zip(parameters.lengthscales, parameters.scales, strict=True)
        ):
            natural[f"lengthscale{c}"] = lengthscales
            natural[f"scale{c}"] = np.array([scale])
        theta = np.empty(self.size)
        for name, block in self.blocks.items():
            values = natural[name][: block.where.stop - block.where.start]
            theta[block.where] = np.log(values) if block.logarithmic else values
        return theta

    def log_prior(self, theta: Array) -> tuple[float, Array]:
        """Log prior density of the parameters and its gradient in the vector's coordinates."""
        away = theta - self._centre
        pull = self._precision * away
        value = self._constant - 0.5 * float(pull @ away) - float(self._tilt @ theta)
        gradient = -pull - self._tilt
        for block in self._unusual:
            u = theta[block.where]
            value += float(block.prior.log_density(u).sum())
            gradient[block.where] = block.prior.slope(u)
        return value, gradient

    def _stack_priors(self) -> None:
        """Gather the (log-)normal priors in vectors: together they cost no more than one."""
        self._centre, self._precision, self._tilt = np.zeros((3, self.size))
        self._constant = 0.0
        self._unusual = []
        for block in self.blocks.values():
            prior, where = block.prior, block.where
            if isinstance(prior, LogNormal | Normal):
                self._centre[where] = prior.loc
                self._precision[where] = prior.scale**-2
                self._tilt[where] = isinstance(prior, LogNormal)
                width = prior.scale * math.sqrt(2.0 * math.pi)
                self._constant -= (where.stop - where.start) * math.log(width)
            elif not isinstance(prior, Flat):
                self._unusual.append(block)

    def at_bounds(self, theta: Array) -> list[str]:
        """Names of the parameters that ended on a bound, such as ``lengthscale0[2]``."""
        hit = (theta <= self.lower + 1e-9) | (theta >= self.upper - 1e-9)
        return [
            f"{block.name}[{i}]" if block.where.stop - block.where.start > 1 else block.name
            for block in self.blocks.values()
            for i in np.flatnonzero(hit[block.where])
        ]
