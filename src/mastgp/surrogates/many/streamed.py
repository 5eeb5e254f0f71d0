"""Models of very many rows, given all rows of files that do not fit in memory.

The tool and its hyperparameters are chosen by the sample that is in memory. What the tool knows
of the rows are sums, and these are taken over all of them: file by file, and on a cluster where
one is in use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...clusters import mapped
from ...data.box import Box
from ...data.levels import Category
from ...data.partitions import File
from ...data.streams import Stream
from ...errors import DataError
from ...gp.inducing import InducingProcess
from ...gp.sums import Basis, RowSums, total
from ...threads import blas_threads
from ..base import Fitted
from .fitted import ManyRows, columns_of
from .rows import Rows, Units, standardised


@dataclass(frozen=True)
class Summing:
    """What is needed to sum over rows.

    Attributes
    ----------
    stream : Stream
        The rows, in the user's units.
    box : Box
        What is mapped to the unit cube.
    categories : sequence of Category
        Inputs that have a column for each level.
    units : Units
        What standardises the targets.
    basis : Basis
        The inducing points.
    """

    stream: Stream
    box: Box
    categories: Sequence[Category]
    units: Units
    basis: Basis

    def rows(self, file: File) -> Iterator[Rows]:
        """Rows of a file in standardised units, block by block."""
        scale = self.units.scale
        for block in self.stream.blocks(file):
            noise = None if block.noise_var is None else standardised(block.noise_var, scale)
            U = columns_of(self.box.to_unit(block.X), self.categories)
            yield Rows(np.ascontiguousarray(U), (block.y - self.units.mean) / scale, noise)


def sums_of_file(summing: Summing, file: File) -> RowSums | None:
    """Sums over the rows of one file; None where it has none of this fidelity."""
    parts = [
        RowSums.of(summing.basis, rows.observations) for rows in summing.rows(file) if len(rows)
    ]
    return total(parts) if parts else None


def given_all_rows(fitted: Fitted, stream: Stream, box: Box) -> Fitted:
    """The same model with sums over all rows of a stream, where its tool is made of sums.

    Models by other tools stay as they are: they know the sample.

    Parameters
    ----------
    fitted : fitted stage
        Of a sample of the rows.
    stream : Stream
    box : Box
        What is mapped to the unit cube.
    """
    if not isinstance(fitted, ManyRows) or not isinstance(fitted.tool, InducingProcess):
        return fitted
    tool = fitted.tool
    summing = Summing(stream, box, fitted.categories, fitted.units, tool.basis)
    parts = mapped(sums_of_file, stream.files(), summing, "files summed")
    sums = total(part for part in parts if part is not None)
    if sums.n != stream.n:
        raise DataError(
            f"the files of {stream.fidelity!r} have {sums.n} rows, but had {stream.n} when they "
            "were read first; fit again when nobody changes them"
        )
    report = replace(fitted.report_of_choice, total=stream.n)
    with blas_threads(0):  # as files restore it
        process = InducingProcess(tool.basis, sums, tool.y_mean, tool.y_scale)
    return fitted.with_tool(process, report)
