"""Rows of one fidelity that are too many for memory, as checked arrays, block by block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from .box import Limits
from .categories import check_positive, check_whole
from .fidelities import Fidelity, fidelity_name
from .levels import Category
from .partitions import File, Partitions
from .parts import Part
from .rows import Rows
from .scanning import by_fidelity, with_level_names

Array = NDArray[np.float64]


class Block(NamedTuple):
    """Some rows of a fidelity, in the user's units.

    Attributes
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
    noise_var : array of shape (n,) or None
        Known noise variances; None where they are to be learned.
    """

    X: Array
    y: Array
    noise_var: Array | None


@dataclass(frozen=True, eq=False)
class Stream:
    """All rows of a fidelity whose data set has only a sample of them.

    Attributes
    ----------
    partitions : Partitions
        The files.
    fidelity : str
    counts : tuple of int
        Number of rows that have a value of each target.
    low, high : arrays of shape (d,)
        Ranges of the inputs; NaN where they hold labels.
    target : int
        Which of several targets.
    categories : tuple of Category
    integers, logs : tuples of int
        Columns of whole numbers, and of those whose logarithms are modelled.
    limits : mapping of column to (low, high)
        Bounds that the user gave.
    noise : bool
        Whether the noise of every row is known.
    noise_std : float or None
        That of rows that do not say it themselves.
    response : object or None
        Transformation of the targets, with ``accepts``, ``forward`` and ``log_slope``.
    """

    partitions: Partitions
    fidelity: str
    counts: tuple[int, ...]
    low: Array
    high: Array
    target: int = 0
    categories: tuple[Category, ...] = ()
    integers: tuple[int, ...] = ()
    logs: tuple[int, ...] = ()
    limits: Limits = field(default_factory=dict)
    noise: bool = False
    noise_std: float | None = None
    response: Any = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.counts[self.target]

    def files(self) -> list[File]:
        """All files, each of which can be read by itself."""
        return self.partitions.files()

    def blocks(self, file: File) -> Iterator[Block]:
        """Rows of one of the files; what does not belong there is an error that names the row."""
        for part in self.partitions.parts(file):
            for name, own in by_fidelity(part):
                if name == self.fidelity:
                    yield self._block(own)

    def check(self) -> None:
        """Refuse rows outside the bounds, or without a logarithm, by their ranges.

        The files are read again only to say which row it is.
        """
        outside = any(
            self.low[column] < low or self.high[column] > high
            for column, (low, high) in self.limits.items()
        )
        if outside or any(self.low[column] <= 0.0 for column in self.logs):
            for file in self.files():
                for _ in self.blocks(file):
                    pass

    def _block(self, part: Part) -> Block:
        X = self._inputs(part)
        y = np.asarray(part.y, dtype=float).reshape(len(X), -1)[:, self.target]
        noise_var = self._noise_var(part)
        there = ~np.isnan(y)
        if not there.all():
            X, y = X[there], y[there]
            noise_var = None if noise_var is None else noise_var[there]
        return self._transformed(Block(X, y, noise_var), part)

    def _inputs(self, part: Part) -> Array:
        """Inputs as numbers, codes instead of labels."""
        named = with_level_names(part, self.partitions.inputs)
        places = part.places if self.categories else []
        codes = {c.name: c.codes(named[c.name], places) for c in self.categories}
        X = named.assign(**codes).to_numpy(dtype=float)
        names, where = self.partitions.inputs.names, part.lazy_places
        check_whole(X, self.integers, names, where)
        check_positive(X, self.logs, names, where)
        for column, (low, high) in self.limits.items():
            outside = np.flatnonzero((X[:, column] < low) | (X[:, column] > high))
            if len(outside):
                row = int(outside[0])
                raise DataError(
                    f"column {names[column]!r} is {X[row, column]:g} in {where[row]} of fidelity "
                    f"{self.fidelity!r}, outside the bounds ({low:g}, {high:g}); widen the bounds "
                    "or remove the row"
                )
        return X

    def _noise_var(self, part: Part) -> Array | None:
        if not self.noise:
            return None
        usual = np.nan if self.noise_std is None else self.noise_std
        std = np.full(len(part.X), usual)
        if part.noise_std is not None:
            std = np.where(np.isnan(part.noise_std), usual, part.noise_std)
        wrong = np.flatnonzero(~(std >= 0.0))
        if len(wrong):
            row = int(wrong[0])
            raise DataError(
                f"noise_std is {std[row]:g} in {part.lazy_places[row]} of fidelity "
                f"{self.fidelity!r}; give it for all of its rows or for none"
            )
        return np.asarray(std**2)

    def _transformed(self, block: Block, part: Part) -> Block:
        if self.response is None:
            return block
        impossible = np.flatnonzero(~self.response.accepts(block.y))
        if len(impossible):
            raise DataError(
                f"{self.response.label} of the response needs positive values, and in "
                f"{part.source.path} a row of {self.fidelity!r} has "
                f"{block.y[impossible[0]]:g}"
            )
        noise_var = block.noise_var
        if noise_var is not None:
            noise_var = noise_var * np.exp(2.0 * self.response.log_slope(block.y))
        return Block(block.X, self.response.forward(block.y), noise_var)


def checked_streams(rows: Rows, limits: Limits) -> dict[str, Stream]:
    """The streams of a data set, each told what its rows must be."""
    streams = {
        name: replace(
            stream,
            categories=rows.categories,
            integers=rows.integers,
            logs=rows.logs,
            limits=dict(limits),
        )
        for name, stream in rows.streams.items()
    }
    for stream in streams.values():
        stream.check()
    return streams


def with_ends(X: Array, streams: Iterable[Stream]) -> Array:
    """Rows, and for each stream two that have the ends of its ranges."""
    ends = [np.where(np.isnan(end), X[0], end) for s in streams for end in (s.low, s.high)]
    return np.vstack([X, *ends]) if ends else X


def with_stream(
    fidelity: Fidelity, stream: Stream | None, noise_std: Mapping[Any, float] | None
) -> Fidelity:
    """A fidelity with all of its rows, block by block, where it has a sample of them.

    Parameters
    ----------
    fidelity : Fidelity
    stream : Stream or None
    noise_std : mapping of fidelity name to standard deviation, or None
        Known noise of rows that do not say it themselves.
    """
    if stream is None:
        return fidelity
    usual = {fidelity_name(name): std for name, std in (noise_std or {}).items()}
    known = fidelity.noise_var is not None
    stream = replace(stream, noise=known, noise_std=usual.get(fidelity.name))
    return replace(fidelity, total=stream.n, stream=stream)
