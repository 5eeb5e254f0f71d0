"""Inputs of a study: ranges, whole numbers and categories, and the space that they span."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.categories import one_hot
from ..data.levels import Category, distinct_levels, level_name
from ..errors import DataError, listed
from ..stored import DamagedError, mapping, number, sequence, text

Array = NDArray[np.float64]
#: A value of an input, as a run gets it.
Value = float | int | str | bool

#: Whole numbers beyond this are not exact as floats.
_LARGEST_WHOLE = 2**53
#: Levels that one input may have.
MOST_LEVELS = 10_000
#: Relative slack at the ends of a range, for numbers that were written with fewer digits.
_SLACK = 1e-9


@dataclass(frozen=True)
class Range:
    """An input that is any number between two ends.

    Attributes
    ----------
    low, high : float
    """

    low: float
    high: float

    def at(self, share: float) -> Value:
        """The value at a share of the range, from 0 to 1."""
        return float(min(self.low + share * (self.high - self.low), self.high))

    def unit(self, value: Any) -> float:
        """Where a value lies in the range, from 0 to 1."""
        return (float(value) - self.low) / (self.high - self.low)

    def read(self, value: Any) -> Value:
        """Read a value; raises ValueError with what is wrong."""
        found = _number(value)
        slack = _SLACK * (self.high - self.low)
        if not self.low - slack <= found <= self.high + slack:
            raise ValueError(f"is {found:g}, outside {self.low:g} to {self.high:g}")
        return min(max(found, self.low), self.high)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"kind": "range", "low": self.low, "high": self.high}


@dataclass(frozen=True)
class Whole:
    """An input that is a whole number between two ends, both included.

    Attributes
    ----------
    low, high : int
    """

    low: int
    high: int

    def at(self, share: float) -> Value:
        """The value at a share of the range; every whole number has an equal part of it."""
        return self.low + min(int(share * (self.high - self.low + 1)), self.high - self.low)

    def unit(self, value: Any) -> float:
        """Where a value lies in the range, from 0 to 1."""
        return (float(value) - self.low) / (self.high - self.low)

    def read(self, value: Any) -> Value:
        """Read a value; raises ValueError with what is wrong."""
        found = _number(value)
        if found % 1.0 != 0.0:
            raise ValueError(f"is {found:g}, not a whole number")
        if not self.low <= found <= self.high:
            raise ValueError(f"is {found:g}, outside {self.low} to {self.high}")
        return int(found)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"kind": "integer", "low": self.low, "high": self.high}


@dataclass(frozen=True)
class Choice:
    """An input that is one of several levels.

    Attributes
    ----------
    levels : tuple
        Texts, numbers or booleans, as the user gave them.
    """

    levels: tuple[Value, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the levels: the number 1 and the text 1 are one level."""
        return tuple(level_name(level, "level", "the list") for level in self.levels)

    @cached_property
    def ranked(self) -> tuple[str, ...]:
        """The same in the order of their codes, which data sets choose."""
        return distinct_levels(self.names, "level", self.names)

    def at(self, share: float) -> Value:
        """The level at a share of the list; every level has an equal part of it."""
        return self.levels[min(int(share * len(self.levels)), len(self.levels) - 1)]

    def unit(self, value: Any) -> float:
        """Code of a level, scaled from 0 to 1."""
        return self.ranked.index(_level(value)) / (len(self.levels) - 1)

    def read(self, value: Any) -> Value:
        """Read a level; raises ValueError with what is wrong."""
        name = _level(value)
        if name not in self.names:
            raise ValueError(f"is {name!r}, which is none of {listed(self.names, 8)}")
        return self.levels[self.names.index(name)]

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"kind": "category", "levels": list(self.levels)}


#: An input of any kind.
Input = Range | Whole | Choice


def integer(low: int, high: int) -> Whole:
    """Declare an input of whole numbers, both ends included, for the inputs of a study.

    >>> integer(2, 6)
    Whole(low=2, high=6)
    """
    try:
        ends = (_number(low), _number(high))
    except ValueError:
        raise DataError(f"integer({low!r}, {high!r}): expected two whole numbers") from None
    if any(end % 1.0 != 0.0 or abs(end) > _LARGEST_WHOLE for end in ends) or ends[0] >= ends[1]:
        raise DataError(f"integer({low!r}, {high!r}): expected two whole numbers, the lower first")
    return Whole(int(ends[0]), int(ends[1]))


def as_input(name: str, given: Any) -> Input:
    """An input of what a user gave: ``(low, high)``, ``integer(low, high)`` or a list of levels.

    A tuple of two numbers is a range. A list, or anything with text in it, is a list of levels.
    """
    if isinstance(given, Range | Whole | Choice):
        return given
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise _no_input(name, given)
    values = list(given)
    if isinstance(given, tuple) and len(values) == 2 and all(map(_is_number, values)):
        return _range(name, *values)
    return _choice(name, values)


