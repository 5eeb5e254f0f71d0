"""The scikit-learn interface that every surrogate of the package shares."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, check_random_state, validate_data

from ..data.dataset import Bounds, Dataset, assemble, check_finite, names_of_rows
from ..data.fidelities import is_missing
from ..errors import (
    DataError,
    ExtrapolationWarning,
    FitWarning,
    MastError,
    ModelFileError,
    listed,
    warn,
)
from ..gp import GaussianProcess, NotPositiveDefiniteError, blas_threads, draw_samples

Array = NDArray[np.float64]

#: Half the width of a 95 % interval, in standard deviations.
Z95 = 1.959963984540054
#: Queries further outside the box than this share of its width draw a warning.
FAR_OUTSIDE = 0.25


class MultiFidelityRegressor(RegressorMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of all surrogates: checks data, scales inputs, predicts in the user's units.

    A subclass has at least the constructor parameters `costs`, `order`, `bounds`, `noise_std` and
    `random_state`, and says how to fit and to predict in the unit cube. Joint covariances,
    gradients and files are extra: what it does not provide is refused by name.
    """

    costs: Mapping[Any, float] | None
    order: Sequence[Any] | None
    exponents: Mapping[Any, float] | None = None
    bounds: Bounds | None
    noise_std: Mapping[Any, float] | None
    random_state: Any

    training_data_: Dataset
    target_name_: str | None = None

    @abstractmethod
    def _fit_unit(self, data: Dataset) -> None:
        """Fit to checked data; inputs are to be taken from ``data.unit``."""

    @abstractmethod
    def _predict_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and variance of the latent function at unit-cube inputs."""

    @property
    @abstractmethod
    def noise_var_(self) -> float:
        """Noise variance of the most expensive fidelity, in the target's squared units.

        The mean over its points where it is known for each of them.
        """

    def _mean_unit(self, U: Array) -> Array:
        """Mean of the latent function at unit-cube inputs."""
        return self._predict_unit(U)[0]

    def _covariance_unit(self, U: Array) -> tuple[Array, Array]:
        """Mean and full covariance of the latent function at unit-cube inputs."""
        raise self._lacks("joint covariance")

    def _gradient_unit(self, U: Array) -> tuple[Array, Array]:
        """Gradients of mean and variance with respect to unit-cube inputs."""
        raise self._lacks("gradient")

    def _get_state(self) -> dict[str, Any]:
        """What a file must hold besides parameters and data: plain values and arrays."""
        raise self._lacks("file format")

    def _set_state(self, state: dict[str, Any]) -> None:
        """Inverse of `_get_state`, with parameters and data in place."""
        raise self._lacks("file format")

    def _lacks(self, what: str) -> MastError:
        return MastError(f"{type(self).__name__} has no {what}")

    def _refit(self, data: Dataset) -> Self:
        """Fit a copy to part of the data, with all of the fidelities."""
        return clone(self)._fit_data(data)

    def _n_unchanged(self, data: Dataset) -> int:
        """How many of the cheapest fidelities are those that this model was fitted to."""
        pairs = zip(data.fidelities, self.training_data_.fidelities, strict=True)
        changed = [i for i, (new, old) in enumerate(pairs) if new is not old]
        return changed[0] if changed else len(data.fidelities)

    def _leave_out(self, folds: Sequence[NDArray[np.intp]]) -> tuple[Array, Array] | None:
        """Mean and variance of held-out expensive observations in closed form, if there is one.

        Hyperparameters are kept as all the data determined them; the variance includes noise.
        """
        return None

    def _fit_data(self, data: Dataset) -> Self:
        """Fit to checked data."""
        try:
            with blas_threads(data.n_points):
                self._fit_unit(data)
        except NotPositiveDefiniteError as error:
            raise DataError(f"the data cannot be modelled: {error}") from error
        self.training_data_ = data
        self.n_features_in_ = len(data.feature_names)
        return self

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        fidelity: ArrayLike | None = None,
        noise_std: ArrayLike | None = None,
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

        Returns
        -------
        self
        """
        return self._fit_rows(X, y, fidelity, noise_std, Places(X))

    def _fit_rows(
        self,
        X: ArrayLike,
        y: ArrayLike,
        fidelity: ArrayLike | None,
        noise_std: ArrayLike | None,
        places: Sequence[str],
    ) -> Self:
        """Fit to a table whose rows are called `places` in messages."""
        if hasattr(self, "training_data_"):
            del self.training_data_  # a fit that fails leaves no half-fitted model
        if fidelity is None and max(_length(self.costs), _length(self.order)) > 1:
            raise DataError(
                "several fidelities are named, but the rows have no labels; pass "
                "fit(X, y, fidelity=labels)"
            )
        check_numeric_columns(X, places)
        names = None if fidelity is None else names_of_rows(_as_labels(fidelity), len(places))
        table, targets = self._checked_table(X, y, places, names)
        data = assemble(
            table,
            targets,
            names_of_rows(None, len(table)) if names is None else names,
            places=places,
            feature_names=self._feature_names(),
            costs=self.costs,
            order=self.order,
            exponents=self.exponents,
            bounds=self.bounds,
            noise_std=self.noise_std,
            row_noise_std=_as_noise(noise_std),
        )
        name = getattr(y, "name", None)
        self.target_name_ = None if name is None else str(name)
        return self._fit_data(data)

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
        extra = self.noise_var_ if include_noise else 0.0
        if return_cov:
            mean, cov = self._covariance_unit(U)
            return mean, cov + extra * np.eye(len(cov))
        if not return_std:
            return self._mean_unit(U)
        mean, var = self._predict_unit(U)
        return mean, np.sqrt(var + extra)

    def predict_quantile(self, X: ArrayLike, q: float, include_noise: bool = False) -> Array:
        """Value below which the share q of the predictive distribution lies, shape (n,)."""
        check_is_fitted(self)
        if not 0.0 < q < 1.0:
            raise DataError(f"a quantile's level is between 0 and 1, not {q!r}")
        (quantile,) = self._quantiles_unit(self._unit_queries(X), (q,), include_noise)
        return quantile

    def predict_interval(
        self, X: ArrayLike, level: float = 0.95, include_noise: bool = False
    ) -> tuple[Array, Array]:
        """Ends of the central interval that holds the share `level`, each of shape (n,).

        With `include_noise` it is the interval of a new observation, else of the function.
        """
        check_is_fitted(self)
        if not 0.0 < level < 1.0:
            raise DataError(f"an interval's level is between 0 and 1, not {level!r}")
        low, high = self._quantiles_unit(self._unit_queries(X), _ends_of(level), include_noise)
        return low, high

    def _quantiles_unit(
        self, U: Array, levels: Sequence[float], include_noise: bool = False
    ) -> list[Array]:
        """Quantiles of the predictive distribution, here a normal one, from one prediction."""
        mean, var = self._predict_unit(U)
        std = np.sqrt(var + (self.noise_var_ if include_noise else 0.0))
        return [mean + ndtri(q) * std for q in levels]

    @property
    def _label(self) -> str:
        """What the method is called where people read it."""
        return type(self).__name__

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
            labels = names_of_rows(_as_labels(fidelity), len(Places(X)))
            top = np.flatnonzero(labels == self.training_data_.top.name)
            X, y = _safe_indexing(X, top), _safe_indexing(y, top)
            if sample_weight is not None:
                sample_weight = _safe_indexing(sample_weight, top)
        value: float = super().score(X, y, sample_weight)
        return value

    def predict_gradient(self, X: ArrayLike) -> tuple[Array, Array]:
        """Gradients of the predicted mean and variance with respect to the inputs.

        Returns
        -------
        mean_gradient, var_gradient : arrays of shape (n, d)
            In units of the target (squared for the variance) per unit of each input.
        """
        d_mean, d_var = self._gradient_unit(self._unit_queries(X))
        box = self.training_data_.box
        per_unit = np.where(box.varies, 1.0 / box.widths, 0.0)
        return d_mean * per_unit, d_var * per_unit

    def sample_y(self, X: ArrayLike, n_samples: int = 1, random_state: Any = None) -> Array:
        """Draw functions from the posterior, evaluated at `X`: shape (n, n_samples)."""
        mean, cov = self._covariance_unit(self._unit_queries(X))
        random = check_random_state(self.random_state if random_state is None else random_state)
        return draw_samples(mean, cov, n_samples, random)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model to one file, without pickle; see :func:`mastgp.load`."""
        from ..output.storage import save_model

        check_is_fitted(self)
        save_model(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model written by :meth:`save`."""
        from ..output.storage import load_model

        model = load_model(path)
        if not isinstance(model, cls):
            raise ModelFileError(f"{path} holds a {type(model).__name__}, not a {cls.__name__}")
        return model

    def __sklearn_is_fitted__(self) -> bool:
        """Whether `fit` has been called."""
        return hasattr(self, "training_data_")

    def _checked_table(
        self,
        X: ArrayLike,
        y: ArrayLike,
        places: Sequence[str],
        names: NDArray[np.str_] | None,
    ) -> tuple[Array, Array]:
        """Turn the user's inputs and targets into checked arrays."""
        values = np.asarray(y)
        if values.ndim == 1 and values.dtype.kind != "c" and len(values) == len(places):
            y = _as_numbers(values, places, names)
        table, targets = validate_data(
            self, X, y, dtype=np.float64, y_numeric=True, ensure_all_finite=False
        )
        return table, np.asarray(targets, dtype=float)

    def _feature_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        if names is not None:
            return [str(name) for name in names]
        return [f"x{i}" for i in range(self.n_features_in_)]

    def _unit_queries(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        check_numeric_columns(X, Places(X))
        table = validate_data(self, X, dtype=np.float64, reset=False, ensure_all_finite=False)
        data = self.training_data_
        check_finite(table, "X", data.feature_names, Places(X))
        U = data.box.to_unit(table)
        far = (U < -FAR_OUTSIDE) | (U > 1.0 + FAR_OUTSIDE)
        if far.any():
            columns = [data.feature_names[i] for i in np.flatnonzero(far.any(axis=0))]
            warn(
                f"some queries lie far outside the data in column {listed(columns)}: do not rely "
                "on what is predicted there",
                ExtrapolationWarning,
            )
        return U


def _ends_of(level: float) -> tuple[float, float]:
    """Levels of the two quantiles that a central interval lies between."""
    return 0.5 - 0.5 * level, 0.5 + 0.5 * level


@contextmanager
def silenced(category: type[Warning]) -> Iterator[None]:
    """No warnings of a category inside a ``with`` block."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category)
        yield


def warn_about_fit(process: GaussianProcess, of_what: str) -> None:
    """Warn about a GP that did not converge, or whose covariance needed help."""
    report = process.report
    if report is None or (report.converged and report.jitter == 0.0):
        return
    trouble = (
        f"needed {report.jitter:.1g} added to its diagonal"
        if report.jitter
        else f"stopped early: {report.message}"
    )
    warn(f"the GP {of_what} {trouble}", FitWarning)


def check_numeric_columns(X: Any, places: Sequence[str]) -> None:
    """Name the first cell of a DataFrame that is not a number."""
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return
    names = [str(name) for name in X.columns]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise DataError(f"X has column {listed(repeated)} twice; rename one of them")
    for position, (name, dtype) in enumerate(zip(names, X.dtypes, strict=True)):
        if getattr(dtype, "kind", "O") in "biuf":
            continue
        for row, value in enumerate(X.iloc[:, position]):
            if not is_missing(value) and not _is_number(value):
                raise DataError(
                    f"column {name!r} of X holds {str(value)!r} in {places[row]}, not a number"
                )


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


class Places(Sequence[str]):
    """Where the rows of a table come from, for messages.

    A DataFrame whose index is text says it itself, such as ``line 7 of coarse.csv``.
    """

    def __init__(self, X: Any) -> None:
        index = getattr(X, "index", None)
        self._index = None if index is None or callable(index) else index
        shape = X.shape if hasattr(X, "shape") else np.asarray(X, dtype=object).shape
        self._length = int(shape[0]) if shape else 0

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, row: Any) -> Any:
        label = row if self._index is None else self._index[row]
        return label if isinstance(label, str) else f"row {label}"


def _length(names: Any) -> int:
    return 0 if names is None else len(names)


def _as_labels(fidelity: ArrayLike) -> list[Any]:
    return list(np.asarray(fidelity, dtype=object).ravel())


def _as_numbers(y: Array, places: Sequence[str], names: NDArray[np.str_] | None) -> Array:
    """Targets as numbers, with an error that names the first that is not finite."""
    try:
        values = np.asarray(y, dtype=float)
    except (TypeError, ValueError):
        for row, value in enumerate(y):
            if not is_missing(value) and not _is_number(value):
                raise DataError(f"y holds {str(value)!r} in {places[row]}, not a number") from None
        raise DataError("y cannot be read as numbers") from None
    check_finite(values[:, None], "y", None, places, names)
    return values


def _as_noise(noise_std: ArrayLike | None) -> Array | None:
    if noise_std is None:
        return None
    try:
        return np.asarray(noise_std, dtype=float).ravel()
    except (TypeError, ValueError):
        raise DataError("noise_std must be one number per row (NaN where unknown)") from None
