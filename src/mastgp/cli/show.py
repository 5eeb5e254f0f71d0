"""``mast show``: what a model was fitted to and what it learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from . import terminal
from .files import ModelFile, check_output, load_model
from .reporting import facts_of, known_checks, print_models
from .terminal import AsJson

if TYPE_CHECKING:
    from .reporting import Model

PointsFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Also write what became of every training point to this file."
    ),
]


def show(model_file: ModelFile, table: PointsFile = None, as_json: AsJson = False) -> None:
    """Show what a model was fitted to, what it learned, and its held-out check if it has one."""
    model = load_model(model_file)
    if table is not None:
        check_output(table, inputs=[model_file])
        write_points(model, table)
    checks = known_checks(model)
    if as_json:
        terminal.print_json(facts_of(model, checks))
    else:
        print_models(model, checks)


def write_points(model: Model, path: str) -> None:
    """Write what became of every training point; models that keep no such table say so."""
    import pandas as pd

    from ..data.writing import write_table
    from ..models.targets import models_of

    tables = {name: one.points_table() for name, one in models_of(model).items()}
    if len(tables) > 1:
        for name, table in tables.items():
            table.insert(0, "target", name)
    write_table(pd.concat(list(tables.values()), ignore_index=True), path)
