"""Predictions at the points of files, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..clusters import in_use, mapped
from ..data.blockwise import estimated_cells, read_blocks
from ..data.columns import Header
from ..data.globs import paths_of
from ..data.missing import MissingRows
from ..data.tables import query_inputs
from ..data.units import common_units
from ..errors import DataError
from ..models.queries import predicted_columns, unit_queries
from ..models.targets import models_of
from ..progress import report

if TYPE_CHECKING:
    import pandas as pd

    from ..data.dataset import Dataset
    from ..data.source import Source

#: How far beyond the expensive points a query may be, in widths of their range.
_BEYOND = 0.05


@dataclass(frozen=True, eq=False)
class Predicted:
    """A block of queries with its predictions.

    Attributes
    ----------
    source : Source
        The queries.
    inputs : DataFrame
        Inputs as numbers, or as labels where they are categories.
    table : DataFrame
        The rows of the queries with the columns of the predictions.
    beyond : mapping of input name to number of queries
        How many are outside the range of the expensive points.
    """

    source: Source
    inputs: pd.DataFrame
    table: pd.DataFrame
    beyond: dict[str, int] = field(default_factory=dict)


def query_blocks(word: str, model: Any, skip_missing: bool = False) -> Iterator[Source]:
    """Blocks of the points to predict at, from a file, a folder or a pattern.

    Parameters
    ----------
    word : str
        What the user calls the files.
    model : fitted estimator, or several targets
    skip_missing : bool
        Whether rows with an empty cell are left out, with a warning, instead of refused.
    """
    data: Dataset = next(iter(models_of(model).values())).training_data_
    texts = [category.name for category in data.categories]
    missing = MissingRows(data.feature_names, texts)
    paths = paths_of(word)
    cells, done, columns = sum(map(estimated_cells, paths)), 0, None
    for source in (block for path in paths for block in read_blocks(path)):
        columns = _same_columns(source, columns)
        done += source.rows.size
        kept = missing.kept(source) if skip_missing else source
        if len(kept.rows):
            yield kept
        n = len(columns.columns)
        report("rows predicted", done // n, max(cells, done) // n)
    missing.warn(paths[0] if len(paths) == 1 else word)


def _same_columns(source: Source, before: Header | None) -> Header:
    """The columns of a block, which are those of all files before it."""
    header = Header(source.path, list(source.rows.columns))
    if before is not None and header.columns != before.columns:
        raise DataError(
            f"{header.path} and {before.path} have not the same columns in the same order; all "
            "files of queries need them"
        )
    return before or header


def predict_blocks(
    model: Any, sources: Iterable[Source], include_noise: bool, name: str
) -> Iterator[Predicted]:
    """Predict at blocks of points, in their order; on a cluster, where one is in use.

    Parameters
    ----------
    model : fitted estimator, or several targets
    sources : iterable of Source
    include_noise : bool
        Whether intervals are of new observations or of the function.
    name : str
        What the model is called in messages.
    """
    for block in mapped(_task, sources, (model, include_noise, name), "blocks predicted"):
        if in_use():
            for one in models_of(model).values():
                unit_queries(one, _queries(one, block.inputs))  # for its warnings
        yield block


def _task(shared: tuple[Any, bool, str], source: Source) -> Predicted:
    model, include_noise, name = shared
    return predicted(model, source, include_noise, name)


def predicted(model: Any, source: Source, include_noise: bool, name: str) -> Predicted:
    """Predict at a block of points; see :func:`predict_blocks`."""
    models = models_of(model)
    first = next(iter(models.values())).training_data_
    Header(source.path, list(source.rows.columns)).check_has(first.feature_names)
    for one in models.values():
        data = one.training_data_
        inputs = query_inputs(source, data.feature_names, data.categories)
        common_units({name: data.units, source.path: source.units})
    added: dict[str, Any] = {}
    for one in models.values():
        values = predicted_columns(one, _queries(one, inputs), include_noise)
        columns = _free_columns(list(values), source.rows, one.target_name_, len(models) > 1)
        added |= dict(zip(columns, values.values(), strict=True))
    return Predicted(source, inputs, source.rows.assign(**added), _beyond(first, inputs))


def _queries(model: Any, inputs: pd.DataFrame) -> Any:
    """Inputs with names only where the model was given names."""
    return inputs if hasattr(model, "feature_names_in_") else inputs.to_numpy()


def _free_columns(
    names: list[str], table: pd.DataFrame, target: str | None, several: bool
) -> list[str]:
    """Names of the new columns: plain ones, or after the target where there are others or taken."""
    columns = names
    if several or set(columns) & set(table.columns):
        columns = [f"{target or 'predicted'}_{name}" for name in names]
    taken = sorted(set(columns) & set(table.columns))
    if taken:
        raise DataError(f"the file of queries has a column {taken[0]!r} already; rename it")
    return columns


def _beyond(data: Dataset, inputs: pd.DataFrame) -> dict[str, int]:
    """How many queries leave the range of the expensive points, where cheap ones go further."""
    if not data.cheaper:
        return {}
    counts = {
        name: int(data.box.beyond(inputs[name].to_numpy(), i, low, high, _BEYOND).sum())
        for i, name, low, high in ranges_of_top(data)
    }
    return {name: count for name, count in counts.items() if count}


def ranges_of_top(data: Dataset) -> Iterator[tuple[int, str, float, float]]:
    """Number, name, least and greatest value of every input of the expensive points."""
    categorical = {category.column for category in data.categories}
    for i, name in enumerate(data.feature_names):
        if i not in categorical:
            yield i, name, float(data.top.X[:, i].min()), float(data.top.X[:, i].max())


@dataclass
class Extrapolation:
    """Counts the queries outside the range of the expensive points, over all blocks.

    Attributes
    ----------
    total : int
    beyond : mapping of input name to number of queries
    """

    total: int = 0
    beyond: dict[str, int] = field(default_factory=dict)

    def add(self, block: Predicted) -> None:
        """Count a block."""
        self.total += len(block.inputs)
        for name, count in block.beyond.items():
            self.beyond[name] = self.beyond.get(name, 0) + count

    def sentences(self, data: Dataset) -> list[str]:
        """What is worth saying about them."""
        return [
            f"{self.beyond[name]} of {self.total} queries are outside the range of the "
            f"{data.top.name} points in {name!r} ({low:g} to {high:g}): there the correction of "
            "the cheap data is a guess"
            for _, name, low, high in ranges_of_top(data)
            if name in self.beyond
        ]
