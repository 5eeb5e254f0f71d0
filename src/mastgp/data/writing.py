"""Tables out, by the ending of the file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pandas as pd

from ..errors import DataError, listed
from ..files import atomic_write
from ..libraries import import_extra
from .columnar import FEATHER, PARQUET
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

    def write(self, table: pd.DataFrame, file: Any, separator: str | None = None) -> None:
        """Write a table as text."""
        between = separator or self.separator
        decimal = "." if separator else self.decimal
        table.to_csv(file, index=False, sep=between, decimal=decimal, lineterminator="\n")


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
    check_ending(path)
    with atomic_write(path) as file:
        _write(table, file, path, dialect or Dialect())


def _write(
    table: pd.DataFrame, file: IO[bytes], path: str | os.PathLike[str], dialect: Dialect
) -> None:
    ending = _ending(path)
    if ending in PARQUET:
        table.to_parquet(file, index=False)
    elif ending in FEATHER:
        table.reset_index(drop=True).to_feather(file)
    elif ending in _SHEETS:
        write_sheet(table, file, str(path))
    else:
        between = _TEXT[ending]
        dialect.write(table, file, None if between == "," else between)


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
