"""Reading the user's files: CSV or Parquet, one per fidelity or one long table.

Every error names the file, and where it can the line and the column.
"""

from __future__ import annotations

import csv
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .errors import DataError, FileError, MissingExtraError, listed
from .hierarchy import fidelity_name
from .storage import atomic_write, check_can_write

_SEPARATORS = ",;\t"


@dataclass(frozen=True)
class TrainingTable:
    """Training data as read from files.

    Attributes
    ----------
    X : DataFrame of inputs
    y : Series, named after the target
    fidelity : list of str, one per row
    noise_std : Series or None
    """

    X: pd.DataFrame
    y: pd.Series[float]
    fidelity: list[str]
    noise_std: pd.Series[float] | None


def read_table(path: str | Path) -> pd.DataFrame:
    """Read a CSV or Parquet file. The index holds line numbers (CSV) or row numbers (Parquet)."""
    file = Path(path)
    if not file.exists():
        raise FileError(f"there is no file {file}")
    if file.is_dir():
        raise FileError(f"{file} is a folder, not a file")
    table = _read_parquet(file) if _is_parquet(file) else _read_csv(file)
    if table.columns.empty or table.empty:
        raise DataError(f"{file} has no rows of data")
    return table


def write_table(table: pd.DataFrame, path: str | Path) -> None:
    """Write a table as CSV or Parquet, by the file's ending; whole or not at all."""
    check_can_write(path)
    with atomic_write(path) as file:
        if _is_parquet(path):
            _need_pyarrow(path)
            table.to_parquet(file, index=False)
        else:
            table.to_csv(file, index=False)


def training_table(
    files: Sequence[str],
    target: str,
    *,
    fidelity_column: str | None = None,
    inputs: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    noise_column: str | None = None,
) -> TrainingTable:
    """Read the training data of all fidelities.

    Parameters
    ----------
    files : sequence of paths
        One per fidelity, named after it (``coarse.csv``) or as ``name=path``; or, with
        `fidelity_column`, any number of files in which that column names each row's fidelity.
    target : str
        Column of the response.
    fidelity_column : str, optional
    inputs : sequence of str, optional
        Input columns; by default all that are not target, fidelity, noise or ignored.
    ignore : sequence of str
        Columns to leave out.
    noise_column : str, optional
        Column of known noise standard deviations.
    """
    tables: dict[str, pd.DataFrame] = {}
    sources: dict[str, str] = {}
    for argument in files:
        name, path = _name_and_path(argument)
        if name in tables:
            raise DataError(
                f"two files are called {name!r}: {sources[name]} and {path}; "
                f"name them as one={sources[name]} two={path}"
            )
        tables[name] = read_table(path)
        sources[name] = path
    roles = [column for column in (target, fidelity_column, noise_column) if column]
    for name, table in tables.items():
        _check_columns(table, sources[name], roles)
    chosen = list(inputs) if inputs else _common_inputs(tables, sources, {*roles, *ignore})
    if target in chosen:
        raise DataError(f"column {target!r} cannot be both target and input")
    parts = []
    for name, table in tables.items():
        _check_columns(table, sources[name], chosen)
        part = numeric(table, [*chosen, target], sources[name])
        part["fidelity label"] = _labels(table, fidelity_column, name, sources[name])
        if noise_column:
            part["noise"] = numeric(table, [noise_column], sources[name])[noise_column]
        parts.append(part)
    rows = pd.concat(parts, ignore_index=True)
    return TrainingTable(
        X=rows[chosen],
        y=rows[target],
        fidelity=rows["fidelity label"].tolist(),
        noise_std=rows["noise"] if noise_column else None,
    )


