"""A random sample of rows that depends on what they hold, not on their order or their files.

Every row has a number that is computed from its cells, and the rows of the smallest numbers are
the sample. So it is the same however the rows are divided, and samples of parts give the sample of
the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))


def row_hashes(cells: pd.DataFrame) -> Hashes:
    """A number for each row of numbers and texts, evenly spread over 64 bits, shape (n,).

    >>> row_hashes(pd.DataFrame({"x": [0.5, -0.0, 0.0], "m": ["al", "al", "al"]})) % 1000
    array([424, 379, 379], dtype=uint64)
    """
    hashes = np.zeros(len(cells), dtype=np.uint64)
    for i in range(cells.shape[1]):
        hashes = _mixed((hashes ^ _bits(cells.iloc[:, i])) + _STEP)
    return hashes


def _bits(column: pd.Series[Any]) -> Hashes:
    if column.dtype.kind in "iuf":
        return (column.to_numpy(dtype=np.float64) + 0.0).view(np.uint64)  # -0.0 becomes 0.0
    return np.asarray(pd.util.hash_array(column.to_numpy(dtype=object)), dtype=np.uint64)


def _mixed(values: Hashes) -> Hashes:
    """Let every bit depend on every other, as SplitMix64 does."""
    for shift, multiplier in zip(_SHIFTS, _MULTIPLIERS, strict=False):
        values = (values ^ (values >> shift)) * multiplier
    return values ^ (values >> _SHIFTS[-1])


class Piece(NamedTuple):
    """Rows with their numbers.

    Attributes
    ----------
    hashes : array of shape (n,)
    rows : DataFrame of n rows
    """

    hashes: Hashes
    rows: pd.DataFrame


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows of the smallest numbers, at most `most` of them.

    Attributes
    ----------
    most : int
    pieces : tuple of Piece
        Rows that have the sample among them, not many more than it has.
    """

    most: int
    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, rows: pd.DataFrame, content: list[str], most: int) -> Sample:
        """The sample of some rows, by the columns that are their content."""
        return cls(most, (Piece(row_hashes(rows[content]), rows),))._compact()

    @property
    def rows(self) -> pd.DataFrame:
        """The rows, in the order of their numbers."""
        return self._smallest().rows

    def __add__(self, other: Sample) -> Sample:
        """The sample of the rows of both."""
        return Sample(min(self.most, other.most), (*self.pieces, *other.pieces))._compact()

    def cut(self, most: int) -> Sample:
        """The sample of at most so many of the same rows."""
        return Sample(min(most, self.most), self.pieces)

    def _compact(self) -> Sample:
        """The same without rows that cannot stay, once there are many of them."""
        n = sum(len(piece.hashes) for piece in self.pieces)
        return self if n <= 2 * self.most else Sample(self.most, (self._smallest(),))

    def _smallest(self) -> Piece:
        hashes = np.concatenate([piece.hashes for piece in self.pieces])
        chosen = np.argsort(hashes, kind="stable")[: self.most]
        rows = pd.concat([piece.rows for piece in self.pieces], ignore_index=True)
        return Piece(hashes[chosen], rows.iloc[chosen].reset_index(drop=True))
