"""Stages made of scikit-learn regressors, or of anything with their interface."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ..errors import DataError, FitWarning, warn
from .base import Surrogate, copied
from .refitted import Recipe, Refittable

Array = NDArray[np.float64]


class FromStd(Refittable):
    """A regressor whose ``predict(X, return_std=True)`` gives a mean and a standard deviation.

    A GaussianProcessRegressor takes the noise of every observation as its `alpha`.

    Parameters
    ----------
    regressor : scikit-learn regressor
        For example GaussianProcessRegressor, BayesianRidge or ARDRegression. It gets inputs that
        are scaled to the unit cube, and targets as they are. Copies of it are fitted.

    Examples
    --------
    >>> from sklearn.linear_model import BayesianRidge
    >>> from mastgp import MAST
    >>> from mastgp.surrogates import FromStd
    >>> model = MAST(surrogate=FromStd(BayesianRidge()))
    """

    def __init__(self, regressor: Any) -> None:
        self.regressor = regressor

    @property
    def takes_noise(self) -> bool:  # type: ignore[override]
        """Whether the regressor is a Gaussian process."""
        from sklearn.gaussian_process import GaussianProcessRegressor

        return isinstance(self.regressor, GaussianProcessRegressor)

    def _regressor(self, recipe: Recipe) -> Any:
        regressor = _seeded(self.regressor, recipe.seed)
        if recipe.noise_var is not None:
            scale = float(np.std(recipe.y)) if regressor.normalize_y else 1.0
            regressor.set_params(alpha=recipe.noise_var / (scale or 1.0) ** 2)
        return _fitted(regressor, recipe)

    def _moments(self, regressor: Any, X: Array) -> tuple[Array, Array]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # rounding below zero, which we floor
            mean, std = regressor.predict(X, return_std=True)
        return mean, std**2


class FromSpread(Refittable):
    """An ensemble. The variance is the variance of its members' predictions.

    Parameters
    ----------
    regressor : scikit-learn ensemble
        RandomForestRegressor, ExtraTreesRegressor, BaggingRegressor, or another whose members
        are in `estimators_` and whose prediction is their mean. Set ``bootstrap=True``: members
        that are fitted to the same rows all agree at the data. Copies of it are fitted.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from mastgp import MAST
    >>> from mastgp.surrogates import FromSpread
    >>> model = MAST(surrogate=FromSpread(RandomForestRegressor(n_estimators=50)))
    """

    def __init__(self, regressor: Any) -> None:
        self.regressor = regressor

    def _regressor(self, recipe: Recipe) -> Any:
        return _fitted(_seeded(self.regressor, recipe.seed), recipe)

    def _moments(self, regressor: Any, X: Array) -> tuple[Array, Array]:
        members = regressor.estimators_
        columns = getattr(regressor, "estimators_features_", [slice(None)] * len(members))
        predictions = np.array(
            [member.predict(X[:, chosen]) for member, chosen in zip(members, columns, strict=True)]
        )
        return predictions.mean(axis=0), predictions.var(axis=0)


class FromQuantiles(Refittable):
    """A regressor of one quantile, of which a copy is fitted for each of several levels.

    Mean and standard deviation are those of the normal distribution whose quantiles are closest
    to the predicted ones in the least-squares sense.

    Parameters
    ----------
    regressor : scikit-learn regressor
        QuantileRegressor, or HistGradientBoostingRegressor or GradientBoostingRegressor with
        ``loss="quantile"``.
    levels : sequence of float
        Levels of the quantiles, in (0, 1). At least two are needed.
    parameter : str, optional
        The regressor's parameter for the level. By default it is ``quantile`` if there is one,
        and ``alpha`` otherwise.

    Examples
    --------
    >>> from sklearn.ensemble import GradientBoostingRegressor
    >>> from mastgp import MAST
    >>> from mastgp.surrogates import FromQuantiles
    >>> model = MAST(surrogate=FromQuantiles(GradientBoostingRegressor(loss="quantile")))
    """

    def __init__(
        self,
        regressor: Any,
        levels: Sequence[float] = (0.1, 0.25, 0.5, 0.75, 0.9),
        parameter: str | None = None,
    ) -> None:
        self.regressor = regressor
        self.levels = levels
        self.parameter = parameter

    def check_ready(self) -> None:
        """Raise an error unless the levels determine both a mean and a spread."""
        levels = np.asarray(self.levels, dtype=float)
        if len(np.unique(levels)) < 2 or not ((levels > 0.0) & (levels < 1.0)).all():
            raise DataError(f"levels are {self.levels}; give two or more between 0 and 1")

    def _regressor(self, recipe: Recipe) -> list[Any]:
        parameter = self._level_parameter()
        return [
            _fitted(_seeded(self.regressor, recipe.seed).set_params(**{parameter: level}), recipe)
            for level in self.levels
        ]

    def _level_parameter(self) -> str:
        """Name of the regressor's parameter for the level."""
        if self.parameter is not None:
            return self.parameter
        return "quantile" if "quantile" in self.regressor.get_params() else "alpha"

    def _moments(self, regressor: list[Any], X: Array) -> tuple[Array, Array]:
        quantiles = np.array([single.predict(X) for single in regressor])
        z = ndtri(np.asarray(self.levels, dtype=float))
        centred = z - z.mean()
        std = np.maximum(centred @ quantiles / (centred @ centred), 0.0)
        return quantiles.mean(axis=0) - std * z.mean(), std**2


def adapt(regressor: Any) -> Surrogate:
    """Wrap a scikit-learn regressor in the surrogate that knows how to get its variance."""
    from sklearn.ensemble import BaggingRegressor, ExtraTreesRegressor, RandomForestRegressor
    from sklearn.linear_model import QuantileRegressor

    if isinstance(regressor, RandomForestRegressor | ExtraTreesRegressor | BaggingRegressor):
        return FromSpread(regressor)
    if isinstance(regressor, QuantileRegressor) or getattr(regressor, "loss", "") == "quantile":
        return FromQuantiles(regressor)
    if "return_std" in inspect.signature(regressor.predict).parameters:
        return FromStd(regressor)
    raise DataError(
        f"a {type(regressor).__name__} gives no variance; use a regressor with "
        "predict(X, return_std=True), a forest, one of quantiles, or your own "
        "mastgp.surrogates.Surrogate"
    )


def _seeded(regressor: Any, seed: int) -> Any:
    """Copy a regressor. An integer `random_state` is kept, another one becomes the seed."""
    copy = copied(regressor)
    own = copy.get_params(deep=False)
    if "random_state" in own and not isinstance(own["random_state"], int | np.integer):
        copy.set_params(random_state=seed)
    return copy


def _fitted(regressor: Any, recipe: Recipe) -> Any:
    """Fit a regressor; each warning of its library becomes a warning of ours."""
    name = type(regressor).__name__
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            regressor.fit(recipe.X, recipe.y)
        except ValueError as error:
            n, d = recipe.X.shape
            raise DataError(
                f"{name} cannot be fitted to {n} points of {d} inputs (those of a discrepancy "
                f"have two more): {error}"
            ) from error
    for message in dict.fromkeys(str(entry.message) for entry in caught):
        warn(f"{name}: {message}", FitWarning)
    return regressor
