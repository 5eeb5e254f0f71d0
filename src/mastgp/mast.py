"""MAST: spatially trust-weighted fusion of cheap and expensive data.

Reads beside the extended algorithm of the paper (appendix A): Stage 1 models every fidelity on
its own, Stage 2 turns each cheap observation into an estimate of the expensive response with a
variance of its own, Stage 3 fits one heteroscedastic GP to all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .data import Bounds, Fidelity, TrainingData
from .errors import DataError, FitWarning, warn
from .estimator import MultiFidelityRegressor
from .gp import GaussianProcess, target_scale
from .progress import counter
from .surrogates import GP, as_surrogate
from .trust import Metric, Radius, Trust, Weight, trust_weights

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

#: Fewer points than this cannot tell the scale of their own target.
_FEW = 3


@dataclass(frozen=True)
class Augmented:
    """A cheap fidelity's observations, turned into estimates of the expensive response.

    Attributes
    ----------
    fidelity : Fidelity
    trust : Trust
        W and the distances behind it.
    discrepancy_mean, discrepancy_var : arrays of shape (n,)
        Posterior of the discrepancy GP at the cheap points.
    top_mean, top_var : arrays of shape (n,)
        Posterior of the expensive fidelity's GP at the cheap points.
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
        Input warp of the last stage.
    surrogate : "gp" or mastgp.surrogates.GP
        What the stages are made of; a `GP` chooses kernel and priors.
    noise_std : mapping of fidelity name to float, optional
        Known noise standard deviations in the target's units, instead of learned ones.
    bounds : array of shape (d, 2) or mapping of column name to (low, high), optional
        Ranges of the inputs; by default those of the data.
    random_state : int, RandomState or None
        For `sample_y` only: fitting is deterministic.

    Attributes
    ----------
    augmented_ : DataFrame
        What became of every training point.
    final_ : mastgp.gp.GaussianProcess
        The fused surrogate of Stage 3.
    stage1_, discrepancy_ : dict of fidelity name to GaussianProcess
        The GPs of Stages 1 and 2.
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
        surrogate: str | GP = "gp",
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

    #: GPs of Stage 1 that need not be fitted again.
    _known: Mapping[str, GaussianProcess] = MappingProxyType({})

    def _fit_unit(self, data: TrainingData) -> None:
        """Run the three stages."""
        if self.warp not in ("kumaraswamy", None):
            raise DataError(f"unknown warp {self.warp!r}; use 'kumaraswamy' or None")
        surrogate = as_surrogate(self.surrogate)
        self.stage1_ = {
            f.name: self._known.get(f.name) or self._stage1(surrogate, data, f)
            for f in data.fidelities
        }
        self.discrepancy_: dict[str, GaussianProcess] = {}
        self.augmentations_: tuple[Augmented, ...] = ()
        if not data.cheaper:
            self.final_ = self.stage1_[data.top.name]
        else:
            self.augmentations_ = tuple(
                self._stage2(surrogate, data, fidelity) for fidelity in data.cheaper
            )
            self.final_ = self._stage3(surrogate, data)
        self._warn_about_fits()

    def _stage1(self, surrogate: GP, data: TrainingData, fidelity: Fidelity) -> GaussianProcess:
        """Model one fidelity on its own."""
        return surrogate.fit(
            data.unit(fidelity),
            fidelity.y,
            fidelity.noise_var,
            y_scale=_scale_of(fidelity.y, data),
            on_evaluation=counter(f"modelling {fidelity.name}"),
        )

    def _stage2(self, surrogate: GP, data: TrainingData, fidelity: Fidelity) -> Augmented:
        """Correct and blend the observations of a cheap fidelity."""
        own, top = self.stage1_[fidelity.name], self.stage1_[data.top.name]
        X_top, X_own = data.unit(data.top), data.unit(fidelity)

        mean_at_top, var_at_top = own.predict(X_top)
        mean_at_own, var_at_own = own.predict(X_own)
        Z_top, Z_own = _condition_on_posterior(
            (X_top, mean_at_top, var_at_top), (X_own, mean_at_own, var_at_own)
        )
        residual = data.top.y - mean_at_top
        discrepancy = surrogate.fit(
            Z_top,
            residual,
            y_scale=_scale_of(residual, data),
            on_evaluation=counter(f"correcting {fidelity.name}"),
        )
        self.discrepancy_[fidelity.name] = discrepancy

        delta_mean, delta_var = discrepancy.predict(Z_own)
        top_mean, top_var = top.predict(X_own)
        trust = trust_weights(
            X_own,
            X_top,
            data.hierarchy.exponents[fidelity.name],
            metric=self.metric,
            radius=self.radius,
            weight=self.weight,
            lengthscales=top.lengthscales,
        )
        y, var = blend(
            trust.weight, fidelity.y, own.noise_var, delta_mean, delta_var, top_mean, top_var
        )
        var = np.maximum(var, discrepancy.noise_var[0])
        return Augmented(fidelity, trust, delta_mean, delta_var, top_mean, top_var, y, var)

    def _stage3(self, surrogate: GP, data: TrainingData) -> GaussianProcess:
        """Fuse all observations in one GP with their variances fixed."""
        parts = self.augmentations_
        X = np.concatenate([data.unit(part.fidelity) for part in parts] + [data.unit(data.top)])
        y = np.concatenate([part.y for part in parts] + [data.top.y])
        top_noise_var = self.stage1_[data.top.name].noise_var
        noise_var = np.concatenate([part.var for part in parts] + [top_noise_var])
        return surrogate.fit(
            X,
            y,
            noise_var,
            warp=self.warp is not None,
            y_scale=_scale_of(y, data),
            on_evaluation=counter("fusing all fidelities"),
        )

    def _warn_about_fits(self) -> None:
        for name, process in self.processes_.items():
            report = process.report
            if report is not None and not (report.converged and report.jitter == 0.0):
                trouble = (
                    f"needed {report.jitter:.1g} added to its diagonal"
                    if report.jitter
                    else f"stopped early: {report.message}"
                )
                warn(f"the GP {name} {trouble}", FitWarning)

    @property
    def processes_(self) -> dict[str, GaussianProcess]:
        """Every GP of the pipeline, by what it models."""
        named = {f"of {name}": process for name, process in self.stage1_.items()}
        named |= {f"of {name}'s discrepancy": gp for name, gp in self.discrepancy_.items()}
        if self.discrepancy_:
            named["of the fused data"] = self.final_
        return named

    @property
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity, in the target's squared units."""
        return float(np.mean(self.stage1_[self.training_data_.top.name].noise_var))

    @property
    def augmented_(self) -> pd.DataFrame:
        """What became of every training point: one row each, in the user's order.

        Columns: fidelity, the inputs, y (as observed), y_corrected and variance (as Stage 3 sees
        them), trust (W; 1 for the expensive points, which stay as they are), nearest (distance to
        the nearest expensive point), discrepancy and top_mean (the predictions that were blended).
        """
        import pandas as pd

        data = self.training_data_
        top = data.top
        seen_var = dict(zip(self._rows_of_final(), self.final_.noise_var, strict=True))
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

    def _refit(self, data: TrainingData) -> MAST:
        """Fit a copy to data that differ in the most expensive fidelity only."""
        copy = clone(self)
        copy._known = {f.name: self.stage1_[f.name] for f in data.cheaper}
        fitted: MAST = copy._fit_data(data)
        return fitted

    def _get_state(self) -> dict[str, Any]:
        return {
            "surrogate": as_surrogate(self.surrogate).get_params(),
            "stage1": {name: gp.get_state() for name, gp in self.stage1_.items()},
            "discrepancy": {name: gp.get_state() for name, gp in self.discrepancy_.items()},
            "final": self.final_.get_state() if self.discrepancy_ else None,
            "augmentations": [
                {**asdict(part), "fidelity": part.fidelity.name} for part in self.augmentations_
            ],
        }

    def _set_state(self, state: dict[str, Any]) -> None:
        surrogate = GP(**state["surrogate"])
        by_name = {fidelity.name: fidelity for fidelity in self.training_data_.fidelities}
        self.stage1_ = {name: surrogate.restore(gp) for name, gp in state["stage1"].items()}
        self.discrepancy_ = {
            name: surrogate.restore(gp) for name, gp in state["discrepancy"].items()
        }
        self.augmentations_ = tuple(
            Augmented(
                **{**part, "fidelity": by_name[part["fidelity"]], "trust": Trust(**part["trust"])}
            )
            for part in state["augmentations"]
        )
        top = self.stage1_[self.training_data_.top.name]
        self.final_ = top if state["final"] is None else surrogate.restore(state["final"])

    def _predict_unit(self, U: Array) -> tuple[Array, Array]:
        return self.final_.predict(U)

    def _mean_unit(self, U: Array) -> Array:
        return self.final_.predict_mean(U)

    def _covariance_unit(self, U: Array) -> tuple[Array, Array]:
        return self.final_.predict_covariance(U)

    def _gradient_unit(self, U: Array) -> tuple[Array, Array]:
        return self.final_.predict_gradient(U)


