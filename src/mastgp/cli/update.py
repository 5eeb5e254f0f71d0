"""``mast update``: new results enter a model without a new search."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import DataError, MastWarning, RefitWarning, unknown
from ..progress import progress
from . import terminal
from .commands import command_line
from .files import ModelFile, check_output, files_of, load_model
from .terminal import AsJson

if TYPE_CHECKING:
    from ..data.arrays import Table
    from ..data.dataset import Dataset

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="New results: a file with a column fidelity, or one per fidelity, named as in "
        "'mast fit'.",
    ),
]
Output = Annotated[
    str, typer.Option("-o", "--output", metavar="FILE", help="Where to write the new model.")
]
FidelityName = Annotated[
    str | None,
    typer.Option("--fidelity", metavar="NAME", help="Fidelity of all rows of all files."),
]
FidelityColumn = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column that names each row's fidelity."),
]
Target = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column of the response; the model's by default."),
]
SkipMissing = Annotated[
    bool, typer.Option("--skip-missing", help="Leave out rows with empty cells, and say how many.")
]


def update(
    model_file: ModelFile,
    files: Files,
    output: Output,
    fidelity: FidelityName = None,
    fidelity_column: FidelityColumn = None,
    target: Target = None,
    skip_missing: SkipMissing = False,
    as_json: AsJson = False,
) -> None:
    """Add new results to a model without searching again; says when a new fit is due."""
    check_output(output, inputs=files_of(files))
    model = load_model(model_file)
    with terminal.notes():
        table = _read(model, files, fidelity, fidelity_column, target, skip_missing)
    started = time.perf_counter()
    with terminal.notes() as caught, progress():
        X = table.X if hasattr(model, "feature_names_in_") else table.X.to_numpy()
        grown = model.update(X, table.y, table.fidelity, table.noise_std)
    seconds = time.perf_counter() - started
    ours = [w for w in caught if issubclass(w.category, MastWarning)]
    said = [*table.origin.warnings, *(str(w.message) for w in ours)]
    grown.origin_ = model.origin_.then(command_line(), table.origin.files, said)
    grown.save(output)
    due = [str(w.message) for w in caught if issubclass(w.category, RefitWarning)]
    counts = {f.name: len(f.y) for f in grown.training_data_.fidelities}
    if as_json:
        found = {"added": len(table.y), "points": counts, "refit_due": due, "output": output}
        terminal.print_json({**found, "seconds": seconds})
        return
    points = " + ".join(f"{name} {n}" for name, n in counts.items())
    rows = "1 row" if len(table.y) == 1 else f"{len(table.y)} rows"
    terminal.say(f"Added {rows} in {seconds:.2f} s; the model has {points} points now.")
    terminal.say(f"Saved to {output}.")


def _read(
    model: Any,
    files: list[str],
    fidelity: str | None,
    column: str | None,
    target: str | None,
    skip_missing: bool,
) -> Table:
    """The new rows."""
    from ..data.categories import Kinds
    from ..data.naming import named_files
    from ..data.reading import read_table
    from ..data.tables import training_table

    data = model.training_data_
    response = target or model.target_name_
    if response is None:
        raise DataError("the model does not know the name of its response; give --target COLUMN")
    paths: Any = files
    if fidelity is not None:
        paths, column = {fidelity: files}, None
    elif column is None and all(
        "fidelity" in read_table(file.path).rows.columns for file in named_files(files)
    ):
        column = "fidelity"
    elif len(data.fidelities) == 1:
        paths = {data.top.name: files}
    elif column is None:
        _check_names([file.name for file in named_files(files)], data)
    return training_table(
        paths,
        response,
        fidelity_column=column,
        inputs=list(data.feature_names),
        skip_missing=skip_missing,
        kinds=Kinds(categorical=[category.name for category in data.categories]),
    )


def _check_names(names: list[str], data: Dataset) -> None:
    """Refuse files that are named after no fidelity."""
    known = [fidelity.name for fidelity in data.fidelities]
    for name in names:
        if name not in known:
            raise unknown("fidelity", name, known, "; say --fidelity NAME, or NAME=FILE")
