"""``mast plot``: a figure of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..progress import progress
from . import terminal
from .files import ModelFile, check_output, load_model

Output = Annotated[
    str | None,
    typer.Option(
        "-o", "--output", metavar="FILE", help="Figure file: png, pdf or svg; after the model."
    ),
]
Kind = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="all, parity (held-out check), calibration (do the intervals hold?), slices or trust.",
    ),
]


def plot(model_file: ModelFile, output: Output = None, kind: Kind = "all") -> None:
    """Draw a figure of a model: held-out check, calibration, trust, slices."""
    from ..output.figures import draw, save_figure

    output = output or f"{Path(model_file).stem}.png"
    check_output(output, inputs=[model_file])
    model = load_model(model_file)
    with terminal.notes(), progress():
        save_figure(draw(model, kind), output)
    terminal.say(f"Drew {output}.")
