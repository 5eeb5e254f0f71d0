"""What a Gaussian process is made of: additive components, loadings, noise, warp, priors.

Observation i belongs to a group m(i). The covariance is::

    K = sum_c  s_c (a_c a_c^T) * k_c(R_c)  +  diag(noise)

where ``a_c[i]`` is the loading of group m(i) on component c. An uncertain mean adds its prior
variance to every pair of observations that share it. An ordinary GP has one component of
loading 1. Kennedy and O'Hagan's co-kriging of two levels has the components (1, rho) and (0, 1).
A function shared by both levels plus a bias of the cheap one has (1, 1) and (1, 0).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .categorical import Categorical
from .kernels import KERNELS
from .priors import (
    APART_PRIOR,
    FACTOR_PRIOR,
    NOISE_PRIOR,
    POSITION_PRIOR,
    SCALE_PRIOR,
    WARP_PRIOR,
    Flat,
    Prior,
    lengthscale_prior,
)

Array = NDArray[np.float64]
Groups = NDArray[np.intp]

#: How constant means are dealt with; see :class:`Model`.
MEANS = ("profiled", "own", "shared")
#: Prior variance of uncertain means (standardised units): they may be anywhere near the data.
MEAN_VAR = 100.0


@dataclass(frozen=True)
class Component:
    """One additive term of the covariance.

    Parameters
    ----------
    loadings : tuple of float
        Fixed loading of each group; 0 leaves the group out.
    factors : tuple of tuple of int
        For each group, which learned factors (by index) multiply its loading. In three-level
        co-kriging the first component has ``((), (0,), (0, 1))``: its loadings are 1, rho0 and
        rho0 rho1.
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
        Constant means of the groups. With "profiled" each group has one, which is put at its most
        likely value and treated as known. With "own" each group has one, which is uncertain and
        integrated out: this matters where a group has few points. With "shared" all groups have
        one uncertain mean together.
    noise_prior, warp_prior, factor_prior : Prior
    factor_starts : tuple of float
        Values of the factors where the first search starts. The second search takes only their
        signs. By default both searches start where the prior does.
    categories : tuple of Categorical
        Inputs whose values are levels. They are not warped. The positions of their levels
        are the same for all components; each component has lengthscales of its own.
    position_prior, apart_prior : Prior
        Of each learned coordinate of a level, and of the squared distance that levels have anyway.
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
    categories: tuple[Categorical, ...] = ()
    position_prior: Prior = POSITION_PRIOR
    apart_prior: Prior = APART_PRIOR

    def __post_init__(self) -> None:
        if len({len(c.loadings) for c in self.components}) != 1:
            raise ValueError("all components need a loading for each group")
        if self.means not in MEANS:
            raise ValueError(f"unknown means {self.means!r}; choose from {MEANS}")
        if self.factor_starts and len(self.factor_starts) != self.n_factors:
            raise ValueError(
                f"{len(self.factor_starts)} starts were given for {self.n_factors} factors"
            )
        columns = [category.column for category in self.categories]
        if len(set(columns)) < len(columns) or not set(columns) <= set(range(self.n_inputs)):
            raise ValueError(f"categorical inputs {columns} are not different ones of the inputs")

    @property
    def n_groups(self) -> int:
        """Number of groups of observations."""
        return len(self.components[0].loadings)

    @property
    def n_numeric(self) -> int:
        """Number of inputs that are not categorical."""
        return self.n_inputs - len(self.categories)

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
        if self.n_groups == 1 or self.means == "shared":
            return np.broadcast_to(self.mean_var, (np.size(groups1), np.size(groups2)))
        return np.where(np.equal.outer(groups1, groups2), self.mean_var, 0.0)


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
