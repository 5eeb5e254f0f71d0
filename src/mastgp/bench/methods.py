"""Methods that can be benchmarked, by name: the one place where a rival joins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from ..errors import DataError, MissingExtraError, listed
from ..estimator import MultiFidelityRegressor
from ..mast import MAST
from ..rivals import SingleFidelity
from .protocol import Trial

#: Name of the yardstick in the store: a GP that spends the whole budget on expensive points.
BASELINE = "baseline"


@dataclass(frozen=True)
class Method:
    """A method of the benchmark.

    Attributes
    ----------
    name, about : str
    build : callable
        ``build(trial, **options)`` gives an estimator that has not been fitted.
    paper_name : str or None
        What the paper's tables call it.
    needs : tuple of str
        Modules that must be importable.
    extra : str or None
        Extra of this package that installs them.
    """

    name: str
    about: str
    build: Callable[..., MultiFidelityRegressor]
    paper_name: str | None = None
    needs: tuple[str, ...] = ()
    extra: str | None = None

    @property
    def installed(self) -> bool:
        """Whether everything it needs can be imported."""
        return all(find_spec(module) is not None for module in self.needs)


def _mast(trial: Trial, **options: Any) -> MAST:
    return MAST(trial.costs, bounds=trial.bounds, **{**trial.options, **options})


def _single(which: str) -> Callable[..., MultiFidelityRegressor]:
    def build(trial: Trial) -> SingleFidelity:
        return SingleFidelity(which, costs=trial.costs, bounds=trial.bounds)

    return build


METHODS = {
    method.name: method
    for method in (
        Method("mast", "the paper's method", _mast, "MAST"),
        Method("hf-only", "a GP of the method's own expensive points", _single("top")),
        Method("lf-only", "a GP of the cheapest fidelity's points", _single("cheapest")),
    )
}


def method(name: str) -> Method:
    """Find a method by name; it must be installed."""
    if name not in METHODS:
        raise DataError(f"unknown method {name!r}; choose one of {listed(METHODS)}")
    found = METHODS[name]
    if not found.installed:
        raise MissingExtraError(
            f"method {name!r} needs {listed(found.needs)}; install it with "
            f"'pip install \"mastgp[{found.extra}]\"'"
        )
    return found
