"""Files that commands read and write: models, and results that must not overwrite their source."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from ..files import check_can_write, check_is_no_input

ModelFile = Annotated[
    str, typer.Argument(metavar="MODEL", help="Model file, as written by 'mast fit'.")
]


def load_model(path: str) -> Any:
    """Read a model; the libraries that it needs are imported now, so that commands start fast."""
    from ..storage.model_file import load_model

    return load_model(path)


def check_output(output: str, inputs: Iterable[str]) -> None:
    """Refuse to write to a place that cannot be written, or to one of the files to read.

    Inputs are words of the user's: a sheet of a spreadsheet is a part of its file.
    """
    from ..data.opening import place_of

    check_can_write(output)
    check_is_no_input(output, (place_of(word).path for word in inputs))


def files_of(arguments: Iterable[str]) -> list[str]:
    """All files and sheets that the arguments of a command name."""
    from ..data.naming import named_files

    return [file.path for file in named_files(list(arguments))]
