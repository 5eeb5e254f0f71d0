"""A table as it was read from a file, before its cells are taken for numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, listed
from .units import may_have_unit, units_of_row

#: Tables with more columns are not read: no model has so many inputs.
MOST_COLUMNS = 5_000
#: Longer names are no names.
LONGEST_NAME = 10_000
#: Rows below one of units that are looked at.
_LOOKED_AT = 100


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
    separator : str
        What stands between cells; a comma for files that are no text.
    units : mapping of column to unit
        What the row below the header says; empty if there is none.
    typed : bool
        Whether the file says which columns are numbers, as Parquet does.
    """

    path: str
    rows: pd.DataFrame
    first: int = 1
    unit: str = "row"
    decimal_comma: bool = False
    separator: str = ","
    units: Mapping[str, str] = field(default_factory=dict)
    typed: bool = False

    def place(self, label: Any) -> str:
        """Say where the row with an index label is: ``line 7 of coarse.csv``."""
        return f"{self.unit} {self.first + int(label)} of {self.path}"

    def with_rows(self, rows: pd.DataFrame) -> Source:
        """Return the same file with some of its rows only."""
        return replace(self, rows=rows)


def checked_names(cells: Sequence[str], path: str) -> list[str]:
    """Names of columns, in one line each; what cannot be a name is refused."""
    if len(cells) > MOST_COLUMNS:
        raise DataError(
            f"{path} has {len(cells)} columns, and no more than {MOST_COLUMNS} are read; keep "
            "those that are needed"
        )
    names = [" ".join(cell.split()) for cell in cells]
    for position, name in enumerate(names, 1):
        if len(name) > LONGEST_NAME:
            raise DataError(
                f"{path}: column {position} has a name of {len(name)} characters; is a quotation "
                "mark missing?"
            )
        if not name.isprintable():
            raise DataError(
                f"{path}: column {position} has control characters in its name, {name!r}; rename it"
            )
    repeated = sorted(name for name, count in Counter(names).items() if name and count > 1)
    if repeated:
        raise DataError(f"{path} has column {listed(repeated)} twice; rename one of them")
    return names


def text_source(
    names: list[str],
    table: pd.DataFrame,
    path: str,
    *,
    first: int,
    unit: str,
    separator: str = ",",
    begins: bool = True,
) -> Source:
    """Make a source of cells that are text: without blank rows, nameless columns and units.

    Units are looked for only where the table `begins`, not in the later rows of one.
    """
    table.columns = pd.Index(names)
    rows = _drop_nameless(_drop_blank_rows(table), path)
    units = _units_above(rows) if begins else None
    if units is not None:
        rows = rows.iloc[1:]
    return Source(path, rows, first, unit, separator != ",", separator, units or {})


def _units_above(rows: pd.DataFrame) -> dict[str, str] | None:
    """Units of the columns, if the first row holds nothing else; None if it does not."""
    units = units_of_row([str(cell) for cell in rows.iloc[0]]) if len(rows) > 1 else None
    if units is None:
        return None
    below = rows.iloc[1 : 1 + _LOOKED_AT]
    named = [below.iloc[:, position] for position, unit in enumerate(units) if unit]
    if named and not any(may_have_unit([str(cell) for cell in column]) for column in named):
        return None
    pairs = zip(rows.columns, units, strict=True)
    return {str(column): unit for column, unit in pairs if unit}


def _drop_blank_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out blank lines; the index still counts them."""
    table = table.fillna("")
    blank = (table.iloc[:, 0].str.strip() == "").to_numpy(dtype=bool)
    if not blank.any():
        return table
    cells = table[blank].to_numpy(dtype=object)
    empty = np.array([all(not str(cell).strip() for cell in row) for row in cells], dtype=bool)
    return table.drop(index=table.index[blank][empty])


def _drop_nameless(table: pd.DataFrame, path: str) -> pd.DataFrame:
    """Leave out columns without a name if they are empty, as after a trailing separator."""
    nameless = np.flatnonzero(np.asarray(table.columns == ""))
    for position in nameless:
        if (table.iloc[:, position].str.strip() != "").any():
            raise DataError(
                f"{path}: column {position + 1} has values but no name; name it, or write the "
                "file without it (for pandas: to_csv(..., index=False))"
            )
    return table.loc[:, table.columns != ""] if len(nameless) else table
