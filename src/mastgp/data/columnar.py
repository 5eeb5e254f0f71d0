"""Files of typed columns: Parquet and Feather.

A small file may hold a large table, because equal values are stored once. So what its columns would
be in memory is counted before they become a table.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..blocks import blocks
from ..errors import DataError, MastError
from ..libraries import import_extra
from .arrow_parts import unpacked_sizes
from .opening import FEATHER, PARQUET, Place
from .source import Source, checked_names

#: Most values, and most bytes of texts, that the columns of a file may hold.
MOST_VALUES, MOST_TEXT = 50_000_000, 2**28
#: Most bytes that what is unpacked at a time may have.
MOST_UNPACKED = 2**29
#: Longest description of a column's kind that stands for its values.
_LONGEST_KIND = 60
#: Cells of a block of rows.
BLOCK_CELLS = 1_000_000


def is_columnar(place: Place) -> bool:
    """Whether a file's ending says that it has typed columns."""
    return _ending(place) in (*PARQUET, *FEATHER)


def _is_parquet(place: Place) -> bool:
    return _ending(place) in PARQUET


def _ending(place: Place) -> str:
    return os.path.splitext(place.path)[1].lower()


def read_columns(data: bytes, place: Place) -> Source:
    """Read a file of typed columns; a named index becomes columns too."""
    try:
        columns = (_of_parquet if _is_parquet(place) else _of_feather)(data, place)
        return _as_source(columns, place)
    except MastError:
        raise
    except Exception as error:  # pyarrow's errors share no base class with meaning
        raise _unreadable(place, error) from error


def column_blocks(place: Place) -> Iterator[Source]:
    """Read a file of typed columns in blocks of rows, which count on from block to block."""
    done = 0
    try:
        for columns in (_blocks_of_parquet if _is_parquet(place) else _blocks_of_feather)(place):
            source = _as_source(columns, place)
            yield replace(source, first=1 + done)
            done += len(source.rows)
    except MastError:
        raise
    except Exception as error:
        raise _unreadable(place, error, f" after row {done}" if done else "") from error


def columnar_cells(place: Place) -> int:
    """Number of the cells of a file: exact for Parquet, about so for Feather."""
    try:
        if _is_parquet(place):
            about = _parquet(place).read_metadata(place.path)
            return int(about.num_rows * about.num_columns)
        _check_parts(place)
        reader = _arrow(place).ipc.open_file(place.path)
        n_blocks = reader.num_record_batches
        first = reader.get_batch(0).num_rows if n_blocks else 0
        return int(first * n_blocks * len(reader.schema.names))
    except Exception:  # whoever reads the file says what is wrong with it
        return 0


def _unreadable(place: Place, error: Exception, where: str = "") -> DataError:
    kind = "Parquet" if _is_parquet(place) else "Feather"
    return DataError(f"{place} cannot be read as {kind}{where}: {error}")


def _as_source(columns: Any, place: Place) -> Source:
    return Source(str(place), _as_table(columns, place), typed=True)


def _parquet(place: Place) -> Any:
    return import_extra("pyarrow.parquet", "files", f"the file {place.path}")


def _arrow(place: Place) -> Any:
    return import_extra("pyarrow", "files", f"the file {place.path}")


def _blocks_of_parquet(place: Place) -> Iterator[Any]:
    schema = _parquet(place).read_schema(place.path)
    size = _block_rows(len(checked_names(schema.names, str(place))))
    with _parquet(place).ParquetFile(place.path, read_dictionary=_texts(schema)) as file:
        for part in file.iter_batches(batch_size=size):
            yield _checked(_arrow(place).Table.from_batches([part]), place, schema)


def _blocks_of_feather(place: Place) -> Iterator[Any]:
    """Blocks of a Feather file; of the first format, which has no parts, all at once."""
    arrow = _arrow(place)
    with open(place.path, "rb") as file:
        if file.read(4) == b"FEA1":
            file.seek(0)
            yield _of_feather(file.read(), place)
            return
    _check_parts(place)
    with arrow.ipc.open_file(place.path) as reader:
        size = _block_rows(len(checked_names(reader.schema.names, str(place))))
        for i in range(reader.num_record_batches):
            part = arrow.Table.from_batches([reader.get_batch(i)])
            for rows in blocks(part.num_rows, size):
                yield _checked(part.slice(rows.start, rows.stop - rows.start), place)


