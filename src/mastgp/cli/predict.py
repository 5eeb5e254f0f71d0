"""``mast predict``: a model's predictions at the points of a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import DataError
from ..progress import progress
from . import terminal
from .files import ModelFile, check_output, load_model
from .terminal import AsJson

if TYPE_CHECKING:
    import pandas as pd

    from ..data.dataset import Dataset
    from ..models.estimator import MultiFidelityRegressor

Queries = Annotated[str, typer.Argument(metavar="QUERIES", help="CSV or Parquet file of points.")]
Output = Annotated[
    str | None,
    typer.Option(
        "-o", "--output", metavar="FILE", help="Where to write; standard output by default."
    ),
]
IncludeNoise = Annotated[
    bool, typer.Option(help="Interval of a new observation, not of the function.")
]

#: Columns that are added to the file's own.
ADDED = ("mean", "std", "lower95", "upper95")


def predict(
    model_file: ModelFile,
    queries: Queries,
    output: Output = None,
    include_noise: IncludeNoise = False,
    as_json: AsJson = False,
) -> None:
    """Predict at the points of a file: adds mean, std, lower95 and upper95."""
    from ..data.tables import query_table

    if output is not None:
        check_output(output, inputs=[model_file, queries])
    _check_not_swapped(model_file, queries)
    model = load_model(model_file)
    table, inputs = query_table(
        queries, model.training_data_.feature_names, model.training_data_.categories
    )
    note_extrapolation(model.training_data_, inputs)
    predictions = add_predictions(model, table, inputs, include_noise)
    if output is not None:
        _write(predictions, output, as_json)
    elif as_json:
        terminal.print_json(predictions.assign(**inputs).to_dict(orient="records"))
    else:
        predictions.to_csv(sys.stdout, index=False)


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
        slack = 0.05 * data.box.widths[i]
        beyond = int(((inputs[name] < low - slack) | (inputs[name] > high + slack)).sum())
        if beyond:
            terminal.note(
                f"{beyond} of {len(inputs)} queries are outside the range of the {data.top.name} "
                f"points in {name!r} ({low:g} to {high:g}): there the correction of the cheap data "
                "is a guess"
            )


def add_predictions(
    model: MultiFidelityRegressor, table: pd.DataFrame, inputs: pd.DataFrame, include_noise: bool
) -> pd.DataFrame:
    """Add the columns of the predictions to a table."""
    columns = _free_columns(table, model.target_name_)
    X = inputs if hasattr(model, "feature_names_in_") else inputs.to_numpy()
    with terminal.notes(), progress():
        mean, std = model.predict(X, return_std=True, include_noise=include_noise)
        values = (mean, std, *model.predict_interval(X, include_noise=include_noise))
    return table.assign(**dict(zip(columns, values, strict=True)))


def _free_columns(table: pd.DataFrame, target: str | None) -> list[str]:
    """Names of the new columns: plain ones, or named after the target where those are taken."""
    columns = list(ADDED)
    if set(columns) & set(table.columns):
        columns = [f"{target or 'predicted'}_{name}" for name in ADDED]
    taken = sorted(set(columns) & set(table.columns))
    if taken:
        raise DataError(f"the file of queries has a column {taken[0]!r} already; rename it")
    return columns


def _write(predictions: pd.DataFrame, output: str, as_json: bool) -> None:
    from ..data.reading import write_table

    write_table(predictions, output)
    if as_json:
        terminal.print_json({"rows": len(predictions), "output": output})
    else:
        terminal.say(f"Wrote {len(predictions)} predictions to {output}.")
