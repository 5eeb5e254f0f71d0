"""Precision-weighted fusion of independent Gaussian processes, one per fidelity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.dataset import Bounds, Dataset
from ..errors import DataError, ScaleWarning, warn
from ..surrogates.gp import GP
from .estimator import MultiFidelityRegressor
from .facts import abilities_with, fit_reports, noise_facts, plain_stage, tool_facts
from .known import Known
from .restoring import names_in, restored_by_name
from .stages import fit_process, stage_gp, warn_about_ties

Array = NDArray[np.float64]


def fuse(means: Array, variances: Array) -> tuple[Array, Array]:
    """Mean and variance of the product of normal densities, fidelities along the first axis."""
    precision = 1.0 / variances
    total = precision.sum(axis=0)
    return (precision * means).sum(axis=0) / total, 1.0 / total


class Reification(MultiFidelityRegressor):
    """Fusion in the spirit of model reification, as the paper's baseline.

    Every fidelity has a GP of its own, blind to the others; predictions are averaged with the
    inverse of their variances, to which a floor is added, larger for cheaper fidelities. Biases
    are not corrected: use it only where the cheap data are unbiased.

    Parameters
    ----------
    costs, order, calibrate, noise_std, bounds, random_state, surrogate
        As in :class:`mastgp.MAST`.
    floor_cheapest, floor_top : float
        What is added to the variance of the cheapest and of the most expensive fidelity;
        fidelities between have values between, evenly spaced on a logarithmic scale. As in the
        paper they are in the target's squared units: scale them to your target.

    Attributes
    ----------
    processes_ : dict of fidelity name to GaussianProcess

    References
    ----------
    Thomison, Allaire (2017), A model reification approach to fusing information from
    multifidelity information sources. AIAA 2017-1949.
    """

    def __init__(
        self,
        costs: Mapping[Any, float] | None = None,
        *,
        order: Sequence[Any] | None = None,
        floor_cheapest: float = 1e-2,
        floor_top: float = 1e-3,
        surrogate: str | GP = "gp",
        calibrate: bool = False,
        noise_std: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        random_state: Any = None,
    ) -> None:
        self.costs = costs
        self.order = order
        self.floor_cheapest = floor_cheapest
        self.floor_top = floor_top
        self.surrogate = surrogate
        self.calibrate = calibrate
        self.noise_std = noise_std
        self.bounds = bounds
        self.random_state = random_state

    def fit_unit(self, data: Dataset, known: Known) -> None:
        """Fit a GP to every fidelity."""
        if not min(self.floor_cheapest, self.floor_top) > 0.0:
            raise DataError("floor_cheapest and floor_top must be positive")
        surrogate = stage_gp(self.surrogate, data)
        self.processes_ = {
            fidelity.name: fit_process(surrogate, data, fidelity, known)
            for fidelity in data.fidelities
        }
        self.floors_ = self._floors(len(data.fidelities))
        self._warn_about_floors(data)

    def _warn_about_floors(self, data: Dataset) -> None:
        """Warn where floors in the target's squared units do not suit the target, or the order."""
        if self.floor_cheapest != self.floor_top:
            warn_about_ties(data)
        spread = data.scale_of(data.top.y)
        largest, smallest = (float(np.sqrt(floor)) for floor in (max(self.floors_), self.floor_top))
        if 1e-5 * spread <= largest and smallest <= spread:
            return
        effect = "do nothing" if largest < spread else "hide what the points say"
        warn(
            f"floor_cheapest={self.floor_cheapest:g} and floor_top={self.floor_top:g} {effect}: "
            f"they are variances in the target's squared units, and the target has a standard "
            f"deviation of {spread:.3g}. For the same effect as at a standard deviation of 1, use "
            f"floor_cheapest={self.floor_cheapest * spread**2:.1e} and "
            f"floor_top={self.floor_top * spread**2:.1e}",
            ScaleWarning,
        )

    def _floors(self, n_levels: int) -> Array:
        """Floor of each fidelity's variance, cheapest first."""
        if n_levels == 1:
            return np.array([self.floor_top])
        return np.geomspace(self.floor_cheapest, self.floor_top, n_levels)

    @property
    def abilities(self) -> frozenset[str]:
        """All, unless very many rows are modelled by something else than a GP."""
        stages = getattr(self, "processes_", {}).values()
        return abilities_with(super().abilities, stages)

    @property
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity."""
        return float(np.mean(self.processes_[self.training_data_.top.name].noise_var))

    def predict_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance of the fused prediction."""
        predictions = [process.predict(U) for process in self.processes_.values()]
        means = np.array([mean for mean, _ in predictions])
        variances = np.array([var for _, var in predictions])
        return fuse(means, variances + self.floors_[:, None])

    def facts(self) -> dict[str, Any]:
        """Noise of every fidelity, and the fits' reports."""
        return {
            "noise": noise_facts({name: gp.noise_var for name, gp in self.processes_.items()}),
            "fits": fit_reports({f"of {name}": gp for name, gp in self.processes_.items()}),
            **tool_facts(self.processes_),
        }

    def plain_predictor(self) -> dict[str, Any]:
        """Every fidelity's process, and the floor of its variance."""
        return {
            "kind": "fused",
            "members": [plain_stage(process) for process in self.processes_.values()],
            "floors": self.floors_,
        }

    def get_state(self) -> dict[str, Any]:
        """Every fidelity's process."""
        return {"processes": {name: gp.get_state() for name, gp in self.processes_.items()}}

    def set_state(self, state: dict[str, Any]) -> None:
        """Rebuild the processes."""
        d, names, _, _ = names_in(self.training_data_)
        surrogate = stage_gp(self.surrogate, self.training_data_)
        found = restored_by_name(surrogate, state["processes"], names, d)
        self.processes_ = {name: found[name] for name in names}
        self.floors_ = self._floors(len(self.processes_))


class MISO(Reification):
    """Fusion for multi-information-source optimisation, as the paper's baseline.

    The same formula as :class:`Reification`, derived from a purely variance-driven argument: the
    floors stand for each source's fidelity variance. Here the two are equal for any number of
    fidelities. In the paper's table of three fidelities they differ, and it does not say why.

    References
    ----------
    Lam, Allaire, Willcox (2015), Multifidelity optimization using statistical surrogate modeling
    for non-hierarchical information sources. AIAA 2015-0143.
    """
