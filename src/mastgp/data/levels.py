"""Levels of a categorical input: what their names are, and which code each has."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, listed
from .fidelities import fidelity_name, is_missing

Array = NDArray[np.float64]

#: Levels that a message shows.
_SHOWN = 8


@dataclass(frozen=True)
class Category:
    """A categorical input.

    Attributes
    ----------
    column : int
        Its number among the inputs.
    name : str
    levels : tuple of str
        Labels, in the order of their codes.

    Examples
    --------
    >>> Category(1, "material", ("al", "steel")).codes(["steel", "al"], ["row 0", "row 1"])
    array([1., 0.])
    """

    column: int
    name: str
    levels: tuple[str, ...]

    def codes(self, labels: Iterable[Any], places: Sequence[str]) -> Array:
        """Codes of labels; an error names one that is missing or that was never seen."""
        known: dict[Any, float] = {}
        codes = []
        for row, label in enumerate(labels):
            key = _key(label)
            if key not in known:
                known[key] = self._code(label, places[row])
            codes.append(known[key])
        return np.array(codes, dtype=float)

    def _code(self, label: Any, place: str) -> float:
        name = level_name(label, self.name, place)
        if name not in self.levels:
            raise DataError(
                f"column {self.name!r} is {name!r} in {place}, a level that no training row has; "
                f"the levels are {some_of(self.levels)}. To predict there, fit with a row that "
                f"has it, or declare it in Python: categorical={{{self.name!r}: [...]}}"
            )
        return float(self.levels.index(name))

    def labels(self, codes: Array) -> NDArray[np.object_]:
        """Labels of codes."""
        return np.array(self.levels, dtype=object)[np.rint(codes).astype(int)]


def level_name(label: Any, column: str, place: str) -> str:
    """Name of a level: text without surrounding blanks, numbers as they are usually written.

    The number 1, the number 1.0 and the text "1" are one level.

    >>> level_name(1.0, "layers", "row 0"), level_name(" al ", "material", "row 0")
    ('1', 'al')
    """
    text = label.strip() if isinstance(label, str) else label
    if is_missing(text) or text in ("", "nan", "NaN"):
        raise DataError(
            f"column {column!r} is empty in {place}; a categorical input needs a level in every "
            "row: fill it in or remove the row"
        )
    if not isinstance(text, str):
        return fidelity_name(text.item() if isinstance(text, np.generic) else text)
    if text.lower() in ("true", "false"):
        return text.capitalize()
    number = as_number(text)
    return text if number is None else fidelity_name(number)


def as_number(text: str) -> float | None:
    """The finite number that a text is, or None."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def is_label(value: Any) -> bool:
    """Whether a cell is text that could not be a number, a date or nothing.

    >>> [is_label(text) for text in ("steel", "12,5", "2026-01-01", " ", 3.0)]
    [True, False, False, False, False]
    """
    if not isinstance(value, str) or not value.strip():
        return False
    text = value.strip().replace(",", ".")
    dated = text[:4].isdigit() and text[4:5] in ("-", "/")
    return as_number(text) is None and text.lower() not in ("nan", "inf", "-inf") and not dated


def distinct_levels(labels: Iterable[Any], column: str, places: Sequence[str]) -> tuple[str, ...]:
    """Different levels, numbers first and in their order, then text in its own."""
    names: dict[Any, str] = {}
    for row, label in enumerate(labels):
        key = _key(label)
        if key not in names:
            names[key] = level_name(label, column, places[min(row, len(places) - 1)])
    return tuple(sorted(set(names.values()), key=_order))


def _order(level: str) -> tuple[bool, float, str]:
    number = as_number(level)
    return number is None, number or 0.0, level


def _key(label: Any) -> Any:
    """What tells labels apart; True is another label than 1, which it equals."""
    missing = isinstance(label, numbers.Real) and math.isnan(label)
    return None if missing else (type(label) is bool or isinstance(label, np.bool_), label)


def some_of(levels: Sequence[str]) -> str:
    """The first levels, for a message."""
    more = f" and {len(levels) - _SHOWN} more" if len(levels) > _SHOWN else ""
    return listed(levels[:_SHOWN]) + more
