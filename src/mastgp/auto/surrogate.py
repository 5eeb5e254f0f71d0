"""The best surrogate for the data at hand: many candidates, checked and blended.

No method is best on all data. So all candidates are fitted, each predicts expensive points as if it
had not seen them, and the weights of the blend follow from the densities that it gave to what was
observed there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..blocks import in_blocks
from ..check.heldout import HeldOut, check_table
from ..check.validation import records
from ..data.copies import without_copies
from ..data.dataset import Bounds, Dataset, Fidelity
from ..data.further import Further, extended
from ..errors import DataError, MastWarning, silenced
from ..estimators import check_random_state
from ..gp.blends import Distribution, blended
from ..gp.quick import quick
from ..gp.responses import Bounded, Logarithm
from ..models.calibration import widening, widening_without_each
from ..models.continuing import Part, scaled
from ..models.estimator import MultiFidelityRegressor
from ..models.facts import tools_of
from ..models.known import Known
from ..models.queries import BLOCK_ROWS
from ..models.stages import warn_about_ties
from ..models.transformed import TransformedResponse, transformed_data
from ..storage.model_file import estimator_state, restored_estimator
from ..surrogates.gp import MANY_ROWS
from .candidates import (
    Candidate,
    added_candidates,
    check_names,
    default_candidates,
    of_response_only,
)
from .outliers import without_outliers
from .responses import worth_trying
from .restoring import check_blend_state
from .spread import spread_factor, spread_without_each
from .trying import Trials, Tried
from .updating import appended, reweighted
from .verdict import FidelityVerdict, Verdict, judge

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

#: Members with less weight than this take no part in predictions.
LEAST_WEIGHT = 2e-3


class AutoSurrogate(MultiFidelityRegressor):
    """A blend of co-kriging, MAST, nonlinear and single-fidelity models, weighted by validation.

    Use it when you do not want to choose. Fitting takes seconds instead of a fraction of one, and
    what you get is close to the best candidate, often better, with a check on your own expensive
    points and a verdict on the cheap ones.

    Parameters
    ----------
    costs, order, noise_std, bounds, random_state
        As in :class:`mastgp.MAST`.
    add : mapping of name to estimator, or sequence of method names, optional
        Further candidates, such as ``["nargp"]`` or ``{"mine": MyRegressor()}``. Each is fitted
        again for every fold.
    calibrate : bool
        Whether intervals are widened where the blend's held-out predictions were too sure. The
        mean stays.
    drop : bool
        Whether cheap fidelities that hurt, by the verdict, are left out altogether.
    transform : bool, "log" or :class:`mastgp.gp.responses.Bounded`
        Whether models of a transformed response take part, such as of its logarithm, where that
        makes the data more probable. Their weights follow from densities in the user's units. With
        "log" or bounds all models are of the logarithm, or of the logit between the bounds.
    outliers : {"drop", "keep"}
        Whether cheap rows that are far from everything, such as those of runs that diverged, are
        left out. A warning names them.

    Attributes
    ----------
    candidates_ : dict of name to fitted estimator
        Those with a weight.
    weights_ : dict of name to float
        Of all candidates, largest first.
    validation_ : DataFrame
        Held-out RMSE, NLPD and coverage of the blend and of every candidate.
    verdict_ : Verdict
        Whether each cheap fidelity helps.
    held_out_ : HeldOut
        The blend's own held-out predictions, with weights from the other folds' points.
    spread_ : float
        What the members' standard deviations are multiplied by, so that the blend's held-out
        residuals are as large as promised.
    calibration_ : float
        What the blend's standard deviations are multiplied by with ``calibrate``.

    Examples
    --------
    >>> import numpy as np
    >>> from mastgp import AutoSurrogate
    >>> coarse, fine = np.linspace(0, 1, 25), np.linspace(0, 1, 6)
    >>> X = np.concatenate([coarse, fine])[:, None]
    >>> y = np.concatenate([np.sin(8 * coarse), 1.5 * np.sin(8 * fine) + fine])
    >>> model = AutoSurrogate(order=["coarse", "fine"])
    >>> model = model.fit(X, y, fidelity=["coarse"] * 25 + ["fine"] * 6)
    >>> bool(abs(model.predict([[0.3]])[0] - 1.5 * np.sin(2.4) - 0.3) < 0.05)
    True
    >>> model.verdict_.fidelities[0].word
    'helps'
    """

    def __init__(
        self,
        costs: Mapping[Any, float] | None = None,
        *,
        order: Sequence[Any] | None = None,
        add: Mapping[str, MultiFidelityRegressor] | Sequence[str] | None = None,
        calibrate: bool = False,
        drop: bool = False,
        transform: bool | str | Bounded = True,
        outliers: str = "drop",
        noise_std: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        random_state: Any = None,
    ) -> None:
        self.costs = costs
        self.order = order
        self.add = add
        self.calibrate = calibrate
        self.drop = drop
        self.transform = transform
        self.outliers = outliers
        self.noise_std = noise_std
        self.bounds = bounds
        self.random_state = random_state

    def fit_unit(self, data: Dataset, known: Known) -> None:
        """Try all candidates, judge the cheap data, and blend."""
        warn_about_ties(data)
        used = self._used(data)
        trials = self._try_all(used)
        self.verdict_ = judge(data, trials)
        hurting = self.verdict_.hurting
        if self.drop and hurting:
            alone = [entry for entry in trials.tried if not entry.model.uses_cheap_data]
            trials = self._try_all(used.only(lambda f: f.name not in hurting), alone)
        self._blend(trials)

    def _used(self, data: Dataset) -> Dataset:
        """The data without copies of expensive rows, and without outliers."""
        if self.outliers not in ("drop", "keep"):
            raise DataError(f"unknown outliers {self.outliers!r}; use 'drop' or 'keep'")
        used = without_copies(data)
        return without_outliers(used) if self.outliers == "drop" else used

    def _try_all(self, data: Dataset, done: Sequence[Tried] = ()) -> Trials:
        """Fit every candidate but those done, and have it predict what was held out."""
        candidates = self.candidates(data)
        check_names(candidates)
        trials = Trials(data, done)
        trials.add([c for c in candidates if c.name not in {entry.name for entry in done}])
        return trials

    def candidates(self, data: Dataset) -> list[Candidate]:
        """What is tried on some data."""
        bounded = isinstance(self.transform, Bounded)
        if not bounded and self.transform not in (True, False, Logarithm.kind):
            raise DataError(f"unknown transform {self.transform!r}; use True, False or 'log'")
        response = worth_trying(data) if self.transform is True else None
        kind = len(data.fidelities), response, data.n_points, bool(data.categories)
        numeric = len(data.categories) < len(data.feature_names)
        usual = default_candidates(*kind, len(data.top.y), numeric)
        candidates = [*usual, *added_candidates(self.add, self.random_state)]
        if isinstance(self.transform, bool):
            return candidates
        only = self.transform if isinstance(self.transform, Bounded) else Logarithm()
        transformed_data(data, only)  # names values that cannot be transformed
        return list(of_response_only(candidates, only))

    def _blend(self, trials: Trials) -> None:
        weights, tried = trials.weights(), trials.tried
        order = np.argsort(-weights, kind="stable")
        self.weights_ = {tried[i].name: float(weights[i]) for i in order}
        kept = [i for i in order if weights[i] >= LEAST_WEIGHT]
        self.candidates_held_out_ = {tried[i].name: tried[i].checked for i in order}
        residuals = trials.residuals()
        self.spread_ = spread_factor(residuals)
        spread = spread_without_each(residuals, trials.groups) if trials.folds else 1.0
        self.candidates_ = {tried[i].name: tried[i].model.widened(self.spread_) for i in kept}
        self.held_out_ = trials.blend(spread)
        self._widening = 1.0
        if self.calibrate and self.held_out_ is not None:
            z = self.held_out_.error / self.held_out_.std
            self._widening = widening(z)
            self.held_out_ = trials.blend(spread, widening_without_each(z, trials.groups))

    def widening(self) -> float:
        """Factor of the standard deviations, by the blend's own held-out predictions."""
        return self._widening

    @property
    def label(self) -> str:
        """Auto."""
        return "Auto"

    @property
    def is_transformed(self) -> bool:
        """Whether a member is of a transformed response."""
        return any(member.is_transformed for member in self.candidates_.values())

    @property
    def is_logarithmic(self) -> bool:
        """Whether all members are of the logarithm."""
        return all(member.is_logarithmic for member in self.candidates_.values())

    @property
    def settles_response(self) -> bool:
        """Whether a transformation takes part, or the user has said what is to be done."""
        return self.transform is not True or self.is_transformed

    @property
    def abilities(self) -> frozenset[str]:
        """What all members can do, once they are known."""
        members = getattr(self, "candidates_", {}).values()
        return super().abilities.intersection(*(member.abilities for member in members))

    @property
    def _shares(self) -> Array:
        """Weights of the members that predict."""
        shares = np.array([self.weights_[name] for name in self.candidates_])
        return shares / shares.sum()

    @property
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity: the members' mean."""
        return float(self._shares @ np.array([m.noise_var_ for m in self.candidates_.values()]))

    @property
    def validation_(self) -> pd.DataFrame:
        """Held-out RMSE, NLPD, CRPS and 95 % coverage: the blend first, then by weight."""
        table = check_table({"blend": self.held_out_, **self.candidates_held_out_})
        weights = {"blend": 1.0, **self.weights_}
        table.insert(1, "weight", table.model.map(weights))
        return table

    def predict_mixture(self, X: ArrayLike, include_noise: bool = False) -> Distribution:
        """The whole predictive distribution: mean, variance, density, cdf and quantiles."""
        return self.predict_distribution(X, include_noise)

    def distribution_unit(self, U: Array, include_noise: bool = False) -> Distribution:
        """The mixture of the members' predictions at unit-cube inputs."""
        members = self.candidates_.values()
        blend = blended(self._shares, [m.predictive_unit(U, include_noise) for m in members])
        return quick(blend) if self.training_data_.n_points >= MANY_ROWS else blend

    def predict_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance of the mixture."""
        return self.moments_unit(U, include_noise=False)

    def moments_unit(self, U: Array, include_noise: bool) -> tuple[Array, Array]:
        """Mean and variance of the mixture, to which every member adds its own noise."""

        def moments(part: Array) -> tuple[Array, Array]:
            mixture = self.distribution_unit(part, include_noise)
            return mixture.mean, mixture.variance

        return in_blocks(moments, U, BLOCK_ROWS)

    def mean_unit(self, U: Array) -> Array:
        """Mean of the mixture."""
        return self._shares @ np.array([m.mean_unit(U) for m in self.candidates_.values()])

    def covariance_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and covariance of the mixture, the members' disagreement included."""
        mean = self.mean_unit(U)
        cov = np.zeros((len(U), len(U)))
        for share, model in zip(self._shares, self.candidates_.values(), strict=True):
            own_mean, own_cov = model.covariance_unit(U)
            away = own_mean - mean
            cov += share * (model.calibration_**2 * own_cov + np.outer(away, away))
        return mean, cov

    def gradient_unit(self, U: Array) -> tuple[Array, Array]:
        """Gradients of the mixture's mean and variance."""
        mean = self.mean_unit(U)
        d_mean, d_var = np.zeros_like(U), np.zeros_like(U)
        for share, model in zip(self._shares, self.candidates_.values(), strict=True):
            own_d_mean, own_d_var = model.gradient_unit(U)
            away = (model.mean_unit(U) - mean)[:, None]
            d_mean += share * own_d_mean
            # The blend's own gradient drops out: the members' deviations add up to zero.
            d_var += share * (model.calibration_**2 * own_d_var + 2.0 * away * own_d_mean)
        return d_mean, d_var

    def updated(self, further: Further) -> Self:
        """Every member's own update, with weights by what each had predicted.

        The verdict on the cheap data stays that of the last fit.
        """
        grown = copy(self)
        grown.training_data_ = extended(self.training_data_, further)
        new = further.get(self.training_data_.top.name)
        if new is not None:
            self._learn_from(grown, new)
        with silenced(MastWarning):
            grown.candidates_ = {
                name: self.candidates_[name].updated(_known_to(self.candidates_[name], further))
                for name in sorted(self.candidates_, key=lambda name: -grown.weights_[name])
            }
        return grown

    def _learn_from(self, grown: AutoSurrogate, new: Fidelity) -> None:
        """Give another blend the weights and checks that new expensive rows lead to."""
        U, noise, members = self.training_data_.unit(new), new.noise_var, self.candidates_.items()
        predicted = {n: m.observed_unit(U, noise).dilated(m.calibration_) for n, m in members}
        densities = {name: member.log_density(new.y) for name, member in predicted.items()}
        grown.weights_ = reweighted(self.weights_, densities)
        blend = blended(self._shares, list(predicted.values())).dilated(self.calibration_)
        grown.held_out_ = appended(self.held_out_, blend, new.y)
        checks = self.candidates_held_out_
        grown.candidates_held_out_ = {
            name: appended(checks[name], predicted[name], new.y)
            if name in predicted
            else checks[name]
            for name in grown.weights_
        }

    @property
    def draws_left(self) -> float:
        """Those of the heaviest member."""
        return next(iter(self.candidates_.values())).draws_left

    def parts(self) -> list[Part]:
        """The members' parts."""
        members = zip(self._shares.tolist(), self.candidates_.values(), strict=True)
        found = [scaled(model.parts(), share, model.calibration_) for share, model in members]
        return [part for parts in found for part in parts]

    def sample_y(self, X: ArrayLike, n_samples: int = 1, random_state: Any = None) -> Array:
        """Draw functions, each from a member chosen by its weight: shape (n, n_samples)."""
        U = self._unit_queries(X)
        for model in self.candidates_.values():
            model.covariance_unit(U[:1])  # whether it has one must not depend on who is drawn
        random = check_random_state(self.random_state if random_state is None else random_state)
        counts = random.multinomial(n_samples, self._shares)
        draws = [
            model.sample_unit(U, count, random)
            for count, model in zip(counts, self.candidates_.values(), strict=True)
            if count
        ]
        samples = np.hstack([np.empty((len(U), 0)), *draws])[:, random.permutation(n_samples)]
        centre = self.mean_unit(U)[:, None]
        return centre + self.calibration_ * (samples - centre)

    def facts(self) -> dict[str, Any]:
        """Noise, the held-out check, the verdict and the weights."""
        return {
            **super().facts(),
            "validation": records(self.validation_),
            "verdict": [asdict(entry) for entry in self.verdict_.entries],
            "weights": self.weights_,
            "widths": f"{self.spread_:.2f} times the members', as held-out points ask for",
            "response": self._about_response(),
            **tools_of(next(iter(self.candidates_.values())).facts()),
        }

    def _about_response(self) -> str | None:
        """Say which transformation of the response has which weight, if there is one."""
        shares: dict[str, float] = {}
        for name, model in self.candidates_.items():
            if isinstance(model, TransformedResponse):
                label = model.transformation.label
                shares[label] = shares.get(label, 0.0) + self.weights_[name]
        return " and ".join(f"{label} (weight {w:.0%})" for label, w in shares.items()) or None

    def plain_predictor(self) -> dict[str, Any]:
        """The members' predictors with their shares."""
        return {
            "kind": "blend",
            "shares": self._shares,
            "members": [model.plain_calibrated() for model in self.candidates_.values()],
        }

    def get_state(self) -> dict[str, Any]:
        """The members with their weights and checks, and the verdict."""
        return {
            "fidelities": [f.name for f in self._used_data().fidelities],
            "rows": {f.name: f.rows for f in self._used_data().fidelities},
            "weights": self.weights_,
            "spread": self.spread_,
            "candidates": {n: estimator_state(m) for n, m in self.candidates_.items()},
            "checked": {
                n: asdict(h) for n, h in self.candidates_held_out_.items() if h is not None
            },
            "held_out": None if self.held_out_ is None else asdict(self.held_out_),
            "verdict": [asdict(entry) for entry in self.verdict_.entries],
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Rebuild the members."""
        check_blend_state(state, self.training_data_)
        data = self._data_of(state)
        self.weights_ = dict(state["weights"])
        self.spread_ = state.get("spread", 1.0)  # files from before have none
        self.candidates_ = {
            n: restored_estimator(entry, data, tried=False)
            for n, entry in state["candidates"].items()
        }
        self.candidates_held_out_ = {
            n: HeldOut(**state["checked"][n]) if n in state["checked"] else None
            for n in self.weights_
        }
        self.held_out_ = None if state["held_out"] is None else HeldOut(**state["held_out"])
        entries = [FidelityVerdict(**entry) for entry in state["verdict"]]
        self.verdict_ = Verdict.of_entries(entries, len(self.training_data_.cheaper))
        self.calibration_ = state.get("calibration", 1.0)  # in earlier files

    def _data_of(self, state: dict[str, Any]) -> Dataset:
        """The data that a state's members were fitted to."""
        data = self.training_data_.only(lambda fidelity: fidelity.name in state["fidelities"])
        if "rows" not in state:  # in files from before outliers were left out
            with silenced(MastWarning):
                return without_copies(data)
        rows = state["rows"]
        return data.without([~np.isin(f.rows, rows[f.name]) for f in data.fidelities])

    def _used_data(self) -> Dataset:
        """The data that members of several fidelities were fitted to.

        Members of the expensive points alone may have been fitted before others were dropped.
        """
        members = self.candidates_.values()
        return min((m.training_data_ for m in members), key=lambda data: len(data.fidelities))


def _known_to(model: MultiFidelityRegressor, further: Further) -> Further:
    """New rows of the fidelities that a member was fitted to."""
    names = {fidelity.name for fidelity in model.training_data_.fidelities}
    return {name: new for name, new in further.items() if name in names}
