"""Categorical and whole-number inputs: labels in, codes inside, labels out.

A categorical input is a column of codes 0, 1, 2, ... in every table of the package. Its levels are
the labels that occur in the training data of any fidelity. Text columns, pandas categories and
booleans become categories by themselves; other columns where the user says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CategoriesWarning, DataError, listed, warn
from ..gp import Categorical
from .fidelities import is_missing
from .levels import Category, distinct_levels, is_label, some_of

Array = NDArray[np.float64]
#: Inputs by name or number.
Names = Sequence[str | int]
#: The same, perhaps with the levels of each.
NamesOfCategories = Names | Mapping[Any, Sequence[Any]]

#: A column of text with more different labels than this, and one for every second row, is taken
#: for names of the rows unless the user says otherwise.
MANY_LEVELS = 10


@dataclass(frozen=True)
class Kinds:
    """What the user says of the inputs, by their names or numbers.

    Attributes
    ----------
    categorical : sequence or mapping
        Inputs whose values are labels, even if they look like numbers. A mapping of inputs to their
        levels declares levels that the training data need not have.
    numeric : sequence
        Inputs that are numbers, even if they are of a kind that becomes a category by itself.
    integer : sequence
        Inputs that are whole numbers.
    log_inputs : sequence
        Inputs whose logarithms are modelled, whole numbers or not.
    """

    categorical: NamesOfCategories = ()
    numeric: Names = ()
    integer: Names = ()
    log_inputs: Names = ()

    @classmethod
    def of(
        cls,
        categorical: NamesOfCategories | None,
        numeric: Names | None,
        integer: Names | None,
        log_inputs: Names | None = None,
    ) -> Kinds:
        """Make one of options that may not have been given."""
        for option, names in (
            ("categorical", categorical),
            ("numeric", numeric),
            ("integer", integer),
            ("log_inputs", log_inputs),
        ):
            if isinstance(names, str):
                raise DataError(f"{option} must be a list of inputs, as [{names!r}]")
        plain = (tuple(names or ()) for names in (numeric, integer, log_inputs))
        return cls(categorical or (), *plain)

    def columns(self, feature_names: Sequence[str]) -> dict[int, str]:
        """What is said of each input, by its number; refuses unknown inputs and contradictions."""
        said: dict[int, str] = {}
        for kind in ("categorical", "numeric", "integer"):
            for name in getattr(self, kind):
                column = _column(name, feature_names, kind)
                if said.get(column, kind) != kind:
                    raise DataError(
                        f"input {feature_names[column]!r} cannot be both {said[column]} and {kind}"
                    )
                said[column] = kind
        return said

    def logs(self, feature_names: Sequence[str]) -> tuple[int, ...]:
        """Numbers of the inputs whose logarithms are modelled."""
        columns = {_column(name, feature_names, "log_inputs") for name in self.log_inputs}
        return tuple(sorted(columns))

    def declared(self, feature_names: Sequence[str]) -> dict[int, Sequence[Any]]:
        """Levels that were declared, by the number of the input."""
        if not isinstance(self.categorical, Mapping):
            return {}
        return {
            _column(name, feature_names, "categorical"): levels
            for name, levels in self.categorical.items()
        }


@dataclass(frozen=True, eq=False)
class Encoded:
    """Inputs as numbers.

    Attributes
    ----------
    X : array or DataFrame of shape (n, d)
        As it came, but with codes in the categorical columns.
    categories : tuple of Category
    integers : tuple of int
        Columns of whole numbers.
    logs : tuple of int
        Columns whose logarithms are modelled.
    """

    X: Any
    categories: tuple[Category, ...] = ()
    integers: tuple[int, ...] = ()
    logs: tuple[int, ...] = ()


def encode(
    X: Any,
    kinds: Kinds,
    places: Sequence[str],
    levels: Mapping[str, Iterable[str]] | None = None,
) -> Encoded:
    """Find the categorical columns of training inputs, and put codes into them.

    Parameters
    ----------
    X : array or DataFrame of shape (n, d)
    kinds : Kinds
    places : sequence of n texts
        Where each row comes from: ``row 7``.
    levels : mapping of input name to levels, optional
        Levels that rows beyond these have.
    """
    columns = Columns.of(X)
    if columns is None:
        return Encoded(X)
    said = kinds.columns(columns.names)
    found = {
        i: how
        for i in range(len(columns.names))
        if (how := _how_categorical(columns, i, said.get(i)))
    }
    declared, more = kinds.declared(columns.names), levels or {}
    labels = {
        i: declared.get(i, chain(columns.values(i), more.get(columns.names[i], ()))) for i in found
    }
    categories = tuple(
        Category(i, name, distinct_levels(labels[i], name, places))
        for i, name in enumerate(columns.names)
        if i in found
    )
    _check_not_names_of_rows(categories, said, len(places))
    _note({c: found[c.column] for c in categories if c.column not in said})
    integers = tuple(sorted(i for i, kind in said.items() if kind == "integer"))
    forced = [i for i, kind in said.items() if kind != "categorical" and columns.is_special(i)]
    replaced = columns.replaced(categories, places, forced)
    return Encoded(replaced, categories, integers, _logs(kinds, columns.names, categories, places))


def _logs(
    kinds: Kinds, names: Sequence[str], categories: Sequence[Category], places: Sequence[str]
) -> tuple[int, ...]:
    """Columns whose logarithms are modelled; labels have none."""
    logs = kinds.logs(names)
    for category in categories:
        if category.column in logs:
            raise DataError(
                f"column {category.name!r} holds labels, from {places[0]} on, and they have no "
                "logarithm"
            )
    return logs


def encode_queries(X: Any, categories: Sequence[Category], places: Sequence[str]) -> Any:
    """Put codes into the categorical columns of points to predict at."""
    columns = Columns.of(X) if categories else None
    if columns is None:
        return X
    return columns.replaced(columns.matching(categories), places)


def check_whole(
    X: Array, integers: Sequence[int], names: Sequence[str], places: Sequence[str]
) -> None:
    """Refuse values of whole-number inputs that are none."""
    for column in integers:
        broken = np.flatnonzero(np.isfinite(X[:, column]) & (X[:, column] % 1.0 != 0.0))
        if len(broken):
            row = int(broken[0])
            raise DataError(
                f"column {names[column]!r} is {X[row, column]:g} in {places[row]}; it is an "
                "integer input and takes whole numbers only"
            )


def check_positive(
    X: Array, logs: Sequence[int], names: Sequence[str], places: Sequence[str]
) -> None:
    """Refuse values of inputs on a logarithmic scale that have no logarithm."""
    for column in logs:
        wrong = np.flatnonzero(X[:, column] <= 0.0)
        if len(wrong):
            row = int(wrong[0])
            raise DataError(
                f"column {names[column]!r} is {X[row, column]:g} in {places[row]}; it is a log "
                "input and takes positive numbers only"
            )


def engine_categories(categories: Iterable[Category], kernel: str) -> tuple[Categorical, ...]:
    """The same inputs as the engine knows them."""
    return tuple(Categorical(c.column, len(c.levels), kernel) for c in categories)


def one_hot(U: Array, categories: Sequence[Category]) -> Array:
    """Unit-cube inputs with a column for each level instead of a column of codes.

    Two different levels are at a distance of one. Columns that follow the inputs stay.
    """
    if not categories:
        return U
    by_column = {category.column: len(category.levels) for category in categories}
    parts = [
        _indicators(column, by_column[i]) if i in by_column else column[:, None]
        for i, column in enumerate(U.T)
    ]
    return np.hstack(parts)


def _indicators(column: Array, n_levels: int) -> Array:
    codes = np.rint(column * (n_levels - 1)).astype(int)
    return np.eye(n_levels)[codes] * math.sqrt(0.5)


class Columns:
    """Columns of a DataFrame or of an array that holds more than numbers."""

    def __init__(self, X: Any, names: list[str], framed: bool, given: Any) -> None:
        self._X = X
        self._given = given
        self._framed = framed
        self.names = names

    @classmethod
    def of(cls, X: Any) -> Columns | None:
        """Columns of inputs; None where they are no proper table, of which others complain."""
        if hasattr(X, "columns") and hasattr(X, "dtypes"):
            names = [str(name) for name in X.columns]
            return cls(X, names, True, X) if len(set(names)) == len(names) else None
        try:
            array = X if isinstance(X, np.ndarray) else np.asarray(X, dtype=object)
        except ValueError:
            return None
        if array.ndim != 2:
            return None
        return cls(array, [f"x{i}" for i in range(array.shape[1])], False, X)

    def values(self, i: int) -> Any:
        """Values of a column."""
        return self._X.iloc[:, i] if self._framed else self._X[:, i]

    def dtype(self, i: int) -> Any:
        """Type of a column's values."""
        return self._X.dtypes.iloc[i] if self._framed else self._X.dtype

    def is_special(self, i: int) -> bool:
        """Whether a column of a DataFrame is of booleans or of pandas' categories."""
        dtype = self.dtype(i)
        return self._framed and (_is_pandas_category(dtype) or dtype.kind == "b")

    def matching(self, categories: Iterable[Category]) -> list[Category]:
        """The categories by the numbers that their columns have here; those missing left out."""
        if not self._framed or not any(c.name in self.names for c in categories):
            return [c for c in categories if c.column < len(self.names)]
        return [
            Category(self.names.index(c.name), c.name, c.levels)
            for c in categories
            if c.name in self.names
        ]

    def replaced(
        self, categories: Sequence[Category], places: Sequence[str], forced: Sequence[int] = ()
    ) -> Any:
        """The same table with codes in categorical columns, and numbers in the `forced` ones."""
        codes = {c.column: c.codes(self.values(c.column), places) for c in categories}
        if self._framed:
            columns = {self._X.columns[i]: values for i, values in codes.items()}
            columns |= {self._X.columns[i]: self._numbers(i) for i in forced}
            return self._X.assign(**columns) if columns else self._given
        if not codes:
            return self._given
        table = np.array(self._X, dtype=object)
        for i, values in codes.items():
            table[:, i] = values
        return _as_floats(table, self.names, places)

    def _numbers(self, i: int) -> Any:
        try:
            return self.values(i).astype(float)
        except (TypeError, ValueError):
            return self.values(i).astype(object)


