"""Files of typed columns: Parquet and Feather.

A small file may hold a large table, because equal values are stored once. So what its columns would
be in memory is counted before they become a table.
"""

from __future__ import annotations

import io
import os
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, MastError
from ..libraries import import_extra
from .opening import Place
from .source import Source, checked_names

PARQUET, FEATHER = (".parquet", ".pq"), (".feather", ".arrow")
#: Most values, and most bytes of texts, that the columns of a file may hold.
MOST_VALUES, MOST_TEXT = 50_000_000, 2**28


def is_columnar(place: Place) -> bool:
    """Whether a file's ending says that it has typed columns."""
    return _ending(place) in (*PARQUET, *FEATHER)


def _ending(place: Place) -> str:
    return os.path.splitext(place.path)[1].lower()


def read_columns(data: bytes, place: Place) -> Source:
    """Read a file of typed columns; a named index becomes columns too."""
    parquet = _ending(place) in PARQUET
    try:
        columns = _of_parquet(data, place) if parquet else _of_feather(data, place)
        table = _as_table(columns, place)
    except MastError:
        raise
    except Exception as error:  # pyarrow's errors share no base class with meaning
        kind = "Parquet" if parquet else "Feather"
        raise DataError(f"{place} cannot be read as {kind}: {error}") from error
    objects = [name for name, dtype in table.dtypes.items() if dtype.kind == "O"]
    return Source(str(place), table.assign(**{name: table[name].map(_as_cell) for name in objects}))


def _of_parquet(data: bytes, place: Place) -> Any:
    """Columns of a Parquet file, texts as codes of distinct texts."""
    parquet = import_extra("pyarrow.parquet", "files", f"the file {place.path}")
    schema = parquet.ParquetFile(io.BytesIO(data)).schema_arrow
    checked_names(schema.names, str(place))
    texts = [field.name for field in schema if _is_text(field.type)]
    file = parquet.ParquetFile(io.BytesIO(data), read_dictionary=texts)
    groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    _check_number(sum(g.column(j).num_values for g in groups for j in range(g.num_columns)), place)
    table = file.read()
    _check_texts(table, place)
    return table.cast(schema)


def _of_feather(data: bytes, place: Place) -> Any:
    """Columns of a Feather file, counted part by part."""
    arrow = import_extra("pyarrow", "files", f"the file {place.path}")
    if data.startswith(b"FEA1"):  # the first format has no parts and no compression
        table = import_extra("pyarrow.feather", "files", "").read_table(io.BytesIO(data))
        checked_names(table.schema.names, str(place))
        return table
    reader = arrow.ipc.open_file(io.BytesIO(data))
    checked_names(reader.schema.names, str(place))
    parts, n_values = [], 0
    for i in range(reader.num_record_batches):
        parts.append(reader.get_batch(i))
        n_values += parts[-1].num_rows * parts[-1].num_columns
        _check_number(n_values, place)
    table = arrow.Table.from_batches(parts, schema=reader.schema)
    _check_texts(table, place)
    return table


def _is_text(kind: Any) -> bool:
    types = import_extra("pyarrow.types", "files", "")
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind))


def _check_number(n_values: int, place: Place) -> None:
    if n_values > MOST_VALUES:
        raise DataError(
            f"{place} has {n_values} values, and no more than {MOST_VALUES} are read; keep the "
            "rows and columns that are needed"
        )


def _check_texts(table: Any, place: Place) -> None:
    """Refuse texts that would be too long, each counted as often as it occurs."""
    compute = import_extra("pyarrow.compute", "files", "")
    for name, column in zip(table.schema.names, table.columns, strict=True):
        lengths = [_lengths(chunk, compute) for chunk in column.chunks]
        if sum(lengths) > MOST_TEXT:
            raise DataError(
                f"{place}, column {name!r}: its texts have {sum(lengths)} bytes, and no more than "
                f"{MOST_TEXT} are read; leave it out"
            )


def _lengths(chunk: Any, compute: Any) -> int:
    """Bytes of the texts of a column's part; none where it has other values."""
    coded = hasattr(chunk, "dictionary")
    if not _is_text(chunk.dictionary.type if coded else chunk.type):
        return 0
    lengths = compute.binary_length(chunk.dictionary if coded else chunk).cast("int64")
    lengths = lengths.take(chunk.indices) if coded else lengths
    return compute.sum(lengths).as_py() or 0


def _as_table(columns: Any, place: Place) -> pd.DataFrame:
    """Columns as a table whose rows are counted from zero."""
    table: pd.DataFrame = columns.to_pandas()
    named = [name for name in table.index.names if name is not None]
    table = table.reset_index(level=named) if named else table
    table = table.reset_index(drop=True)
    table.columns = pd.Index(checked_names([str(name) for name in table.columns], str(place)))
    if "" in table.columns:
        raise DataError(f"{place} has a column without a name; name it or leave it out")
    return table


def _as_cell(value: Any) -> Any:
    """Lists and the like as text, which errors can show."""
    return str(value) if isinstance(value, list | dict | np.ndarray) else value