def _condition_on_posterior(
    *sets: tuple[Array, Array, Array],
) -> list[Array]:
    """Augmented inputs z = [x, mean, var], the last two scaled to [0, 1] over all sets together."""
    extras = [np.column_stack([mean, var]) for _, mean, var in sets]
    pooled = np.concatenate(extras)
    low, span = pooled.min(axis=0), np.ptp(pooled, axis=0)
    # What varies by rounding only must not be blown up to an input of its own.
    span[span <= 1e-9 * np.abs(pooled).max(axis=0)] = 1.0
    return [
        np.hstack([X, (extra - low) / span]) for (X, _, _), extra in zip(sets, extras, strict=True)
    ]


def _scale_of(y: Array, data: TrainingData) -> float:
    """Scale of a target; that of all fidelities together where it is too small a sample."""
    if len(y) >= min(_FEW, data.n_points) and np.ptp(y) > 0.0:
        return target_scale(y)
    return data.y_scale


def _columns(part: Augmented) -> dict[str, Array]:
    return {
        "y_corrected": part.y,
        "trust": part.trust.weight,
        "nearest": part.trust.nearest,
        "discrepancy": part.discrepancy_mean,
        "top_mean": part.top_mean,
    }


def _table(fidelity: Fidelity, data: TrainingData, columns: dict[str, Array]) -> pd.DataFrame:
    import pandas as pd

    taken = {"fidelity", "y", *columns}
    inputs = {
        f"{name} (input)" if name in taken else name: values
        for name, values in zip(data.feature_names, fidelity.X.T, strict=True)
    }
    return pd.DataFrame(
        {"fidelity": fidelity.name, **inputs, "y": fidelity.y, **columns}, index=fidelity.rows
    )
