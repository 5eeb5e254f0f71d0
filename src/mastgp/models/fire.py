"""Residuals learned where the cheap model's posterior, not only the input, says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from ..data.dataset import Bounds, Dataset, Fidelity
from ..gp import GaussianProcess
from ..progress import counter
from ..surrogates import Choice, Fitted, Hints, find_surrogate
from .appended import AppendedColumns
from .estimator import MultiFidelityRegressor

Array = NDArray[np.float64]


class FIRE(MultiFidelityRegressor):
    """Two-stage residual model conditioned on the cheap posterior's summaries.

    A model of the cheap data gives mean and standard deviation at every expensive point; a second
    one learns expensive less cheap mean as a function of the input and of these two. Use it where
    the cheap model's error depends on its own prediction or confidence. The residuals contain the
    cheap model's error, so the second model's variance is the variance of the prediction.

    With more than two fidelities the steps are repeated upwards.

    Parameters
    ----------
    costs, order, noise_std, bounds, random_state
        As in :class:`mastgp.MAST`.
    surrogate : str or surrogate
        What both stages are made of, as in :class:`mastgp.MAST`.

    References
    ----------
    Yu et al. (2026), FIRE: in-context multi-fidelity regression with tabular foundation models
    (the concurrent method that the MAST paper names); here on any surrogate.
    """

    def __init__(
        self,
        costs: Mapping[Any, float] | None = None,
        *,
        order: Sequence[Any] | None = None,
        surrogate: Choice = "gp",
        noise_std: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        random_state: Any = None,
    ) -> None:
        self.costs = costs
        self.order = order
        self.surrogate = surrogate
        self.noise_std = noise_std
        self.bounds = bounds
        self.random_state = random_state

    #: Stages of cheaper fidelities that need not be fitted again.
    _known: Sequence[Fitted] = ()
    #: Stages of nearly the same data: where searches begin.
    _before: Sequence[Fitted] = ()

    def _refit(self, data: Dataset) -> Self:
        """Fit a copy to part of the data, with the stages below the first that loses something."""
        copy: Self = clone(self)
        copy._known, copy._before = self.stages_[: self._n_unchanged(data)], self.stages_
        copy._fit_data(data)
        del copy._known, copy._before
        return copy

    def _fit_unit(self, data: Dataset) -> None:
        surrogate = find_surrogate(self.surrogate)
        surrogate.check_ready()
        random = check_random_state(self.random_state)

        def stage(X: Array, y: Array, fidelity: Fidelity) -> Fitted:
            noise_var = fidelity.noise_var if surrogate.takes_noise else None
            told = counter(f"modelling {fidelity.name}")
            before = self._before[len(self.stages_)] if self._before else None
            hints = Hints(False, data.scale_of(y), told, random, before)
            return surrogate.fit_stage(X, y, noise_var, hints)

        cheapest = data.fidelities[0]
        self.stages_: list[Fitted] = []
        self.stages_ += self._known[:1] or [stage(data.unit(cheapest), cheapest.y, cheapest)]
        self.appended_: list[AppendedColumns] = []
        for below, fidelity in zip(data.fidelities, data.fidelities[1:], strict=False):
            U = data.unit(fidelity)
            mean, var = self._predict_unit(U)
            around = self._predict_unit(data.unit(below))
            appended = AppendedColumns.over((mean, np.sqrt(var)), (around[0], np.sqrt(around[1])))
            known = self._known[len(self.stages_) : len(self.stages_) + 1]
            residual = (
                known[0]
                if known
                else stage(appended.append(U, mean, np.sqrt(var)), fidelity.y - mean, fidelity)
            )
            self.appended_.append(appended)
            self.stages_.append(residual)

    @property
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity; zero if nobody knows it."""
        noise_var = self.stages_[-1].noise_var
        if noise_var is None:
            noise_var = self.training_data_.top.noise_var
        return 0.0 if noise_var is None else float(np.mean(noise_var))

    def _predict_unit(self, U: Array) -> tuple[Array, Array]:
        return self._predict_unit_of(U, len(self.stages_))

    def _predict_unit_of(self, U: Array, n_stages: int) -> tuple[Array, Array]:
        """Mean and variance by the first stages only; zero mean by none."""
        if not self.stages_[:n_stages]:
            return np.zeros(len(U)), np.zeros(len(U))
        mean, var = self.stages_[0].predict(U)
        for stage, appended in zip(self.stages_[1:n_stages], self.appended_, strict=False):
            correction, var_here = stage.predict(appended.append(U, mean, np.sqrt(var)))
            mean, var = mean + correction, var_here
        return mean, var

    def _covariance_unit(self, U: Array) -> tuple[Array, Array]:
        mean, var = self._predict_unit_of(U, -1)
        correction, cov = self._process(-1, "joint covariance").predict_covariance(
            self._inputs(-1, U, mean, var)
        )
        return mean + correction, cov

    def _gradient_unit(self, U: Array) -> tuple[Array, Array]:
        return self._gradient_of(U, len(self.stages_))

    def _gradient_of(self, U: Array, n_stages: int) -> tuple[Array, Array]:
        """Gradients of mean and variance by the first stages, through the appended columns."""
        process = self._process(n_stages - 1, "gradient")
        if n_stages == 1:
            return process.predict_gradient(U)
        mean, var = self._predict_unit_of(U, n_stages - 1)
        d_mean, d_var = self._gradient_of(U, n_stages - 1)
        d_std = d_var / (2.0 * np.sqrt(var))[:, None]
        span = self.appended_[n_stages - 2].span
        by_mean, by_var = process.predict_gradient(self._inputs(n_stages - 1, U, mean, var))
        d = U.shape[1]

        def total(by: Array) -> Array:
            return (
                by[:, :d] + by[:, d, None] * d_mean / span[0] + by[:, d + 1, None] * d_std / span[1]
            )

        return d_mean + total(by_mean), total(by_var)

    def _inputs(self, stage: int, U: Array, mean: Array, var: Array) -> Array:
        """Inputs of a stage, from what those below it say."""
        if len(self.stages_) == 1:
            return U
        below = self.appended_[stage if stage < 0 else stage - 1]
        return below.append(U, mean, np.sqrt(var))

    def _process(self, stage: int, what: str) -> GaussianProcess:
        found = self.stages_[stage]
        if not isinstance(found, GaussianProcess):
            raise self._lacks(f"{what} unless its stages are GPs")
        return found

    def _get_state(self) -> dict[str, Any]:
        return {
            "stages": [find_surrogate(self.surrogate).state_of(stage) for stage in self.stages_],
            "appended": [asdict(appended) for appended in self.appended_],
        }

    def _set_state(self, state: dict[str, Any]) -> None:
        surrogate = find_surrogate(self.surrogate)
        self.stages_ = [surrogate.restore(stage) for stage in state["stages"]]
        self.appended_ = [AppendedColumns(**appended) for appended in state["appended"]]
