"""Surrogates whose fitted stage is known by its data: files hold those, and it is fitted again."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from .base import Fitted, Hints, Surrogate

Array = NDArray[np.float64]
#: Seeds are drawn below this.
_SEEDS = 2**31 - 1


@dataclass(frozen=True)
class Recipe:
    """All that a fit depends on, besides the surrogate's parameters.

    Attributes
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
    noise_var : array of shape (n,) or None
    seed : int
    checkpoint, sha256 : str or None
        Name and checksum of the file of pretrained weights, if there is one.
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
        """A fitted regressor of the library."""

    @abstractmethod
    def _moments(self, regressor: Any, X: Array) -> tuple[Array, Array]:
        """Its mean and variance."""

    def fit(
        self, X: Array, y: Array, noise_var: Array | None = None, *, random_state: Any = None
    ) -> Conditioned:
        """Fit a stage; `random_state` as everywhere in scikit-learn."""
        self.check_ready()
        seed = int(check_random_state(random_state).randint(_SEEDS))
        fitted = Conditioned(clone(self), self._recipe(X, y, noise_var, seed))
        _ = fitted.regressor  # what goes wrong goes wrong here, not at the first prediction
        return fitted

    def fit_stage(self, X: Array, y: Array, noise_var: Array | None, hints: Hints) -> Fitted:
        """Fit a stage with a seed of the estimator's."""
        hints.on_evaluation()
        return self.fit(X, y, noise_var, random_state=hints.random)

    def state_of(self, fitted: Conditioned) -> dict[str, Any]:
        """The stage's data and seed."""
        return asdict(fitted.recipe)

    def restore(self, state: dict[str, Any]) -> Conditioned:
        """A stage that is fitted again when it is first asked."""
        return Conditioned(clone(self), Recipe(**state))

    def _recipe(self, X: Array, y: Array, noise_var: Array | None, seed: int) -> Recipe:
        return Recipe(X, y, noise_var if self.takes_noise else None, seed)


class Conditioned:
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
        """Noise variances that were given."""
        return self.recipe.noise_var

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Mean and variance."""
        mean, var = self.surrogate._moments(self.regressor, X)
        return mean, np.maximum(var, _smallest_var(self.recipe.y))


def _smallest_var(y: Array) -> float:
    """Variances below this share of the targets' mean nothing, and zero has no logarithm."""
    return float(1e-12 * max(y.var(), np.finfo(float).tiny))
