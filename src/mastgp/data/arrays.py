"""Arrays and frames in: one table of inputs, targets and labels becomes checked rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DataError, listed
from .categories import Kinds, check_not_fidelities, encode
from .checks import check_finite
from .fidelities import fidelity_name, is_missing
from .origin import Origin
from .rows import Options, Rows

Array = NDArray[np.float64]
#: Turns inputs and targets of any kind into float arrays of shapes (n, d) and (n,).
Validate = Callable[[Any, Any], tuple[Array, Array]]

#: Name of the fidelity of rows without labels.
ONLY_FIDELITY = "data"


@dataclass(frozen=True, eq=False)
class Table:
    """Observations as the user gave them, not yet checked.

    Attributes
    ----------
    X : array or DataFrame of shape (n, d)
    y : array or Series of shape (n,), or table of shape (n, k) for several targets
    fidelity : n labels, or None
        None where all rows are of one fidelity.
    noise_std : n numbers, or None
        Known noise standard deviations; NaN where they are to be learned.
    places : sequence of n texts
        Where each row comes from, for messages: ``row 7`` or ``line 7 of coarse.csv``.
    target_name : str, mapping of fidelity name to str, or None
        A mapping where every fidelity's results are in a column of their own.
    units : mapping of column to unit
    kinds : Kinds
        What the user says of the inputs.
    origin : Origin
        Files that it was read from, and what was said of them.
    levels : mapping of input name to levels
        Levels that rows beyond the table have.
    streams : mapping of fidelity name to Stream
        All rows of fidelities of which the table has a sample.
    """

    X: Any
    y: Any
    fidelity: Any
    noise_std: Any
    places: Sequence[str]
    target_name: str | Mapping[str, str] | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    kinds: Kinds = field(default_factory=Kinds)
    origin: Origin = field(default_factory=Origin)
    levels: Mapping[str, Iterable[str]] = field(default_factory=dict)
    streams: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, X: Any, y: Any, fidelity: Any = None, noise_std: Any = None) -> Table:
        """Return a table whose places are its rows, and whose target has the name of `y`."""
        return cls(X, y, fidelity, noise_std, Places(X), name_of(y))

    def with_units(self, units: Mapping[str, str]) -> Table:
        """Return the same table with units of its columns."""
        return replace(self, units=units)


class Places(Sequence[str]):
    """Where the rows of a table come from, for messages.

    A DataFrame whose index is text says it itself, such as ``line 7 of coarse.csv``.

    >>> Places(np.zeros((3, 2)))[1]
    'row 1'
    """

    def __init__(self, X: Any) -> None:
        index = getattr(X, "index", None)
        self._index = None if index is None or callable(index) else index
        shape = X.shape if hasattr(X, "shape") else np.asarray(X, dtype=object).shape
        self._length = int(shape[0]) if shape else 0

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, row: Any) -> Any:
        row = range(self._length)[row]  # beyond the end there is nothing
        label = row if self._index is None else self._index[row]
        return label if isinstance(label, str) else f"row {label}"


def checked_rows(table: Table, options: Options, validate: Validate | None = None) -> Rows:
    """Turn a user's table into arrays; errors name the row and the column.

    Parameters
    ----------
    table : Table
    options : Options
    validate : function, optional
        Turns inputs and targets into float arrays. Estimators pass scikit-learn's own.
    """
    if table.fidelity is None and options.names_several_fidelities:
        raise DataError(
            "several fidelities are named, but the rows have no labels; pass fidelity=labels, "
            "one for each row, or say which column holds them"
        )
    check_numbers(table.y, "y")
    check_numbers(table.X, "X")
    encoded = encode(table.X, table.kinds, table.places, table.levels)
    check_numeric_columns(encoded.X, table.places)
    names = None if table.fidelity is None else names_of_rows(table.fidelity, len(table.places))
    y = _checked_targets(table.y, table.places, names)
    X, y = (validate or as_arrays)(encoded.X, y)
    if names is not None:
        for category in encoded.categories:
            check_not_fidelities(category, X[:, category.column], names, table.kinds)
    given = given_feature_names(table.X)
    levels = [level for category in encoded.categories for level in category.levels]
    _check_texts([*(given or ()), *levels, *([] if names is None else np.unique(names))])
    return Rows(
        X,
        y,
        np.full(len(X), ONLY_FIDELITY) if names is None else names,
        table.places,
        tuple(f"x{i}" for i in range(X.shape[1])) if given is None else given,
        _as_noise(table.noise_std),
        table.target_name,
        feature_names_given=given is not None,
        units=table.units,
        categories=encoded.categories,
        integers=encoded.integers,
        logs=encoded.logs,
        streams=table.streams,
    )


def check_numbers(values: Any, what: str) -> None:
    """Refuse arrays that NumPy would turn into numbers without a word.

    Parameters
    ----------
    values : array or anything else
    what : str
        What they are called in the message: ``X``.
    """
    if np.ma.is_masked(values):
        raise DataError(
            f"{what} has masked values; leave out their rows, or fill them in with .filled()"
        )
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    if kind in ("M", "m"):
        raise DataError(f"{what} holds dates or times; express them as numbers, such as days")
    if kind == "c":
        raise DataError(f"Complex data not supported: {what} is complex; take real numbers")


def _check_texts(names: Sequence[Any]) -> None:
    """Refuse names that no file can hold."""
    for name in names:
        try:
            str(name).encode("utf-8")
        except UnicodeEncodeError:
            raise DataError(
                f"the name {str(name)!a} is no text in Unicode; give another name, as name=path"
            ) from None


def as_arrays(X: Any, y: Any) -> tuple[Array, Array]:
    """Inputs and targets as float arrays of shapes (n, d) and (n,); NaN is let through."""
    from sklearn.utils.validation import check_X_y

    try:
        X, y = check_X_y(X, y, dtype=np.float64, y_numeric=True, ensure_all_finite=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(str(error)) from error
    return X, np.asarray(y, dtype=float)


def name_of(y: Any) -> str | None:
    """Name of the target, if it has one as a Series or the only column of a DataFrame may have."""
    columns = list(getattr(y, "columns", ()))
    name = columns[0] if len(columns) == 1 else getattr(y, "name", None)
    return None if name is None else str(name)


def given_feature_names(X: Any) -> tuple[str, ...] | None:
    """Names of a DataFrame's columns; None for arrays and for columns without text as names."""
    names = list(getattr(X, "columns", ()))
    if not any(isinstance(name, str) for name in names):
        return None
    if not all(isinstance(name, str) for name in names):
        raise DataError("some columns of X have text as names and others have not; name them all")
    return tuple(str(name) for name in names)