def _as_floats(table: Any, names: Sequence[str], places: Sequence[str]) -> Array:
    """A table of anything as numbers; an error names the first cell that is none."""
    try:
        return np.asarray(table, dtype=float)
    except (TypeError, ValueError):
        pass
    for row, i in np.ndindex(table.shape):
        try:
            float(table[row, i])
        except (TypeError, ValueError):
            raise DataError(
                f"column {names[i]!r} of X holds {str(table[row, i])!r} in {places[row]}, not a "
                "number"
            ) from None
    raise DataError("X cannot be read as numbers")


def _how_categorical(columns: Columns, i: int, said: str | None) -> str | None:
    """Why a column is categorical, in a word; None where it is not."""
    if said is not None:
        return "named" if said == "categorical" else None
    dtype = columns.dtype(i)
    if columns.is_special(i):
        return "categories" if _is_pandas_category(dtype) else "true or false"
    if getattr(dtype, "kind", "O") in "biufcmM":
        return None
    present = [value for value in columns.values(i) if not is_missing(value)]
    if present and all(isinstance(value, bool | np.bool_) for value in present):
        return "true or false"
    return "text" if present and all(map(is_label, present)) else None


def _is_pandas_category(dtype: Any) -> bool:
    return type(dtype).__name__ == "CategoricalDtype"


