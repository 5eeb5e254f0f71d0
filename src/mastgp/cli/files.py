"""Files that commands read and write: models, and results that must not overwrite their source."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import typer

from ..errors import FileError
from ..files import check_can_write, check_is_no_input, is_same_file

#: What the system calls the two streams.
_STANDARD_INPUT, _STANDARD_OUTPUT = "/dev/stdin", "/dev/stdout"

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
    check_can_write(output)
    check_is_no_input(output, _files_behind(inputs))


def check_standard_output(inputs: Iterable[str]) -> None:
    """Refuse to print to one of the files to read, to which a shell has led the output."""
    if os.path.isfile(_STANDARD_OUTPUT) and any(
        is_same_file(_STANDARD_OUTPUT, path) for path in _files_behind(inputs)
    ):
        raise FileError("standard output is one of the files to read; write to another one")


def _files_behind(words: Iterable[str]) -> Iterator[str]:
    """Paths of what words of the user's mean; standard input may come from a file, too."""
    from ..data.opening import STANDARD, place_of

    for word in words:
        path = place_of(word).path
        yield _STANDARD_INPUT if path == STANDARD else path


def files_of(arguments: Iterable[str]) -> list[str]:
    """All files and sheets that the arguments of a command name."""
    from ..data.naming import named_files

    return [file.path for file in named_files(list(arguments))]
