"""One pass over files: what must be known of all rows, in memory that does not grow with them.

What is known of parts adds up to what is known of the whole. So the files may be read one after
the other, or each where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import DataError
from .agreement import Agreement
from .levels import level_name
from .missing import MissingRows
from .parts import Inputs, Part
from .samples import Sample

Array = NDArray[np.float64]

#: A categorical input of more levels than this is taken for names of the rows.
MOST_LEVELS = 1_000


@dataclass(frozen=True, eq=False)
class Summary:
    """What is known of the rows of one fidelity.

    Attributes
    ----------
    n : int
        Number of rows.
    n_targets : int array of shape (k,)
        Number of rows that have a value of each target.
    low, high : arrays of shape (d,)
        Least and greatest value of each input; NaN where it holds labels.
    mean, squares : arrays of shape (k,)
        Mean of each target, and sum of its squared differences from it.
    levels : mapping of input name to set of str
        Levels of the inputs that hold labels.
    sample : Sample
        Columns ``x0``, ``x1`` ... of the inputs, ``y0`` ... of the targets, ``noise``, ``path``,
        ``unit`` and ``number``.
    """

    n: int
    n_targets: NDArray[np.int64]
    low: Array
    high: Array
    mean: Array
    squares: Array
    levels: Mapping[str, frozenset[str]]
    sample: Sample

    @classmethod
    def of(cls, part: Part, inputs: Inputs, most: int) -> Summary:
        """What is known of rows that are at hand, all of one fidelity."""
        X = with_level_names(part, inputs)
        numbers = [i for i, name in enumerate(inputs.names) if name not in inputs.texts]
        low, high = np.full((2, len(inputs.names)), np.nan)
        values = X.iloc[:, numbers].to_numpy(dtype=float)
        low[numbers], high[numbers] = values.min(axis=0), values.max(axis=0)
        Y = np.asarray(part.y, dtype=float).reshape(len(X), -1)
        there = ~np.isnan(Y)
        n_targets = there.sum(axis=0)
        mean = np.where(there, Y, 0.0).sum(axis=0) / np.maximum(n_targets, 1)
        squares = (np.where(there, Y - mean, 0.0) ** 2).sum(axis=0)
        levels = {name: _checked_levels(X[name].unique(), name, part) for name in inputs.texts}
        sample = _sample(X, Y, part, most)
        return cls(len(X), n_targets, low, high, mean, squares, levels, sample)

    def __add__(self, other: Summary) -> Summary:
        """What is known of the rows of both."""
        n = self.n_targets + other.n_targets
        share = other.n_targets / np.maximum(n, 1)
        step = other.mean - self.mean
        return Summary(
            self.n + other.n,
            n,
            np.fmin(self.low, other.low),
            np.fmax(self.high, other.high),
            self.mean + step * share,
            self.squares + other.squares + step**2 * self.n_targets * share,
            {name: _few(name, levels | other.levels[name]) for name, levels in self.levels.items()},
            self.sample + other.sample,
        )

    @property
    def std(self) -> Array:
        """Standard deviation of each target, shape (k,)."""
        return np.sqrt(self.squares / np.maximum(self.n_targets, 1))


@dataclass(frozen=True, eq=False)
class Scan:
    """What is known of the files of one argument: a summary for each fidelity in them.

    Attributes
    ----------
    summaries : mapping of fidelity name to Summary
    agreement : Agreement
        What the columns hold.
    units : mapping of path to mapping of column to unit
    missing : MissingRows
        Rows with empty cells that were left out.
    """

    summaries: Mapping[str, Summary]
    agreement: Agreement
    units: Mapping[str, Mapping[str, str]]
    missing: MissingRows

    def of_all(self) -> Iterable[Summary]:
        """The summaries of all fidelities."""
        return self.summaries.values()

    def __add__(self, other: Scan) -> Scan:
        """What is known of the files of both."""
        return Scan(
            _added([self.summaries, other.summaries]),
            self.agreement + other.agreement,
            {**self.units, **other.units},
            self.missing + other.missing,
        )


def summaries_of(parts: Iterable[Part], inputs: Inputs, most: int) -> dict[str, Summary]:
    """A summary of each fidelity in some parts."""
    return _added(
        {name: Summary.of(own, inputs, most)} for part in parts for name, own in by_fidelity(part)
    )


def by_fidelity(part: Part) -> Iterator[tuple[str, Part]]:
    """The rows of each fidelity in a part."""
    names = sorted(set(part.labels))
    if len(names) == 1:
        yield names[0], part
        return
    labels = np.array(part.labels, dtype=object)
    for name in names:
        yield name, part.subset(labels == name)


def with_level_names(part: Part, inputs: Inputs) -> pd.DataFrame:
    """Inputs with the names of levels instead of labels."""
    named = {}
    for column in inputs.texts:
        cells = part.X[column]
        places = part.source
        firsts = cells.drop_duplicates()
        known = {
            label: level_name(label, column, places.place(row)) for row, label in firsts.items()
        }
        named[column] = cells.map(known)
    return part.X.assign(**named) if named else part.X


def _added(summaries: Iterable[Mapping[str, Summary]]) -> dict[str, Summary]:
    total: dict[str, list[Summary]] = {}
    for one in summaries:
        for name, summary in one.items():
            before = total.get(name, [])
            total[name] = [reduce(add, [*before, summary])]
    return {name: summary for name, (summary,) in sorted(total.items())}


def _sample(X: pd.DataFrame, Y: Array, part: Part, most: int) -> Sample:
    rows = X.set_axis([f"x{i}" for i in range(X.shape[1])], axis=1)
    rows = rows.assign(**{f"y{j}": column for j, column in enumerate(Y.T)})
    noise = np.full(len(X), np.nan) if part.noise_std is None else part.noise_std
    rows = rows.assign(noise=noise)
    content = list(rows.columns)
    source = part.source
    numbers = source.first + rows.index.to_numpy(dtype=np.int64)
    rows = rows.assign(path=source.path, unit=source.unit, number=numbers)
    return Sample.of(rows, content, most)


def _checked_levels(levels: Iterable[str], column: str, part: Part) -> frozenset[str]:
    return _few(column, frozenset(levels), f" of {part.source.path}")


def _few(column: str, levels: frozenset[str], where: str = "") -> frozenset[str]:
    """The same levels, unless there are so many that they name the rows."""
    if len(levels) > MOST_LEVELS:
        raise DataError(
            f"column {column!r}{where} has more than {MOST_LEVELS} different texts. If it names "
            f"the rows, leave it out (--ignore {column!r}, in Python ignore=[{column!r}])"
        )
    return levels
