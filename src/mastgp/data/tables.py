"""Reading the user's files: CSV or Parquet, one per fidelity or one long table.

CSV cells are kept as the text they are until they are needed as numbers, so that fidelity names
and columns that are only passed through stay as the user wrote them. Every error names the file,
and where it can the line and the column.
"""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import DataError, FileError, MissingExtraError, listed
from ..files import atomic_write
from .fidelities import fidelity_name

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


@dataclass(frozen=True)
class TrainingTable:
    """Training data as read from files.

    Attributes
    ----------
    X : DataFrame of inputs, whose index says where each row comes from
    y : Series, named after the target
    fidelity : list of str, one per row
    noise_std : array or None
    """

    X: pd.DataFrame
    y: pd.Series[float]
    fidelity: list[str]
    noise_std: NDArray[np.float64] | None


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
        Column of known noise standard deviations; empty for fidelities whose noise is not known.
    """
    roles = [column for column in (target, fidelity_column, noise_column) if column is not None]
    _check_roles(roles, inputs or (), ignore)
    named = [_name_and_path(argument) for argument in files]
    if fidelity_column is None:
        _check_distinct(named)
    sources = [read_table(path) for _, path in named]
    for source in sources:
        _check_columns(source, roles)
    _check_ignored(sources, ignore)
    chosen = list(inputs) if inputs else _common_inputs(sources, {*roles, *ignore})
    parts, labels, noises = [], [], []
    for (name, _), source in zip(named, sources, strict=True):
        _check_columns(source, chosen)
        part = numeric(source, chosen, fix=_LEAVE_OUT).join(numeric(source, [target]))
        part.index = pd.Index([source.place(label) for label in part.index])
        parts.append(part)
        labels += _labels(source, fidelity_column, name)
        if noise_column is not None:
            noises.append(numeric(source, [noise_column], may_be_missing=True).to_numpy()[:, 0])
    rows = pd.concat(parts)
    return TrainingTable(
        X=rows[chosen],
        y=rows[target],
        fidelity=labels,
        noise_std=np.concatenate(noises) if noises else None,
    )


def query_table(path: str, inputs: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read points to predict at: the whole table, and its input columns in the model's order."""
    source = read_table(path)
    _check_columns(source, inputs)
    return source.rows, numeric(source, inputs)


_LEAVE_OUT = ", or leave the column out (--ignore {column!r}), or is it the --fidelity-column?"


def numeric(
    source: Source, columns: Sequence[str], fix: str = "", may_be_missing: bool = False
) -> pd.DataFrame:
    """Return columns as finite numbers, or raise an error that names the first other value."""
    numbers = {}
    for column in columns:
        values = _as_floats(source.rows[column], source)
        wrong = np.isinf(values) if may_be_missing else ~np.isfinite(values)
        if may_be_missing:
            wrong |= np.isnan(values) & ~_is_blank(source.rows[column])
        if wrong.any():
            raise DataError(_complaint(source, column, np.flatnonzero(wrong), fix))
        numbers[column] = values
    return pd.DataFrame(numbers, index=source.rows.index)


