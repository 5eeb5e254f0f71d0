"""Recursive co-kriging: one Gaussian process per level, each told what the one below predicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Bounds, Dataset
from ..gp import GaussianProcess
from ..progress import counter
from ..surrogates import GP, as_surrogate
from .appended import AppendedColumns
from .estimator import MultiFidelityRegressor, warn_about_fit

Array = NDArray[np.float64]


class Recursive(MultiFidelityRegressor):
    """Recursive co-kriging, as the paper describes its baseline.

    The GP of each level has the posterior mean of the level below as one more input, so levels
    are fitted one after the other, each quickly. The uncertainty of the level below is not
    carried on: intervals are too narrow where the cheap data are sparse.

    Parameters
    ----------
    costs, order, noise_std, bounds, random_state, surrogate
        As in :class:`mastgp.MAST`.

    Attributes
    ----------
    processes_ : list of GaussianProcess
        One per level, cheapest first.

    References
    ----------
    Le Gratiet, Garnier (2014), Recursive co-kriging model for design of computer experiments with
    multiple levels of fidelity. Int. J. Uncertainty Quantification 4.
    """

    def __init__(
        self,
        costs: Mapping[Any, float] | None = None,
        *,
        order: Sequence[Any] | None = None,
        surrogate: str | GP = "gp",
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

    def _fit_unit(self, data: Dataset) -> None:
        surrogate = as_surrogate(self.surrogate)
        self.processes_: list[GaussianProcess] = []
        self.appended_: list[AppendedColumns] = []
        for level, fidelity in enumerate(data.fidelities):
            X = data.unit(fidelity)
            if level:
                below = self._mean(data.unit(data.fidelities[level - 1]))
                here = self._mean(X)
                appended = AppendedColumns.over((below,), (here,))
                X = appended.append(X, here)
                self.appended_.append(appended)
            process = surrogate.fit(
                X,
                fidelity.y,
                fidelity.noise_var,
                y_scale=data.scale_of(fidelity.y),
                on_evaluation=counter(f"modelling {fidelity.name}"),
            )
            warn_about_fit(process, f"of {fidelity.name}")
            self.processes_.append(process)

    def _mean(self, U: Array) -> Array:
        """Mean of the highest level fitted so far."""
        return self.processes_[-1].predict_mean(self._inputs(U))

    def _inputs(self, U: Array) -> Array:
        """Inputs of the highest level fitted so far."""
        Z = U
        for process, appended in zip(self.processes_[:-1], self.appended_, strict=True):
            Z = appended.append(U, process.predict_mean(Z))
        return Z

    @property
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity."""
        return float(np.mean(self.processes_[-1].noise_var))

    def _predict_unit(self, U: Array) -> tuple[Array, Array]:
        return self.processes_[-1].predict(self._inputs(U))

    def _mean_unit(self, U: Array) -> Array:
        return self._mean(U)

    def _covariance_unit(self, U: Array) -> tuple[Array, Array]:
        return self.processes_[-1].predict_covariance(self._inputs(U))

    def _get_state(self) -> dict[str, Any]:
        return {
            "processes": [process.get_state() for process in self.processes_],
            "appended": [asdict(appended) for appended in self.appended_],
        }

    def _set_state(self, state: dict[str, Any]) -> None:
        surrogate = as_surrogate(self.surrogate)
        self.processes_ = [surrogate.restore(process) for process in state["processes"]]
        self.appended_ = [AppendedColumns(**appended) for appended in state["appended"]]