def query_table(path: str, inputs: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read points to predict at: the whole table, and its input columns in the model's order."""
    table = read_table(path)
    _check_columns(table, path, list(inputs))
    return table, numeric(table, list(inputs), path)


def numeric(table: pd.DataFrame, columns: Sequence[str], source: str) -> pd.DataFrame:
    """Return columns of finite numbers, or raise an error that names the first other value."""
    numbers = {}
    for column in columns:
        values = pd.to_numeric(table[column], errors="coerce").to_numpy(dtype=float)
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise DataError(_bad_value(table, column, int(bad[0]), len(bad), source))
        numbers[column] = values
    return pd.DataFrame(numbers, index=table.index)


def _bad_value(table: pd.DataFrame, column: str, position: int, count: int, source: str) -> str:
    value = table[column].iloc[position]
    where = f"{source}, line {table.index[position]}, column {column!r}"
    more = f" ({count} such values in this column)" if count > 1 else ""
    if pd.isna(value):
        return f"{where}: the value is missing (NaN){more}; fill it in or remove the row"
    if isinstance(value, str) and not _is_infinite(value):
        return (
            f"{where}: {value!r} is not a number{more}; correct it, or leave the column out "
            f"(--ignore {column!r})"
        )
    return f"{where}: the value is infinite{more}; correct it or remove the row"


def _is_infinite(text: str) -> bool:
    try:
        return bool(np.isinf(float(text)))
    except ValueError:
        return False


def _name_and_path(argument: str) -> tuple[str, str]:
    name, equals, path = argument.partition("=")
    if equals and name and not Path(argument).exists():
        return name, path
    return Path(argument).stem, argument


def _common_inputs(
    tables: dict[str, pd.DataFrame], sources: dict[str, str], not_inputs: set[str]
) -> list[str]:
    first, *others = tables
    chosen = [column for column in tables[first].columns if column not in not_inputs]
    if not chosen:
        raise DataError(
            f"{sources[first]} has no input columns besides {listed(sorted(not_inputs))}"
        )
    for name in others:
        columns = {column for column in tables[name].columns if column not in not_inputs}
        for missing, here, there in (
            (sorted(set(chosen) - columns), name, first),
            (sorted(columns - set(chosen)), first, name),
        ):
            if missing:
                raise DataError(
                    f"{sources[here]} has no column {listed(missing)}, but {sources[there]} has; "
                    "all files need the same inputs: add the column, or leave it out of the "
                    f"others (--ignore {missing[0]!r})"
                )
    return chosen


def _check_columns(table: pd.DataFrame, source: str, needed: Sequence[str]) -> None:
    missing = [column for column in needed if column not in table.columns]
    if not missing:
        return
    hint = ""
    if all(_looks_numeric(column) for column in table.columns):
        hint = " (the first line looks like numbers: is the header row missing?)"
    raise DataError(
        f"{source} has no column {listed(missing)}; its columns are {listed(table.columns)}{hint}"
    )


def _looks_numeric(text: Any) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _labels(table: pd.DataFrame, column: str | None, name: str, source: str) -> list[str]:
    if column is None:
        return [name] * len(table)
    labels = []
    for line, label in table[column].items():
        if pd.isna(label):
            raise DataError(f"{source}, line {line}, column {column!r}: the fidelity is missing")
        labels.append(fidelity_name(label).strip())
    return labels


def _is_parquet(path: str | Path) -> bool:
    return Path(path).suffix.lower() in (".parquet", ".pq")


def _read_csv(file: Path) -> pd.DataFrame:
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            header, sample = stream.readline(), stream.readline()
    except UnicodeDecodeError:
        raise DataError(
            f"{file} is not a text file in UTF-8; save it as CSV (UTF-8) or as Parquet"
        ) from None
    except OSError as error:
        raise FileError(f"cannot read {file}: {error.strerror}") from error
    if not header.strip():
        raise DataError(f"{file} is empty, or its first line is; it needs a header row")
    separator = max(_SEPARATORS, key=header.count)
    names = [name.strip() for name in next(csv.reader([header], delimiter=separator))]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise DataError(f"{file} has column {listed(repeated)} twice; rename one of them")
    try:
        table = pd.read_csv(
            file,
            sep=separator,
            decimal="," if separator == ";" and "," in sample else ".",
            encoding="utf-8-sig",
            skipinitialspace=True,
            skip_blank_lines=False,
            index_col=False,
            low_memory=False,
        )
    except UnicodeDecodeError:
        raise DataError(
            f"{file} is not a text file in UTF-8; save it as CSV (UTF-8) or as Parquet"
        ) from None
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError) as error:
        raise DataError(f"{file} cannot be read as a table: {str(error).strip()}") from error
    table.columns = pd.Index([str(name).strip() for name in table.columns])
    table.index = pd.RangeIndex(2, 2 + len(table))
    return table.dropna(how="all")


def _read_parquet(file: Path) -> pd.DataFrame:
    _need_pyarrow(file)
    try:
        table = pd.read_parquet(file)
    except Exception as error:  # pyarrow's errors share no base class with meaning
        raise DataError(f"{file} cannot be read as Parquet: {error}") from error
    table = table.reset_index(drop=True)
    table.columns = pd.Index([str(name) for name in table.columns])
    return table


def _need_pyarrow(file: str | Path) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pyarrow  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            f"{file}: Parquet files need pyarrow; install it with "
            "'pip install \"mastgp[parquet]\"', or use CSV"
        ) from None
