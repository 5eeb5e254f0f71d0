"""Files of one fidelity hold the same kind of value in a column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..errors import DataError
from .cells import is_blank
from .columns import how_to_ignore
from .source import Source
from .texts import holds_labels


@dataclass
class Agreement:
    """What the columns of the files of one fidelity hold, as far as they have been read.

    Attributes
    ----------
    columns : sequence of str
        Those that matter.
    free : sequence of str
        Those of them that may hold anything, because the user says what they are.
    """

    columns: Sequence[str]
    free: Sequence[str] = ()
    _first: dict[str, tuple[str, str]] = field(default_factory=dict)

    def check(self, source: Source) -> None:
        """Refuse a file, or a block of one, whose columns hold something else than before."""
        for column in self.columns:
            kind = "" if column in self.free else _kind(source, column)
            if kind:
                self._compare(column, kind, source.path)

    def _compare(self, column: str, kind: str, path: str) -> None:
        before, where = self._first.setdefault(column, (kind, path))
        if kind != before:
            raise DataError(
                f"{path}, column {column!r}, holds {kind}, but in {where} it holds {before}; "
                f"correct one of the files, or leave the column out ({how_to_ignore(column)})"
            )

    def __add__(self, later: Agreement) -> Agreement:
        """What the columns hold in the files of both, if it is the same."""
        both = Agreement(self.columns, self.free, dict(self._first))
        for column, (kind, path) in later._first.items():
            both._compare(column, kind, path)
        return both


def check_agreement(sources: Iterable[Source], columns: Sequence[str], free: Sequence[str]) -> None:
    """Refuse files of one fidelity in which a column changes what it holds."""
    agreement = Agreement(columns, free)
    for source in sources:
        agreement.check(source)


def _kind(source: Source, column: str) -> str:
    """What a column holds, in a word; nothing where all of its cells are empty.

    Numbers that are written as text are numbers in a file of text, and text in a typed column.
    """
    cells = source.rows[column]
    if is_blank(cells).all():
        return ""
    if holds_labels(cells):
        return "labels"
    if cells.dtype.kind in "iuf" or not source.typed:
        return "numbers"
    return "dates" if cells.dtype.kind == "M" else "text"
