"""Surrogates that wrap a regressor of another library.

A file holds the data of such a stage, not the regressor. The stage is fitted again when it is read.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..estimators import check_random_state
from .base import Fitted, Hints, Surrogate, copied

Array = NDArray[np.float64]
#: Seeds are drawn below this.
_SEEDS = 2**31 - 1


@dataclass(frozen=True)
class Recipe:
    """Everything that a fit depends on, besides the surrogate's parameters.

    Attributes
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
    noise_var : array of shape (n,) or None
    seed : int
    checkpoint, sha256 : str or None
        Name and checksum of the checkpoint (the file of pretrained weights), if there is one.
    """

    X: Array
    y: Array
    noise_var: Array | None
    seed: int
    checkpoint: str | None = None
    sha256: str | None = None


class Refittable(Surrogate):
    """Base of surrogates that wrap a regressor of another library."""

    @abstractmethod
    def _regressor(self, recipe: Recipe) -> Any:
        """Build and fit a regressor of the library."""

    @abstractmethod
    def _moments(self, regressor: Any, X: Array) -> tuple[Array, Array]:
        """Predict mean and variance with a fitted regressor."""

    def fit(
        self, X: Array, y: Array, noise_var: Array | None = None, *, random_state: Any = None
    ) -> Refitted:
        """Fit a stage. `random_state` is what it is everywhere in scikit-learn."""
        self.check_ready()
        seed = int(check_random_state(random_state).randint(_SEEDS))
        fitted = Refitted(copied(self), self._recipe(X, y, noise_var, seed))
        _ = fitted.regressor  # an error belongs here, not at the first prediction
        return fitted

    def fit_stage(self, X: Array, y: Array, noise_var: Array | None, hints: Hints) -> Fitted:
        """Fit a stage with a seed drawn by the model."""
        hints.on_evaluation()
        return self.fit(X, y, noise_var, random_state=hints.random)

    def state_of(self, fitted: Refitted) -> dict[str, Any]:
        """Return the stage's data and seed."""
        return asdict(fitted.recipe)

    def restore(self, state: dict[str, Any]) -> Refitted:
        """Rebuild a stage. It is fitted again when it first predicts."""
        return Refitted(copied(self), Recipe(**state))

    def _recipe(self, X: Array, y: Array, noise_var: Array | None, seed: int) -> Recipe:
        return Recipe(X, y, noise_var if self.takes_noise else None, seed)


class Refitted:
    """A regressor of another library, fitted to the data of a stage."""

    def __init__(self, surrogate: Refittable, recipe: Recipe) -> None:
        self.surrogate = surrogate
        self.recipe = recipe

    @cached_property
    def regressor(self) -> Any:
        """The library's own object."""
        return self.surrogate._regressor(self.recipe)

    @property
    def noise_var(self) -> Array | None:
        """Noise variances that were given; None if there were none."""
        return self.recipe.noise_var

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Predict mean and variance at inputs of shape (n, d)."""
        mean, var = self.surrogate._moments(self.regressor, X)
        return mean, np.maximum(var, _smallest_var(self.recipe.y))


def _smallest_var(y: Array) -> float:
    """Lower limit of a variance: below it is rounding error, and zero has no logarithm."""
    return float(1e-12 * max(y.var(), np.finfo(float).tiny))
