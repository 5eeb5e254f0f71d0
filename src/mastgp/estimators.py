"""What our estimators take from scikit-learn, and a stand-in for commands that must start fast.

Importing scikit-learn takes longer than reading a model and predicting with it. In Python every
estimator is one of scikit-learn's. The process of a command calls :func:`start_fast` before it
imports any estimator: then the bases are small classes with the same parameters and copies, and
scikit-learn is imported only by what cannot do without.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Self

from .errors import DataError, KindError, MastError

if TYPE_CHECKING:
    import numpy as np
    from sklearn.base import BaseEstimator, RegressorMixin

    class Estimator(BaseEstimator):  # type: ignore[misc]
        """Base of what has named parameters."""

    class Regressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
        """Base of all models."""


_state = {"fast": False}


def start_fast() -> None:
    """Use the stand-in in this process, unless estimators have been imported already."""
    _state["fast"] = True


def __getattr__(name: str) -> Any:
    """Choose the base classes when they are first asked for; from then on they stay."""
    if name not in ("Estimator", "Regressor"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    bases = _stand_ins() if _state["fast"] else _of_sklearn()
    globals().update(bases)
    return bases[name]


def _of_sklearn() -> dict[str, type]:
    from sklearn.base import BaseEstimator, RegressorMixin

    regressor = type("Regressor", (RegressorMixin, BaseEstimator), {"__module__": __name__})
    return {"Estimator": BaseEstimator, "Regressor": regressor}


def _stand_ins() -> dict[str, type]:
    return {"Estimator": Parameters, "Regressor": Parameters}


class Parameters:
    """Named parameters as scikit-learn has them: the arguments of the constructor.

    Examples
    --------
    >>> class Scaled(Parameters):
    ...     def __init__(self, factor=1.0, inner=None):
    ...         self.factor, self.inner = factor, inner
    >>> Scaled(inner=Scaled(2.0)).set_params(inner__factor=3.0)
    Scaled(inner=Scaled(factor=3.0))
    """

    @classmethod
    def _get_param_names(cls) -> list[str]:
        if cls.__init__ is object.__init__:
            return []
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, and with `deep` those of parameters that have some."""
        found: dict[str, Any] = {}
        for name in self._get_param_names():
            value = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                inner = value.get_params().items()
                found.update({f"{name}__{own}": entry for own, entry in inner})
            found[name] = value
        return found

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters; ``inner__name`` is the parameter `name` of the parameter `inner`."""
        nested: dict[str, dict[str, Any]] = defaultdict(dict)
        for key, value in parameters.items():
            name, inside, inner = key.partition("__")
            if name not in self._get_param_names():
                valid = self._get_param_names()
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. "
                    f"Valid parameters are: {valid!r}."
                )
            if inside:
                nested[name][inner] = value
            else:
                setattr(self, name, value)
        for name, entries in nested.items():
            getattr(self, name).set_params(**entries)
        return self

    def __sklearn_clone__(self) -> Self:
        return _copied_by_parameters(self)

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if repr(value) != repr(defaults[name].default)
        }
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in changed.items())})"


def _copied_by_parameters(original: Any) -> Any:
    """Build a new object with copies of all parameters."""
    parameters = {
        name: _copy_of_any(value) for name, value in original.get_params(deep=False).items()
    }
    copy = type(original)(**parameters)
    for name, value in copy.get_params(deep=False).items():
        if value is not parameters[name]:
            raise RuntimeError(
                f"Cannot clone object {original}, as the constructor either does not set or "
                f"modifies parameter {name}"
            )
    return copy


def _copy_of_any(value: Any) -> Any:
    if hasattr(value, "get_params") and not isinstance(value, type):
        return clone(value)
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(_copy_of_any(entry) for entry in value)
    if type(value) is dict:
        return {key: _copy_of_any(entry) for key, entry in value.items()}
    return deepcopy(value)


def clone(original: Any) -> Any:
    """Copy an estimator that has not been fitted, as :func:`sklearn.base.clone` does."""
    if isinstance(original, Parameters):
        return original.__sklearn_clone__()
    from sklearn.base import clone

    return clone(original)


def check_random_state(seed: Any) -> np.random.RandomState:
    """Source of random numbers, as :func:`sklearn.utils.check_random_state` understands seeds."""
    if type(seed) is int:
        from numpy.random import RandomState

        return RandomState(seed)
    from sklearn.utils import check_random_state

    random: np.random.RandomState = check_random_state(seed)
    return random


def check_is_fitted(model: Any) -> None:
    """Raise scikit-learn's error for a model that has not been fitted."""
    if not model.__sklearn_is_fitted__():
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(model)


def validated(model: Any, X: Any, y: Any = None, *, reset: bool) -> Any:
    """Inputs, and for a fit targets, as float arrays; NaN is let through.

    Parameters
    ----------
    model : estimator
    X : array or DataFrame of shape (n, d)
    y : array of shape (n,), for a fit
    reset : bool
        Whether this is a fit, which learns the number and the names of the inputs. Else they must
        agree with those that are known.
    """
    import numpy as np

    if isinstance(model, Parameters) and _is_plain(model, X, y, reset):
        table = np.asarray(X, dtype=np.float64)
        return (table, np.asarray(y, dtype=np.float64)) if reset else table
    from sklearn.utils.validation import validate_data

    options: dict[str, Any] = {"dtype": np.float64, "reset": reset, "ensure_all_finite": False}
    try:
        if reset:
            return validate_data(model, X, y, y_numeric=True, **options)
        return validate_data(model, X, **options)
    except MastError:
        raise
    except OverflowError as error:  # whole numbers beyond the range of floats
        raise DataError(f"X cannot be read as numbers: {error}") from error
    except TypeError as error:
        raise KindError(str(error)) from error
    except ValueError as error:
        raise DataError(str(error)) from error


def _is_plain(model: Any, X: Any, y: Any, reset: bool) -> bool:
    """Whether a table needs no check of scikit-learn's: it is one of ours."""
    if not (len(getattr(X, "shape", ())) == 2 and X.shape[0] and X.shape[1]):
        return False
    if reset and getattr(y, "shape", None) != (len(X),):
        return False
    kinds = {dtype.kind for dtype in X.dtypes} if hasattr(X, "columns") else {X.dtype.kind}
    return kinds <= set("fiu") and (reset or _has_known_inputs(model, X))


def _has_known_inputs(model: Any, X: Any) -> bool:
    names = getattr(model, "feature_names_in_", None)
    given = list(X.columns) if hasattr(X, "columns") else None
    if (names is None) != (given is None):
        return False
    return X.shape[1] == model.n_features_in_ and (names is None or given == list(names))