def _as_floats(column: pd.Series[Any], source: Source) -> NDArray[np.float64]:
    """Values as numbers; NaN where they are none."""
    if column.dtype.kind in "mM":
        return np.full(len(column), np.nan)
    if not _is_text(column):
        return pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    try:  # NumPy reads decimals exactly, but not all or nothing
        return column.to_numpy(dtype=str).astype(float)
    except ValueError:
        text = column.str.replace(",", ".") if source.decimal_comma else column
        return pd.to_numeric(text, errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def _is_text(column: pd.Series[Any]) -> bool:
    return bool(pd.api.types.is_string_dtype(column.dtype))


def _is_blank(column: pd.Series[Any]) -> NDArray[np.bool_]:
    blank = column.isna()
    if _is_text(column):
        blank |= column.str.strip().str.lower().isin(["", "nan", "na"])
    return blank.to_numpy(dtype=bool)


def _complaint(source: Source, column: str, bad: NDArray[np.intp], fix: str) -> str:
    cells = source.rows[column]
    value = cells.iloc[bad[0]]
    where = f"{source.place(cells.index[bad[0]])}, column {column!r}"
    more = f" ({len(bad)} such values in this column)" if len(bad) > 1 else ""
    # To drop a whole column for a few bad cells would be poor advice.
    leave_out = fix.format(column=column) if len(bad) == len(cells) else " or remove the row"
    if _is_blank(cells.iloc[bad[:1]])[0]:
        return f"{where}: the value is missing (NaN){more}; fill it in or remove the row"
    if isinstance(value, float | int) or str(value).strip().lower().lstrip("+-")[:3] == "inf":
        return f"{where}: the value is infinite{more}; correct it or remove the row"
    comma = " (is it a decimal comma?)" if "," in str(value) else ""
    return f"{where}: {str(value)!r} is not a number{comma}{more}; correct it{leave_out}"


def _name_and_path(argument: str) -> tuple[str, str]:
    name, equals, path = argument.partition("=")
    if equals and name and not Path(argument).exists():
        return name, path
    return Path(argument).stem, argument


def _check_roles(roles: Sequence[str], inputs: Sequence[str], ignore: Sequence[str]) -> None:
    if "" in roles:
        raise DataError("a column name is empty; say which column holds the target")
    for kind, names in (("column", roles), ("input", inputs)):
        repeated = sorted({name for name in names if list(names).count(name) > 1})
        if repeated:
            raise DataError(f"{kind} {listed(repeated)} is named twice")
    for column in roles:
        if column in inputs:
            raise DataError(f"column {column!r} cannot be both an input and something else")
        if column in ignore:
            raise DataError(f"column {column!r} is needed and cannot be ignored")


def _check_distinct(named: Sequence[tuple[str, str]]) -> None:
    seen: dict[str, str] = {}
    for name, path in named:
        if name in seen:
            if not Path(path).exists() or not Path(seen[name]).exists():
                raise DataError(
                    f"{name}={path} was taken for a file. Options take one value each: join "
                    "several by commas, as --cost coarse=1,fine=10"
                )
            raise DataError(
                f"two files are called {name!r}: {seen[name]} and {path}; "
                f"name them, as one={seen[name]} two={path}"
            )
        seen[name] = path


def _check_ignored(sources: Iterable[Source], ignore: Sequence[str]) -> None:
    known = {column for source in sources for column in source.rows.columns}
    unknown = [column for column in ignore if column not in known]
    if unknown:
        raise DataError(
            f"there is no column {listed(unknown)} to ignore{_did_you_mean(unknown[0], known)}"
        )


def _common_inputs(sources: Sequence[Source], not_inputs: set[str]) -> list[str]:
    first, *others = sources
    chosen = [column for column in first.rows.columns if column not in not_inputs]
    if not chosen:
        raise DataError(f"{first.path} has no columns besides {listed(sorted(not_inputs))}")
    for other in others:
        columns = [column for column in other.rows.columns if column not in not_inputs]
        lacking = [column for column in chosen if column not in columns]
        beyond = [column for column in columns if column not in chosen]
        if lacking or beyond:
            differences = [
                f"{here.path} has no column {listed(missing)}, but {there.path} has"
                for here, there, missing in ((other, first, lacking), (first, other, beyond))
                if missing
            ]
            if misspelt := _misspelt(lacking, beyond):
                raise DataError(f"{'; '.join(differences)}. {misspelt}")
            raise DataError(
                f"{'; '.join(differences)}. All files need the same inputs: rename or add the "
                f"column, or leave it out (--ignore {[*lacking, *beyond][0]!r})"
            )
    return chosen


def _misspelt(lacking: list[str], beyond: list[str]) -> str:
    """A question where a column of one file looks like one of another that is spelt otherwise."""
    for name in lacking:
        for similar in get_close_matches(name, beyond, n=1):
            return f"Are {name!r} and {similar!r} the same column? Then give them one name"
    return ""


def _check_columns(source: Source, needed: Sequence[str]) -> None:
    missing = [column for column in needed if column not in source.rows.columns]
    if missing:
        raise DataError(
            f"{source.path} has no column {listed(missing)}; its columns are "
            f"{listed(source.rows.columns)}{_did_you_mean(missing[0], source.rows.columns)}"
        )


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    by_lower = {str(column).lower(): str(column) for column in known}
    near = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return f" (did you mean {by_lower[near[0]]!r}?)" if near else ""


def _labels(source: Source, column: str | None, name: str) -> list[str]:
    if column is None:
        return [name] * len(source.rows)
    cells = source.rows[column]
    blank = np.flatnonzero(cells.isna() | (cells.astype(str).str.strip() == ""))
    if len(blank):
        raise DataError(
            f"{source.place(cells.index[blank[0]])}, column {column!r}: the fidelity is missing"
        )
    return [fidelity_name(label).strip() for label in cells]


def _is_parquet(path: str | Path) -> bool:
    return Path(path).suffix.lower() in (".parquet", ".pq")


def _read_csv(file: Path) -> Source:
    separator, names = _read_header(file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = pd.read_csv(
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


def _read_header(file: Path) -> tuple[str, list[str]]:
    """Separator and column names of a CSV file."""
    try:
        with file.open("rb") as stream:
            if stream.read(2) == b"\x1f\x8b":
                raise DataError(f"{file} is compressed; decompress it first")
        with file.open(encoding="utf-8-sig", newline="") as stream:
            header = stream.readline()
    except UnicodeDecodeError:
        raise DataError(_not_text(file)) from None
    except OSError as error:
        raise FileError(f"cannot read {file}: {error.strerror}") from error
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
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            f"{file}: Parquet files need pyarrow; install it with "
            "'pip install \"mastgp[parquet]\"', or use CSV"
        ) from None
