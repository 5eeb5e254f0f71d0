"""MAST: spatially trust-weighted fusion of cheap and expensive data.

Reads beside the extended algorithm of the paper (appendix A): Stage 1 models every fidelity on
its own, Stage 2 turns each cheap observation into an estimate of the expensive response with a
variance of its own, Stage 3 fits one heteroscedastic GP to all of them. The stages can be made of
other regressors too (the paper's last appendix): where the last one cannot take a variance per
point, the variance of predictions is completed at the points asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from ..data.dataset import Bounds, Dataset, Fidelity
from ..errors import DataError
from ..gp import GaussianProcess
from ..progress import counter
from ..surrogates import Choice, Fitted, Hints, Surrogate, surrogates_of_stages
from .appended import AppendedColumns
from .estimator import MultiFidelityRegressor, warn_about_fit
from .trust import Metric, Radius, Trust, Weight, trust_weights

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

#: Rows predicted at a time by surrogates other than the engine's.
_BLOCK_ROWS = 2000


@dataclass(frozen=True)
class Augmented:
    """A cheap fidelity's observations, turned into estimates of the expensive response.

    Attributes
    ----------
    fidelity : Fidelity
    trust : Trust
        W and the distances behind it.
    discrepancy_mean, discrepancy_var : arrays of shape (n,)
        Posterior of the discrepancy at the cheap points.
    top_mean, top_var : arrays of shape (n,)
        Posterior of the expensive fidelity's model at the cheap points.
    y : array of shape (n,)
        Corrected and blended targets.
    var : array of shape (n,)
        Their variances, floor applied.
    """

    fidelity: Fidelity
    trust: Trust
    discrepancy_mean: Array
    discrepancy_var: Array
    top_mean: Array
    top_var: Array
    y: Array
    var: Array


def blend(
    W: Array,
    y: Array,
    noise_var: Array,
    delta_mean: Array,
    delta_var: Array,
    top_mean: Array,
    top_var: Array,
) -> tuple[Array, Array]:
    """Augmented mean and propagated variance (the paper's equations for y~ and sigma~^2)."""
    mean = W * (y + delta_mean) + (1.0 - W) * top_mean
    var = W**2 * (noise_var + delta_var) + (1.0 - W) ** 2 * top_var
    return mean, var


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
        of two arrays (n, d) and (m, d) that returns (n, m).
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
        self.noise_std = noise_std
        self.bounds = bounds
        self.random_state = random_state

    #: Models of Stage 1 that need not be fitted again.
    _known: Mapping[str, Fitted] = MappingProxyType({})
    #: Fitted to nearly the same data: where searches begin.
    _before: MAST | None = None
    #: Whether the last stage knows nothing of variances, so that predictions are completed.
    _blends: bool = False

    def _fit_unit(self, data: Dataset) -> None:
        """Run the three stages."""
        if self.warp not in ("kumaraswamy", None):
            raise DataError(f"unknown warp {self.warp!r}; use 'kumaraswamy' or None")
        surrogates = surrogates_of_stages(self.surrogate)
        for surrogate in surrogates:
            surrogate.check_ready()
        random = check_random_state(self.random_state)
        self.stage1_ = {
            f.name: self._known.get(f.name) or self._stage1(surrogates[0], data, f, random)
            for f in data.fidelities
        }
        self.discrepancy_: dict[str, Fitted] = {}
        self.conditioning_: dict[str, AppendedColumns] = {}
        self.augmentations_: tuple[Augmented, ...] = ()
        self._blends = bool(data.cheaper) and not surrogates[2].takes_noise
        if not data.cheaper:
            self.final_ = self.stage1_[data.top.name]
        else:
            self.augmentations_ = tuple(
                self._stage2(surrogates[1], data, fidelity, random) for fidelity in data.cheaper
            )
            self.final_ = self._stage3(surrogates[2], data, random)
        for name, process in self.processes_.items():
            warn_about_fit(process, name)

    def _stage1(
        self,
        surrogate: Surrogate,
        data: Dataset,
        fidelity: Fidelity,
        random: np.random.RandomState,
    ) -> Fitted:
        """Model one fidelity on its own."""
        return surrogate.fit_stage(
            data.unit(fidelity),
            fidelity.y,
            fidelity.noise_var if surrogate.takes_noise else None,
            _hints(
                f"modelling {fidelity.name}",
                fidelity.y,
                data,
                random,
                before=self._before and self._before.stage1_[fidelity.name],
            ),
        )

    def _stage2(
        self,
        surrogate: Surrogate,
        data: Dataset,
        fidelity: Fidelity,
        random: np.random.RandomState,
    ) -> Augmented:
        """Correct and blend the observations of a cheap fidelity."""
        own, top = self.stage1_[fidelity.name], self.stage1_[data.top.name]
        X_top, X_own = data.unit(data.top), data.unit(fidelity)

        at_top, at_own = own.predict(X_top), own.predict(X_own)
        conditioning = AppendedColumns.over(at_top, at_own)
        residual = data.top.y - at_top[0]
        discrepancy = surrogate.fit_stage(
            conditioning.append(X_top, *at_top),
            residual,
            None,
            _hints(
                f"correcting {fidelity.name}",
                residual,
                data,
                random,
                before=self._before and self._before.discrepancy_[fidelity.name],
            ),
        )
        self.discrepancy_[fidelity.name] = discrepancy
        self.conditioning_[fidelity.name] = conditioning

        delta_mean, delta_var = discrepancy.predict(conditioning.append(X_own, *at_own))
        top_mean, top_var = top.predict(X_own)
        trust = self._trust(X_own, data, fidelity)
        noise_var = _noise_var(own, fidelity)
        if noise_var is None:
            noise_var = at_own[1]
        y, var = blend(
            trust.weight, fidelity.y, noise_var, delta_mean, delta_var, top_mean, top_var
        )
        if discrepancy.noise_var is not None:
            var = np.maximum(var, discrepancy.noise_var[0])
        return Augmented(fidelity, trust, delta_mean, delta_var, top_mean, top_var, y, var)

    def _stage3(self, surrogate: Surrogate, data: Dataset, random: np.random.RandomState) -> Fitted:
        """Fuse all observations in one model, with their variances fixed if it takes them."""
        X = np.concatenate([data.unit(fidelity) for fidelity in data.fidelities])
        y = np.concatenate([part.y for part in self.augmentations_] + [data.top.y])
        return surrogate.fit_stage(
            X,
            y,
            self._variances(data) if surrogate.takes_noise else None,
            _hints(
                "fusing all fidelities",
                y,
                data,
                random,
                before=self._before and self._before.final_,
                warp=self.warp is not None,
            ),
        )

    def _variances(self, data: Dataset) -> Array:
        """Variance of every observation that the last stage sees."""
        top = self.stage1_[data.top.name]
        noise_var = _noise_var(top, data.top)
        if noise_var is None:
            noise_var = top.predict(data.unit(data.top))[1]
        return np.concatenate([part.var for part in self.augmentations_] + [noise_var])

    def _trust(self, U: Array, data: Dataset, fidelity: Fidelity) -> Trust:
        """How far a cheap fidelity is trusted at unit-cube inputs."""
        return trust_weights(
            U,
            data.unit(data.top),
            data.ranking.exponents[fidelity.name],
            metric=self.metric,
            radius=self.radius,
            weight=self.weight,
            lengthscales=getattr(self.stage1_[data.top.name], "lengthscales", None),
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

        Zero where its surrogate has none apart from the variance of its predictions.
        """
        top = self.training_data_.top
        noise_var = _noise_var(self.stage1_[top.name], top)
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

        data = self.training_data_
        top = data.top
        seen = self.final_.noise_var
        variances = self._variances(data) if seen is None else seen
        seen_var = dict(zip(self._rows_of_final(), variances, strict=True))
        top_rows = {
            "y_corrected": top.y,
            "trust": np.ones(len(top.y)),
            "nearest": np.zeros(len(top.y)),
            "discrepancy": np.zeros(len(top.y)),
            "top_mean": self.stage1_[top.name].predict(data.unit(top))[0],
        }
        parts = [_table(part.fidelity, data, _columns(part)) for part in self.augmentations_]
        table = pd.concat([*parts, _table(top, data, top_rows)])
        table.insert(table.columns.get_loc("trust"), "variance", table.index.map(seen_var))
        return table.sort_index()

    def _rows_of_final(self) -> Array:
        """The user's row of each observation of the last stage."""
        fidelities = [part.fidelity for part in self.augmentations_] + [self.training_data_.top]
        return np.concatenate([fidelity.rows for fidelity in fidelities])

    def _refit(self, data: Dataset) -> MAST:
        """Fit a copy to part of the data, with the models of fidelities that lose nothing."""
        copy = clone(self)
        fitted_to = self.training_data_.fidelities
        copy._known = {
            new.name: self.stage1_[new.name]
            for new, old in zip(data.fidelities, fitted_to, strict=True)
            if new is old
        }
        copy._before = self
        fitted: MAST = copy._fit_data(data)
        del fitted._before
        return fitted

    def _get_state(self) -> dict[str, Any]:
        single, delta, fused = surrogates_of_stages(self.surrogate)
        return {
            "stage1": {name: single.state_of(fitted) for name, fitted in self.stage1_.items()},
            "discrepancy": {
                name: delta.state_of(fitted) for name, fitted in self.discrepancy_.items()
            },
            "final": fused.state_of(self.final_) if self.discrepancy_ else None,
            "blends": self._blends,
            "conditioning": {name: asdict(entry) for name, entry in self.conditioning_.items()},
            "augmentations": [
                {**asdict(part), "fidelity": part.fidelity.name} for part in self.augmentations_
            ],
        }

    def _set_state(self, state: dict[str, Any]) -> None:
        single, delta, fused = surrogates_of_stages(self.surrogate)
        by_name = {fidelity.name: fidelity for fidelity in self.training_data_.fidelities}
        self.stage1_ = {name: single.restore(entry) for name, entry in state["stage1"].items()}
        self.discrepancy_ = {
            name: delta.restore(entry) for name, entry in state["discrepancy"].items()
        }
        # Files of format 1 have GPs only, and neither of these.
        self._blends = state.get("blends", False)
        self.conditioning_ = {
            name: AppendedColumns(**entry) for name, entry in state.get("conditioning", {}).items()
        }
        self.augmentations_ = tuple(
            Augmented(
                **{**part, "fidelity": by_name[part["fidelity"]], "trust": Trust(**part["trust"])}
            )
            for part in state["augmentations"]
        )
        top = self.stage1_[self.training_data_.top.name]
        self.final_ = top if state["final"] is None else fused.restore(state["final"])

    def _predict_unit(self, U: Array) -> tuple[Array, Array]:
        if isinstance(self.final_, GaussianProcess) and not self._blends:
            return self.final_.predict(U)
        mean, var = np.empty(len(U)), np.empty(len(U))
        for rows in _blocks(len(U)):
            mean[rows], var[rows] = self.final_.predict(U[rows])
            if self._blends:
                var[rows] += self._blend_var(U[rows])
        return mean, var

    def _blend_var(self, U: Array) -> Array:
        """The spatial term of the predictive variance: that of Stage 2's blend at any point.

        Of several cheap fidelities the one that knows most about a point counts there.
        """
        data = self.training_data_
        top_mean, top_var = self.stage1_[data.top.name].predict(U)
        variances = []
        for fidelity in data.cheaper:
            own = self.stage1_[fidelity.name].predict(U)
            Z = self.conditioning_[fidelity.name].append(U, *own)
            delta_mean, delta_var = self.discrepancy_[fidelity.name].predict(Z)
            W = self._trust(U, data, fidelity).weight
            variances.append(blend(W, *own, delta_mean, delta_var, top_mean, top_var)[1])
        return np.min(variances, axis=0)

    def _mean_unit(self, U: Array) -> Array:
        if isinstance(self.final_, GaussianProcess):
            return self.final_.predict_mean(U)
        parts = [self.final_.predict(U[rows])[0] for rows in _blocks(len(U))]
        return np.concatenate(parts)

    def _covariance_unit(self, U: Array) -> tuple[Array, Array]:
        return self._only_process("joint covariance").predict_covariance(U)

    def _gradient_unit(self, U: Array) -> tuple[Array, Array]:
        return self._only_process("gradient").predict_gradient(U)

    def _only_process(self, what: str) -> GaussianProcess:
        """The last stage, if predictions are those of a GP and nothing else."""
        if self._blends or not isinstance(self.final_, GaussianProcess):
            raise self._lacks(f"{what} unless its last stage is a GP")
        return self.final_


def _blocks(n: int) -> list[slice]:
    return [slice(start, start + _BLOCK_ROWS) for start in range(0, n, _BLOCK_ROWS)]


def _hints(
    what: str,
    y: Array,
    data: Dataset,
    random: np.random.RandomState,
    before: Fitted | None,
    warp: bool = False,
) -> Hints:
    return Hints(warp, data.scale_of(y), counter(what), random, before)


def _noise_var(fitted: Fitted, fidelity: Fidelity) -> Array | None:
    """Noise variance of a fidelity's observations, if its model has one or it is known."""
    return fidelity.noise_var if fitted.noise_var is None else fitted.noise_var


def _columns(part: Augmented) -> dict[str, Array]:
    return {
        "y_corrected": part.y,
        "trust": part.trust.weight,
        "nearest": part.trust.nearest,
        "discrepancy": part.discrepancy_mean,
        "top_mean": part.top_mean,
    }


def _table(fidelity: Fidelity, data: Dataset, columns: dict[str, Array]) -> pd.DataFrame:
    import pandas as pd

    taken = {"fidelity", "y", *columns}
    inputs = {
        f"{name} (input)" if name in taken else name: values
        for name, values in zip(data.feature_names, fidelity.X.T, strict=True)
    }
    return pd.DataFrame(
        {"fidelity": fidelity.name, **inputs, "y": fidelity.y, **columns}, index=fidelity.rows
    )
