"""What a stage of a model asks of a regressor: a mean and a variance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, MastError
from ..estimators import Estimator, clone

Array = NDArray[np.float64]
_T = TypeVar("_T")


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
    """What a model knows of a stage, for surrogates that can use it.

    Attributes
    ----------
    warp : bool
        Whether the inputs may be warped.
    y_scale : float
        Scale of the target.
    on_evaluation : callable
        The surrogate calls it now and then during a long fit.
    random : RandomState
        Source of seeds.
    before : fitted stage, optional
        The same stage, fitted to nearly the same data. A search may begin at its result.
    """

    warp: bool
    y_scale: float
    on_evaluation: Callable[[], None]
    random: np.random.RandomState
    before: Fitted | None = None


class Surrogate(Estimator, ABC):
    """How the regressor of a stage is built. Models such as :class:`mastgp.MAST` are made of these.

    A subclass says how to `fit`. Everything else has a default: the surrogate needs nothing
    installed, makes no use of hints, and cannot be written to a file.

    `fit` may return the surrogate itself, as scikit-learn's regressors do, or a new object. Each
    stage of a model fits a copy made by :func:`sklearn.base.clone`, so the object that was given
    to the model stays as it was. For that the constructor must keep every argument unchanged in
    an attribute of the same name, as everywhere in scikit-learn. Attributes that were set later
    are copied too, except those whose names end with an underscore: by scikit-learn's convention
    they are results of a fit.

    Examples
    --------
    This surrogate predicts the mean and the variance of the targets everywhere:

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
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> model = MAST(surrogate=Flat()).fit(X, [1.0, 2.0, 6.0, 2.0, 4.0])
    >>> model.predict([[0.5]])
    array([3.])
    """

    #: Whether `fit` uses a noise variance for every observation. If the last stage of a
    #: :class:`mastgp.MAST` does not, the variance of predictions is completed when predicting.
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
            Noise variance of every observation. It is given only if `takes_noise` is true.
        """

    def fit_stage(self, X: Array, y: Array, noise_var: Array | None, hints: Hints) -> Fitted:
        """Fit a copy of this surrogate to a stage.

        Override this method to make use of `hints`. It must not change the surrogate, because all
        stages are fitted with the same one.
        """
        return copied(self).fit(X, y, noise_var)

    def __sklearn_clone__(self) -> Self:
        """Copy what the constructor sets, and what was set later; see the class."""
        copy: Self = super().__sklearn_clone__()
        for name, value in vars(self).items():
            if name not in vars(copy) and not name.endswith("_"):
                setattr(copy, name, deepcopy(value))
        return copy

    @property
    def can_be_stored(self) -> bool:
        """Whether it says how its fitted stages are written to files."""
        return type(self).state_of is not Surrogate.state_of

    def check_ready(self) -> None:
        """Raise an error that says what is missing, before any work is done."""

    def state_of(self, fitted: Any) -> dict[str, Any]:
        """Return what a file must hold of a fitted stage: plain values and arrays."""
        raise MastError(f"a model made of {type(self).__name__} cannot be written to a file")

    def restore(self, state: dict[str, Any]) -> Fitted:
        """Rebuild a fitted stage from what :meth:`state_of` returned."""
        raise MastError(f"a model made of {type(self).__name__} cannot be read from a file")


def copied(original: _T) -> _T:
    """Copy a surrogate or regressor that has not been fitted, or say why that is impossible."""
    try:
        copy: _T = clone(original)
    except Exception as error:  # constructors and copies fail in many ways
        raise DataError(
            f"a {type(original).__name__} cannot be copied, and every stage needs a copy of its "
            "own; write its constructor as scikit-learn asks: each argument is kept, unchanged, "
            f"in an attribute of the same name ({' '.join(str(error).split())})"
        ) from error
    return copy
