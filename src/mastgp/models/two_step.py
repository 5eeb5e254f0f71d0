"""Co-kriging of very many cheap rows, level after level.

With that many cheap rows the expensive ones tell nothing about the cheap level. So a joint model
gains nothing over two steps: the cheap level by whatever models it best, then a factor and a
Gaussian process of what is left of the expensive level. The variance of the cheap level is carried
on. The factor is learned by generalised least squares under every draw of the hyperparameters, and
its uncertainty counts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from .. import stored
from ..blocks import blocks
from ..data.dataset import Dataset
from ..gp import GaussianProcess
from ..gp.blends import Distribution
from ..gp.distributions import Mixture
from ..gp.ensemble import ProcessEnsemble
from ..gp.plain import plain_process
from ..gp.quick import QuickMixture
from ..surrogates.base import Fitted
from .continuing import JointProcess, Part
from .explained import Explained
from .facts import abilities_with, noise_facts, plain_stage, tool_facts
from .levelled import LevelledProcess
from .restoring import restored_stage
from .stages import Fitting, stage_gp

Array = NDArray[np.float64]
P = ParamSpec("P")
R = TypeVar("R")

#: Rows predicted at a time.
_BLOCK_ROWS = 10_000


def by_levels(hook: Callable[P, R]) -> Callable[P, R]:
    """Leave a question to the levels, where they are modelled one after the other."""

    @wraps(hook)
    def answer(*args: P.args, **kwargs: P.kwargs) -> R:
        model: Any = args[0]
        if model.steps_ is None:
            return hook(*args, **kwargs)
        found: R = getattr(model.steps_, hook.__name__)(*args[1:], **kwargs)
        return found

    return answer


class TwoStep:
    """Levels one after the other, each a factor times the one below plus something of its own.

    Its methods answer what those of the same names of :class:`mastgp.models.CoKriging` do.

    Parameters
    ----------
    data : Dataset
    stages : list of fitted stages
        Of the cheapest level, and of what is left of each level between.
    factors : list of float
        Of every level but the first, to the one below.
    top : CoKriging
        Of what is left of the most expensive level.
    learns_factor : bool
        Whether the last factor is learned.
    """

    def __init__(
        self,
        data: Dataset,
        stages: list[Fitted],
        factors: list[float],
        top: Any,
        learns_factor: bool,
    ) -> None:
        self.data, self.stages, self.factors, self.top = data, stages, factors, top
        self._below = climb(stages, factors, data.unit(data.top))
        self._weights, self._processes = _processes_of(top)
        found = [Explained.of(process, self._below[0]) for process in self._processes]
        if not learns_factor:
            found = [replace(part, correction=0.0, precision=np.inf) for part in found]
        self._explained = found

    @property
    def correction(self) -> float:
        """What the draws add to the last factor, on average."""
        corrections = np.array([part.correction for part in self._explained])
        return float(self._weights @ corrections)

    def rho_(self) -> Array:
        """Factors between levels, in the target's units."""
        return np.array([*self.factors[:-1], self.factors[-1] + self.correction])

    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity."""
        return float(self.top.noise_var_)

    def distribution_unit(self, U: Array, include_noise: bool = False) -> Mixture:
        """Mixture over the draws of the top level."""
        mean, var = climb(self.stages, self.factors, U)
        factor = self.factors[-1]
        moments = [part.moments(process, U, mean) for part, process in self._draws()]
        means = np.array([own for own, _ in moments]) + factor * mean
        variances = np.array([own for _, own in moments]) + factor**2 * var
        if include_noise:
            variances += np.array([[np.mean(p.noise_var)] for p in self._processes])
        return QuickMixture(self._weights, means, variances)

    def predict_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance of the top level, on all cores where points are many."""
        parts = list(blocks(len(U), _BLOCK_ROWS))
        mean, var = np.empty(len(U)), np.empty(len(U))

        def work(rows: slice) -> None:
            found = self.distribution_unit(U[rows])
            mean[rows], var[rows] = found.mean, found.variance

        with ThreadPoolExecutor(min(len(parts), os.cpu_count() or 1) or 1) as pool:
            list(pool.map(work, parts))
        return mean, var

    def mean_unit(self, U: Array) -> Array:
        """Mean of the top level."""
        return self.predict_unit(U)[0]

    def covariance_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and covariance of the mixture, if all levels are Gaussian processes."""
        below, cov_below = climb_jointly(self.stages, self.factors, U)
        own = [part.moments(p, U, below)[0] for part, p in self._draws()]
        away = np.array(own) - self._weights @ np.array(own)
        cov = self.factors[-1] ** 2 * cov_below + np.einsum(
            "k,ki,kj->ij", self._weights, away, away
        )
        for weight, (part, process) in zip(self._weights, self._draws(), strict=True):
            cov += weight * part.covariance(process, U, below)
        return self.factors[-1] * below + self._weights @ np.array(own), cov

    def gradient_unit(self, U: Array) -> tuple[Array, Array]:
        """Gradients of the mixture's mean and variance, if all levels are Gaussian processes."""
        below, _ = climb(self.stages, self.factors, U)
        d_below, d_below_var = climb_slopes(self.stages, self.factors, U)
        own = np.array([part.moments(p, U, below)[0] for part, p in self._draws()])
        away = own - self._weights @ own
        d_mean, d_var = self.factors[-1] * d_below, self.factors[-1] ** 2 * d_below_var
        for i, (part, process) in enumerate(self._draws()):
            own_mean, own_var = part.gradient(process, U, below, d_below)
            d_mean = d_mean + self._weights[i] * own_mean
            # The mixture's own gradient drops out: the draws' deviations add up to zero.
            d_var = d_var + self._weights[i] * (own_var + 2.0 * away[i][:, None] * own_mean)
        return d_mean, d_var

    def _draws(self) -> list[tuple[Explained, GaussianProcess]]:
        """Processes of the top level, each with what it leaves of the level below."""
        return list(zip(self._explained, self._processes, strict=True))

    def plain_predictor(self) -> dict[str, Any]:
        """The levels, if all are Gaussian processes, and what the draws say of the last factor."""
        kept = [i for i, weight in enumerate(self._weights) if weight > 0.0]
        explained = [self._explained[i] for i in kept]
        slopes = [self._explained[i].slope(self._processes[i]) for i in kept]
        return {
            "kind": "levels",
            "below": [plain_stage(stage) for stage in self.stages],
            "factors": np.array(self.factors),
            "of": {
                **plain_process(self.top.posterior_),
                "slopes": np.array(slopes),
                "corrections": np.array([part.correction for part in explained]),
                "factor_vars": np.array([1.0 / part.precision for part in explained]),
            },
        }

    def abilities(self) -> frozenset[str]:
        """A file, and everything else if all levels are Gaussian processes."""
        able = frozenset({"file", "export", "covariance", "gradient", "samples"})
        return abilities_with(able, self.stages)

    def leave_out(self, folds: Sequence[NDArray[np.intp]]) -> Distribution:
        """Held-out predictions of the top level's rows, noise included.

        The cheap level is not fitted again: of so many rows those at the same places hardly count.
        """
        left = self.top.leave_out(folds)
        if not isinstance(left, Mixture):
            left = Mixture(np.ones(1), left.mean[None], left.variance[None])
        mean, var = self._below
        factor = self.factors[-1]
        return Mixture(left.weights, left.means + factor * mean, left.variances + factor**2 * var)

    def parts(self) -> list[Part]:
        """The draws of the top level. Cheap runs tell nothing more."""
        name = (self.data.top.name,)
        pairs = zip(self._weights.tolist(), self._draws(), strict=True)
        return [
            JointProcess(
                share, LevelledProcess(process, part, self.factors[-1], self._below_at), name
            )
            for share, (part, process) in pairs
        ]

    def _below_at(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance of the level below the top."""
        return climb(self.stages, self.factors, U)

    def draws_left(self) -> float:
        """By the draws' weights."""
        return float(self.top.draws_left)

    def facts(self) -> dict[str, Any]:
        """Noise of every level, what models the cheap ones, factors, and the fit of the rest."""
        of_top = self.top.facts()
        names = [fidelity.name for fidelity in self.data.cheaper]
        named = dict(zip(names, self.stages, strict=True))
        noises = {name: s.noise_var for name, s in named.items() if s.noise_var is not None}
        return {
            **of_top,
            "noise": {**noise_facts(noises), **of_top["noise"]},
            "factors": [float(factor) for factor in self.rho_()],
            **tool_facts(named),
        }

    def get_state(self) -> dict[str, Any]:
        """Plain values and arrays for files."""
        surrogate = stage_gp("gp", self.data)
        return {
            "levels": {
                "stages": [surrogate.state_of(cast(Any, stage)) for stage in self.stages],
                "factors": np.array(self.factors),
                "top": self.top.get_state(),
            }
        }


def _processes_of(top: Any) -> tuple[Array, list[GaussianProcess]]:
    """Weights and processes of the top level."""
    posterior = top.posterior_
    if isinstance(posterior, ProcessEnsemble):
        return posterior.weights, list(posterior.processes)
    return np.ones(1), [posterior]


def climb(stages: list[Fitted], factors: list[float], U: Array) -> tuple[Array, Array]:
    """Mean and variance of the highest of some levels."""
    mean, var = stages[0].predict(U)
    for stage, factor in zip(stages[1:], factors, strict=False):
        own_mean, own_var = stage.predict(U)
        mean, var = own_mean + factor * mean, own_var + factor**2 * var
    return mean, var


def climb_jointly(stages: list[Any], factors: list[float], U: Array) -> tuple[Array, Array]:
    """Mean and covariance of the highest of some levels, if all are Gaussian processes."""
    mean, cov = stages[0].predict_covariance(U)
    for stage, factor in zip(stages[1:], factors, strict=False):
        own_mean, own_cov = stage.predict_covariance(U)
        mean, cov = own_mean + factor * mean, own_cov + factor**2 * cov
    return mean, cov


def climb_slopes(stages: list[Any], factors: list[float], U: Array) -> tuple[Array, Array]:
    """Gradients of what :func:`climb` returns, if all levels are Gaussian processes."""
    d_mean, d_var = stages[0].predict_gradient(U)
    for stage, factor in zip(stages[1:], factors, strict=False):
        own_mean, own_var = stage.predict_gradient(U)
        d_mean, d_var = own_mean + factor * d_mean, own_var + factor**2 * d_var
    return d_mean, d_var


def fit_two_step(
    fit: Fitting, learns_factor: bool, build: Callable[[], Any], before: TwoStep | None
) -> TwoStep:
    """Model the levels one after the other.

    Parameters
    ----------
    fit : Fitting
    learns_factor : bool
        Whether levels are multiples of those below; otherwise all factors are 1.
    build : callable
        Makes the estimator of the top level alone.
    before : TwoStep, optional
        Of nearly the same data: the cheap levels are taken over if theirs are the same.
    """
    if before is not None and fit.nearly_unchanged(fit.data.cheaper):
        stages, factors = before.stages, before.factors[:-1]
    else:
        stages, factors = _cheap_levels(fit, learns_factor)
    return _with_top(fit.data, stages, factors, learns_factor, build)


def _cheap_levels(fit: Fitting, learns_factor: bool) -> tuple[list[Fitted], list[float]]:
    """Models of all levels below the top, and the factors between them."""
    data, surrogate = fit.data, stage_gp("gp", fit.data)
    cheapest, *others = data.cheaper
    stages = [fit.fit_fidelity(surrogate, cheapest)]
    factors: list[float] = []
    for fidelity in others:
        U = data.unit(fidelity)
        mean, _ = climb(stages, factors, U)
        factor = least_squares(mean, fidelity.y) if learns_factor else 1.0
        left = fidelity.y - factor * mean
        hints = fit.hints(f"modelling {fidelity.name}", left, None)
        stages.append(surrogate.fit_stage(U, left, fidelity.noise_var, hints))
        factors.append(factor)
    return stages, factors


def _with_top(
    data: Dataset,
    stages: list[Fitted],
    factors: list[float],
    learns_factor: bool,
    build: Callable[[], Any],
) -> TwoStep:
    """Add the top level: a factor, and a model of what is left."""
    below, _ = climb(stages, factors, data.unit(data.top))
    factor = least_squares(below, data.top.y) if learns_factor else 1.0
    for last in (False, True) if learns_factor else (True,):
        # The first factor need not be precise, so nothing is drawn for it.
        top = build()
        top.response_scale_ = data.scale_of(data.top.y)
        top.inference = top.inference if last else "map"
        top.fit_data(left_of(data, factor, below))
        steps = TwoStep(data, stages, [*factors, factor], top, learns_factor)
        factor += steps.correction
    return steps


def left_of(data: Dataset, factor: float, below: Array) -> Dataset:
    """The top level's data, less a factor times the level below."""
    top = replace(data.top, y=data.top.y - factor * below, stream=None)
    return replace(data, fidelities=(top,))


def least_squares(below: Array, y: Array) -> float:
    """Factor of the level below that explains most of a level.

    Examples
    --------
    >>> least_squares(np.array([0.0, 1.0, 2.0]), np.array([5.0, 7.0, 9.0]))
    2.0
    """
    centred = below - below.mean()
    size = float(centred @ centred)
    return float(centred @ (y - y.mean())) / size if size > 0.0 else 1.0


def restored_two_step(
    state: Any, data: Dataset, learns_factor: bool, build: Callable[[], Any]
) -> TwoStep:
    """Rebuild the levels from what :meth:`TwoStep.get_state` returned."""
    levels = stored.mapping(state["levels"], "the levels", ("stages", "factors", "top"))
    n, d = len(data.cheaper), len(data.feature_names)
    states = stored.sequence(levels["stages"], "the levels", n)
    factors = stored.array(levels["factors"], "the factors", (n,)).tolist()
    surrogate = stage_gp("gp", data)
    stages = [restored_stage(surrogate, stage, d) for stage in states]
    below, _ = climb(stages, factors, data.unit(data.top))
    top = build()
    top.training_data_ = left_of(data, factors[-1], below)
    top.set_state(levels["top"])
    return TwoStep(data, stages, factors, top, learns_factor)
