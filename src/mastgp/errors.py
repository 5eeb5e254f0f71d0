"""Errors and warnings of the package, each under one base class."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any


class MastError(Exception):
    """Base of every error the package raises on purpose."""


class DataError(MastError, ValueError):
    """The data or the options that describe them cannot be used; the message says where."""


class KindError(DataError, TypeError):
    """The data are of a kind that cannot be read as numbers, such as sparse or of dictionaries."""


class FileError(MastError, OSError):
    """A file or folder cannot be read or written."""


class ModelFileError(FileError):
    """A model file is damaged, foreign, or written by a newer version."""


class MissingExtraError(MastError, ImportError):
    """An optional dependency is not installed; the message has the command that installs it."""


class MastWarning(UserWarning):
    """Base of every warning the package gives."""


class FewPointsWarning(MastWarning):
    """The most expensive fidelity has so few points that the uncertainty is a guess."""


class CostWarning(MastWarning):
    """The most expensive fidelity has the most points, as if the costs were swapped."""


class DuplicateWarning(MastWarning):
    """Several rows of a fidelity share their inputs but not their target."""


class CopiesWarning(MastWarning):
    """Rows of a cheap fidelity are copies of expensive ones."""


class ConstantTargetWarning(MastWarning):
    """A fidelity's target does not vary."""


class DecadesWarning(MastWarning):
    """A positive target spans decades, and its logarithm takes no part in the model."""


class ConstantInputWarning(MastWarning):
    """An input column does not vary, so nothing can be learned about it."""


class MissingWarning(MastWarning):
    """Rows with empty cells were left out, because the user asked for it."""


class SheetsWarning(MastWarning):
    """A spreadsheet has several sheets, and the first was read because none was named."""


class CountingInputWarning(MastWarning):
    """An input counts the rows, as the number of a run does."""


class RangeWarning(MastWarning):
    """An input's range is a sliver of another source's, or of its bounds."""


class UnitWarning(MastWarning):
    """Sources differ by a power of ten, as if their units were not the same."""


class OutlierWarning(MastWarning):
    """A value is far from all others, as codes for failed runs are."""


class CategoriesWarning(MastWarning):
    """Columns of text, booleans or pandas' categories are taken as categorical inputs."""


class ExtrapolationWarning(MastWarning):
    """Predictions were asked for far outside the data."""


class FitWarning(MastWarning):
    """A fit did not go as it should: no convergence, or jitter was needed."""


class PoorFitWarning(MastWarning):
    """No model of very many rows explains half of their variance."""


class DownloadWarning(MastWarning):
    """A connection broke during a download, which is tried again."""


class EqualCostWarning(MastWarning):
    """Fidelities cost the same, and a method that needs an order ranks them by their names."""


class RefitWarning(MastWarning):
    """Rows were added to a model whose hyperparameters no longer suit them."""


class ScaleWarning(MastWarning):
    """An option in the target's units does not suit the target's scale."""


class MixedVersionsWarning(MastWarning):
    """A table of benchmark results mixes those of different versions of the code."""


def warn(message: str, category: type[MastWarning]) -> None:
    """Warn from the first line of code outside the package: the user's."""
    here = str(Path(__file__).parent)
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(here):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def recorded() -> Iterator[list[str]]:
    """Keep the texts of the package's warnings inside a ``with`` block; they are given as ever."""
    said: list[str] = []
    with warnings.catch_warnings():
        show = warnings.showwarning

        def remember(message: Warning | str, category: type[Warning], *rest: Any) -> None:
            if issubclass(category, MastWarning) and str(message) not in said:
                said.append(str(message))
            show(message, category, *rest)

        warnings.showwarning = remember  # type: ignore[assignment]
        yield said


@contextmanager
def silenced(category: type[Warning]) -> Iterator[None]:
    """No warnings of a category inside a ``with`` block."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category)
        yield


def points(n: int) -> str:
    """Number of points in words: 1 point, 2 points."""
    return f"{n} point" if n == 1 else f"{n} points"


def listed(names: Iterable[object], most: int = 50) -> str:
    """Write names as text for a message: ``'coarse', 'fine'``. Of very many some are left out."""
    texts = [str(name) for name in names]
    shown = [repr(text if len(text) <= 200 else f"{text[:197]}...") for text in texts[:most]]
    rest = [] if len(texts) <= most else [f"and {len(texts) - most} more"]
    return ", ".join([*shown, *rest])


def unknown(what: str, name: object, known: Iterable[object], or_else: str = "") -> DataError:
    """The error that a name is unknown; it names the one that was probably meant, and all others.

    >>> unknown("method", "masst", ["mast", "auto"])
    DataError("unknown method 'masst': did you mean 'mast'? Choose one of 'mast', 'auto'")
    """
    names = [str(one) for one in known]
    meant = get_close_matches(str(name), names, n=1, cutoff=0.7)
    asked = f": did you mean {meant[0]!r}? Choose" if meant else "; choose"
    return DataError(f"unknown {what} {str(name)!r}{asked} one of {listed(names)}{or_else}")
