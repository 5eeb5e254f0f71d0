"""``mast plot``: a figure of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import unknown
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
        help="all, parity (held-out check), calibration (do the intervals hold?), slices, "
        "contour (over two inputs) or trust.",
    ),
]


Target = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Target to draw; of a model with several, all by default."),
]


def plot(
    model_file: ModelFile, output: Output = None, kind: Kind = "all", target: Target = None
) -> None:
    """Draw a figure of a model: held-out check, calibration, trust, slices."""
    from ..models.targets import models_of
    from ..output.figures import draw, save_figure

    output = output or f"{Path(model_file).stem}.png"
    check_output(output, inputs=[model_file])
    model = load_model(model_file)
    if target is not None:
        named = models_of(model)
        if target not in named:
            raise unknown("target", target, named)
        model = named[target]
    with terminal.notes(), progress():
        save_figure(draw(model, kind), output)
    terminal.say(f"Drew {output}.")
