"""Surrogates that wrap a regressor of another library.

A file holds the data of such a stage, not the regressor. The stage is fitted again when it is read.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import stored
from ..errors import DataError, MastError
from ..estimators import check_random_state
from ..gp.observations import LARGEST_TARGET
from ..stored import ANY
from .base import Fitted, Hints, Surrogate, copied

Array = NDArray[np.float64]

_PLAIN_NAME = re.compile(r"[^/\\\0.][^/\\\0]{0,254}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
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
        _check_recipe(state)
        return Refitted(copied(self), Recipe(**state))

    def _recipe(self, X: Array, y: Array, noise_var: Array | None, seed: int) -> Recipe:
        return Recipe(X, y, noise_var if self.takes_noise else None, seed)


def _check_recipe(state: Any) -> None:
    """Check the data and the seed of a stage that a file describes."""
    stored.mapping(state, "a stage", ("X", "y", "noise_var", "seed"))
    n = len(
        stored.array(
            state["X"], "X of a stage", (ANY, ANY), high=LARGEST_TARGET, low=-LARGEST_TARGET
        )
    )
    stored.number(n, "the number of points of a stage", low=1)
    stored.array(state["y"], "y of a stage", (n,), low=-LARGEST_TARGET, high=LARGEST_TARGET)
    if state["noise_var"] is not None:
        stored.array(state["noise_var"], "noise_var of a stage", (n,), low=0.0)
    stored.number(state["seed"], "the seed of a stage", low=0, high=_SEEDS, whole=True)
    check_checkpoint_named(state.get("checkpoint"), state.get("sha256"))


def check_checkpoint_named(name: Any, sha256: Any) -> None:
    """Check that a file names a checkpoint by a plain name and a checksum, or names none.

    A name with a folder in it would lead to a place that the user did not choose.
    """
    if name is None and sha256 is None:
        return
    plain = isinstance(name, str) and _PLAIN_NAME.fullmatch(name) is not None
    if not plain or not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        raise stored.DamagedError("a checkpoint must have a plain name and a SHA-256")


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
        try:
            with np.errstate(over="ignore"):  # an overflow becomes the library's error
                mean, var = self.surrogate._moments(self.regressor, X)
        except MastError:
            raise
        except ValueError as error:  # values that the library's own precision does not hold
            raise DataError(
                f"{self.surrogate!r} cannot predict at these points: {error}"
            ) from error
        return mean, np.maximum(var, _smallest_var(self.recipe.y))


def _smallest_var(y: Array) -> float:
    """Lower limit of a variance: below it is rounding error, and zero has no logarithm."""
    return float(1e-12 * max(y.var(), np.finfo(float).tiny))
