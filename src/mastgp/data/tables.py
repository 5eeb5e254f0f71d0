"""Tables in: files of several fidelities, one long DataFrame, and points to predict at.

Every error names the file, and where it can the line and the column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, listed, recorded
from .agreement import check_agreement
from .arrays import Places, Table
from .categories import Kinds
from .cells import is_blank, numeric
from .columns import Header, Roles, Target, how_to_ignore
from .fidelities import fidelity_name
from .levels import Category
from .missing import no_value, without_missing
from .naming import Files, Named, check_distinct, named_files
from .origin import Origin, source_file
from .reading import Source, read_table
from .texts import labels_of, text_inputs
from .units import common_units


def training_table(
    files: Files,
    target: Target,
    *,
    fidelity_column: str | None = None,
    inputs: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    noise_column: str | None = None,
    skip_missing: bool = False,
    kinds: Kinds | None = None,
) -> Table:
    """Read the training data of all fidelities.

    Parameters
    ----------
    files : sequence of paths, or mapping of fidelity name to one path or several
        One per fidelity, named after it (``coarse.csv``) or as ``name=path``; several files of
        one fidelity as ``name=path,path``; a folder or a pattern (``name=runs/*.csv``) means all
        of its files. With `fidelity_column` or a mapping as `target`, any number of files.
        ``runs.xlsx:coarse`` is a sheet, and ``-`` is standard input.
    target : str, sequence of str, or mapping of fidelity name to str
        Column of the response, columns of several responses, or the column of each fidelity's
        response.
    fidelity_column : str, optional
        Column that names each row's fidelity.
    inputs : sequence of str, optional
        Input columns; by default all that are not target, fidelity, noise or ignored.
    ignore : sequence of str
        Columns to leave out.
    noise_column : str, optional
        Column of known noise standard deviations; empty for fidelities whose noise is not known.
    skip_missing : bool
        Whether rows with an empty cell are left out, with a warning, instead of refused.
    kinds : Kinds, optional
        What is known of the inputs.

    Returns
    -------
    Table
        X is a DataFrame whose index says where each row comes from.
    """
    roles = Roles(target, fidelity_column, noise_column, inputs, ignore)
    return files_table(files, roles, skip_missing, kinds)


def files_table(
    files: Files, roles: Roles, skip_missing: bool = False, kinds: Kinds | None = None
) -> Table:
    """Read the training data of all fidelities; see :func:`training_table`."""
    named = named_files(files)
    with recorded() as said:
        table = _read(named, roles, skip_missing, kinds or Kinds())
    read = [source_file(file.path) for file in named]
    return replace(table, origin=Origin().then(None, read, said))


def _read(named: Sequence[Named], roles: Roles, skip_missing: bool, kinds: Kinds) -> Table:
    """Read the files of all fidelities into one table."""
    if roles.fidelity is None and not roles.results:
        check_distinct(named)
    sources = [read_table(file.path) for file in named]
    headers = [Header(s.path, list(s.rows.columns)) for s in sources]
    roles = roles.resolved(headers)
    chosen = roles.inputs_of(headers)
    said = [chosen[i] for i in kinds.columns(chosen)]
    for name in {file.name for file in named}:
        own = (s for f, s in zip(named, sources, strict=True) if f.name == name)
        check_agreement(own, [*chosen, *roles.targets], free=said)
    texts = text_inputs(sources, chosen, kinds)
    if skip_missing:
        sources = [without_missing(source, chosen, texts, roles.targets) for source in sources]
    columns = _Inputs(chosen, texts)
    parts = [
        part
        for file, source in zip(named, sources, strict=True)
        for part in _parts(source, file.name, roles, columns)
    ]
    table = _joined(parts, roles, common_units({s.path: s.units for s in sources}))
    return replace(table, kinds=kinds)


def _joined(parts: Sequence[Table], roles: Roles, units: Mapping[str, str]) -> Table:
    """All rows in one table."""
    X = pd.concat([part.X for part in parts])
    return Table(
        X=X,
        y=pd.concat([part.y for part in parts]),
        fidelity=[label for part in parts for label in part.fidelity],
        noise_std=None if roles.noise is None else np.concatenate([p.noise_std for p in parts]),
        places=Places(X),
        target_name=_target_name(roles),
        units=units,
    )


def _target_name(roles: Roles) -> str | Mapping[str, str] | None:
    """Name of the only target, or of each fidelity's; several are columns with names."""
    if roles.results:
        return roles.results
    return roles.targets[0] if len(roles.targets) == 1 else None


def frame_table(
    frame: pd.DataFrame, roles: Roles, skip_missing: bool = False, kinds: Kinds | None = None
) -> Table:
    """Divide a DataFrame into inputs, target, labels and noise."""
    repeated = sorted({str(name) for name in frame.columns[frame.columns.duplicated()]})
    if repeated:
        raise DataError(f"the frame has column {listed(repeated)} twice; rename one of them")
    chosen = roles.inputs_of([Header("the frame", list(frame.columns))])
    numbered = Source("the frame", frame.reset_index(drop=True), first=0)
    texts = text_inputs([numbered], chosen, kinds or Kinds())
    if roles.results:
        return _of_results(numbered, roles, _Inputs(chosen, texts), skip_missing)
    if skip_missing:
        kept = without_missing(numbered, chosen, texts, roles.targets).rows.index
        frame = frame.iloc[kept]
    table = Table.of(
        frame[chosen],
        frame[roles.targets if len(roles.targets) > 1 else roles.targets[0]],
        None if roles.fidelity is None else frame[roles.fidelity],
        None if roles.noise is None else frame[roles.noise],
    )
    return table.with_units(dict(frame.attrs.get("units", {})))


def _of_results(source: Source, roles: Roles, inputs: _Inputs, skip: bool) -> Table:
    """Rows of a frame in which every fidelity has a column of results."""
    if skip:
        source = without_missing(source, inputs.names, inputs.texts)
    units = dict(source.rows.attrs.get("units", {}))
    return _joined(list(_parts(source, "", roles, inputs)), roles, units)


def query_source(
    path: str,
    inputs: Sequence[str],
    skip_missing: bool = False,
    categories: Sequence[Category] = (),
) -> Source:
    """Read a file of points to predict at; it has all of the inputs."""
    source = read_table(path)
    Header(source.path, list(source.rows.columns)).check_has(inputs)
    texts = [category.name for category in categories]
    return without_missing(source, inputs, texts) if skip_missing else source


def target_values(source: Source, targets: Sequence[str]) -> pd.DataFrame:
    """Values of targets in a file; NaN where a cell is empty."""
    Header(source.path, list(source.rows.columns)).check_has(targets)
    values = numeric(source, targets, may_be_missing=True)
    for target in targets:
        if values[target].isna().all():
            raise DataError(f"{source.path} has no value in column {target!r}")
    return values


def query_inputs(
    source: Source, inputs: Sequence[str], categories: Sequence[Category] = ()
) -> pd.DataFrame:
    """Input columns of points to predict at, in the model's order."""
    table = _Inputs(inputs, [category.name for category in categories]).of(source)
    places = [source.place(label) for label in table.index] if categories else []
    for category in categories:
        category.codes(table[category.name], places)  # an unknown level is named with its line
    return table


@dataclass(frozen=True)
class _Inputs:
    """The input columns of files, and which of them hold labels."""

    names: Sequence[str]
    texts: Sequence[str] = ()

    def of(self, source: Source, fix: Callable[[str], str] | None = None) -> pd.DataFrame:
        """The columns of one file, as labels where they are texts and as numbers elsewhere."""
        numbers = numeric(source, [name for name in self.names if name not in self.texts], fix=fix)
        if not self.texts:
            return numbers
        return numbers.assign(**labels_of(source, self.texts))[list(self.names)]


def _parts(source: Source, name: str, roles: Roles, inputs: _Inputs) -> Iterator[Table]:
    """Rows of one file, and of each of its columns of results."""
    if not roles.results:
        yield _part(source, roles.targets, roles, inputs, _labels(source, roles.fidelity, name))
        return
    for fidelity, column in roles.results.items():
        if column not in source.rows.columns:
            continue
        blank = is_blank(source.rows[column])
        own = source.with_rows(source.rows[~blank]) if blank.any() else source
        yield _part(own, [column], roles, inputs, [fidelity] * len(own.rows))


def _part(
    source: Source, targets: Sequence[str], roles: Roles, inputs: _Inputs, labels: list[str]
) -> Table:
    """Rows of one file with one column of results, or with one for each target."""
    X = inputs.of(source, fix=_leave_out)
    y = _values(source, targets)
    X.index = y.index = pd.Index([source.place(label) for label in X.index])
    noise = None
    if roles.noise is not None:
        noise = numeric(source, [roles.noise], may_be_missing=True).to_numpy()[:, 0]
    return Table(X, y, labels, noise, Places(X))


def _values(source: Source, targets: Sequence[str]) -> Any:
    """Values of the target; of several targets a row may lack some, but not all."""
    if len(targets) == 1:
        return numeric(source, targets)[targets[0]]
    empty = no_value(source, targets)
    if empty.any():
        numeric(source.with_rows(source.rows[empty]), targets[:1])  # raises the error
    return numeric(source, targets, may_be_missing=True)


def _leave_out(column: str) -> str:
    return f", or leave the column out ({how_to_ignore(column)}), or is it the fidelity column?"


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
