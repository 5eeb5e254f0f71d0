"""What the commands share: printing, options of the form name=value, notes."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import DataError, MastWarning, listed

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console


@cache
def out() -> Console:
    """Where answers are printed."""
    from rich.console import Console

    return Console()


@cache
def err() -> Console:
    """Where notes and errors are printed."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Address of a Dask scheduler whose workers read and sum the rows of large files.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


def plain(text: str) -> str:
    r"""Text without characters that would command the terminal, as escapes that show them.

    >>> plain("a\x1b[31mb\nc")
    'a\\x1b[31mb\nc'
    """
    return "".join(c if c.isprintable() or c in "\n\t" else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def printable(table: pd.DataFrame) -> pd.DataFrame:
    """A table to print: where somebody looks at it, without characters that command a terminal."""
    if not sys.stdout.isatty():
        return table
    return table.rename(columns=_plain_cell).map(_plain_cell)


def _plain_cell(cell: Any) -> Any:
    return plain(cell) if isinstance(cell, str) else cell


def say(text: str) -> None:
    """Print a line of plain text."""
    out().print(plain(text), markup=False, highlight=False, soft_wrap=True)


def note(text: str) -> None:
    """Print something worth knowing to standard error."""
    err().print("Note:", style="bold yellow", end=" ")
    err().print(plain(text), markup=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    sys.stdout.write(json.dumps(value, indent=1, allow_nan=False) + "\n")


def names(text: str | None) -> list[str] | None:
    """Split a list of names at its commas."""
    return [name.strip() for name in text.split(",") if name.strip()] if text else None


def all_names(texts: list[str] | None) -> list[str]:
    """Names of an option that may be repeated, each time with several names."""
    return [name for text in texts or [] for name in names(text) or []]


def target(texts: list[str]) -> list[str] | dict[str, str]:
    """Columns of the responses, or the column of each fidelity's as low=LF,high=HF."""
    if not any("=" in text for text in texts):
        return texts
    if not all("=" in text for text in texts):
        raise DataError(
            f"--target names {listed(texts)}: either the columns of several targets, or the column "
            "of each fidelity, as low=LF,high=HF"
        )
    return dict(pairs(texts, "--target", "--target low=LF,high=HF"))


def pairs(values: list[str] | None, option: str, example: str) -> Iterator[tuple[str, str]]:
    """Split options of the form name=value."""
    seen: set[str] = set()
    for text in _split(values or []):
        name, equals, value = text.rpartition("=")
        if not equals or not name:
            raise DataError(f"{option} {text}: expected a name and a value, as {example}")
        if name.strip() in seen:
            raise DataError(f"{option} is given twice for {name.strip()!r}")
        seen.add(name.strip())
        yield name.strip(), value.strip()


def _split(values: list[str]) -> Iterator[str]:
    """Take apart what was given as one option, as coarse=1,fine=10."""
    for text in values:
        parts = text.split(",")
        yield from parts if all("=" in part for part in parts) else [text]


def numbers(values: list[str] | None, option: str) -> dict[str, float]:
    """Read options of the form name=number."""
    numbers: dict[str, float] = {}
    for name, value in pairs(values, option, f"{option} fine=10"):
        try:
            numbers[name] = float(value)
        except ValueError:
            raise DataError(f"{option} {name}={value}: {value!r} is not a number") from None
    return numbers


def ranges(
    values: list[str] | None, option: str = "--bounds", example: str = "mach=0.5:0.9"
) -> dict[str, tuple[float, float]]:
    """Read options of the form name=low:high."""
    ranges: dict[str, tuple[float, float]] = {}
    for name, value in pairs(values, option, f"{option} {example}"):
        low, _, high = value.partition(":")
        try:
            ranges[name] = (float(low), float(high))
        except ValueError:
            raise DataError(f"{option} {name}={value}: expected low:high, as 0.5:0.9") from None
    return ranges


@contextmanager
def notes() -> Iterator[list[warnings.WarningMessage]]:
    """Print the package's warnings as notes, each once, instead of Python's own format."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught
    seen = set()
    for warning in caught:
        text = str(warning.message)
        if issubclass(warning.category, MastWarning) and text not in seen:
            seen.add(text)
            note(text)
