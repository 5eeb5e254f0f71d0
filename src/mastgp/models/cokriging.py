"""Co-kriging: all fidelities in one Gaussian process, every hyperparameter learned together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.base import clone

from ..data.dataset import Bounds, Dataset, Fidelity
from ..errors import DataError, listed
from ..gp import Component, GaussianProcess, Model, without_priors
from ..gp.kernels import KERNELS
from ..gp.model import Layout
from ..gp.priors import FACTOR_PRIOR, Cauchy, Gamma, LogNormal
from ..progress import counter
from .estimator import MultiFidelityRegressor, warn_about_fit

Array = NDArray[np.float64]

#: Wide enough for clean expensive runs and for cheap data that are mostly noise.
NOISE_PRIOR = LogNormal(-4.0, 3.0)
#: A discrepancy is expected to be small, and allowed not to be.
DISCREPANCY_PRIOR = LogNormal(-2.0, 2.0)
#: A bias that fades by a known law cannot be small at one level and large at another.
FADING_PRIOR = LogNormal(-0.5, 0.7)
#: Levels in the same units are usually about equal, but may be opposite.
EQUAL_LEVELS_PRIOR = Cauchy(1.0, 0.2)
#: Levels whose spreads differ by less than this factor are taken to be in the same units.
SAME_UNITS = 3.0
#: Levels whose means differ by less than this many spreads may share one.
SAME_MEAN = 0.5
#: A level with fewer points does not tell its mean.
FEW = 3
#: Searches end when the log density changes by less; ten times that ends some of them too soon.
TOLERANCE = 1e-4
#: Far narrower than the default: a joint model has many points to bend the inputs with
#: (docs/rivals.md).
WARP_PRIOR = LogNormal(0.0, 0.2)
#: What BoTorch's multi-fidelity kernel takes for the shared function and for the biases.
BOTORCH_SHARED, BOTORCH_BIAS = Gamma(3.0, 6.0), Gamma(6.0, 2.0)

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
#: Structures whose levels are one function and biases about zero, so that one mean serves all.
_BIASED = ("shared-bias", "common-bias", "fading-bias")
#: Structures whose levels are multiples of others, plus something.
_CONNECTED = ("autoregressive", "general")


@dataclass(frozen=True)
class Traits:
    """What the targets of the levels have in common, by their looks."""

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


class CoKriging(MultiFidelityRegressor):
    """Kennedy and O'Hagan's co-kriging, or a relative of it, by joint likelihood.

    Use it when the expensive response is roughly a multiple of the cheap one plus something
    simpler than either: then nothing of the paper is more accurate. It needs no nested designs.
    Where the cheap response says something else in different places, prefer MAST, and where the
    expensive response is a nonlinear function of the cheap one, NARGP or a deep GP.

    Parameters
    ----------
    costs, order, noise_std, bounds, random_state
        As in :class:`mastgp.MAST`.
    structure : {"autoregressive", "shared-bias", "common-bias", "fading-bias", "general", \
"top-only"}
        How levels are related: f_m = rho f_(m-1) + discrepancy, rho learned; or f_m = f + bias_m
        for the cheap levels, biases independent; or f_m = f + c_m bias, c_m learned; or the same
        with c_m fixed, as in BoTorch's multi-fidelity kernel; or f_m = c_m f + own_m, the most
        general for two levels; or not at all: the same GP of the most expensive level alone.
    kernel : {"rbf", "matern52"}
    warp : {"kumaraswamy", None}
        Input warp, shared by all levels.
    priors : {"wide", "botorch", None}
        Dimension-scaled log-normal lengthscales; or those of BoTorch's multi-fidelity kernel,
        which assume a wiggly shared function and a smooth bias; or none (maximum likelihood).
    isotropic : bool
        Whether all inputs share one lengthscale: less to learn, for very few expensive points.

    Attributes
    ----------
    process_ : mastgp.gp.GaussianProcess
        The joint GP; its group m is the m-th fidelity, cheapest first.
    rho_ : array
        The learned factors between levels.

    References
    ----------
    Kennedy, O'Hagan (2000), Predicting the output from a complex computer code when fast
    approximations are available. Biometrika 87.

    Examples
    --------
    >>> import numpy as np
    >>> from mastgp.models.cokriging import CoKriging
    >>> cheap, dear = np.linspace(0, 1, 30), np.linspace(0.05, 0.95, 5)
    >>> X = np.concatenate([cheap, dear])[:, None]
    >>> y = np.concatenate([np.sin(9 * cheap), 2 * np.sin(9 * dear) + dear])
    >>> labels = ["cheap"] * 30 + ["dear"] * 5
    >>> model = CoKriging(order=["cheap", "dear"]).fit(X, y, fidelity=labels)
    >>> bool(abs(model.predict([[0.37]])[0] - (2 * np.sin(3.33) + 0.37)) < 0.02)
    True
    """

    def __init__(
        self,
        costs: Mapping[Any, float] | None = None,
        *,
        order: Sequence[Any] | None = None,
        structure: str = "autoregressive",
        kernel: str = "rbf",
        warp: str | None = "kumaraswamy",
        priors: str | None = "wide",
        isotropic: bool = False,
        noise_std: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        random_state: Any = None,
    ) -> None:
        self.costs = costs
        self.order = order
        self.structure = structure
        self.kernel = kernel
        self.warp = warp
        self.priors = priors
        self.isotropic = isotropic
        self.noise_std = noise_std
        self.bounds = bounds
        self.random_state = random_state

    @property
    def _label(self) -> str:
        return {"autoregressive": "AR1", "top-only": "GP"}.get(
            self.structure, self.structure.capitalize()
        )

    #: Where the search starts instead of the engine's own starts.
    _start: Array | None = None
    #: What a fit to more of the same data saw in them.
    _traits: Traits | None = None

    def _fit_unit(self, data: Dataset) -> None:
        fidelities = self._modelled(data)
        X = np.concatenate([data.unit(fidelity) for fidelity in fidelities])
        self.process_ = GaussianProcess.fit(
            self._model(data),
            X,
            np.concatenate([fidelity.y for fidelity in fidelities]),
            groups=np.repeat(np.arange(len(fidelities)), [len(f.y) for f in fidelities]),
            noise_var=known_noise(fidelities),
            y_scale=self._scales(data),
            starts=None if self._start is None else {"before": self._start},
            on_evaluation=counter("co-kriging"),
            tolerance=TOLERANCE,
        )
        warn_about_fit(self.process_, "of all fidelities")

    def _modelled(self, data: Dataset) -> tuple[Fidelity, ...]:
        """Fidelities that the joint GP is of."""
        return (data.top,) if self.structure == "top-only" else data.fidelities

    def _model(self, data: Dataset) -> Model:
        for value, allowed, name in (
            (self.structure, STRUCTURES, "structure"),
            (self.kernel, KERNELS, "kernel"),
            (self.warp, ("kumaraswamy", None), "warp"),
            (self.priors, PRIORS, "priors"),
        ):
            if value not in allowed:
                raise DataError(f"unknown {name} {value!r}; choose one of {listed(allowed)}")
        fidelities = self._modelled(data)
        n_levels = len(fidelities)
        first, *others = STRUCTURES[self.structure](n_levels) if n_levels > 1 else (Component(),)
        botorch = self.priors == "botorch"
        fading = self.structure == "fading-bias"
        traits, connected = self._traits_of(data), self.structure in _CONNECTED
        model = Model(
            len(data.feature_names),
            components=(
                replace(
                    first,
                    kernel=self.kernel,
                    learn_scale=True,
                    lengthscale_prior=BOTORCH_SHARED if botorch else None,
                    isotropic=self.isotropic,
                ),
                *(
                    replace(
                        other,
                        kernel=self.kernel,
                        learn_scale=True,
                        scale_prior=FADING_PRIOR if fading else DISCREPANCY_PRIOR,
                        lengthscale_prior=BOTORCH_BIAS if botorch else None,
                        isotropic=self.isotropic,
                    )
                    for other in others
                ),
            ),
            warp=self.warp is not None,
            means="shared" if self.structure in _BIASED and traits.same_mean else "own",
            noise_prior=NOISE_PRIOR,
            warp_prior=WARP_PRIOR,
            factor_prior=EQUAL_LEVELS_PRIOR if connected and traits.same_units else FACTOR_PRIOR,
            factor_starts=self._factor_starts(data) if connected and n_levels > 1 else (),
        )
        return without_priors(model) if self.priors is None else model

    def _scales(self, data: Dataset) -> Array | None:
        """One scale per level where units differ and a factor connects them; else one for all."""
        if self.structure not in _CONNECTED or self._traits_of(data).same_units:
            return None
        return np.array([data.scale_of(fidelity.y) for fidelity in data.fidelities])

    def _factor_starts(self, data: Dataset) -> tuple[float, ...]:
        """Ratios of the levels' spreads, negative where neighbours say the opposite."""
        levels, scales = data.fidelities, self._scales(data)
        lower = levels if self.structure == "autoregressive" else levels[:1] * len(levels)
        ratios = []
        for low, high in zip(lower, levels[1:], strict=False):
            nearest = cdist(data.unit(high), data.unit(low)).argmin(axis=1)
            away = (low.y[nearest] - low.y[nearest].mean()) @ (high.y - high.y.mean())
            ratio = 1.0 if scales is not None else data.scale_of(high.y) / data.scale_of(low.y)
            ratios.append(float(np.copysign(ratio, away)) if away else ratio)
        return tuple(ratios)

    def _refit(self, data: Dataset) -> Self:
        """Fit a copy of the same model, from the optimum of the data before."""
        copy = clone(self)
        copy._start = Layout(self.process_.model).pack(self.process_.parameters)
        copy._traits = self._traits_of(self.training_data_)
        copy._fit_data(data)
        del copy._start
        return copy

    def _traits_of(self, data: Dataset) -> Traits:
        return self._traits or Traits.of(data, self._modelled(data))

    def _leave_out(self, folds: Sequence[NDArray[np.intp]]) -> tuple[Array, Array]:
        data = self.training_data_
        n_levels = len(self._modelled(data))
        together = [np.concatenate(data.at_places_of(fold)[-n_levels:]) for fold in folds]
        mean, var = self.process_.leave_out([np.flatnonzero(rows) for rows in together])
        n_top = len(data.top.y)
        return mean[-n_top:], var[-n_top:]

    @property
    def log_posterior_(self) -> float:
        """Log density of data and hyperparameters at the optimum, in the target's units."""
        process = self.process_
        if process.report is None:
            raise self._lacks("report of its fit")
        scales = np.repeat(process.y_scale, [len(f.y) for f in self._modelled(self.training_data_)])
        return float(-process.report.objective * process.n_points - np.log(scales).sum())

    @property
    def rho_(self) -> Array:
        """Learned factors between levels, in the target's units."""
        factors, scale = self.process_.parameters.factors, self.process_.y_scale
        if self.structure == "autoregressive":
            return factors * scale[1:] / scale[:-1]
        if self.structure == "general":
            return factors * scale[1:] / scale[0]
        return factors

    @property
    def _top(self) -> int:
        return self.process_.model.n_groups - 1

    @property
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity."""
        return float(np.mean(self.process_.noise_var[-len(self.training_data_.top.y) :]))

    def _predict_unit(self, U: Array) -> tuple[Array, Array]:
        return self.process_.predict(U, self._top)

    def _mean_unit(self, U: Array) -> Array:
        return self.process_.predict_mean(U, self._top)

    def _covariance_unit(self, U: Array) -> tuple[Array, Array]:
        return self.process_.predict_covariance(U, self._top)

    def _gradient_unit(self, U: Array) -> tuple[Array, Array]:
        return self.process_.predict_gradient(U, self._top)

    def _get_state(self) -> dict[str, Any]:
        return {"process": self.process_.get_state(), "means": self.process_.model.means}

    def _set_state(self, state: dict[str, Any]) -> None:
        data = self.training_data_
        model = self._model(data)
        # Files from before means could be uncertain do not mention them.
        model = replace(model, means=state.get("means", "profiled"))
        self.process_ = GaussianProcess.from_state(model, state["process"])


def known_noise(fidelities: Sequence[Fidelity]) -> Array | None:
    """Noise variance of all observations, NaN where it is to be learned; None if it is nowhere."""
    if all(fidelity.noise_var is None for fidelity in fidelities):
        return None
    return np.concatenate(
        [
            np.full(len(fidelity.y), np.nan) if fidelity.noise_var is None else fidelity.noise_var
            for fidelity in fidelities
        ]
    )
