"""The scikit-learn interface that every surrogate of the package shares."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import __version__
from ..blocks import blocks, in_blocks
from ..data.arrays import Table, checked_rows
from ..data.categories import Kinds, Names, NamesOfCategories
from ..data.dataset import Bounds, Dataset, assemble
from ..data.rows import Options
from ..errors import DataError, recorded
from ..estimators import Regressor, check_is_fitted, check_random_state, clone, validated
from ..gp import NotPositiveDefiniteError, blas_threads, draw_samples
from ..gp.blends import Distribution
from ..gp.distributions import Normal
from .calibration import widening_by_refits
from .continuing import Continuing
from .known import Known, SharedFits
from .queries import BLOCK_ROWS, expensive_rows, unit_queries
from .scales import OfResponse, suggest_logarithm
from .trust import TrustedPoints
from .writing import Written

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]


class MultiFidelityRegressor(Continuing, OfResponse, Written, Regressor, ABC):
    """Base of all surrogates: it checks data, scales inputs, and predicts in the user's units.

    A method of your own is a subclass with at least the constructor parameters `costs`, `order`,
    `bounds`, `noise_std` and `random_state`. It must say how to fit and to predict in the unit
    cube: :meth:`fit_unit`, :meth:`predict_unit` and :attr:`noise_var_`. Everything else has a
    default. A method that can do more overrides :meth:`covariance_unit`, :meth:`gradient_unit`,
    or :meth:`get_state` and :meth:`set_state`. It tells what it has learned by :meth:`facts`.
    Summaries, figures, commands and files ask for nothing else.

    Attributes
    ----------
    training_data_ : mastgp.Dataset
        What it was fitted to.
    target_name_ : str or None
        Name of the response, where it is known.
    """

    costs: Mapping[Any, float] | None
    order: Sequence[Any] | None
    exponents: Mapping[Any, float] | None = None
    bounds: Bounds | None
    noise_std: Mapping[Any, float] | None
    random_state: Any
    calibrate: bool = False

    training_data_: Dataset
    target_name_: str | None = None
    #: Table of the held-out check, if the method makes one while it is fitted. A DataFrame.
    validation_: Any = None
    #: Predictions of that check. A HeldOut.
    held_out_: Any = None
    #: A check that was made after the fit, as plain values; see :func:`mastgp.validate`.
    check_: Any = None
    #: What standard deviations are multiplied by.
    calibration_: float = 1.0

    @abstractmethod
    def fit_unit(self, data: Dataset, known: Known) -> None:
        """Fit to checked data.

        Parameters
        ----------
        data : Dataset
            Inputs are to be taken from ``data.unit(fidelity)``.
        known : Known
            What earlier fits have found. It may be ignored.
        """

    @abstractmethod
    def predict_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance of the latent function at unit-cube inputs, each of shape (n,)."""

    @property
    @abstractmethod
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity, in the target's squared units.

        Where it is known for every point, the mean over the points.
        """

    def mean_unit(self, U: Array) -> Array:
        """Mean of the latent function at unit-cube inputs."""
        return self.predict_unit(U)[0]

    def covariance_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and full covariance of the latent function at unit-cube inputs."""
        raise self._lacks("joint covariance")

    def gradient_unit(self, U: Array) -> tuple[Array, Array]:
        """Gradients of mean and variance with respect to unit-cube inputs, each of shape (n, d)."""
        raise self._lacks("gradient")

    def distribution_unit(self, U: Array, include_noise: bool = False) -> Distribution:
        """Predictive distribution at unit-cube inputs: a normal one, unless overridden."""
        mean, var = self.predict_unit(U)
        return Normal(mean, var + self.noise_var_ if include_noise else var)

    def moments_unit(self, U: Array, include_noise: bool) -> tuple[Array, Array]:
        """Mean and variance at unit-cube inputs, of the function or of a new observation."""
        mean, var = self.predict_unit(U)
        return mean, var + self.noise_var_ if include_noise else var

    def observed_unit(self, U: Array, noise_var: Array | None) -> Distribution:
        """Distribution of new observations, each with its own known noise or with the learned."""
        mean, var = self.predict_unit(U)
        return Normal(mean, var + (self.noise_var_ if noise_var is None else noise_var))

    def predictive_unit(self, U: Array, include_noise: bool = False) -> Distribution:
        """Predictive distribution at unit-cube inputs, calibrated."""
        distribution = self.distribution_unit(U, include_noise)
        return distribution if self.calibration_ == 1.0 else distribution.dilated(self.calibration_)

    def widening(self) -> float:
        """Factor of the standard deviations, by held-out points; asked for to calibrate."""
        return widening_by_refits(self)

    @property
    def abilities(self) -> frozenset[str]:
        """What it can do besides predicting.

        A set of "covariance", "gradient", "samples", "file" and "export". A method has an ability
        when it overrides the hook behind it. Where that also depends on its options, it overrides
        this property.
        """
        hooks = {
            "covariance": "covariance_unit",
            "gradient": "gradient_unit",
            "file": "get_state",
            "export": "plain_predictor",
        }
        own, base = type(self), MultiFidelityRegressor
        able = {
            what for what, hook in hooks.items() if getattr(own, hook) is not getattr(base, hook)
        }
        return frozenset(able | ({"samples"} if "covariance" in able else set()))

    @property
    def label(self) -> str:
        """What the method is called where people read it."""
        return type(self).__name__

    @property
    def uses_cheap_data(self) -> bool:
        """Whether predictions depend on the cheap fidelities at all."""
        return True

    def facts(self) -> dict[str, Any]:
        """Say what it has learned, as plain data for summaries, ``mast show`` and reports.

        Any of these keys: ``noise`` (standard deviation by fidelity name), ``inputs`` (a mapping of
        facts for each input, in order, such as ``lengthscale``), ``fidelities`` (a mapping of facts
        by fidelity name, such as ``trust``), and whatever else belongs to the model as a whole.
        """
        return {"noise": {self.training_data_.top.name: math.sqrt(self.noise_var_)}}

    def points_table(self) -> pd.DataFrame:
        """Say what became of every training point, one row each."""
        raise self._lacks("table of what became of its training points")

    def trusted_points(self) -> list[TrustedPoints]:
        """Cheap points with the trust that each was given; none where trust plays no part."""
        return []

    def cheap_points(self) -> list[tuple[str, Array, Array]]:
        """Caption, inputs and targets of each cheap fidelity, as figures draw them."""
        return [(f"{f.name}, as observed", f.X, f.y) for f in self.training_data_.cheaper]

    def leave_out(self, folds: Sequence[NDArray[np.intp]]) -> Distribution | None:
        """Predict held-out expensive observations without a refit, if that is possible.

        The distribution includes noise.
        """
        return None

    @property
    def leaves_out_honestly(self) -> bool:
        """Whether :meth:`leave_out` is as hard as a refit; not where hyperparameters are kept."""
        return False

    def fit_data(self, data: Dataset, known: Known | None = None) -> Self:
        """Fit to a data set.

        Parameters
        ----------
        data : Dataset
        known : Known, optional
            What earlier fits have found.

        Returns
        -------
        self
        """
        self.calibration_, self.check_ = 1.0, None
        try:
            with blas_threads(data.n_points):
                self.fit_unit(data, Known() if known is None else known)
        except NotPositiveDefiniteError as error:
            raise DataError(f"the data cannot be modelled: {error}") from error
        self.training_data_ = data
        self.target_name_ = data.target_name
        self.n_features_in_ = len(data.feature_names)
        if data.feature_names_given:
            self.feature_names_in_ = np.array(data.feature_names, dtype=object)
        if self.calibrate:
            self.calibration_ = self.widening()
        return self

    def refit(self, data: Dataset, shared: SharedFits | None = None) -> Self:
        """Return a new model, fitted to part of the data and not calibrated; this one stays.

        Parameters
        ----------
        data : Dataset
            With all of the fidelities, each perhaps with fewer rows.
        shared : SharedFits, optional
            Fits of other models of the same part.
        """
        copy: Self = clone(self)
        copy.calibrate = False
        return copy.fit_data(data, Known(self, SharedFits() if shared is None else shared))

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        fidelity: ArrayLike | None = None,
        noise_std: ArrayLike | None = None,
        *,
        categorical: NamesOfCategories | None = None,
        numeric: Names | None = None,
        integer: Names | None = None,
        log_inputs: Names | None = None,
    ) -> Self:
        """Fit the surrogate.

        Parameters
        ----------
        X : array or DataFrame of shape (n, d)
            Inputs of all fidelities, one row per observation.
        y : array of shape (n,)
            Observed responses.
        fidelity : array of n labels, optional
            Name of each row's fidelity. Without it all rows are of one fidelity.
        noise_std : array of shape (n,), optional
            Known noise standard deviation of each row, in y's units; NaN where it is to be
            learned. All rows of a fidelity, or none.
        categorical, numeric, integer : sequences of inputs, by name or number, optional
            Inputs whose values are labels, numbers or whole numbers. Text, booleans and pandas'
            categories are labels unless they are said to be numeric.
        log_inputs : sequence of inputs, by name or number, optional
            Positive inputs that span decades: their logarithms are modelled.

        Returns
        -------
        self
        """
        kinds = Kinds.of(categorical, numeric, integer, log_inputs)
        return self.fit_table(replace(Table.of(X, y, fidelity, noise_std), kinds=kinds))

    def fit_table(self, table: Table) -> Self:
        """Fit to a table of the user's, whose rows are named in messages."""
        if hasattr(self, "training_data_"):
            del self.training_data_  # a fit that fails leaves no half-fitted model
        options = Options(self.costs, self.order, self.exponents, self.bounds, self.noise_std)
        with recorded() as said:
            self.fit_data(assemble(checked_rows(table, options, self._validated), options))
            suggest_logarithm(self)
        self.origin_ = replace(table.origin.then(None, warnings=said), version=__version__)
        return self

    def predict(
        self,
        X: ArrayLike,
        return_std: bool = False,
        return_cov: bool = False,
        include_noise: bool = False,
    ) -> Any:
        """Predict the most expensive fidelity's response.

        Parameters
        ----------
        X : array or DataFrame of shape (n, d)
            Any number of points: memory stays bounded, but for `return_cov`.
        return_std : bool
            Also return the standard deviation, shape (n,).
        return_cov : bool
            Also return the full covariance, shape (n, n), instead.
        include_noise : bool
            Whether the uncertainty is that of a new observation, noise included, or of the
            underlying function.

        Returns
        -------
        mean : array of shape (n,)
        std or cov : array, if asked for
        """
        if return_std and return_cov:
            raise DataError("ask for return_std or return_cov, not for both")
        U = self._unit_queries(X)
        if return_cov:
            mean, cov = self.covariance_unit(U)
            noise = include_noise * self.noise_var_ * np.eye(len(cov))
            return mean, self.calibration_**2 * (cov + noise)
        if not return_std:
            return self.mean_unit(U)
        mean, var = self.moments_unit(U, include_noise)
        return mean, self.calibration_ * np.sqrt(var)

    def predict_quantile(self, X: ArrayLike, q: float, include_noise: bool = False) -> Array:
        """Value below which the share q of the predictive distribution lies, shape (n,)."""
        check_is_fitted(self)
        if not 0.0 < q < 1.0:
            raise DataError(f"a quantile's level is between 0 and 1, not {q!r}")
        U = self._unit_queries(X)
        quantile = np.empty(len(U))
        for rows in blocks(len(U), BLOCK_ROWS):
            quantile[rows] = self.predictive_unit(U[rows], include_noise).quantile(q)
        return quantile

    def predict_interval(
        self, X: ArrayLike, level: float = 0.95, include_noise: bool = False
    ) -> tuple[Array, Array]:
        """Ends of the central interval that holds the share `level` of the distribution.

        Parameters
        ----------
        X : array or DataFrame of shape (n, d)
        level : float
            Between 0 and 1.
        include_noise : bool
            Whether the interval is that of a new observation, or of the underlying function.

        Returns
        -------
        low, high : arrays of shape (n,)
            In the target's units.
        """
        check_is_fitted(self)
        if not 0.0 < level < 1.0:
            raise DataError(f"an interval's level is between 0 and 1, not {level!r}")

        def ends(U: Array) -> tuple[Array, Array]:
            return self.predictive_unit(U, include_noise).interval(level)

        return in_blocks(ends, self._unit_queries(X), BLOCK_ROWS)

    def predict_distribution(self, X: ArrayLike, include_noise: bool = False) -> Distribution:
        """The whole predictive distribution: mean, variance, density, cdf and quantiles.

        With `include_noise` it is the distribution of a new observation, else of the function.
        """
        return self.predictive_unit(self._unit_queries(X), include_noise)

    def score(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        fidelity: ArrayLike | None = None,
    ) -> float:
        """Coefficient of determination R^2 of the predictions.

        Parameters
        ----------
        X, y : arrays of n rows
        sample_weight : array of shape (n,), optional
        fidelity : array of n labels, optional
            With labels only rows of the most expensive fidelity count: the others' targets are
            not what is predicted.
        """
        check_is_fitted(self)
        if fidelity is not None:
            X, y, sample_weight = expensive_rows(self, fidelity, X, y, sample_weight)
        value: float = super().score(X, y, sample_weight)
        return value

    def predict_gradient(self, X: ArrayLike) -> tuple[Array, Array]:
        """Gradients of the predicted mean and variance with respect to the inputs.

        Returns
        -------
        mean_gradient, var_gradient : arrays of shape (n, d)
            In units of the target (squared for the variance) per unit of each input. Zero by
            categorical inputs: there is nothing between their levels.
        """
        U = self._unit_queries(X)
        d_mean, d_var = self.gradient_unit(U)
        per_unit = self.training_data_.box.slopes(U)
        return d_mean * per_unit, self.calibration_**2 * d_var * per_unit

    def sample_y(self, X: ArrayLike, n_samples: int = 1, random_state: Any = None) -> Array:
        """Draw functions from the posterior, evaluated at `X`: shape (n, n_samples)."""
        random = check_random_state(self.random_state if random_state is None else random_state)
        return self.sample_unit(self._unit_queries(X), n_samples, random)

    def sample_unit(self, U: Array, n_samples: int, random: np.random.RandomState) -> Array:
        """Draw functions at unit-cube inputs, shape (n, n_samples)."""
        mean, cov = self.covariance_unit(U)
        return draw_samples(mean, self.calibration_**2 * cov, n_samples, random)

    def __sklearn_is_fitted__(self) -> bool:
        """Whether `fit` has been called."""
        return hasattr(self, "training_data_")

    def _validated(self, X: Any, y: Any) -> tuple[Array, Array]:
        """Inputs and targets as arrays; scikit-learn remembers the names of the inputs."""
        table, targets = validated(self, X, y, reset=True)
        return table, np.asarray(targets, dtype=float)

    def _unit_queries(self, X: ArrayLike) -> Array:
        return unit_queries(self, X)
