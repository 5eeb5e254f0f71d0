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
from ..files import name_and_path
from .arrays import Places, Table
from .cells import numeric
from .columns import Header, Roles, how_to_ignore
from .fidelities import fidelity_name
from .reading import Source, read_table


def training_table(
    files: Sequence[str | os.PathLike[str]],
    target: str,
    *,
    fidelity_column: str | None = None,
    inputs: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    noise_column: str | None = None,
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

    Returns
    -------
    Table
        X is a DataFrame whose index says where each row comes from.
    """
    return files_table(files, Roles(target, fidelity_column, noise_column, inputs, ignore))


def files_table(files: Sequence[str | os.PathLike[str]], roles: Roles) -> Table:
    """Read the training data of all fidelities; see :func:`training_table`."""
    named = _named_paths(files)
    if roles.fidelity is None:
        _check_distinct(named)
    sources = [read_table(path) for _, path in named]
    chosen = roles.inputs_of([Header(s.path, list(s.rows.columns)) for s in sources])
    parts = [
        _part(source, name, roles, chosen) for (name, _), source in zip(named, sources, strict=True)
    ]
    X = pd.concat([part.X for part in parts])
    return Table(
        X=X,
        y=pd.concat([part.y for part in parts]),
        fidelity=[label for part in parts for label in part.fidelity],
        noise_std=None if roles.noise is None else np.concatenate([p.noise_std for p in parts]),
        places=Places(X),
        target_name=roles.target,
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


def query_table(path: str, inputs: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read points to predict at: the whole table, and its input columns in the model's order."""
    source = read_table(path)
    Header(source.path, list(source.rows.columns)).check_has(inputs)
    return source.rows, numeric(source, inputs)


def _part(source: Source, name: str, roles: Roles, inputs: Sequence[str]) -> Table:
    """Rows of one file."""
    X = numeric(source, inputs, fix=_leave_out)
    y = numeric(source, [roles.target])[roles.target]
    X.index = y.index = pd.Index([source.place(label) for label in X.index])
    labels = _labels(source, roles.fidelity, name)
    noise = None
    if roles.noise is not None:
        noise = numeric(source, [roles.noise], may_be_missing=True).to_numpy()[:, 0]
    return Table(X, y, labels, noise, Places(X), roles.target)


def _leave_out(column: str) -> str:
    return f", or leave the column out ({how_to_ignore(column)}), or is it the fidelity column?"


def _named_paths(files: Sequence[str | os.PathLike[str]]) -> list[tuple[str, str]]:
    if isinstance(files, str | os.PathLike):
        raise DataError(f"files must be a list of paths, as [{os.fspath(files)!r}]")
    if not files:
        raise DataError("there are no files; give one for each fidelity")
    return [name_and_path(os.fspath(file)) for file in files]


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
