"""Tables in: files of several fidelities, one long DataFrame, and points to predict at.

Every error names the file, and where it can the line and the column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ..errors import DataError, listed, recorded
from .agreement import check_agreement
from .arrays import Places, Table
from .categories import Kinds
from .cells import numeric
from .columns import Header, Roles, Target, target_name
from .levels import Category
from .missing import without_missing
from .naming import Files, Named, check_distinct, named_files
from .origin import Origin, source_file
from .parts import Inputs, Part, parts_of
from .reading import Source, read_table
from .streaming import are_large, groups_of, streamed_table
from .texts import text_inputs
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
    groups = groups_of(named, roles)
    if are_large(groups):
        return streamed_table(groups, roles, skip_missing, kinds)
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
    columns = Inputs(chosen, texts)
    parts = [
        part
        for file, source in zip(named, sources, strict=True)
        for part in parts_of(source, file.name, roles, columns)
    ]
    table = _joined(parts, roles, common_units({s.path: s.units for s in sources}))
    return replace(table, kinds=kinds)


def _joined(parts: Sequence[Part], roles: Roles, units: Mapping[str, str]) -> Table:
    """All rows in one table, whose index says where each comes from."""
    X = pd.concat([part.X.set_axis(part.places) for part in parts])
    return Table(
        X=X,
        y=pd.concat([part.y.set_axis(part.places) for part in parts]),
        fidelity=[label for part in parts for label in part.labels],
        noise_std=None if roles.noise is None else np.concatenate([p.noise_std for p in parts]),
        places=Places(X),
        target_name=target_name(roles),
        units=units,
    )


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
        return _of_results(numbered, roles, Inputs(chosen, texts), skip_missing)
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


def _of_results(source: Source, roles: Roles, inputs: Inputs, skip: bool) -> Table:
    """Rows of a frame in which every fidelity has a column of results."""
    if skip:
        source = without_missing(source, inputs.names, inputs.texts)
    units = dict(source.rows.attrs.get("units", {}))
    return _joined(list(parts_of(source, "", roles, inputs)), roles, units)


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
    table = Inputs(inputs, [category.name for category in categories]).of(source)
    places = [source.place(label) for label in table.index] if categories else []
    for category in categories:
        category.codes(table[category.name], places)  # an unknown level is named with its line
    return table
