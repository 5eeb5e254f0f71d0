"""Recursive co-kriging: one Gaussian process per level, each told what the one below predicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import stored
from ..data.dataset import Bounds, Dataset, Fidelity
from ..surrogates.gp import GP
from .appended import AppendedColumns
from .estimator import MultiFidelityRegressor
from .facts import abilities_with, fit_reports, noise_facts, plain_stage, tool_facts
from .known import Known
from .restoring import restored_levels
from .stages import Fitting, fit_process, stage_gp, warn_about_fit, warn_about_ties

Array = NDArray[np.float64]


class Recursive(MultiFidelityRegressor):
    """Recursive co-kriging, as the paper describes its baseline.

    The GP of each level has the posterior mean of the level below as one more input, so levels
    are fitted one after the other, each quickly. The uncertainty of the level below is not
    carried on: intervals are too narrow where the cheap data are sparse.

    Parameters
    ----------
    costs, order, calibrate, noise_std, bounds, random_state, surrogate
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
        calibrate: bool = False,
        noise_std: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        random_state: Any = None,
    ) -> None:
        self.costs = costs
        self.order = order
        self.surrogate = surrogate
        self.calibrate = calibrate
        self.noise_std = noise_std
        self.bounds = bounds
        self.random_state = random_state

    def fit_unit(self, data: Dataset, known: Known) -> None:
        """Fit the levels one after the other, cheapest first."""
        warn_about_ties(data)
        surrogate = stage_gp(self.surrogate, data)
        cheapest, *others = data.fidelities
        self.processes_: list[Any] = [fit_process(surrogate, data, cheapest, known)]
        self.appended_: list[AppendedColumns] = []
        for below, fidelity in pairwise([cheapest, *others]):
            self._add_level(surrogate, data, known, below, fidelity)

    def _add_level(
        self, surrogate: GP, data: Dataset, known: Known, below: Fidelity, fidelity: Fidelity
    ) -> None:
        """Fit a level, told what the one below predicts."""
        U = data.unit(fidelity)
        here = self._mean(U)
        appended = AppendedColumns.over((self._mean(data.unit(below)),), (here,))
        hints = Fitting(data, known, 0).hints(f"modelling {fidelity.name}", fidelity.y, None)
        process = surrogate.fit_stage(
            appended.append(U, here), fidelity.y, fidelity.noise_var, hints
        )
        warn_about_fit(process, f"of {fidelity.name}")
        self.appended_.append(appended)
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
    def abilities(self) -> frozenset[str]:
        """All, unless very many rows are modelled by something else than a GP."""
        processes = getattr(self, "processes_", [])
        able = abilities_with(super().abilities, processes[-1:])
        everywhere = abilities_with(super().abilities, processes)
        return able if "export" in everywhere else able - {"export"}

    @property
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity."""
        return float(np.mean(self.processes_[-1].noise_var))

    def predict_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance of the highest level."""
        return self.processes_[-1].predict(self._inputs(U))

    def mean_unit(self, U: Array) -> Array:
        """Mean of the highest level."""
        return self._mean(U)

    def covariance_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and covariance of the highest level."""
        return self.processes_[-1].predict_covariance(self._inputs(U))

    def facts(self) -> dict[str, Any]:
        """Noise of every level, and the fits' reports."""
        names = [fidelity.name for fidelity in self.training_data_.fidelities]
        levels = dict(zip(names, self.processes_, strict=True))
        return {
            "noise": noise_facts({name: gp.noise_var for name, gp in levels.items()}),
            "fits": fit_reports({f"of {name}": gp for name, gp in levels.items()}),
            **tool_facts(levels),
        }

    def plain_predictor(self) -> dict[str, Any]:
        """The levels, each told what the one below predicts."""
        return {
            "kind": "stages",
            "stages": [plain_stage(process) for process in self.processes_],
            "appended": [asdict(appended) for appended in self.appended_],
            "columns": ["mean"],
            "reach": 0.0,
            "adds_means": False,
            "adds_variances": False,
        }

    def get_state(self) -> dict[str, Any]:
        """The levels' processes, and how the means between them were scaled."""
        return {
            "processes": [process.get_state() for process in self.processes_],
            "appended": [asdict(appended) for appended in self.appended_],
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Rebuild the levels."""
        data = self.training_data_
        surrogate = stage_gp(self.surrogate, data)
        n, d = len(data.fidelities), len(data.feature_names)
        self.processes_ = restored_levels(surrogate, state["processes"], d, 1, n)
        scalings = stored.sequence(state["appended"], "the scalings", n - 1)
        self.appended_ = [AppendedColumns.from_state(scaling, 1) for scaling in scalings]
