"""Files in: text with separators, spreadsheets, Parquet and Feather.

What a file is, its ending says; what is in a text, its first lines say.
"""

from __future__ import annotations

import io
import os
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError
from ..libraries import import_extra
from .delimited import read_delimited
from .opening import SHEETED, Place, place_of, read_bytes
from .sheets import read_sheet
from .source import Source
from .text import decoded

__all__ = ["Source", "read_table"]

PARQUET, FEATHER = (".parquet", ".pq"), (".feather", ".arrow")


def read_table(path: str | os.PathLike[str]) -> Source:
    """Read a file as it is; ``-`` is standard input, and ``runs.xlsx:Sheet2`` a sheet."""
    place = place_of(path)
    _need_library(place)
    data = read_bytes(place)
    ending = os.path.splitext(place.path)[1].lower()
    if ending in SHEETED:
        source = read_sheet(data, place)
    elif ending in (*PARQUET, *FEATHER):
        source = _read_columns(data, place)
    else:
        source = read_delimited(decoded(data, str(place)), str(place))
    if source.rows.columns.empty or source.rows.empty:
        raise DataError(f"{place} has no rows of data")
    return source


def _read_columns(data: bytes, place: Place) -> Source:
    """A file of typed columns."""
    parquet = os.path.splitext(place.path)[1].lower() in PARQUET
    read, kind = (pd.read_parquet, "Parquet") if parquet else (pd.read_feather, "Feather")
    try:
        table = read(io.BytesIO(data))
    except Exception as error:  # pyarrow's errors share no base class with meaning
        raise DataError(f"{place} cannot be read as {kind}: {error}") from error
    named = [name for name in table.index.names if name is not None]
    table = table.reset_index(level=named).reset_index(drop=True) if named else table
    table = table.reset_index(drop=True)
    table.columns = pd.Index([str(name) for name in table.columns])
    if not table.columns.is_unique:
        raise DataError(f"{place} has two columns of the same name; rename one of them")
    nested = [name for name, dtype in table.dtypes.items() if dtype.kind == "O"]
    return Source(str(place), table.assign(**{name: table[name].map(_as_cell) for name in nested}))


def _as_cell(value: Any) -> Any:
    """Lists and the like as text, which errors can show."""
    return str(value) if isinstance(value, list | dict | np.ndarray) else value


def _need_library(place: Place) -> None:
    """Say that a library is missing before anything is read."""
    ending = os.path.splitext(place.path)[1].lower()
    if ending in (*PARQUET, *FEATHER):
        import_extra("pyarrow", "files", f"the file {place.path}")