def check_numeric_columns(X: Any, places: Sequence[str]) -> None:
    """Name the first cell of a DataFrame that is not a number, or a column that occurs twice.

    Arrays that only look like numbers are refused as a whole.
    """
    check_numbers(X, "X")
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return
    names = [str(name) for name in X.columns]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise DataError(f"X has column {listed(repeated)} twice; rename one of them")
    for position, (name, dtype) in enumerate(zip(names, X.dtypes, strict=True)):
        if getattr(dtype, "kind", "O") in "biuf":
            continue
        wrong = _first_non_number(X.iloc[:, position])
        if wrong is not None:
            row, value = wrong
            raise DataError(f"column {name!r} of X holds {value!r} in {places[row]}, not a number")


def names_of_rows(labels: ArrayLike, n: int) -> NDArray[np.str_]:
    """Name of each row's fidelity, from n labels of any kind.

    >>> names_of_rows([1.0, 2.0, 1.0], 3).tolist()
    ['1', '2', '1']
    """
    cells = np.asarray(labels, dtype=object).ravel().tolist()
    if len(cells) != n:
        raise DataError(f"fidelity has {len(cells)} labels, but X has {n} rows")
    names: dict[Any, str] = {}
    for row, label in enumerate(cells):
        if is_missing(label):
            raise DataError(f"the fidelity label of row {row} is missing; give every row a label")
        if not isinstance(label, Hashable):
            raise DataError(
                f"the fidelity label of row {row} is {str(label)[:60]!r}; use names or numbers"
            )
        if _key(label) not in names:
            name = fidelity_name(label)
            if name in names.values():
                raise DataError(f"two different fidelity labels both read as {name!r}; rename one")
            names[_key(label)] = name
    return np.array([names[_key(label)] for label in cells])


def _key(label: Any) -> tuple[bool, Any]:
    """What tells labels apart; True is another label than 1, which it equals."""
    return isinstance(label, bool), label


def _first_non_number(values: Any) -> tuple[int, str] | None:
    """Position and text of the first value that is neither a number nor missing."""
    for row, value in enumerate(values):
        if not is_missing(value) and not _is_number(value):
            return row, str(value)
    return None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _checked_targets(y: Any, places: Sequence[str], names: NDArray[np.str_] | None) -> Any:
    """Targets as finite numbers, where they are one for each row; as they came otherwise."""
    values = np.asarray(y)
    if values.ndim != 1 or values.dtype.kind == "c" or len(values) != len(places):
        return y
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        wrong = _first_non_number(values)
        if wrong is None:
            raise DataError("y cannot be read as numbers") from None
        raise DataError(f"y holds {wrong[1]!r} in {places[wrong[0]]}, not a number") from None
    check_finite(numbers[:, None], "y", None, places, names)
    return numbers


def _as_noise(noise_std: Any) -> Array | None:
    if noise_std is None:
        return None
    try:
        return np.asarray(noise_std, dtype=float).ravel()
    except (TypeError, ValueError):
        raise DataError("noise_std must be one number per row (NaN where unknown)") from None
