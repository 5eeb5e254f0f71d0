"""MAST: spatially trust-weighted fusion of cheap and expensive data.

It follows the extended algorithm of the paper (appendix A). Stage 1 models every fidelity on its
own. Stage 2 turns each cheap observation into an estimate of the expensive response, with its own
variance. Stage 3 fits one heteroscedastic GP to all of them. Other regressors will do too (the last
appendix). If the last cannot take a variance per point, predictions complete it where asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import stored
from ..blocks import blocks
from ..data.dataset import Bounds, Dataset, Fidelity
from ..errors import DataError
from ..gp import GaussianProcess
from ..gp.plain import plain_process
from ..surrogates.base import Fitted, Surrogate
from ..surrogates.choice import Choice, surrogates_of_stages
from ..surrogates.gp import GP
from .appended import AppendedColumns
from .augmented import Augmented, blend, rows_of
from .estimator import MultiFidelityRegressor
from .facts import fit_reports, input_facts, noise_facts, tool_facts
from .fusing import averages_out, carried_var, fused
from .known import Known
from .restoring import names_in, restored_by_name, restored_stage
from .stages import Fitting, noise_var_of, stage_surrogates, warn_about_fits
from .trust import Metric, Radius, Trust, TrustedPoints, Weight, trust_in

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

#: Rows predicted at a time by surrogates other than the engine's.
_BLOCK_ROWS = 2000


class MAST(MultiFidelityRegressor):
    """Multi-fidelity surrogate by spatial trust-weighting, as in the paper.

    Use it when the error of the cheap data varies over the input space, or when cheap data may be
    poor: it stays close to what the expensive points say. Where the expensive response is nearly
    a scaled copy of the cheap one plus something simple, co-kriging is more accurate.

    Parameters
    ----------
    costs : mapping of fidelity name to cost, optional
        Cost of one evaluation; only ratios matter. The most expensive fidelity is predicted.
        Needed, like `order`, only where there are several fidelities.
    order : sequence of fidelity names, cheapest first, optional
        Instead of costs; a ratio of 10 per step is then assumed.
    exponents : mapping of fidelity name to float, optional
        Trust exponents alpha instead of those that follow from the costs.
    metric : str or callable
        Distance between inputs in the unit cube: ``euclidean``, ``manhattan``, ``chebyshev``,
        ``mahalanobis``, ``normalized-euclidean``, ``domain-relative``, ``hamming``, or a function
        of two arrays (n, d) and (m, d) that returns (n, m). Categorical inputs are compared by
        Hamming's distance; the named metrics are of the other inputs.
    radius : str or callable
        Radius of the trust region: ``sqrt``, ``linear``, ``cbrt``, ``nearest``, ``global``, or a
        function of the distance to the nearest expensive point.
    weight : str or callable
        Weight of an expensive neighbour: ``power``, ``exponential``, ``gaussian``, ``inverse``,
        ``triangular``, ``linear``, ``steep-power``, ``rbf``, ``hf-only``, or a function
        ``(distance, alpha, radius)``. Results are clipped to [0, 1].
    warp : {"kumaraswamy", None}
        Input warp of the last stage, if that is a GP.
    surrogate : name, mastgp.surrogates.Surrogate, scikit-learn regressor, or three of them
        What the stages are made of: ``gp``, ``extra-trees``, ``random-forest``,
        ``bayesian-ridge``, ``tabpfn``, ``tabicl``; a :class:`mastgp.surrogates.GP` chooses kernel
        and priors. Three are those of Stage 1, of the discrepancies and of the last stage. Where
        the last one takes no variance per point, the mean is its own, and the variance is its own
        plus that of the blend of cheap and expensive models at the point asked for.
    posterior_inputs : {"scaled", "raw"}
        How the cheap model's mean and variance enter Stage 2 as inputs: scaled to [0, 1] like all
        other inputs, or as they are. The paper does not say (docs/notes/paper.md).
    calibrate : bool
        Whether held-out points, for which it is fitted again, widen the intervals. The mean stays.
        Intervals of a transformed response are widened in any case.
    noise_std : mapping of fidelity name to float, optional
        Known noise standard deviations in the target's units, instead of learned ones.
    bounds : array of shape (d, 2) or mapping of column name to (low, high), optional
        Ranges of the inputs; by default those of the data.
    random_state : int, RandomState or None
        For `sample_y` and for surrogates that are random; a fit of GPs is deterministic.

    Attributes
    ----------
    augmented_ : DataFrame
        What became of every training point.
    final_ : mastgp.gp.GaussianProcess or another fitted surrogate
        The fused surrogate of Stage 3.
    stage1_, discrepancy_ : dict of fidelity name to the like
        The models of Stages 1 and 2.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from mastgp import MAST
    >>> coarse, fine = np.linspace(0, 1, 30), np.linspace(0, 1, 6)
    >>> X = np.concatenate([coarse, fine])[:, None]
    >>> y = np.concatenate([np.sin(8 * coarse) + coarse, np.sin(8 * fine)])
    >>> fidelity = ["coarse"] * 30 + ["fine"] * 6
    >>> model = MAST(costs={"coarse": 1, "fine": 10}).fit(X, y, fidelity=fidelity)
    >>> mean, std = model.predict([[0.3]], return_std=True)
    >>> bool(abs(mean[0] - np.sin(2.4)) < 3 * std[0])
    True
    """

    widens_transformed = True

    def __init__(
        self,
        costs: Mapping[Any, float] | None = None,
        *,
        order: Sequence[Any] | None = None,
        exponents: Mapping[Any, float] | None = None,
        metric: str | Metric = "euclidean",
        radius: str | Radius = "sqrt",
        weight: str | Weight = "power",
        warp: str | None = "kumaraswamy",
        surrogate: Choice | Sequence[Choice] = "gp",
        posterior_inputs: str = "scaled",
        calibrate: bool = False,
        noise_std: Mapping[Any, float] | None = None,
        bounds: Bounds | None = None,
        random_state: Any = None,
    ) -> None:
        self.costs = costs
        self.order = order
        self.exponents = exponents
        self.metric = metric
        self.radius = radius
        self.weight = weight
        self.warp = warp
        self.surrogate = surrogate
        self.posterior_inputs = posterior_inputs
        self.calibrate = calibrate
        self.noise_std = noise_std
        self.bounds = bounds
        self.random_state = random_state

    #: Whether predictions are completed by the variance of the blend; see :mod:`.fusing`.
    _blends: bool = False

    def fit_unit(self, data: Dataset, known: Known) -> None:
        """Run the three stages."""
        self._check_options()
        single, delta, last = stage_surrogates(self.surrogate, data)
        for surrogate in (single, delta, last):
            surrogate.check_ready()
        fit = Fitting(data, known, self.random_state)
        self.stage1_ = {f.name: self._stage1(single, fit, f) for f in data.fidelities}
        self.discrepancy_: dict[str, Fitted] = {}
        self.appended_: dict[str, AppendedColumns] = {}
        self.augmentations_ = tuple(self._stage2(delta, fit, f) for f in data.cheaper)
        self.final_ = self._stage3(last, fit) if data.cheaper else self.stage1_[data.top.name]
        self._blends = bool(data.cheaper) and averages_out(self.final_, last)
        warn_about_fits(self.processes_)

    def _check_options(self) -> None:
        if self.warp not in ("kumaraswamy", None):
            raise DataError(f"unknown warp {self.warp!r}; use 'kumaraswamy' or None")
        if self.posterior_inputs not in ("scaled", "raw"):
            unknown = self.posterior_inputs
            raise DataError(f"unknown posterior_inputs {unknown!r}; use 'scaled' or 'raw'")

    def _stage1(self, surrogate: Surrogate, fit: Fitting, fidelity: Fidelity) -> Fitted:
        """Model one fidelity on its own."""
        before = fit.known.before_of(MAST)
        if before is None:
            return fit.fit_fidelity(surrogate, fidelity)
        old = before.stage1_[fidelity.name]
        return old if fit.unchanged(fidelity) else fit.fit_fidelity(surrogate, fidelity, old)

    def _stage2(self, surrogate: Surrogate, fit: Fitting, fidelity: Fidelity) -> Augmented:
        """Correct the observations of a cheap fidelity, and blend them with the expensive model."""
        data, own = fit.data, self.stage1_[fidelity.name]
        at_own = own.predict(data.unit(fidelity))
        discrepancy = self._discrepancy(surrogate, fit, fidelity, at_own)
        U = data.unit(fidelity)
        delta_mean, delta_var = discrepancy.predict(
            self.appended_[fidelity.name].append(U, *at_own)
        )
        top_mean, top_var = self.stage1_[data.top.name].predict(U)
        trust = self._trust(U, data, fidelity)
        noise_var = noise_var_of(own, fidelity)
        if noise_var is None:
            noise_var = at_own[1]
        y, var = blend(trust.value, fidelity.y, noise_var, delta_mean, delta_var, top_mean, top_var)
        if discrepancy.noise_var is not None:
            var = np.maximum(var, discrepancy.noise_var[0])
        return Augmented(fidelity, trust, delta_mean, delta_var, top_mean, top_var, y, var)

    def _discrepancy(
        self, surrogate: Surrogate, fit: Fitting, fidelity: Fidelity, at_own: tuple[Array, Array]
    ) -> Fitted:
        """Model expensive less cheap, given the position and what the cheap model says there."""
        data, own = fit.data, self.stage1_[fidelity.name]
        U = data.unit(data.top)
        at_top = own.predict(U)
        scaled = self.posterior_inputs == "scaled"
        appended = AppendedColumns.over(at_top, at_own) if scaled else AppendedColumns.raw(2)
        residual = data.top.y - at_top[0]
        before = fit.known.before_of(MAST)
        old = None if before is None else before.discrepancy_[fidelity.name]

        def model() -> Fitted:
            hints = fit.hints(f"correcting {fidelity.name}", residual, old)
            return surrogate.fit_stage(appended.append(U, *at_top), residual, None, hints)

        settings = (scaled, data.scale_of(residual))
        discrepancy = fit.shared(surrogate, [own, fidelity, data.top, old], settings, model)
        self.appended_[fidelity.name] = appended
        self.discrepancy_[fidelity.name] = discrepancy
        return discrepancy

    def _stage3(self, surrogate: Surrogate, fit: Fitting) -> Fitted:
        """Fuse all observations in one model, with their variances fixed if it takes them."""
        data = fit.data
        X = np.concatenate([data.unit(fidelity) for fidelity in data.fidelities])
        y = np.concatenate([part.y for part in self.augmentations_] + [data.top.y])
        before = fit.known.before_of(MAST)
        old = None if before is None else before.final_
        hints = fit.hints("fusing all fidelities", y, old, warp=self.warp is not None)
        variances = self._variances(data) if surrogate.takes_noise else None
        return fused(surrogate, self.stage1_.values(), (X, y, variances), hints)

    def _variances(self, data: Dataset) -> Array:
        """Variance of every observation that the last stage sees."""
        top = self.stage1_[data.top.name]
        noise_var = noise_var_of(top, data.top)
        if noise_var is None:
            noise_var = top.predict(data.unit(data.top))[1]
        return np.concatenate([part.var for part in self.augmentations_] + [noise_var])

    def _trust(self, U: Array, data: Dataset, fidelity: Fidelity) -> Trust:
        """How far a cheap fidelity is trusted at unit-cube inputs."""
        return trust_in(
            U,
            data.unit(data.top),
            data.ranking.exponents[fidelity.name],
            metric=self.metric,
            radius=self.radius,
            weight=self.weight,
            lengthscales=getattr(self.stage1_[data.top.name], "lengthscales", None),
            categorical=[category.column for category in data.categories],
        )

    @property
    def processes_(self) -> dict[str, GaussianProcess]:
        """Every GP of the pipeline, by what it models."""
        named = {f"of {name}": fitted for name, fitted in self.stage1_.items()}
        named |= {f"of {name}'s discrepancy": fitted for name, fitted in self.discrepancy_.items()}
        if self.discrepancy_:
            named["of the fused data"] = self.final_
        return {name: gp for name, gp in named.items() if isinstance(gp, GaussianProcess)}

    @property
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity, in the target's squared units.

        It is zero where its surrogate has none apart from the variance of its predictions.
        """
        top = self.training_data_.top
        noise_var = noise_var_of(self.stage1_[top.name], top)
        return 0.0 if noise_var is None else float(np.mean(noise_var))

    @property
    def augmented_(self) -> pd.DataFrame:
        """What became of every training point: one row each, in the user's order.

        Columns: fidelity, the inputs, y (as observed), y_corrected and variance (as Stage 3 sees
        them, if it takes variances), trust (W; 1 for the expensive points, which stay as they
        are), nearest (distance to the nearest expensive point), discrepancy and top_mean (the
        predictions that were blended).
        """
        import pandas as pd

        data, top = self.training_data_, self.training_data_.top
        top_rows = {
            "y_corrected": top.y,
            "trust": np.ones(len(top.y)),
            "nearest": np.zeros(len(top.y)),
            "discrepancy": np.zeros(len(top.y)),
            "top_mean": self.stage1_[top.name].predict(data.unit(top))[0],
        }
        parts = [rows_of(part.fidelity, data, part.columns) for part in self.augmentations_]
        table = pd.concat([*parts, rows_of(top, data, top_rows)])
        table.insert(table.columns.get_loc("trust"), "variance", self._seen_variances())
        return table.sort_index()

    def _seen_variances(self) -> Array:
        """Variance of every point as the last stage sees it, cheap fidelities first."""
        seen = self.final_.noise_var
        return self._variances(self.training_data_) if seen is None else seen

    def points_table(self) -> pd.DataFrame:
        """What became of every training point; see :attr:`augmented_`."""
        return self.augmented_

    def trusted_points(self) -> list[TrustedPoints]:
        """Cheap points with the trust that each was given."""
        return [
            TrustedPoints(part.fidelity.name, part.trust.nearest, part.trust.value)
            for part in self.augmentations_
        ]

    def cheap_points(self) -> list[tuple[str, Array, Array]]:
        """Cheap points with their corrected targets."""
        return [
            (f"{part.fidelity.name}, corrected", part.fidelity.X, part.y)
            for part in self.augmentations_
        ]

    def facts(self) -> dict[str, Any]:
        """Noise, trust and exponent of every fidelity, lengthscales, and the fits' reports."""
        facts = {
            "noise": noise_facts(self._noise_variances()),
            "fidelities": {
                part.fidelity.name: self._trust_facts(part) for part in self.augmentations_
            },
            "fits": fit_reports(self.processes_),
        } | tool_facts(self.stage1_)
        if isinstance(self.final_, GaussianProcess):
            facts["inputs"] = input_facts(self.final_)
        return facts

    def _noise_variances(self) -> dict[str, Array]:
        """Noise variances of every fidelity that has some, learned or given."""
        either = {
            f.name: noise_var_of(self.stage1_[f.name], f) for f in self.training_data_.fidelities
        }
        return {name: var for name, var in either.items() if var is not None}

    def _trust_facts(self, part: Augmented) -> dict[str, Any]:
        trust = part.trust.value
        return {
            "exponent": self.training_data_.ranking.exponents[part.fidelity.name],
            "trust": {
                "min": float(trust.min()),
                "mean": float(trust.mean()),
                "max": float(trust.max()),
            },
        }

    def plain_predictor(self) -> dict[str, Any]:
        """The last stage, if it is a GP."""
        return plain_process(self._only_process("form that other programs can evaluate"))

    def get_state(self) -> dict[str, Any]:
        """The stages' models, and what became of the cheap points."""
        single, delta, last = stage_surrogates(self.surrogate, self.training_data_)
        return {
            "stage1": {name: single.state_of(fitted) for name, fitted in self.stage1_.items()},
            "discrepancy": {n: delta.state_of(fitted) for n, fitted in self.discrepancy_.items()},
            "final": last.state_of(self.final_) if self.discrepancy_ else None,
            "blends": self._blends,
            "conditioning": {name: asdict(entry) for name, entry in self.appended_.items()},
            "augmentations": [part.get_state() for part in self.augmentations_],
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Rebuild the stages."""
        single, delta, last = stage_surrogates(self.surrogate, self.training_data_)
        d, names, cheaper, top = names_in(self.training_data_)
        # Files of format 1 have GPs only, and neither of these.
        self._blends = bool(state.get("blends", False))
        scalings = state.get("conditioning", {})
        self.stage1_ = restored_by_name(single, state["stage1"], names, d)
        self.discrepancy_ = restored_by_name(
            delta, state["discrepancy"], cheaper, d + 2 if scalings else None
        )
        self.appended_ = {n: AppendedColumns.from_state(s, 2) for n, s in scalings.items()}
        parts = stored.sequence(state["augmentations"], "the cheap points", len(cheaper))
        self.augmentations_ = tuple(Augmented.from_state(p, self.training_data_) for p in parts)
        self.final_ = restored_stage(last, state["final"], d) if cheaper else self.stage1_[top]

    def predict_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance of the last stage, completed where it knows nothing of variances."""
        if isinstance(self.final_, GaussianProcess) and not self._blends:
            return self.final_.predict(U)
        mean, var = np.empty(len(U)), np.empty(len(U))
        for rows in blocks(len(U), _BLOCK_ROWS):
            mean[rows], var[rows] = self.final_.predict(U[rows])
            if self._blends:
                var[rows] += self._blend_var(U[rows])
        return mean, var

    def _blend_var(self, U: Array) -> Array:
        """The spatial term of the predictive variance: that of Stage 2's blend at any point.

        Of several cheap fidelities the one that knows most about a point counts there.
        """
        data = self.training_data_
        _, top_var = self.stage1_[data.top.name].predict(U)
        variances = []
        for fidelity in data.cheaper:
            own = self.stage1_[fidelity.name].predict(U)
            Z = self.appended_[fidelity.name].append(U, *own)
            _, delta_var = self.discrepancy_[fidelity.name].predict(Z)
            W = self._trust(U, data, fidelity).value
            variances.append(carried_var(self.final_, W, own[1] + delta_var, top_var))
        return np.min(variances, axis=0)

    def mean_unit(self, U: Array) -> Array:
        """Mean of the last stage."""
        if isinstance(self.final_, GaussianProcess):
            return self.final_.predict_mean(U)
        parts = [self.final_.predict(U[rows])[0] for rows in blocks(len(U), _BLOCK_ROWS)]
        return np.concatenate(parts)

    def covariance_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and covariance of the last stage, if it is a GP."""
        return self._only_process("joint covariance").predict_covariance(U)

    def gradient_unit(self, U: Array) -> tuple[Array, Array]:
        """Gradients of the last stage's mean and variance, if it is a GP."""
        return self._only_process("gradient").predict_gradient(U)

    @property
    def abilities(self) -> frozenset[str]:
        """All, if predictions are those of a GP; "file", if all stages can be stored."""
        storable = all(s.can_be_stored for s in surrogates_of_stages(self.surrogate))
        able = super().abilities if self._predicts_by_process else frozenset({"file"})
        return able if storable else able - {"file"}

    @property
    def _predicts_by_process(self) -> bool:
        """Whether it is a GP that predicts: of one fidelity that of Stage 1, else the last one."""
        if hasattr(self, "final_"):
            return isinstance(self.final_, GaussianProcess) and not self._blends
        return isinstance(surrogates_of_stages(self.surrogate)[2], GP)

    def _only_process(self, what: str) -> GaussianProcess:
        """The last stage, if predictions are those of a GP and nothing else."""
        if self._blends or not isinstance(self.final_, GaussianProcess):
            raise self._lacks(f"{what} unless its last stage is a GP")
        return self.final_
