"""Files of many rows as a table: all rows where they fit in memory, else a sample and a stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from .arrays import Table
from .blockwise import estimated_cells, read_blocks
from .categories import Kinds
from .columns import Header, Roles, target_name
from .naming import Named
from .partitions import Partitions
from .parts import Inputs, RowPlaces
from .scanning import Scan, Summary
from .streams import Stream
from .texts import text_inputs
from .units import common_units

#: Files of one fidelity with more cells are read block by block.
READ_WHOLE = 1_000_000

#: Paths by the name of their fidelity; a single group where a column says the fidelity.
Groups = Mapping[str, Sequence[str]]


def groups_of(named: Sequence[Named], roles: Roles) -> Groups:
    """Files that are read together."""
    if roles.fidelity is not None or roles.results:
        return {"": [file.path for file in named]}
    groups: dict[str, list[str]] = {}
    for file in named:
        groups.setdefault(file.name, []).append(file.path)
    return groups


def are_large(groups: Groups) -> bool:
    """Whether some files are too large to be read at once."""
    return any(sum(map(estimated_cells, paths)) > READ_WHOLE for paths in groups.values())


def streamed_table(groups: Groups, roles: Roles, skip_missing: bool, kinds: Kinds) -> Table:
    """Read files block by block: one pass that checks them, and what it tells as a table.

    Parameters
    ----------
    groups : mapping of fidelity name to paths
    roles : Roles
    skip_missing : bool
    kinds : Kinds

    Returns
    -------
    Table
        Of fidelities that do not fit in memory it has a sample, and `streams` has all rows.
    """
    firsts = [next(read_blocks(paths[0])) for paths in groups.values()]
    headers = [Header(first.path, list(first.rows.columns)) for first in firsts]
    roles = roles.resolved(headers)
    names = roles.inputs_of(headers)
    inputs = Inputs(names, text_inputs(firsts, names, kinds))
    free = tuple(names[i] for i in kinds.columns(names))
    partitions = [
        Partitions(tuple(paths), header.columns, name, roles, inputs, free, skip_missing)
        for header, (name, paths) in zip(headers, groups.items(), strict=True)
    ]
    scans = [one.scan() for one in partitions]
    for one, scan in zip(partitions, scans, strict=True):
        scan.missing.warn(_called(one.paths))
    return replace(_table(partitions, scans, roles, inputs), kinds=kinds)


def _called(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - 1} more files" if len(paths) > 1 else ""
    return f"{paths[0]}{more}"


def _table(
    partitions: Sequence[Partitions], scans: Sequence[Scan], roles: Roles, inputs: Inputs
) -> Table:
    kept: dict[str, Summary] = {}
    streams: dict[str, Stream] = {}
    samples: list[pd.DataFrame] = []
    for one, scan in zip(partitions, scans, strict=True):
        for name, summary in scan.summaries.items():
            kept[name], sample = summary, summary.sample
            if summary.n > one.rows_in_memory:
                counts = tuple(summary.n_targets.tolist())
                streams[name] = Stream(one, name, counts, summary.low, summary.high)
                sample = sample.cut(one.sample_rows)
            samples.append(sample.rows)
    rows = pd.concat(samples, ignore_index=True)
    return Table(
        X=rows[[f"x{i}" for i in range(len(inputs.names))]].set_axis(list(inputs.names), axis=1),
        y=_targets(rows, roles),
        fidelity=np.repeat(np.array(list(kept), dtype=object), [len(sample) for sample in samples]),
        noise_std=None if roles.noise is None else rows["noise"].to_numpy(),
        places=RowPlaces(*(rows[name].to_numpy() for name in ("path", "unit", "number"))),
        target_name=target_name(roles),
        units=common_units({path: u for scan in scans for path, u in scan.units.items()}),
        levels=_levels(kept.values(), inputs),
        streams=streams,
    )


def _targets(rows: pd.DataFrame, roles: Roles) -> Any:
    if len(roles.targets) > 1:
        columns = [f"y{j}" for j in range(len(roles.targets))]
        return rows[columns].set_axis(roles.targets, axis=1)
    return rows["y0"].rename(roles.targets[0] if roles.targets else None)


def _levels(summaries: Any, inputs: Inputs) -> dict[str, frozenset[str]]:
    """Levels of all rows, whether in the table or not."""
    summaries = list(summaries)
    return {
        name: frozenset().union(*(summary.levels[name] for summary in summaries))
        for name in inputs.texts
    }
