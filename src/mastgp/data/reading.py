"""Files in: text with separators, spreadsheets, Parquet and Feather.

What a file is, its ending says; what is in a text, its first lines say.
"""

from __future__ import annotations

import os

from ..errors import DataError
from ..libraries import import_extra
from .columnar import is_columnar, read_columns
from .delimited import read_delimited
from .opening import SHEETED, Place, place_of, read_bytes
from .sheets import read_sheet
from .source import Source
from .text import decoded

__all__ = ["Source", "need_library", "read_table"]


def read_table(path: str | os.PathLike[str]) -> Source:
    """Read a file as it is; ``-`` is standard input, and ``runs.xlsx:Sheet2`` a sheet."""
    place = place_of(path)
    need_library(place)
    data = read_bytes(place)
    ending = os.path.splitext(place.path)[1].lower()
    if ending in SHEETED:
        source = read_sheet(data, place)
    elif is_columnar(place):
        source = read_columns(data, place)
    else:
        source = read_delimited(decoded(data, str(place)), str(place))
    if source.rows.columns.empty or source.rows.empty:
        raise DataError(f"{place} has no rows of data")
    return source


def need_library(place: Place) -> None:
    """Say that a library is missing before anything is read."""
    if is_columnar(place):
        import_extra("pyarrow", "files", f"the file {place.path}")
