"""``mast predict``: a model's predictions at the points of a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import clusters
from ..errors import DataError
from ..progress import progress
from . import terminal
from .files import ModelFile, check_output, check_standard_output, load_model
from .terminal import AsJson, Scheduler

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import pandas as pd

    from ..data.writing import Dialect
    from ..output.predictions import Extrapolation, Predicted

    #: Takes a block of queries with their predictions.
    Receive = Callable[[Predicted], None]

Queries = Annotated[
    str,
    typer.Argument(
        metavar="QUERIES",
        help="File of points, a folder of files or a pattern: text, .xlsx, .parquet, .feather; - "
        "for stdin.",
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Where to write: .csv, .tsv, .xlsx, .parquet or .feather; standard output by default.",
    ),
]
IncludeNoise = Annotated[
    bool, typer.Option(help="Interval of a new observation, not of the function.")
]
SkipMissing = Annotated[
    bool, typer.Option("--skip-missing", help="Leave out rows with empty cells, and say how many.")
]


def predict(
    model_file: ModelFile,
    queries: Queries,
    output: Output = None,
    include_noise: IncludeNoise = False,
    skip_missing: SkipMissing = False,
    scheduler: Scheduler = None,
    as_json: AsJson = False,
) -> None:
    """Predict at the points of a file: adds mean, std, lower95 and upper95 of each target."""
    from ..data.globs import paths_of
    from ..data.writing import check_ending
    from ..output.predictions import Extrapolation, predict_blocks, query_blocks

    output = None if output == "-" else output
    inputs = [model_file, *paths_of(queries)]
    if output is None:
        check_standard_output(inputs)
    else:
        check_output(output, inputs)
        check_ending(output)
    _check_not_swapped(model_file, queries)
    model = load_model(model_file)
    found = Extrapolation()
    with (
        clusters.scheduler(scheduler),
        terminal.notes(),
        progress(),
        _receiver(output, as_json) as receive,
    ):
        sources = query_blocks(queries, model, skip_missing)
        for block in predict_blocks(model, sources, include_noise, model_file):
            found.add(block)
            receive(block)
    _say(model, found)
    if output is not None:
        _say_written(found.total, output, as_json)


def _check_not_swapped(model_file: str, queries: str) -> None:
    if queries.endswith(".mast") and not model_file.endswith(".mast"):
        raise DataError("the model comes first, then the queries: did you swap the two files?")


def _receiver(output: str | None, as_json: bool) -> AbstractContextManager[Receive]:
    """What takes blocks of predictions: a file, or the standard output."""
    if output is not None:
        return _to_file(output)
    return _as_json() if as_json else _to_standard_output()


@contextmanager
def _to_file(output: str) -> Iterator[Receive]:
    from ..data.writing import table_writer

    with table_writer(output) as write:
        shaped = _Shape(output)
        yield lambda block: write(shaped.table(block), shaped.dialect_of(block))


@contextmanager
def _as_json() -> Iterator[Receive]:
    records: list[Any] = []
    yield lambda block: records.extend(block.table.assign(**block.inputs).to_dict(orient="records"))
    terminal.print_json(records)


@contextmanager
def _to_standard_output() -> Iterator[Receive]:
    shaped, begun = _Shape(""), False

    def receive(block: Predicted) -> None:
        nonlocal begun
        table = terminal.printable(shaped.table(block))
        shaped.dialect_of(block).write(table, sys.stdout, header=not begun)
        begun = True

    yield receive


class _Shape:
    """How blocks are written: the first one decides for all."""

    def __init__(self, output: str) -> None:
        self._output = output
        self._dialect: Dialect | None = None
        self._as_numbers = False

    def dialect_of(self, block: Predicted) -> Dialect:
        """The dialect of the queries."""
        from ..data.writing import Dialect, is_text

        if self._dialect is None:
            self._dialect = Dialect.of(block.source)
            other = block.source.separator != self._dialect.separator
            self._as_numbers = other or not is_text(self._output, self._dialect)
        return self._dialect

    def table(self, block: Predicted) -> pd.DataFrame:
        """The table to write; inputs as numbers unless text stays as it is."""
        self.dialect_of(block)
        return block.table.assign(**block.inputs) if self._as_numbers else block.table


def _say(model: Any, found: Extrapolation) -> None:
    from ..models.targets import models_of

    data = next(iter(models_of(model).values())).training_data_
    for sentence in found.sentences(data):
        terminal.note(sentence)


def _say_written(n: int, output: str, as_json: bool) -> None:
    if as_json:
        terminal.print_json({"rows": n, "output": output})
    else:
        terminal.say(f"Wrote {n} predictions to {output}.")
