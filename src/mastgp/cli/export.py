"""``mast export``: a model's predictor for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import DataError, listed, unknown
from . import terminal
from .files import ModelFile, check_output, load_model

#: Formats, and the endings of their files.
FORMATS = {"json": ".json", "c": ".c", "fmu": ".fmu"}

Format = Annotated[
    str,
    typer.Option("--to", metavar="FORMAT", help="json, c (C99, with a header) or fmu (FMI 2.0)."),
]
Output = Annotated[
    str | None, typer.Option("-o", "--output", metavar="FILE", help="File; after the model.")
]
Target = Annotated[
    str | None, typer.Option(metavar="NAME", help="Target to export, of a model with several.")
]


def export(model_file: ModelFile, to: Format, output: Output = None, target: Target = None) -> None:
    """Write the predictor of a model for other programs: JSON, C99 or an FMU."""
    if to not in FORMATS:
        raise unknown("format", to, FORMATS)
    output = output or f"{Path(model_file).stem}{FORMATS[to]}"
    for path in _paths(output, to):
        check_output(path, inputs=[model_file])
    model = _of_target(load_model(model_file), target)
    with terminal.notes():
        written = _written(model, output, to)
    for path, content in written.items():
        _write(path, content)
    terminal.say(f"Wrote {listed([str(path) for path in written])}.")


def _paths(output: str, to: str) -> list[str]:
    """Files that are written; the header has the name by which the source includes it."""
    if to != "c":
        return [output]
    from ..output.export.c_source import c_identifier

    path = Path(output)
    return [output, str(path.with_name(f"{c_identifier(path.stem)}.h"))]


def _of_target(model: Any, target: str | None) -> Any:
    """The model of one target; which one must be said where there are several."""
    from ..models.targets import models_of

    named = models_of(model)
    if target is None and len(named) > 1:
        raise DataError(f"the model has several targets; name one with --target: {listed(named)}")
    if target is not None and target not in named:
        raise unknown("target", target, named)
    return next(iter(named.values())) if target is None else named[target]


def _written(model: Any, output: str, to: str) -> dict[str, bytes]:
    """What the files hold, by their paths."""
    name = Path(output).stem
    if to == "json":
        from ..output.export.predictor import predictor_json

        return {output: predictor_json(model).encode()}
    if to == "fmu":
        from ..output.export.fmu import fmu_bytes

        return {output: fmu_bytes(model, name)}
    from ..output.export.c_source import c_source

    source, header = c_source(model, name)
    return dict(zip(_paths(output, to), (source.encode(), header.encode()), strict=True))


def _write(path: str, content: bytes) -> None:
    from ..files import atomic_write

    with atomic_write(path) as file:
        file.write(content)
