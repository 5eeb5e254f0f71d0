"""``mast show``: what a model was fitted to and what it learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from . import printing, terminal
from .files import ModelFile, check_output, load_model
from .terminal import AsJson

if TYPE_CHECKING:
    from ..models.estimator import MultiFidelityRegressor

PointsFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Also write what became of every training point to this file."
    ),
]


def show(model_file: ModelFile, table: PointsFile = None, as_json: AsJson = False) -> None:
    """Show what a model was fitted to, what it learned, and its held-out check if it has one."""
    from ..check.validation import records
    from ..output.summary import summarise

    model = load_model(model_file)
    if table is not None:
        check_output(table, inputs=[model_file])
        write_points(model, table)
    facts = summarise(model)
    if as_json:
        terminal.print_json(facts)
    else:
        printing.print_summary(facts)
        if model.validation_ is not None:
            printing.print_check(records(model.validation_), model.training_data_)
        printing.print_verdict(facts)


def write_points(model: MultiFidelityRegressor, path: str) -> None:
    """Write what became of every training point; models that keep no such table say so."""
    from ..data.writing import write_table

    write_table(model.points_table(), path)
