"""Checks of values that were read from a file, before anything is done with them.

A file may come from a stranger. Whoever turns plain values and arrays into an object says here
what they must be: their kind, shape and range, and that they are finite. So a wrong value is
named when the file is read, and never becomes a wrong prediction.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import ModelFileError, listed

#: Longest text that a name or a sentence may have.
LONGEST_TEXT = 1_000_000
#: Whole numbers may be larger, and then they are no floats.
_LARGEST_FLOAT = float(np.finfo(float).max)
#: A length that may be anything.
ANY = None


class DamagedError(ModelFileError):
    """A value that was read from a file is not what it must be; the message names it."""


def array(
    value: Any,
    what: str,
    shape: Sequence[int | None],
    *,
    low: float = -math.inf,
    high: float = math.inf,
    missing: bool = False,
    infinite: bool = False,
    whole: bool = False,
) -> NDArray[Any]:
    """Check an array: kind, shape, finiteness and range.

    Parameters
    ----------
    value : anything
    what : str
        What it is called in a message.
    shape : sequence of int or None
        Lengths of its axes; None where any will do.
    low, high : float
        Range, both ends included.
    missing, infinite : bool
        Whether it may have NaN, or infinite values.
    whole : bool
        Whether it has whole numbers.

    Examples
    --------
    >>> array(np.zeros((3, 2)), "X", (ANY, 2)).shape
    (3, 2)
    >>> array(np.zeros(3), "y", (4,))
    Traceback (most recent call last):
    mastgp.stored.DamagedError: y has the shape (3,), not (4,)
    """
    if not isinstance(value, np.ndarray) or value.dtype.kind != ("i" if whole else "f"):
        raise DamagedError(f"{what} is no array of {'whole ' if whole else ''}numbers")
    _check_shape(value, what, shape)
    if not missing and np.isnan(value).any():
        raise DamagedError(f"{what} has values that are no numbers (NaN)")
    if not infinite and np.isinf(value).any():
        raise DamagedError(f"{what} has infinite values")
    outside = value[(value < low) | (value > high)]
    if outside.size:
        raise DamagedError(f"{what} has the value {outside.flat[0]:g}, {_range(low, high)}")
    return value


def _check_shape(value: NDArray[Any], what: str, shape: Sequence[int | None]) -> None:
    fits = len(value.shape) == len(shape) and all(
        wanted in (ANY, found) for found, wanted in zip(value.shape, shape, strict=True)
    )
    if not fits:
        wanted = ", ".join("any" if length is ANY else str(length) for length in shape)
        comma = "," if len(shape) == 1 else ""
        raise DamagedError(f"{what} has the shape {value.shape}, not ({wanted}{comma})")


def _range(low: float, high: float) -> str:
    if math.isinf(low) and math.isinf(high):
        return "and must be finite"
    if math.isinf(high):
        return f"and must be at least {low:g}"
    if math.isinf(low):
        return f"and must be at most {high:g}"
    return f"and must be between {low:g} and {high:g}"


def number(
    value: Any, what: str, *, low: float = -math.inf, high: float = math.inf, whole: bool = False
) -> Any:
    """Check a finite number in a range.

    Examples
    --------
    >>> number(10**9, "n_estimators", low=1, high=10_000, whole=True)
    Traceback (most recent call last):
    mastgp.stored.DamagedError: n_estimators is 1000000000, and must be between 1 and 10000
    """
    if type(value) is not int and (whole or type(value) is not float):
        raise DamagedError(f"{what} is no {'whole ' if whole else ''}number")
    if not low <= value <= high or abs(value) > (10**999 if whole else _LARGEST_FLOAT):
        raise DamagedError(f"{what} is {_short(value)}, {_range(low, high)}")
    return value


def _short(value: Any) -> str:
    if isinstance(value, float) or abs(value) < 10**18:
        return str(value)
    return f"a number of {len(str(min(abs(value), 10**999)))} digits or more"


def text(value: Any, what: str) -> str:
    """Check a text, which must not be endless."""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise DamagedError(f"{what} is no text, or a very long one")
    return value


def mapping(value: Any, what: str, needed: Collection[str] = (), more: bool = True) -> Any:
    """Check a mapping with text for keys, which has those that are needed, and maybe no others."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise DamagedError(f"{what} is no mapping of names")
    if missing := [key for key in needed if key not in value]:
        raise DamagedError(f"{what} has no {listed(missing)}")
    if not more and (others := [key for key in value if key not in needed]):
        raise DamagedError(f"{what} has {listed(others)}, which is unknown")
    return value


def sequence(value: Any, what: str, length: int | None = ANY, most: int | None = None) -> Any:
    """Check a list and its length."""
    if not isinstance(value, list | tuple):
        raise DamagedError(f"{what} is no list")
    if length is not ANY and len(value) != length:
        raise DamagedError(f"{what} has {len(value)} entries, not {length}")
    if most is not None and len(value) > most:
        raise DamagedError(f"{what} has {len(value)} entries, and at most {most} are allowed")
    return value


def check_memory(n_points: int, n_matrices: int = 1) -> None:
    """Refuse covariance matrices of so many points if this machine cannot hold them."""
    needed, there = 8 * n_points**2 * n_matrices, _memory()
    if there is not None and needed > there:
        raise DamagedError(
            f"its covariance matrices of {n_points} points need {needed / 1e9:.0f} GB, and this "
            f"machine has {there / 1e9:.0f}"
        )


def _memory() -> int | None:
    """Bytes of memory of this machine, if it tells."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
