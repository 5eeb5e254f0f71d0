"""Several targets: one model for each, behind one interface."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.arrays import Table
from ..data.categories import Kinds, Names, NamesOfCategories
from ..data.targets import check_bounded, check_logarithms, check_no_unit, has_several, split
from ..errors import (
    DataError,
    MastWarning,
    MissingWarning,
    ModelFileError,
    listed,
    silenced,
    warn,
)
from ..estimators import Estimator, check_is_fitted, check_random_state, clone
from ..gp.blends import Distribution
from ..gp.responses import Bounded, Logarithm
from ..storage.model_file import load_model, save_models
from .estimator import MultiFidelityRegressor
from .transformed import of_response

if TYPE_CHECKING:
    pass

Array = NDArray[np.float64]
#: Bounds of targets, by their names.
BoundsOfTargets = Mapping[str, Sequence[float]]


class SeveralTargets(Estimator):
    """One model for each of several targets, fitted and asked together.

    Use it for tables with several responses, such as lift and drag. Each target is modelled by
    itself: its model is the one that a separate fit gives. A row that lacks the value of one target
    is used for the others.

    Parameters
    ----------
    estimator : MultiFidelityRegressor
        The method. Each target gets a copy.
    log : sequence of target names, or True for all of them
        Targets whose logarithms are modelled.
    bounded : mapping of target name to (low, high), optional
        Targets that lie between two bounds, which they never reach.

    Attributes
    ----------
    models_ : dict of target name to fitted estimator
        In the order of the targets.

    Examples
    --------
    >>> import numpy as np
    >>> from mastgp import MAST
    >>> from mastgp.models import SeveralTargets
    >>> x = np.linspace(0, 1, 9)[:, None]
    >>> model = SeveralTargets(MAST()).fit(x, np.hstack([np.sin(x), np.cos(x)]))
    >>> model.predict([[0.5]]).round(2)
    array([[0.48, 0.88]])
    >>> model["y1"].predict([[0.5]]).round(2)
    array([0.88])
    """

    models_: dict[str, MultiFidelityRegressor]

    def __init__(
        self,
        estimator: MultiFidelityRegressor | None = None,
        log: Sequence[str] | bool = (),
        bounded: BoundsOfTargets | None = None,
    ) -> None:
        self.estimator = estimator
        self.log = log
        self.bounded = bounded

    @classmethod
    def of(cls, models: Mapping[str, MultiFidelityRegressor]) -> Self:
        """Put fitted models of the same inputs together."""
        first, *others = models.values()
        for model in others:
            if model.training_data_.feature_names != first.training_data_.feature_names:
                raise DataError("models of several targets need the same inputs")
        together = cls(clone(first))
        together.models_ = dict(models)
        return together

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
        """Fit one model for each column of `y`.

        Parameters
        ----------
        X : array or DataFrame of shape (n, d)
        y : array or DataFrame of shape (n, k)
            Observed responses, NaN where one is missing. Targets have the names of a DataFrame's
            columns, or ``y0``, ``y1`` and so on.
        fidelity : array of n labels, optional
        noise_std : array of shape (n, k), optional
        categorical, numeric, integer, log_inputs
            As in :meth:`mastgp.models.estimator.MultiFidelityRegressor.fit`.

        Returns
        -------
        self
        """
        kinds = Kinds.of(categorical, numeric, integer, log_inputs)
        return self.fit_table(replace(Table.of(X, y, fidelity, noise_std), kinds=kinds))

    def fit_table(self, table: Table) -> Self:
        """Fit to a table of the user's, whose `y` has several columns."""
        method = self.estimator
        if method is None:
            raise DataError("SeveralTargets needs an estimator, such as MAST()")
        if method.noise_std:
            check_no_unit(method.noise_std)
        if hasattr(self, "models_"):
            del self.models_  # a fit that fails leaves no half-fitted model
        tables = split(table)
        responses = responses_of(self.log, self.bounded, list(tables))
        self.models_ = _each(
            lambda name: _fit_one(clone(method), tables[name], responses.get(name)), tables
        )
        return self

    def __getitem__(self, target: str) -> MultiFidelityRegressor:
        """The model of one target."""
        check_is_fitted(self)
        if target not in self.models_:
            raise DataError(f"there is no target {target!r}; choose one of {listed(self.models_)}")
        return self.models_[target]

    @property
    def target_names_(self) -> list[str]:
        """Names of the targets."""
        check_is_fitted(self)
        return list(self.models_)

    @property
    def label(self) -> str:
        """What the method is called where people read it."""
        return " and ".join(dict.fromkeys(model.label for model in self.models_.values()))

    def predict(
        self,
        X: ArrayLike,
        return_std: bool = False,
        return_cov: bool = False,
        include_noise: bool = False,
    ) -> Any:
        """Predict all targets: means of shape (n, k), and what else is asked for.

        Parameters
        ----------
        X : array or DataFrame of shape (n, d)
        return_std, return_cov, include_noise
            As those of the single models. Standard deviations have shape (n, k), covariances
            (n, n, k).
        """
        found = self._all(
            lambda model: model.predict(X, return_std, return_cov, include_noise)
        ).values()
        if not (return_std or return_cov):
            return np.stack(list(found), axis=-1)
        return tuple(np.stack(parts, axis=-1) for parts in zip(*found, strict=True))

    def predict_interval(
        self, X: ArrayLike, level: float = 0.95, include_noise: bool = False
    ) -> tuple[Array, Array]:
        """Ends of the central intervals that hold the share `level`, each of shape (n, k)."""
        found = self._all(lambda model: model.predict_interval(X, level, include_noise)).values()
        low, high = (np.stack(ends, axis=-1) for ends in zip(*found, strict=True))
        return low, high

    def predict_quantile(self, X: ArrayLike, q: float, include_noise: bool = False) -> Array:
        """Values below which the share q of the distributions lies, shape (n, k)."""
        found = self._all(lambda model: model.predict_quantile(X, q, include_noise))
        return np.stack(list(found.values()), axis=-1)

    def predict_distribution(
        self, X: ArrayLike, include_noise: bool = False
    ) -> dict[str, Distribution]:
        """The whole predictive distribution of each target, by its name."""
        return self._all(lambda model: model.predict_distribution(X, include_noise))

    def predict_gradient(self, X: ArrayLike) -> tuple[Array, Array]:
        """Gradients of means and variances by the inputs, each of shape (n, d, k)."""
        found = self._all(lambda model: model.predict_gradient(X)).values()
        mean, var = (np.stack(parts, axis=-1) for parts in zip(*found, strict=True))
        return mean, var

    def sample_y(self, X: ArrayLike, n_samples: int = 1, random_state: Any = None) -> Array:
        """Draw functions from the posteriors, evaluated at `X`: shape (n, k, n_samples).

        Within a target a draw is one function. Draws of different targets are independent, because
        their models are.
        """
        seed = next(iter(models_of(self).values())).random_state
        random = check_random_state(seed if random_state is None else random_state)
        found = self._all(lambda model: model.sample_y(X, n_samples, random))
        return np.stack(list(found.values()), axis=1)

    def score(self, X: ArrayLike, y: ArrayLike, fidelity: ArrayLike | None = None) -> float:
        """Coefficient of determination R^2 of the predictions, averaged over the targets."""
        with silenced(MissingWarning):
            tables = split(Table.of(X, y, fidelity))
        return float(
            np.mean([self[name].score(t.X, t.y, fidelity=t.fidelity) for name, t in tables.items()])
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write all models to one file, without pickle; see :func:`mastgp.load`."""
        check_is_fitted(self)
        save_models(self.models_, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read models written by :meth:`save`."""
        model = load_model(path)
        if not isinstance(model, cls):
            raise ModelFileError(f"{path} holds a {type(model).__name__}, not a {cls.__name__}")
        return model

    def __sklearn_is_fitted__(self) -> bool:
        """Whether `fit` has been called."""
        return hasattr(self, "models_")

    def _all(self, ask: Callable[[MultiFidelityRegressor], Any]) -> dict[str, Any]:
        check_is_fitted(self)
        return {name: ask(model) for name, model in self.models_.items()}


def models_of(model: MultiFidelityRegressor | SeveralTargets) -> dict[str, MultiFidelityRegressor]:
    """The fitted models of a model by the names of their targets, be it one or several.

    >>> from mastgp import MAST
    >>> model = MAST().fit([[0.0], [0.5], [1.0], [1.5], [2.0]], [0.0, 0.4, 1.0, 1.4, 2.0])
    >>> list(models_of(model))
    ['y']
    """
    check_is_fitted(model)
    if isinstance(model, SeveralTargets):
        return dict(model.models_)
    return {model.target_name_ or "y": model}


def fit_targets(
    estimator: MultiFidelityRegressor,
    table: Table,
    log: Sequence[str] | bool = (),
    bounded: BoundsOfTargets | None = None,
) -> MultiFidelityRegressor | SeveralTargets:
    """Fit a method to a table of one target or of several.

    Parameters
    ----------
    estimator : MultiFidelityRegressor
        Not fitted yet.
    table : Table
    log : sequence of target names, or True for all of them
        Targets whose logarithms are modelled.
    bounded : mapping of target name to (low, high), optional
        Targets that lie between two bounds, which they never reach.
    """
    if has_several(table.y):
        return SeveralTargets(estimator, log, bounded).fit_table(table)
    named = table.target_name
    names = list(named.values()) if isinstance(named, Mapping) else [named or "y"]
    responses = list(responses_of(log, bounded, names).values())
    return _fit_one(estimator, table, responses[0] if responses else None)


def _fit_one(
    estimator: MultiFidelityRegressor, table: Table, response: Logarithm | Bounded | None
) -> MultiFidelityRegressor:
    if response is None:
        return estimator.fit_table(table)
    if isinstance(response, Bounded):
        check_bounded(table, response.low, response.high)
    else:
        check_logarithms(table)
    return of_response(estimator, response).fit_table(table)


def responses_of(
    log: Sequence[str] | bool, bounded: BoundsOfTargets | None, names: Sequence[str]
) -> dict[str, Logarithm | Bounded]:
    """What is modelled of each target that is not modelled as it is."""
    found: dict[str, Logarithm | Bounded] = dict.fromkeys(_log_targets(log, names), Logarithm())
    for name, bounds in (bounded or {}).items():
        _check_named("bounded", name, names)
        if name in found:
            raise DataError(f"target {name!r} has its logarithm modelled, or bounds: not both")
        found[name] = _bounded(name, bounds)
    return found


def _bounded(name: str, bounds: Sequence[float]) -> Bounded:
    try:
        low, high = (float(bound) for bound in bounds)
    except (TypeError, ValueError):
        raise DataError(f"the bounds of {name!r} must be two numbers, as (0, 1)") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise DataError(f"the bounds of {name!r} must be finite and in order, as (0, 1)")
    return Bounded(low, high)


def _check_named(option: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        what = "targets are" if len(names) > 1 else "target is"
        raise DataError(f"{option} names {name!r}, but the {what} {listed(names)}")


def _log_targets(log: Sequence[str] | bool, names: Sequence[str]) -> set[str]:
    """Targets whose logarithms are modelled, if there are such targets."""
    if isinstance(log, bool):
        return set(names) if log else set()
    if isinstance(log, str):
        raise DataError(f"log must be a list of targets, as [{log!r}], or True for all of them")
    for name in log:
        _check_named("log", name, names)
    return set(log)


def _each(
    fit: Callable[[str], MultiFidelityRegressor], names: Mapping[str, object]
) -> dict[str, MultiFidelityRegressor]:
    """Fit all targets. What goes wrong names its target, unless it does so for all of them."""
    models, said = {}, {}
    for name in names:
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                models[name] = fit(name)
        except DataError as error:
            raise DataError(f"target {name!r}: {error}") from error
        said[name] = {str(w.message): w.category for w in caught}
    _say(said)
    return models


def _say(said: Mapping[str, Mapping[str, type[Warning]]]) -> None:
    """Repeat the warnings of all fits: what was said of every target once, other things by name."""
    common = set.intersection(*(set(texts) for texts in said.values()))
    for name, texts in said.items():
        for text, category in texts.items():
            if not issubclass(category, MastWarning):
                warnings.warn(text, category, stacklevel=2)
            elif text not in common:
                warn(f"target {name!r}: {text}", category)
            elif name == next(iter(said)):
                warn(text, category)
