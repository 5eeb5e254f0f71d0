"""Rows of a file, divided into inputs, targets, fidelities and noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import DataError
from .cells import is_blank, numeric
from .columns import Roles, how_to_ignore
from .fidelities import fidelity_name
from .missing import no_value
from .source import Source
from .texts import labels_of

Array = NDArray[np.float64]


class RowPlaces(Sequence[str]):
    """Where rows are, as texts that are made when they are asked for.

    Parameters
    ----------
    paths, units : n texts
    numbers : n numbers

    Examples
    --------
    >>> RowPlaces(["a.csv", "b.csv"], ["line", "line"], [7, 3])[1]
    'line 3 of b.csv'
    """

    def __init__(self, paths: Any, units: Any, numbers: Any) -> None:
        self._columns = paths, units, numbers

    def __len__(self) -> int:
        return len(self._columns[0])

    def __getitem__(self, row: Any) -> Any:
        row = range(len(self))[row]  # beyond the end there is nothing
        path, unit, number = (column[row] for column in self._columns)
        return f"{unit} {number} of {path}"


@dataclass(frozen=True, eq=False)
class Part:
    """Rows of one file, or of a block of it.

    Attributes
    ----------
    source : Source
        Where they come from.
    X : DataFrame of shape (n, d)
        Numbers and labels; its index is that of the source.
    y : Series of shape (n,), or DataFrame of shape (n, k) for several targets
    labels : list of n str
        Names of their fidelities.
    noise_std : array of shape (n,) or None
        Known noise; NaN where it is to be learned.
    """

    source: Source
    X: pd.DataFrame
    y: Any
    labels: list[str]
    noise_std: Array | None

    @property
    def places(self) -> list[str]:
        """Where each row is: ``line 7 of coarse.csv``."""
        return [self.source.place(label) for label in self.X.index]

    @property
    def lazy_places(self) -> RowPlaces:
        """The same, each only when it is asked for."""
        rows = self.X.index.to_numpy(dtype=np.int64) + self.source.first
        n = len(rows)
        return RowPlaces(np.full(n, self.source.path), np.full(n, self.source.unit), rows)

    def subset(self, keep: NDArray[np.bool_]) -> Part:
        """Some of the rows."""
        return Part(
            self.source,
            self.X[keep],
            self.y[keep],
            [self.labels[i] for i in np.flatnonzero(keep)],
            None if self.noise_std is None else self.noise_std[keep],
        )


@dataclass(frozen=True)
class Inputs:
    """The input columns of files, and which of them hold labels.

    Attributes
    ----------
    names, texts : sequences of str
    """

    names: Sequence[str]
    texts: Sequence[str] = ()

    def of(self, source: Source, fix: Callable[[str], str] | None = None) -> pd.DataFrame:
        """The columns of one file, as labels where they are texts and as numbers elsewhere."""
        numbers = numeric(source, [name for name in self.names if name not in self.texts], fix=fix)
        if not self.texts:
            return numbers
        return numbers.assign(**labels_of(source, self.texts))[list(self.names)]


def parts_of(source: Source, name: str, roles: Roles, inputs: Inputs) -> Iterator[Part]:
    """Rows of one file, or of a block of it; one part for each of its columns of results.

    Parameters
    ----------
    source : Source
    name : str
        The fidelity of its rows, unless a column says it.
    roles : Roles
    inputs : Inputs
    """
    if not roles.results:
        yield _part(source, roles.targets, roles, inputs, _labels(source, roles.fidelity, name))
        return
    for fidelity, column in roles.results.items():
        if column not in source.rows.columns:
            continue
        blank = is_blank(source.rows[column])
        own = source.with_rows(source.rows[~blank]) if blank.any() else source
        yield _part(own, [column], roles, inputs, [fidelity] * len(own.rows))


def _part(
    source: Source, targets: Sequence[str], roles: Roles, inputs: Inputs, labels: list[str]
) -> Part:
    """Rows of one file with one column of results, or with one for each target."""
    X = inputs.of(source, fix=_leave_out)
    noise = None
    if roles.noise is not None:
        noise = numeric(source, [roles.noise], may_be_missing=True).to_numpy()[:, 0]
    return Part(source, X, _values(source, targets), labels, noise)


def _values(source: Source, targets: Sequence[str]) -> Any:
    """Values of the target; of several targets a row may lack some, but not all."""
    if len(targets) == 1:
        return numeric(source, targets)[targets[0]]
    empty = no_value(source, targets)
    if empty.any():
        numeric(source.with_rows(source.rows[empty]), targets[:1])  # raises the error
    return numeric(source, targets, may_be_missing=True)


def _leave_out(column: str) -> str:
    return f", or leave the column out ({how_to_ignore(column)}), or is it the fidelity column?"


def _labels(source: Source, column: str | None, name: str) -> list[str]:
    """Fidelity of each row: what the column says, or the file's name."""
    if column is None:
        return [name] * len(source.rows)
    cells = source.rows[column]
    blank = np.flatnonzero(cells.isna() | (cells.astype(str).str.strip() == ""))
    if len(blank):
        raise DataError(
            f"{source.place(cells.index[blank[0]])}, column {column!r}: the fidelity is missing"
        )
    return [fidelity_name(label).strip() for label in cells]
