"""Tables in: files of several fidelities, one long DataFrame, and points to predict at.

Every error names the file, and where it can the line and the column.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from ..errors import DataError, listed
from .arrays import Places, Table
from .categories import Kinds
from .cells import numeric
from .columns import Header, Roles, how_to_ignore
from .fidelities import fidelity_name
from .levels import Category
from .reading import Source, read_table
from .texts import labels_of, text_inputs


def training_table(
    files: Sequence[str | os.PathLike[str]],
    target: str,
    *,
    fidelity_column: str | None = None,
    inputs: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    noise_column: str | None = None,
    kinds: Kinds | None = None,
) -> Table:
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
    kinds : Kinds, optional
        What is known of the inputs.

    Returns
    -------
    Table
        X is a DataFrame whose index says where each row comes from.
    """
    roles = Roles(target, fidelity_column, noise_column, inputs, ignore)
    return files_table(files, roles, kinds)


def files_table(
    files: Sequence[str | os.PathLike[str]], roles: Roles, kinds: Kinds | None = None
) -> Table:
    """Read the training data of all fidelities; see :func:`training_table`."""
    named = _named_paths(files)
    if roles.fidelity is None:
        _check_distinct(named)
    sources = [read_table(path) for _, path in named]
    chosen = roles.inputs_of([Header(s.path, list(s.rows.columns)) for s in sources])
    kinds = kinds or Kinds()
    texts = text_inputs(sources, chosen, kinds)
    parts = [
        _part(source, name, roles, chosen, texts)
        for (name, _), source in zip(named, sources, strict=True)
    ]
    X = pd.concat([part.X for part in parts])
    return Table(
        X=X,
        y=pd.concat([part.y for part in parts]),
        fidelity=[label for part in parts for label in part.fidelity],
        noise_std=None if roles.noise is None else np.concatenate([p.noise_std for p in parts]),
        places=Places(X),
        target_name=roles.target,
        kinds=kinds,
    )


def frame_table(frame: pd.DataFrame, roles: Roles) -> Table:
    """Divide a DataFrame into inputs, target, labels and noise."""
    repeated = sorted({str(name) for name in frame.columns[frame.columns.duplicated()]})
    if repeated:
        raise DataError(f"the frame has column {listed(repeated)} twice; rename one of them")
    chosen = roles.inputs_of([Header("the frame", list(frame.columns))])
    return Table.of(
        frame[chosen],
        frame[roles.target],
        None if roles.fidelity is None else frame[roles.fidelity],
        None if roles.noise is None else frame[roles.noise],
    )


def query_table(
    path: str, inputs: Sequence[str], categories: Sequence[Category] = ()
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read points to predict at: the whole table, and its input columns in the model's order."""
    source = read_table(path)
    Header(source.path, list(source.rows.columns)).check_has(inputs)
    table = _inputs(source, inputs, [category.name for category in categories])
    places = [source.place(label) for label in table.index]
    for category in categories:
        category.codes(table[category.name], places)  # an unknown level is named with its line
    return source.rows, table


def _part(
    source: Source, name: str, roles: Roles, inputs: Sequence[str], texts: Sequence[str]
) -> Table:
    """Rows of one file."""
    X = _inputs(source, inputs, texts)
    y = numeric(source, [roles.target])[roles.target]
    X.index = y.index = pd.Index([source.place(label) for label in X.index])
    labels = _labels(source, roles.fidelity, name)
    noise = None
    if roles.noise is not None:
        noise = numeric(source, [roles.noise], may_be_missing=True).to_numpy()[:, 0]
    return Table(X, y, labels, noise, Places(X), roles.target)


def _inputs(source: Source, inputs: Sequence[str], texts: Sequence[str]) -> pd.DataFrame:
    """Input columns, as labels where they are texts and as numbers elsewhere."""
    numbers = numeric(source, [name for name in inputs if name not in texts], fix=_leave_out)
    return numbers.assign(**labels_of(source, texts))[list(inputs)]


def _leave_out(column: str) -> str:
    return f", or leave the column out ({how_to_ignore(column)}), or is it the fidelity column?"


def _named_paths(files: Sequence[str | os.PathLike[str]]) -> list[tuple[str, str]]:
    if isinstance(files, str | os.PathLike):
        raise DataError(f"files must be a list of paths, as [{os.fspath(files)!r}]")
    if not files:
        raise DataError("there are no files; give one for each fidelity")
    return [_name_and_path(os.fspath(file)) for file in files]


def _name_and_path(argument: str) -> tuple[str, str]:
    name, equals, path = argument.partition("=")
    if equals and name and not Path(argument).exists():
        return name, path
    return Path(argument).stem, argument


def _check_distinct(named: Sequence[tuple[str, str]]) -> None:
    seen: dict[str, str] = {}
    for name, path in named:
        if name in seen:
            if not Path(path).exists() or not Path(seen[name]).exists():
                raise DataError(
                    f"{name}={path} was taken for a file. Options take one value each: join "
                    "several by commas, as --cost coarse=1,fine=10"
                )
            if Path(path).samefile(seen[name]):
                raise DataError(f"the file {path} is given twice; leave one out")
            raise DataError(
                f"two files are called {name!r}: {seen[name]} and {path}; "
                f"name them, as one={seen[name]} two={path}"
            )
        seen[name] = path


def _labels(source: Source, column: str | None, name: str) -> list[str]:
    """Fidelity of each row: what the column says, or the file's name."""
    if column is None:
        return [name] * len(source.rows)
    cells = source.rows[column]
    blank = np.flatnonzero(cells.isna() | (cells.astype(str).str.strip() == ""))
    if len(blank):
        raise DataError(
            f"{source.place(cells.index[blank[0]])}, column {column!r}: the fidelity is missing"
        )
    return [fidelity_name(label).strip() for label in cells]