def _block_rows(n_columns: int) -> int:
    return max(1, BLOCK_CELLS // max(n_columns, 1))


def _of_parquet(data: bytes, place: Place) -> Any:
    """Columns of a Parquet file, texts as codes of distinct texts."""
    parquet = _parquet(place)
    schema = parquet.ParquetFile(io.BytesIO(data)).schema_arrow
    checked_names(schema.names, str(place))
    file = parquet.ParquetFile(io.BytesIO(data), read_dictionary=_texts(schema))
    groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    _check_number(sum(g.column(j).num_values for g in groups for j in range(g.num_columns)), place)
    return _checked(file.read(), place, schema)


def _texts(schema: Any) -> list[str]:
    return [field.name for field in schema if _is_text(field.type)]


def _of_feather(data: bytes, place: Place) -> Any:
    """Columns of a Feather file, counted part by part."""
    arrow = _arrow(place)
    if data.startswith(b"FEA1"):  # the first format has no parts and no compression
        table = import_extra("pyarrow.feather", "files", "").read_table(io.BytesIO(data))
        checked_names(table.schema.names, str(place))
        return _checked(table, place)
    _check_unpacked(sum(unpacked_sizes(io.BytesIO(data))), place)
    reader = arrow.ipc.open_file(io.BytesIO(data))
    checked_names(reader.schema.names, str(place))
    parts, n_values = [], 0
    for i in range(reader.num_record_batches):
        parts.append(reader.get_batch(i))
        n_values += parts[-1].num_rows * parts[-1].num_columns
        _check_number(n_values, place)
    return _checked(arrow.Table.from_batches(parts, schema=reader.schema), place)


def _check_parts(place: Place) -> None:
    """Refuse a file of which a part would be too large; parts are read one at a time."""
    with open(place.path, "rb") as file:
        _check_unpacked(max(unpacked_sizes(file), default=0), place)


def _check_unpacked(size: int, place: Place) -> None:
    if size > MOST_UNPACKED:
        raise DataError(
            f"{place} would be {size / 2**20:.0f} MB unpacked, and no more than "
            f"{MOST_UNPACKED / 2**20:.0f} are unpacked at a time; write it in smaller parts, or "
            "keep the rows and columns that are needed"
        )


def _is_text(kind: Any) -> bool:
    types = import_extra("pyarrow.types", "files", "")
    tests = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    return any(test(kind) for test in tests) or _is_view(kind)


def _is_view(kind: Any) -> bool:
    types = import_extra("pyarrow.types", "files", "")
    return bool(types.is_string_view(kind) or types.is_binary_view(kind))


def _checked(table: Any, place: Place, schema: Any = None) -> Any:
    """Columns that are what they say, whose texts are not too long, and which hold plain values."""
    table.validate(full=True)
    table = _checked_texts(_plain(table), place)
    return table if schema is None else _plain(table).cast(_plain(schema.empty_table()).schema)


def _plain(table: Any) -> Any:
    """The same columns; of lists and the like only their kind is kept, which errors can show."""
    arrow = import_extra("pyarrow", "files", "")
    for i, field in enumerate(table.schema):
        coded = arrow.types.is_dictionary(field.type)
        kind = field.type.value_type if coded else field.type
        if arrow.types.is_nested(kind) or arrow.types.is_run_end_encoded(kind):
            codes = arrow.repeat(arrow.scalar(0, arrow.int8()), table.num_rows)
            shown = arrow.array([str(kind)[:_LONGEST_KIND]])
            column = arrow.DictionaryArray.from_arrays(codes, shown)
            table = table.set_column(i, field.name, column)
    return table


def _check_number(n_values: int, place: Place) -> None:
    if n_values > MOST_VALUES:
        raise DataError(
            f"{place} has {n_values} values, and no more than {MOST_VALUES} are read; keep the "
            "rows and columns that are needed"
        )


def _checked_texts(table: Any, place: Place) -> Any:
    """The same columns; refused are texts that are too long, counted as often as they occur."""
    compute = import_extra("pyarrow.compute", "files", "")
    for name, column in zip(table.schema.names, table.columns, strict=True):
        lengths = [_lengths(chunk, compute) for chunk in column.chunks]
        if sum(lengths) > MOST_TEXT:
            raise DataError(
                f"{place}, column {name!r}: its texts have {sum(lengths)} bytes, and no more than "
                f"{MOST_TEXT} are read; leave it out"
            )
    return table


def _lengths(chunk: Any, compute: Any) -> int:
    """Bytes of the texts of a column's part; none where it has other values."""
    coded = hasattr(chunk, "dictionary")
    if _is_view(chunk.type):  # views of one long text may be many; each begins with its length
        views = np.frombuffer(chunk.buffers()[1], "<i4").reshape(-1, 4)
        return int(views[chunk.offset : chunk.offset + len(chunk), 0].sum(dtype=np.int64))
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
