"""Files in and out: CSV and Parquet.

CSV cells are kept as the text they are until they are needed as numbers, so that fidelity names
and columns that are only passed through stay as the user wrote them.
"""

from __future__ import annotations

import csv
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, FileError, listed
from ..files import atomic_write
from ..libraries import import_extra

_SEPARATORS = ",;\t"


@dataclass(frozen=True)
class Source:
    """A file as it was read.

    Attributes
    ----------
    path : str
    rows : DataFrame
    first : int
        Number that the file's reader gives to the first row.
    unit : str
        What rows are counted in: ``line`` or ``row``.
    decimal_comma : bool
        Whether a comma may be a decimal point, because it is not the separator.
    """

    path: str
    rows: pd.DataFrame
    first: int = 1
    unit: str = "row"
    decimal_comma: bool = False

    def place(self, label: Any) -> str:
        """Say where the row with an index label is: ``line 7 of coarse.csv``."""
        return f"{self.unit} {self.first + int(label)} of {self.path}"


def read_table(path: str | Path) -> Source:
    """Read a CSV or Parquet file."""
    file = Path(path)
    if not file.exists():
        raise FileError(f"there is no file {file}")
    if file.is_dir():
        raise FileError(f"{file} is a folder, not a file")
    source = _read_parquet(file) if _is_parquet(file) else _read_csv(file)
    if source.rows.columns.empty or source.rows.empty:
        raise DataError(f"{file} has no rows of data")
    return source


def write_table(table: pd.DataFrame, path: str | Path) -> None:
    """Write a table as CSV or Parquet, by the file's ending; whole or not at all."""
    with atomic_write(path) as file:
        if _is_parquet(path):
            _need_pyarrow(path)
            table.to_parquet(file, index=False)
        else:
            table.to_csv(file, index=False)


def _is_parquet(path: str | Path) -> bool:
    return Path(path).suffix.lower() in (".parquet", ".pq")


def _read_csv(file: Path) -> Source:
    separator, names = _read_header(file)
    try:
        table = _read_cells(file, separator)
    except UnicodeDecodeError:
        raise DataError(_not_text(file)) from None
    except pd.errors.ParserWarning:
        raise DataError(
            f"{file}: rows have more cells than the header has names; is there a decimal comma "
            "in a comma-separated file, or a first column without a name?"
        ) from None
    except (pd.errors.ParserError, ValueError) as error:
        raise DataError(f"{file} cannot be read as a table: {str(error).strip()}") from error
    table.columns = pd.Index(names)
    return Source(
        path=str(file),
        rows=_drop_nameless(_drop_blank_rows(table), file),
        first=2,
        unit="line",
        decimal_comma=separator != ",",
    )


def _read_cells(file: Path, separator: str) -> pd.DataFrame:
    """All cells as text; rows that are too long are an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        return pd.read_csv(
            file,
            sep=separator,
            header=0,
            dtype=str,
            keep_default_na=False,
            encoding="utf-8-sig",
            skipinitialspace=True,
            skip_blank_lines=False,
            index_col=False,
        )


def _read_header(file: Path) -> tuple[str, list[str]]:
    """Separator and column names of a CSV file."""
    header = _first_line(file)
    if not header.strip():
        raise DataError(f"{file} is empty, or its first line is; it needs a header row")
    separator = max(_SEPARATORS, key=header.count)
    names = [name.strip() for name in next(csv.reader([header], delimiter=separator))]
    if all(_looks_numeric(name) for name in names if name):
        raise DataError(f"{file}: the first line looks like numbers; is the header row missing?")
    repeated = sorted({name for name in names if name and names.count(name) > 1})
    if repeated:
        raise DataError(f"{file} has column {listed(repeated)} twice; rename one of them")
    return separator, names


def _first_line(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            if stream.read(2) == b"\x1f\x8b":
                raise DataError(f"{file} is compressed; decompress it first")
        with file.open(encoding="utf-8-sig", newline="") as text:
            return text.readline()
    except UnicodeDecodeError:
        raise DataError(_not_text(file)) from None
    except OSError as error:
        raise FileError(f"cannot read {file}: {error.strerror}") from error


def _looks_numeric(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _not_text(file: Path) -> str:
    return f"{file} is not a text file in UTF-8; save it as CSV (UTF-8) or as Parquet"


def _drop_blank_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out blank lines; the index still counts them."""
    table = table.fillna("")
    blank = (table.iloc[:, 0].str.strip() == "").to_numpy()
    if not blank.any():
        return table
    empty = (table[blank].apply(lambda column: column.str.strip()) == "").all(axis=1)
    return table.drop(index=empty.index[empty])


def _drop_nameless(table: pd.DataFrame, file: Path) -> pd.DataFrame:
    """Leave out columns without a name if they are empty, as after a trailing separator."""
    for position in np.flatnonzero(table.columns == ""):
        if (table.iloc[:, position].str.strip() != "").any():
            raise DataError(
                f"{file}: column {position + 1} has values but no name; name it, or write the "
                "file without it (for pandas: to_csv(..., index=False))"
            )
    return table.loc[:, table.columns != ""]


def _read_parquet(file: Path) -> Source:
    _need_pyarrow(file)
    try:
        table = pd.read_parquet(file)
    except Exception as error:  # pyarrow's errors share no base class with meaning
        raise DataError(f"{file} cannot be read as Parquet: {error}") from error
    named = [name for name in table.index.names if name is not None]
    table = table.reset_index(level=named).reset_index(drop=True) if named else table
    table = table.reset_index(drop=True)
    table.columns = pd.Index([str(name) for name in table.columns])
    return Source(str(file), table)


def _need_pyarrow(file: str | Path) -> None:
    import_extra("pyarrow", "parquet", f"the Parquet file {file}")
