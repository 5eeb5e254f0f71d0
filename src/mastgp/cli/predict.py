"""``mast predict``: a model's predictions at the points of a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import DataError
from ..progress import progress
from . import terminal
from .files import ModelFile, check_output, load_model
from .terminal import AsJson

if TYPE_CHECKING:
    import pandas as pd

    from ..data.dataset import Dataset
    from ..data.source import Source
    from ..data.writing import Dialect
    from ..models.estimator import MultiFidelityRegressor
    from .reporting import Model

Queries = Annotated[
    str,
    typer.Argument(
        metavar="QUERIES", help="File of points: text, .xlsx, .parquet, .feather; - for stdin."
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

#: Columns that are added to the file's own; a median, too, where the response is transformed.
ADDED = ("mean", "std", "lower95", "upper95")


def predict(
    model_file: ModelFile,
    queries: Queries,
    output: Output = None,
    include_noise: IncludeNoise = False,
    skip_missing: SkipMissing = False,
    as_json: AsJson = False,
) -> None:
    """Predict at the points of a file: adds mean, std, lower95 and upper95 of each target."""
    from ..data.tables import query_inputs, query_source
    from ..data.units import common_units
    from ..data.writing import check_ending
    from ..models.targets import models_of

    output = None if output == "-" else output
    if output is not None:
        check_output(output, inputs=[model_file, queries])
        check_ending(output)
    _check_not_swapped(model_file, queries)
    model = load_model(model_file)
    datasets = [one.training_data_ for one in models_of(model).values()]
    data = datasets[0]
    with terminal.notes():
        source = query_source(queries, data.feature_names, skip_missing, data.categories)
    for one in datasets:
        inputs = query_inputs(source, one.feature_names, one.categories)
        common_units({model_file: one.units, source.path: source.units})
    note_extrapolation(data, inputs)
    predictions = add_predictions(model, source.rows, inputs, include_noise)
    _hand_out(predictions, inputs, source, output, as_json)


def _hand_out(
    predictions: pd.DataFrame,
    inputs: pd.DataFrame,
    source: Source,
    output: str | None,
    as_json: bool,
) -> None:
    """Write predictions to a file, or print them."""
    from ..data.writing import Dialect, is_text

    dialect = Dialect.of(source)
    if source.separator != dialect.separator or not is_text(output or "", dialect):
        predictions = predictions.assign(**inputs)  # as numbers, however they were written
    if output is not None:
        _write(predictions, output, dialect, as_json)
    elif as_json:
        terminal.print_json(predictions.assign(**inputs).to_dict(orient="records"))
    else:
        dialect.write(terminal.printable(predictions), sys.stdout)


def _check_not_swapped(model_file: str, queries: str) -> None:
    if queries.endswith(".mast") and not model_file.endswith(".mast"):
        raise DataError("the model comes first, then the queries: did you swap the two files?")


def note_extrapolation(data: Dataset, inputs: pd.DataFrame) -> None:
    """Say where queries leave the range of the expensive points, if cheap ones go further."""
    if not data.cheaper:
        return
    categorical = {category.column for category in data.categories}
    for i, name in enumerate(data.feature_names):
        if i in categorical:
            continue
        low, high = data.top.X[:, i].min(), data.top.X[:, i].max()
        beyond = int(data.box.beyond(inputs[name].to_numpy(), i, low, high, 0.05).sum())
        if beyond:
            terminal.note(
                f"{beyond} of {len(inputs)} queries are outside the range of the {data.top.name} "
                f"points in {name!r} ({low:g} to {high:g}): there the correction of the cheap data "
                "is a guess"
            )


def add_predictions(
    model: Model, table: pd.DataFrame, inputs: pd.DataFrame, include_noise: bool
) -> pd.DataFrame:
    """Add the columns of the predictions to a table."""
    from ..models.targets import models_of

    models = models_of(model)
    added: dict[str, Any] = {}
    with terminal.notes(), progress():
        for one in models.values():
            values = _predicted(one, inputs, include_noise)
            columns = _free_columns(list(values), table, one.target_name_, len(models) > 1)
            added |= dict(zip(columns, values.values(), strict=True))
    return table.assign(**added)


def _predicted(
    model: MultiFidelityRegressor, inputs: pd.DataFrame, include_noise: bool
) -> dict[str, Any]:
    """The columns of one target's predictions; with a median where it is not the mean."""
    X = inputs if hasattr(model, "feature_names_in_") else inputs.to_numpy()
    mean, std = model.predict(X, return_std=True, include_noise=include_noise)
    ends = model.predict_interval(X, include_noise=include_noise)
    values = dict(zip(ADDED, (mean, std, *ends), strict=True))
    if model.is_transformed:
        values["median"] = model.predict_quantile(X, 0.5, include_noise)
    return values


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


def _write(predictions: pd.DataFrame, output: str, dialect: Dialect, as_json: bool) -> None:
    from ..data.writing import write_table

    write_table(predictions, output, dialect)
    if as_json:
        terminal.print_json({"rows": len(predictions), "output": output})
    else:
        terminal.say(f"Wrote {len(predictions)} predictions to {output}.")
