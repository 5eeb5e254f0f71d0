"""FIRE: a model of the residual learns from the whole prediction of the cheap model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from .. import stored
from ..blocks import in_blocks
from ..data.dataset import Bounds, Dataset, Fidelity
from ..gp import GaussianProcess
from ..surrogates.base import Fitted, Surrogate
from ..surrogates.choice import Choice, find_surrogate
from ..surrogates.gp import GP
from .appended import AppendedColumns
from .estimator import MultiFidelityRegressor
from .facts import (
    abilities_with,
    fit_reports,
    noise_facts,
    of_many_rows,
    plain_stage,
    tool_facts,
)
from .known import Known
from .restoring import restored_levels
from .stages import Fitting, nearly_same, stage_surrogate, warn_about_fits, warn_about_ties

Array = NDArray[np.float64]

#: Rows predicted at a time.
_BLOCK_ROWS = 2000
#: Distance of the 10 % and 90 % quantiles from the mean, in standard deviations.
_Z90 = float(ndtri(0.9))


class FIRE(MultiFidelityRegressor):
    """Two-stage residual model, told the distribution that the cheap model predicts.

    A model of the cheap data predicts a mean, a variance and the 10 % and 90 % quantiles at every
    expensive point. A second model learns expensive less cheap mean from the input and from these
    four. The prediction is the sum of both means, its variance the sum of both variances. Use it
    where the cheap model's error depends on its own prediction or confidence.

    With more than two fidelities the steps are repeated upwards.

    Parameters
    ----------
    costs, order, calibrate, noise_std, bounds, random_state
        As in :class:`mastgp.MAST`.
    surrogate : str or surrogate
        What both stages are made of, as in :class:`mastgp.MAST`.

    Notes
    -----
    This follows the authors' GP version, github.com/rosenyu304/FIRE. What differs still: the four
    summaries are scaled to [0, 1] like all other inputs; the GPs are the package's own, with known
    noise where it is given; and levels can be repeated. Their version on TabPFN takes nine
    quantiles and a fidelity column.

    References
    ----------
    Yu et al. (2026), FIRE: multi-fidelity regression with distribution-conditioned in-context
    learning using tabular foundation models (the concurrent method that the MAST paper names).
    """

    def __init__(
        self,
        costs: Mapping[Any, float] | None = None,
        *,
        order: Sequence[Any] | None = None,
        surrogate: Choice = "gp",
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

    #: Whether the variance below is added. It was not in files of format 4 and before, whose
    #: residual models know the cheap mean and standard deviation only.
    _adds_variances: bool = True

    def fit_unit(self, data: Dataset, known: Known) -> None:
        """Model the cheapest fidelity, then each residual of the next one."""
        surrogate = stage_surrogate(self.surrogate, data)
        surrogate.check_ready()
        warn_about_ties(data)
        fit = Fitting(data, known, self.random_state)
        self._adds_variances = True
        self.stages_: list[Fitted] = []
        self.appended_: list[AppendedColumns] = []
        self.stages_.append(self._first_stage(surrogate, fit))
        for below, fidelity in pairwise(data.fidelities):
            self.stages_.append(self._next_stage(surrogate, fit, below, fidelity))
        warn_about_fits(self._processes(data))

    def _first_stage(self, surrogate: Surrogate, fit: Fitting) -> Fitted:
        """Model the cheapest fidelity."""
        old, unchanged = self._earlier(fit)
        cheapest = fit.data.fidelities[0]
        if old is not None and unchanged:
            return old
        return fit.fit_fidelity(surrogate, cheapest, old)

    def _next_stage(
        self, surrogate: Surrogate, fit: Fitting, below: Fidelity, fidelity: Fidelity
    ) -> Fitted:
        """Model what the stages so far leave of a fidelity."""
        X, residual, appended = self._residuals(fit.data, below, fidelity)
        self.appended_.append(appended)
        old, unchanged = self._earlier(fit)
        if old is not None and unchanged:
            return old
        noise_var = fidelity.noise_var if surrogate.takes_noise else None
        hints = fit.hints(f"modelling {fidelity.name}", residual, old)
        return surrogate.fit_stage(X, residual, noise_var, hints)

    def _earlier(self, fit: Fitting) -> tuple[Fitted | None, bool]:
        """The next stage of the model before, and whether nothing it was made from has changed."""
        before, level = fit.known.before_of(FIRE), len(self.stages_)
        if before is None or not before._adds_variances:
            return None, False  # stages of older files have other inputs
        return before.stages_[level], level < fit.known.n_unchanged(fit.data, nearly_same)

    def _residuals(
        self, data: Dataset, below: Fidelity, fidelity: Fidelity
    ) -> tuple[Array, Array, AppendedColumns]:
        """Inputs and targets of a level's residual model, and how its inputs were scaled."""
        U = data.unit(fidelity)
        mean, var = self.predict_unit(U)
        here, around = _summaries(mean, var), _summaries(*self.predict_unit(data.unit(below)))
        appended = AppendedColumns.over(here, around)
        return appended.append(U, *here), fidelity.y - mean, appended

    @property
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity; zero if nobody knows it."""
        noise_var = self.stages_[-1].noise_var
        if noise_var is None:
            noise_var = self.training_data_.top.noise_var
        return 0.0 if noise_var is None else float(np.mean(noise_var))

    def predict_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance: sums over the levels."""
        return self._predict_up_to(U, len(self.stages_))

    def _predict_up_to(self, U: Array, n_stages: int) -> tuple[Array, Array]:
        """Mean and variance by the first stages only; zero by none."""
        if n_stages == 0:
            return np.zeros(len(U)), np.zeros(len(U))
        return in_blocks(lambda part: self._predict_block(part, n_stages), U, _BLOCK_ROWS)

    def _predict_block(self, U: Array, n_stages: int) -> tuple[Array, Array]:
        mean, var = self.stages_[0].predict(U)
        for level in range(1, n_stages):
            correction, own_var = self.stages_[level].predict(self._inputs(level, U, mean, var))
            mean, var = mean + correction, own_var + self._carried * var
        return mean, var

    @property
    def _carried(self) -> float:
        """Share of the variance below that is carried on."""
        return 1.0 if self._adds_variances else 0.0

    def _inputs(self, level: int, U: Array, mean: Array, var: Array) -> Array:
        """Inputs of a level's model, from what those below it say."""
        if level == 0:
            return U
        columns = _summaries(mean, var) if self._adds_variances else (mean, np.sqrt(var))
        return self.appended_[level - 1].append(U, *columns)

    def covariance_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and covariance: sums over the levels."""
        mean, cov = self._process(0, "joint covariance").predict_covariance(U)
        for level in range(1, len(self.stages_)):
            _, var = self._predict_up_to(U, level)
            process = self._process(level, "joint covariance")
            correction, own = process.predict_covariance(self._inputs(level, U, mean, var))
            mean, cov = mean + correction, own + self._carried * cov
        return mean, cov

    def gradient_unit(self, U: Array) -> tuple[Array, Array]:
        """Gradients of mean and variance, through the appended columns."""
        d_mean, d_var = self._process(0, "gradient").predict_gradient(U)
        mean, var = self._predict_up_to(U, 1)
        for level in range(1, len(self.stages_)):
            process = self._process(level, "gradient")
            by_mean, by_var = process.predict_gradient(self._inputs(level, U, mean, var))
            slopes = self._slopes(level, var, d_mean, d_var)
            d_mean, d_var = (
                d_mean + _chain(by_mean, slopes),
                _chain(by_var, slopes) + self._carried * d_var,
            )
            mean, var = self._predict_up_to(U, level + 1)
        return d_mean, d_var

    def _slopes(self, level: int, var: Array, d_mean: Array, d_var: Array) -> list[Array]:
        """Derivative of each of a level's appended columns by the inputs, each (n, d)."""
        d_std = d_var / (2.0 * np.sqrt(var))[:, None]
        columns = [d_mean, d_std]
        if self._adds_variances:
            columns = [d_mean, d_var, d_mean - _Z90 * d_std, d_mean + _Z90 * d_std]
        spans = self.appended_[level - 1].span
        return [column / span for column, span in zip(columns, spans, strict=True)]

    def _process(self, level: int, what: str) -> Any:
        """A stage that is a GP; a model of very many rows says itself whether it is one."""
        found = self.stages_[level]
        if not isinstance(found, GaussianProcess) and not of_many_rows(found):
            raise self._lacks(f"{what} unless its stages are GPs")
        return found

    @property
    def abilities(self) -> frozenset[str]:
        """All, if the stages are GPs; else a file, if their kind can be stored."""
        surrogate = find_surrogate(self.surrogate)
        if isinstance(surrogate, GP):
            return abilities_with(super().abilities, getattr(self, "stages_", []))
        return frozenset({"file"} if surrogate.can_be_stored else ())

    def _processes(self, data: Dataset) -> dict[str, GaussianProcess]:
        """Stages that are GPs, by what they model."""
        stages = zip(data.fidelities, self.stages_, strict=True)
        return {f"of {f.name}": s for f, s in stages if isinstance(s, GaussianProcess)}

    def facts(self) -> dict[str, Any]:
        """Noise of every fidelity that has one, and the reports of the stages that are GPs."""
        data = self.training_data_
        noises = {f.name: s.noise_var for f, s in zip(data.fidelities, self.stages_, strict=True)}
        learned = {name: var for name, var in noises.items() if var is not None}
        return {
            "noise": {**super().facts()["noise"], **noise_facts(learned)},
            "fits": fit_reports(self._processes(data)),
            **tool_facts({f.name: s for f, s in zip(data.fidelities, self.stages_, strict=True)}),
        }

    def plain_predictor(self) -> dict[str, Any]:
        """The stages, if they are GPs, each told what those below predict."""
        columns = ["mean", "variance", "low", "high"] if self._adds_variances else ["mean", "std"]
        return {
            "kind": "stages",
            "stages": [plain_stage(stage) for stage in self.stages_],
            "appended": [asdict(appended) for appended in self.appended_],
            "columns": columns,
            "reach": _Z90,
            "adds_means": True,
            "adds_variances": self._adds_variances,
        }

    def get_state(self) -> dict[str, Any]:
        """The stages, and how their inputs were scaled."""
        surrogate = stage_surrogate(self.surrogate, self.training_data_)
        return {
            "stages": [surrogate.state_of(stage) for stage in self.stages_],
            "appended": [asdict(appended) for appended in self.appended_],
            "adds_variances": self._adds_variances,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Rebuild the stages."""
        data = self.training_data_
        surrogate = stage_surrogate(self.surrogate, data)
        self._adds_variances = bool(state.get("adds_variances", False))
        n, d, k = len(data.fidelities), len(data.feature_names), 4 if self._adds_variances else 2
        self.stages_ = restored_levels(surrogate, state["stages"], d, k, n)
        scalings = stored.sequence(state["appended"], "the scalings", n - 1)
        self.appended_ = [AppendedColumns.from_state(scaling, k) for scaling in scalings]


def _summaries(mean: Array, var: Array) -> tuple[Array, Array, Array, Array]:
    """What a residual model is told of a normal prediction: mean, variance, two quantiles."""
    reach = _Z90 * np.sqrt(var)
    return mean, var, mean - reach, mean + reach


def _chain(by_input: Array, slopes: Sequence[Array]) -> Array:
    """Total derivative by the inputs, of which further columns of `by_input` are functions."""
    d = slopes[0].shape[1]
    total = by_input[:, :d].copy()
    for column, slope in enumerate(slopes, start=d):
        total += by_input[:, column, None] * slope
    return total
