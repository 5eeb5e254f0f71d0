"""``mast report``: one page that a colleague can open, with the live surrogate in it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ..errors import DataError
from ..progress import progress
from . import terminal
from .commands import command_line
from .files import check_output, load_model

ModelFiles = Annotated[
    list[str],
    typer.Argument(metavar="MODEL...", help="Model files, as written by 'mast fit'."),
]
Output = Annotated[
    str | None,
    typer.Option("-o", "--output", metavar="FILE", help="The page; after the first model."),
]
Title = Annotated[str | None, typer.Option(metavar="TEXT", help="Title of the page.")]
Runs = Annotated[
    int, typer.Option("--runs", metavar="N", min=0, max=20, help="How many next runs to advise.")
]


def report(
    model_files: ModelFiles, output: Output = None, title: Title = None, runs: Runs = 3
) -> None:
    """Write one page of a model, or of several: data, check, live surrogate, advice.

    The file holds everything. It opens in any browser, without Python and without a network.
    """
    from ..output.report.advised import write_report

    output = output or f"{Path(model_files[0]).stem}.html"
    _check_names(model_files)
    check_output(output, inputs=model_files)
    models = {Path(path).stem: load_model(path) for path in model_files}
    command = command_line() or shlex.join(["mast", "report", *model_files, "-o", output])
    with terminal.notes(), progress():
        write_report(models, output, title=title, command=command, n_runs=runs)
    size = Path(output).stat().st_size / 1e6
    terminal.say(f"Wrote {output} ({size:.1f} MB). Open it in any browser.")


def _check_names(model_files: list[str]) -> None:
    """Refuse files that would have the same name in the page."""
    names = [Path(path).stem for path in model_files]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"two of the models are called {twice!r}; give their files other names")
