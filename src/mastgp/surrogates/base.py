"""What a stage of MAST asks of a regressor: a mean and a variance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..errors import MastError

Array = NDArray[np.float64]


class Fitted(Protocol):
    """A fitted stage."""

    @property
    def noise_var(self) -> Array | None:
        """Noise variance of every training observation, learned or given; None if unknown."""
        ...

    def predict(self, X: Array, /) -> tuple[Array, Array]:
        """Mean and variance at inputs of shape (n, d), each of shape (n,)."""
        ...


@dataclass(frozen=True)
class Hints:
    """What MAST knows of a stage, for surrogates that can use it.

    Attributes
    ----------
    warp : bool
        Whether the inputs may be warped.
    y_scale : float
        Scale of the target.
    on_evaluation : callable
        To be called now and then during a long fit.
    random : RandomState
        Source of seeds.
    before : fitted stage, optional
        The same stage of nearly the same data: where a search may begin.
    """

    warp: bool
    y_scale: float
    on_evaluation: Callable[[], None]
    random: np.random.RandomState
    before: Fitted | None = None


class Surrogate(BaseEstimator, ABC):  # type: ignore[misc]
    """How the regressor of a stage is built: the protocol of everything that MAST can stand on.

    A subclass says how to `fit`. The rest has defaults: that it needs nothing installed, that it
    has no use for hints, and that it cannot be written to a file.

    Examples
    --------
    A surrogate of one's own, which predicts the mean and variance of the targets everywhere:

    >>> import numpy as np
    >>> from mastgp import MAST
    >>> from mastgp.surrogates import Surrogate
    >>> class Flat(Surrogate):
    ...     noise_var = None
    ...     def fit(self, X, y, noise_var=None):
    ...         self.moments = y.mean(), y.var()
    ...         return self
    ...     def predict(self, X):
    ...         return tuple(np.full(len(X), moment) for moment in self.moments)
    >>> model = MAST(surrogate=Flat()).fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 6.0])
    >>> model.predict([[0.5]])
    array([3.])
    """

    #: Whether `fit` uses a noise variance for every observation. The last stage of those that do
    #: not is completed when predicting; see :class:`mastgp.MAST`.
    takes_noise: bool = False

    @abstractmethod
    def fit(self, X: Array, y: Array, noise_var: Array | None = None) -> Fitted:
        """Fit a stage.

        Parameters
        ----------
        X : array of shape (n, d)
            Inputs in the unit cube.
        y : array of shape (n,)
        noise_var : array of shape (n,), optional
            Noise variance of every observation, only if the surrogate takes it.
        """

    def fit_stage(self, X: Array, y: Array, noise_var: Array | None, hints: Hints) -> Fitted:
        """Fit a stage, with what else is known of it."""
        return self.fit(X, y, noise_var)

    def check_ready(self) -> None:
        """Raise an error that says what is missing, before any work is done."""

    def state_of(self, fitted: Any) -> dict[str, Any]:
        """What a file must hold of a fitted stage: plain values and arrays."""
        raise MastError(f"a model made of {type(self).__name__} cannot be written to a file")

    def restore(self, state: dict[str, Any]) -> Fitted:
        """Inverse of :meth:`state_of`."""
        raise MastError(f"a model made of {type(self).__name__} cannot be read from a file")