def _no_input(name: str, given: Any) -> DataError:
    return DataError(
        f"input {name!r} is {given!r}; expected a range as (0.5, 0.9), whole numbers as "
        'mastgp.integer(2, 6), or levels as ["steel", "alu"]'
    )


def _range(name: str, low: Any, high: Any) -> Range:
    try:
        found = Range(float(low), float(high))
    except OverflowError:
        raise DataError(f"the range of input {name!r} has a number beyond all floats") from None
    if not found.low < found.high or not math.isfinite(found.high - found.low):
        raise DataError(
            f"the range of input {name!r} is ({found.low:g}, {found.high:g}); give two numbers, "
            "the lower first, whose difference is finite"
        )
    return found


def _choice(name: str, values: Sequence[Any]) -> Choice:
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    if not all(isinstance(value, str | bool | int | float) for value in plain):
        raise _no_input(name, values)
    names = [level_name(value, name, "its list of levels") for value in plain]
    if not 2 <= len(plain) <= MOST_LEVELS or len(set(names)) < len(names):
        raise DataError(
            f"input {name!r} has the levels {listed(names)}; give two or more, each of them once"
        )
    return Choice(tuple(plain))


def read_input(state: Any, what: str) -> Input:
    """An input of what :meth:`as_json` wrote; everything is checked."""
    kind = mapping(state, what, ("kind",))["kind"]
    if kind == "category":
        levels = sequence(mapping(state, what, ("levels",))["levels"], f"{what}: levels")
        try:
            return _choice(what, levels)
        except DataError as error:
            raise DamagedError(str(error)) from None
    ends = mapping(state, what, ("low", "high"))
    if kind == "integer":
        most = _LARGEST_WHOLE
        low, high = (
            number(ends[end], f"{what}: {end}", low=-most, high=most, whole=True)
            for end in ("low", "high")
        )
        found: Input = Whole(low, high)
    elif kind == "range":
        low, high = (float(number(ends[end], f"{what}: {end}")) for end in ("low", "high"))
        found = Range(low, high)
    else:
        raise DamagedError(f"{what} is of the kind {text(kind, what)[:40]!r}, which is unknown")
    if low >= high or not math.isfinite(float(high - low)):
        raise DamagedError(f"{what}: its lower end is not below its upper end, or too far below")
    return found


@dataclass(frozen=True)
class Domain:
    """All inputs of a study, by their names.

    Attributes
    ----------
    inputs : mapping of name to Input
    """

    inputs: Mapping[str, Input]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs, in their order."""
        return tuple(self.inputs)

    @cached_property
    def categories(self) -> tuple[Category, ...]:
        """The inputs that are lists of levels, as the data room knows them."""
        return tuple(
            Category(column, name, one.ranked)
            for column, (name, one) in enumerate(self.inputs.items())
            if isinstance(one, Choice)
        )

    @property
    def integers(self) -> tuple[str, ...]:
        """Names of the inputs that are whole numbers."""
        return tuple(name for name, one in self.inputs.items() if isinstance(one, Whole))

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """Ends of the inputs that are numbers."""
        return {
            name: (float(one.low), float(one.high))
            for name, one in self.inputs.items()
            if not isinstance(one, Choice)
        }

    def at(self, shares: Sequence[float]) -> dict[str, Value]:
        """Values at a point of the unit cube, in which levels have equal parts."""
        pairs = zip(self.inputs.items(), shares, strict=True)
        return {name: one.at(float(share)) for (name, one), share in pairs}

    def unit(self, points: Sequence[Mapping[str, Any]]) -> Array:
        """Points as rows of numbers from 0 to 1, shape (n, d); codes of levels among them."""
        rows = [[one.unit(point[name]) for name, one in self.inputs.items()] for point in points]
        return np.array(rows, dtype=float).reshape(len(points), len(self.inputs))

    def apart(self, points: Sequence[Mapping[str, Any]]) -> Array:
        """Points for distances: any two levels of an input are one apart."""
        return one_hot(self.unit(points), self.categories)

    def read(self, point: Mapping[str, Any], where: str) -> dict[str, Value]:
        """Read the values of all inputs; an error names the input and the place."""
        if missing := [name for name in self.inputs if name not in point]:
            raise DataError(f"{where} has no input {listed(missing)}")
        return {name: self._read(name, point[name], where) for name in self.inputs}

    def _read(self, name: str, value: Any, where: str) -> Value:
        try:
            return self.inputs[name].read(value)
        except ValueError as error:
            raise DataError(f"{where}: input {name!r} {error}") from None

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {name: one.as_json() for name, one in self.inputs.items()}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _number(value: Any) -> float:
    """A finite number of a number or a text; raises ValueError with what is wrong."""
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"is {str(value)[:60]!r}, not a number") from None
    if isinstance(value, bool) or not math.isfinite(found):
        raise ValueError(f"is {str(value)[:60]!r}, not a finite number")
    return found


def _level(value: Any) -> str:
    try:
        return level_name(value, "level", "this row")
    except DataError:
        raise ValueError("is empty") from None
