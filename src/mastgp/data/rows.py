"""What a data set is made of: checked rows, and what the user says about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .box import Bounds
from .levels import Category

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Options:
    """What the user says about fidelities, inputs and noise, besides the observations.

    Attributes
    ----------
    costs : mapping of fidelity name to cost, optional
        Cost of one evaluation, in any unit.
    order : sequence of fidelity names, optional
        From cheap to expensive; enough where the costs are not known.
    exponents : mapping of fidelity name to trust exponent, optional
    bounds : array of shape (d, 2) or mapping of input name to (low, high), optional
        In the inputs' units.
    noise_std : mapping of fidelity name to noise standard deviation, optional
        In the target's unit.
    """

    costs: Mapping[Any, float] | None = None
    order: Sequence[Any] | None = None
    exponents: Mapping[Any, float] | None = None
    bounds: Bounds | None = None
    noise_std: Mapping[Any, float] | None = None

    @property
    def names_several_fidelities(self) -> bool:
        """Whether costs or order name more than one fidelity."""
        return any(named is not None and len(named) > 1 for named in (self.costs, self.order))


@dataclass(frozen=True, eq=False)
class Rows:
    """Observations of all fidelities as arrays, in the order in which the user gave them.

    Attributes
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
    names : array of n fidelity names
    places : sequence of n texts
        Where each row comes from, for messages: ``row 7``.
    feature_names : tuple of d names
    noise_std : array of shape (n,) or None
        Known noise standard deviation of each row; NaN where it is to be learned.
    target_name : str, mapping of fidelity name to str, or None
    feature_names_given : bool
        Whether the inputs' names are the user's.
    units : mapping of column to unit
    categories : tuple of Category
        Inputs that hold codes of levels.
    integers : tuple of int
        Columns of whole numbers.
    logs : tuple of int
        Columns whose logarithms are modelled.
    streams : mapping of fidelity name to Stream
        All rows of fidelities of which these are a sample.
    """

    X: Array
    y: Array
    names: NDArray[np.str_]
    places: Sequence[str]
    feature_names: tuple[str, ...]
    noise_std: Array | None = None
    target_name: str | Mapping[str, str] | None = None
    feature_names_given: bool = False
    units: Mapping[str, str] = field(default_factory=dict)
    categories: tuple[Category, ...] = ()
    integers: tuple[int, ...] = ()
    logs: tuple[int, ...] = ()
    streams: Mapping[str, Any] = field(default_factory=dict)

    @property
    def categorical(self) -> frozenset[int]:
        """Columns that hold codes of levels."""
        return frozenset(category.column for category in self.categories)

    def target_of(self, fidelity: str) -> str | None:
        """Name of a fidelity's target."""
        named = self.target_name
        return named.get(fidelity) if isinstance(named, Mapping) else named

    def where(self, row: int) -> str:
        """Say where a row is: ``row 7 of fidelity 'fine'``."""
        return f"{self.places[row]} of fidelity {str(self.names[row])!r}"
