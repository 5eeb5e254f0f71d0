"""Files whose rows are read block by block, as often as they are needed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import NamedTuple

from ..clusters import in_use, mapped
from ..progress import report
from .agreement import Agreement
from .blockwise import estimated_cells, read_blocks
from .columns import Header, Roles
from .missing import MissingRows
from .parts import Inputs, Part, parts_of
from .scanning import Scan, summaries_of
from .source import Source

#: Cells of one fidelity that are kept in memory; of more rows only a sample is kept.
MOST_IN_MEMORY = 20_000_000
#: Rows of that sample.
SAMPLE_ROWS = 200_000
#: An estimate this much beyond the limit is beyond it for sure.
_SURELY = 1.5


class File(NamedTuple):
    """A file to read, and how far the work has come when it is read.

    Attributes
    ----------
    path : str
    before, total : int
        Cells of the files before it and of all files, about.
    """

    path: str
    before: int
    total: int


@dataclass(frozen=True)
class Partitions:
    """Files with rows of one fidelity or several, and how they are read.

    Attributes
    ----------
    paths : tuple of str
        Work on several machines is divided by file.
    header : list of str
        Columns of the first file.
    name : str
        The fidelity of the rows, unless a column says it.
    roles : Roles
        What the columns are for.
    inputs : Inputs
        Input columns, and which of them hold labels.
    free : tuple of str
        Columns that may hold anything, because the user says what they are.
    skip_missing : bool
        Whether rows with an empty cell are left out.
    """

    paths: tuple[str, ...]
    header: list[str]
    name: str
    roles: Roles
    inputs: Inputs
    free: tuple[str, ...] = ()
    skip_missing: bool = False
    cells: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Estimate how much there is to read."""
        object.__setattr__(self, "cells", tuple(map(estimated_cells, self.paths)))

    @property
    def sample_rows(self) -> int:
        """Rows that are kept of a fidelity that does not fit in memory."""
        return SAMPLE_ROWS

    @property
    def rows_in_memory(self) -> int:
        """Most rows of a fidelity that are kept in memory."""
        n_columns = len(self.inputs.names) + max(len(self.roles.targets), 1)
        return max(SAMPLE_ROWS, MOST_IN_MEMORY // n_columns)

    def files(self) -> list[File]:
        """All files in their order; under absolute paths where other machines read them."""
        before = [sum(self.cells[:i]) for i in range(len(self.paths))]
        located = map(os.path.abspath, self.paths) if in_use() else self.paths
        total = sum(self.cells)
        return [File(path, n, total) for path, n in zip(located, before, strict=True)]

    def scan(self) -> Scan:
        """Read everything once; an error names the file, and where it can the line.

        Samples have all rows of fidelities that fit in memory.
        """
        surely = sum(self.cells) > _SURELY * MOST_IN_MEMORY
        scan = self._scan(SAMPLE_ROWS if surely else self.rows_in_memory)
        if surely and any(SAMPLE_ROWS < s.n <= self.rows_in_memory for s in scan.of_all()):
            scan = self._scan(self.rows_in_memory)
        return scan

    def _scan(self, most: int) -> Scan:
        tasks = [(file, most) for file in self.files()]
        return reduce(add, mapped(_scan_of_file, tasks, self, "files read"))

    def parts(self, file: File) -> Iterator[Part]:
        """Rows of a file, block by block; they have been checked before."""
        missing = self.missing()
        for source in self._sources(file, "cells read again"):
            yield from self.parts_of(source, missing)

    def parts_of(self, source: Source, missing: MissingRows) -> Iterator[Part]:
        """Rows of a block."""
        kept = missing.kept(source) if self.skip_missing else source
        if len(kept.rows):
            yield from parts_of(kept, self.name, self.roles, self.inputs)

    def missing(self) -> MissingRows:
        """What leaves out rows with empty cells."""
        return MissingRows(self.inputs.names, self.inputs.texts, self.roles.targets)

    def checked(self, file: File, agreement: Agreement) -> Iterator[Source]:
        """Blocks of a file whose columns are those of all other files."""
        for i, source in enumerate(self._sources(file, "cells read")):
            if i == 0 and file.path != self.paths[0]:
                here = Header(file.path, list(source.rows.columns))
                self.roles.inputs_of([Header(self.paths[0], self.header), here])
            agreement.check(source)
            yield source

    def _sources(self, file: File, what: str) -> Iterator[Source]:
        done = file.before
        for source in read_blocks(file.path):
            yield source
            done += source.rows.size
            report(what, done, max(done, file.total))


def _scan_of_file(partitions: Partitions, task: tuple[File, int]) -> Scan:
    """What is known of one file."""
    file, most = task
    agreement = Agreement([*partitions.inputs.names, *partitions.roles.targets], partitions.free)
    missing = partitions.missing()
    units: dict[str, dict[str, str]] = {}

    def parts() -> Iterator[Part]:
        for source in partitions.checked(file, agreement):
            if source.units:
                units[source.path] = dict(source.units)
            yield from partitions.parts_of(source, missing)

    summaries = summaries_of(parts(), partitions.inputs, most)
    return Scan(summaries, agreement, units, missing)
