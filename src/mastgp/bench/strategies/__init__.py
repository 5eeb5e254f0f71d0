"""Strategies of a search by name: the studies of this package, plain designs, and rivals."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from ...errors import unknown
from ...libraries import are_installed, check_installed

if TYPE_CHECKING:
    from ..tasks import Task

_OPTIMUM, _ACCURACY, _BOTH = ("optimum",), ("accuracy",), ("accuracy", "optimum")


@dataclass(frozen=True)
class Strategy:
    """A way to spend a budget.

    Attributes
    ----------
    name, about : str
    module, function : str
        What runs it: a module of this folder, and a function of it that takes a task and an option.
    option : str
    goals : tuple of str
    needs : tuple of str
        Modules that must be importable.
    extra : str
        Extra of this package that installs them.
    """

    name: str
    about: str
    module: str
    function: str
    option: str
    goals: tuple[str, ...]
    needs: tuple[str, ...] = ()
    extra: str = ""

    @property
    def installed(self) -> bool:
        """Whether everything it needs can be imported."""
        return are_installed(*self.needs)

    def run(self, task: Task) -> None:
        """Spend the budget of a task."""
        module = import_module(f".{self.module}", __name__)
        getattr(module, self.function)(task, self.option)


def _botorch(name: str, about: str) -> Strategy:
    return Strategy(name, about, "with_botorch", "search", name, _OPTIMUM, ("botorch",), "botorch")


STRATEGIES: dict[str, Strategy] = {
    one.name: one
    for one in (
        Strategy("study", "a Study as it comes", "studies", "study", "auto", _BOTH),
        Strategy("study-ar1", "a Study with method ar1", "studies", "study", "ar1", _BOTH),
        Strategy(
            "hf-logei",
            "a Study of the expensive source alone",
            "studies",
            "expensive",
            "",
            _OPTIMUM,
        ),
        Strategy("lhs", "Latin hypercubes, 70/30", "designs", "hypercube", "auto", _BOTH),
        Strategy("lhs-ar1", "the same, modelled by ar1", "designs", "hypercube", "ar1", _ACCURACY),
        Strategy("random", "random points, 70/30", "designs", "random", "auto", _BOTH),
        _botorch("botorch-logei", "BoTorch's GP and logEI, the expensive source alone"),
        _botorch("botorch-mfkg", "BoTorch's qMFKG with its multi-fidelity GP"),
        _botorch("botorch-mfmes", "BoTorch's MF-MES with its multi-fidelity GP"),
        _botorch("chem-mfei", "correlation-weighted EI per cost of chem-MFBO"),
        Strategy(
            "emukit-variance",
            "Emukit's linear model, variance per cost",
            "with_emukit",
            "search",
            "",
            _ACCURACY,
            ("emukit", "GPy"),
            "emukit",
        ),
    )
}


def strategy(name: str) -> Strategy:
    """Find a strategy by name; it must be installed."""
    if name not in STRATEGIES:
        raise unknown("strategy", name, STRATEGIES)
    found = STRATEGIES[name]
    if found.needs:
        check_installed(f"strategy {name!r}", *found.needs, extra=found.extra)
    return found
