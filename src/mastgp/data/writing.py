"""Tables out, by the ending of the file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pandas as pd

from ..errors import DataError, listed
from ..files import atomic_write
from ..libraries import import_extra
from .columnar_out import column_writer
from .opening import FEATHER, PARQUET
from .sheets import write_sheet
from .source import Source

#: Endings of text files, with what stands between their cells.
_TEXT = {"": ",", ".csv": ",", ".txt": ",", ".tsv": "\t", ".tab": "\t"}
_SHEETS = (".xlsx",)


@dataclass(frozen=True)
class Dialect:
    """How numbers and cells are written in text.

    Attributes
    ----------
    separator : str
    decimal : str
    """

    separator: str = ","
    decimal: str = "."

    @classmethod
    def of(cls, source: Source) -> Dialect:
        """Semicolons and decimal commas for a file that has both; else commas and points."""
        return cls(";", ",") if source.separator == ";" and _has_commas(source) else cls()

    def write(
        self, table: pd.DataFrame, file: Any, separator: str | None = None, header: bool = True
    ) -> None:
        """Write a table as text, or its next rows without a header."""
        table.to_csv(
            file,
            index=False,
            header=header,
            sep=separator or self.separator,
            decimal="." if separator else self.decimal,
            lineterminator="\n",
        )


#: Writes the next rows of a table, text in a dialect.
Write = Callable[[pd.DataFrame, Dialect], None]


def check_ending(path: str | os.PathLike[str]) -> None:
    """Refuse the name of a file that cannot be written, before work is done for it."""
    ending = _ending(path)
    if ending not in (*_TEXT, *_SHEETS, *PARQUET, *FEATHER):
        known = [*(ending for ending in _TEXT if ending), *_SHEETS, PARQUET[0], FEATHER[0]]
        raise DataError(f"cannot write a table as {ending!r}; choose one of {listed(known)}")
    if ending in _SHEETS:
        import_extra("openpyxl", "files", f"the spreadsheet {path}")
    if ending in (*PARQUET, *FEATHER):
        import_extra("pyarrow", "files", f"the file {path}")


def write_table(
    table: pd.DataFrame, path: str | os.PathLike[str], dialect: Dialect | None = None
) -> None:
    """Write a table in the format that the file's ending names; whole or not at all."""
    with table_writer(path) as write:
        write(table, dialect or Dialect())


@contextmanager
def table_writer(path: str | os.PathLike[str]) -> Iterator[Write]:
    """Write a table block by block, in the format that the file's ending names.

    The file appears under its name only once it is complete. Each block is written at once, but
    for spreadsheets.

    Yields
    ------
    function
        Takes the next rows as a table, always with the same columns, and the dialect of text.
    """
    check_ending(path)
    with atomic_write(path) as file, _writer(file, path) as write:
        yield write


def _writer(file: IO[bytes], path: str | os.PathLike[str]) -> AbstractContextManager[Write]:
    ending = _ending(path)
    if ending in (*PARQUET, *FEATHER):
        return column_writer(file, path, parquet=ending in PARQUET)
    return _in_sheet(file, str(path)) if ending in _SHEETS else _as_text(file, _TEXT[ending])


@contextmanager
def _as_text(file: IO[bytes], between: str) -> Iterator[Write]:
    begun = False

    def write(table: pd.DataFrame, dialect: Dialect) -> None:
        nonlocal begun
        dialect.write(table, file, None if between == "," else between, header=not begun)
        begun = True

    yield write


@contextmanager
def _in_sheet(file: IO[bytes], path: str) -> Iterator[Write]:
    parts: list[pd.DataFrame] = []
    yield lambda table, dialect: parts.append(table)
    write_sheet(pd.concat(parts, ignore_index=True), file, path)


def is_text(path: str | os.PathLike[str], dialect: Dialect) -> bool:
    """Whether a file of this name is text in which numbers are written as the dialect says."""
    between = _TEXT.get(_ending(path))
    return between == "," or (between is not None and dialect.decimal == ".")


def _ending(path: str | os.PathLike[str]) -> str:
    return Path(path).suffix.lower()


def _has_commas(source: Source) -> bool:
    """Whether some cell is a number with a decimal comma."""
    pattern = r"\s*[+-]?\d*,\d+(?:[eE][+-]?\d+)?\s*"
    return any(source.rows[column].str.fullmatch(pattern).any() for column in source.rows)