def _column(name: str | int, feature_names: Sequence[str], option: str) -> int:
    if name in feature_names:
        return list(feature_names).index(str(name))
    if not isinstance(name, str) and 0 <= name < len(feature_names):
        return int(name)
    raise DataError(f"{option} names {name!r}, but the inputs are {listed(feature_names)}")


def _check_not_names_of_rows(
    categories: Iterable[Category], said: Mapping[int, str], n: int
) -> None:
    for category in categories:
        n_levels = len(category.levels)
        if category.column not in said and n_levels > MANY_LEVELS and n_levels > n / 2:
            raise DataError(
                f"column {category.name!r} has {n_levels} different texts in {n} rows. If it names "
                f"the rows, leave it out (--ignore {category.name!r}, in Python "
                f"ignore=[{category.name!r}]); if it is an input, say so (--categorical "
                f"{category.name!r}, in Python categorical=[{category.name!r}])"
            )


def check_not_fidelities(
    category: Category, codes: Array, fidelity: NDArray[np.str_], said: Kinds
) -> None:
    """Refuse a column of text that has another level in each fidelity: it names the fidelity."""
    by_name = [set(codes[fidelity == name].tolist()) for name in np.unique(fidelity)]
    one_each = all(len(levels) == 1 for levels in by_name) and len(by_name) > 1
    if one_each and len(set.union(*by_name)) == len(by_name):
        if {category.name, category.column} & set(said.categorical):
            return
        raise DataError(
            f"column {category.name!r} has one level in each fidelity, so that its effect cannot "
            f"be told from the fidelity's. Leave it out (--ignore {category.name!r}, in Python "
            f"ignore=[{category.name!r}]), or is it the fidelity column?"
        )


def _note(found: Mapping[Category, str]) -> None:
    """Say which columns have become categories by themselves."""
    if found:
        shown = "; ".join(f"{c.name!r} ({how}): {some_of(c.levels)}" for c, how in found.items())
        warn(
            f"taken as categorical: {shown}. Name them in categorical=[...] (--categorical) to "
            "confirm, in numeric=[...] (--numeric) to have numbers",
            CategoriesWarning,
        )
