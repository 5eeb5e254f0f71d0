"""Tables out as files of typed columns, Parquet and Feather, block by block."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

import pandas as pd

from ..errors import DataError
from ..libraries import import_extra


@contextmanager
def column_writer(
    file: IO[bytes], path: str | os.PathLike[str], parquet: bool
) -> Iterator[Callable[[pd.DataFrame, Any], None]]:
    """Write blocks of rows to an open file; the types of the columns are those of the first one.

    Parameters
    ----------
    file : binary file
    path : path
        What the file is called in messages.
    parquet : bool
        Whether it is Parquet; Feather otherwise.
    """
    arrow = import_extra("pyarrow", "files", f"the file {path}")
    writer: Any = None

    def write(table: pd.DataFrame, _: Any) -> None:
        nonlocal writer
        schema = None if writer is None else writer.schema
        columns = _columns(arrow, table, schema, path)
        if writer is None:
            writer = _Writer(file, columns.schema, parquet)
        writer.write(columns)

    try:
        yield write
    except BaseException:
        if writer is not None:
            with suppress(Exception):  # the file is thrown away
                writer.close()
        raise
    if writer is not None:
        writer.close()


def _columns(arrow: Any, table: pd.DataFrame, schema: Any, path: str | os.PathLike[str]) -> Any:
    """A table as typed columns; a first block's column without a value is one of text."""
    try:
        columns = arrow.Table.from_pandas(table, schema=schema, preserve_index=False)
        if schema is None:
            columns = columns.cast(_without_null_types(arrow, columns.schema))
        return columns
    except (arrow.ArrowInvalid, arrow.ArrowTypeError) as error:
        raise DataError(
            f"{path} cannot be written: a column changes its type from one block of rows to the "
            f"next ({error}); write text (.csv) instead"
        ) from error


def _without_null_types(arrow: Any, schema: Any) -> Any:
    """The same types; of columns without a value nobody knows the type yet."""
    for i, column in enumerate(schema):
        if arrow.types.is_null(column.type):
            schema = schema.set(i, column.with_type(arrow.string()))
    return schema


class _Writer:
    """Parquet's and Feather's writers in one form."""

    def __init__(self, file: IO[bytes], schema: Any, parquet: bool) -> None:
        self.schema = schema
        if parquet:
            of_parquet = import_extra("pyarrow.parquet", "files")
            self._writer = of_parquet.ParquetWriter(file, schema)
        else:
            ipc = import_extra("pyarrow.ipc", "files")
            options = ipc.IpcWriteOptions(compression="lz4")
            self._writer = ipc.new_file(file, schema, options=options)

    def write(self, columns: Any) -> None:
        self._writer.write_table(columns)

    def close(self) -> None:
        self._writer.close()
