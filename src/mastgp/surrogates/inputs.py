"""Surrogates that know which inputs of their stage are categorical."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.categories import one_hot
from ..data.levels import Category
from .base import Fitted, Hints, Surrogate
from .gp import GP

Array = NDArray[np.float64]


def for_inputs(surrogate: Surrogate, categories: Sequence[Category]) -> Surrogate:
    """The same surrogate for stages whose inputs have these categories.

    The engine's GPs learn where levels lie. All other regressors get a column for each level.
    """
    if not categories:
        return surrogate
    if isinstance(surrogate, GP):
        return surrogate.with_inputs(categories)
    return OneHot(surrogate, categories)


def n_columns(surrogate: Surrogate, n_inputs: int) -> int:
    """Number of columns that a surrogate makes of so many inputs."""
    if not isinstance(surrogate, OneHot):
        return n_inputs
    return n_inputs + sum(len(category.levels) - 1 for category in surrogate.categories)


@dataclass(frozen=True)
class FittedOneHot:
    """A fitted stage that sees a column for each level.

    Attributes
    ----------
    inner : fitted stage
    categories : sequence of Category
    """

    inner: Fitted
    categories: Sequence[Category]

    @property
    def noise_var(self) -> Array | None:
        """Noise variance of every training observation, if it is known."""
        return self.inner.noise_var

    def predict(self, X: Array, /) -> tuple[Array, Array]:
        """Mean and variance at unit-cube inputs."""
        return self.inner.predict(one_hot(X, self.categories))


class OneHot(Surrogate):
    """A surrogate that sees a column for each level of a categorical input.

    Parameters
    ----------
    surrogate : Surrogate
    categories : sequence of Category
    """

    def __init__(self, surrogate: Surrogate, categories: Sequence[Category]) -> None:
        self.surrogate = surrogate
        self.categories = categories

    @property
    def takes_noise(self) -> bool:  # type: ignore[override]
        """Whether the surrogate uses a noise variance for every observation."""
        return self.surrogate.takes_noise

    @property
    def can_be_stored(self) -> bool:
        """Whether the surrogate says how its fitted stages are written to files."""
        return self.surrogate.can_be_stored

    def check_ready(self) -> None:
        """Raise an error that says what is missing, before any work is done."""
        self.surrogate.check_ready()

    def fit(self, X: Array, y: Array, noise_var: Array | None = None) -> FittedOneHot:
        """Fit a stage."""
        fitted = self.surrogate.fit(one_hot(X, self.categories), y, noise_var)
        return FittedOneHot(fitted, self.categories)

    def fit_stage(self, X: Array, y: Array, noise_var: Array | None, hints: Hints) -> FittedOneHot:
        """Fit a stage with all that the hints say."""
        before = hints.before.inner if isinstance(hints.before, FittedOneHot) else None
        columns = one_hot(X, self.categories)
        fitted = self.surrogate.fit_stage(columns, y, noise_var, replace(hints, before=before))
        return FittedOneHot(fitted, self.categories)

    def state_of(self, fitted: FittedOneHot) -> dict[str, Any]:
        """Return what a file must hold of a fitted stage."""
        return self.surrogate.state_of(fitted.inner)

    def restore(self, state: dict[str, Any]) -> FittedOneHot:
        """Rebuild a fitted stage from what :meth:`state_of` returned."""
        return FittedOneHot(self.surrogate.restore(state), self.categories)
