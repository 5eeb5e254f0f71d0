"""An estimator's constructor parameters as plain values, for files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import stored
from ..data.fidelities import fidelity_name
from ..errors import MastError
from ..gp.responses import Transformation, response_state, restored_response
from ..gp.restoring import MOST_DRAWS
from ..stored import DamagedError
from ..surrogates.description import build, check_costs, describe
from ..surrogates.gp import GP

#: Largest size of a whole number among the parameters; seeds may be larger.
_LARGEST = 1_000_000


class CustomFunction:
    """Stands for a user's own function in a model that was read from a file.

    Code is not saved, so predictions work, but the model cannot be fitted again.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *_: Any) -> Any:
        """Say what is missing."""
        raise MastError(
            f"this model was fitted with the function {self.name}, which is not part of the file; "
            "set it again with set_params before fitting"
        )

    def __repr__(self) -> str:
        return f"<function {self.name}, not saved>"


def encode_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as plain values and arrays, if a file with them could be read again."""
    try:
        _check_sizes(parameters)
    except DamagedError as error:
        raise MastError(f"this model cannot be written to a file: {error}") from error
    return {
        key: {"$surrogate": _affordable(value)} if _is_surrogate(key, value) else _encode(value)
        for key, value in parameters.items()
    }


def _affordable(surrogate: Any) -> Any:
    """Describe a surrogate, if a file with it could be read again."""
    description = describe(surrogate)
    try:
        check_costs(description)
    except DamagedError as error:
        raise MastError(f"a model of {surrogate!r} cannot be written to a file: {error}") from error
    return description


def decode_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Inverse of :func:`encode_parameters`."""
    _check_sizes(stored.mapping(parameters, "the parameters"))
    return {key: _decode(value) for key, value in parameters.items()}


def _check_sizes(parameters: Mapping[str, Any]) -> None:
    """Refuse numbers that would cost more time or memory than anybody means."""
    for name, value in parameters.items():
        if name != "random_state" and type(value) is int:
            most = MOST_DRAWS if name == "n_draws" else _LARGEST
            stored.number(value, name, low=-_LARGEST, high=most)


def _is_surrogate(key: str, value: Any) -> bool:
    return key == "surrogate" and not isinstance(value, str | GP)


def _encode(value: Any) -> Any:
    if isinstance(value, GP):
        return {"$gp": value.get_params()}
    if isinstance(value, Transformation):
        return {"$response": response_state(value)}
    if isinstance(value, CustomFunction):
        return {"$function": value.name}
    if callable(value):
        return {"$function": _qualified_name(value)}
    if isinstance(value, np.random.RandomState | np.random.Generator) or _has_estimators(value):
        return None  # a state has moved on; the fits of given estimators are in the state
    if hasattr(value, "items") and not hasattr(value, "columns"):
        return {_plain_key(key): entry for key, entry in value.items()}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, str | int | float | None):
        return value
    return _encode_sequence(value)


def _encode_sequence(value: Any) -> Any:
    """A table of numbers, or a sequence of names."""
    array = np.asarray(value)
    if array.ndim == 2:
        return array.astype(float)
    if array.ndim == 1:
        return [fidelity_name(label) for label in value]
    raise MastError(f"a {type(value).__name__} cannot be written to a file")


def _has_estimators(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(hasattr(v, "fit") for v in value.values())
    return hasattr(value, "fit_data")


def _qualified_name(function: Any) -> str:
    qualified = getattr(function, "__qualname__", type(function).__qualname__)
    return f"{getattr(function, '__module__', '?')}.{qualified}"


def _plain_key(key: Any) -> str:
    """Name of a fidelity or column, as it is compared everywhere else."""
    return key if isinstance(key, str) else fidelity_name(key)


_DECODERS: dict[str, Callable[[Any], Any]] = {
    "$gp": lambda options: GP(**options),
    "$response": restored_response,
    "$surrogate": build,
    "$function": CustomFunction,
}


def _decode(value: Any) -> Any:
    if isinstance(value, dict) and len(value) == 1:
        ((key, inner),) = value.items()
        if key in _DECODERS:
            return _DECODERS[key](inner)
    return value
