"""Benchmarks: the paper's problems, experiments and tables.

Names are imported when they are first used, so that commands start at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .problems import PROBLEMS, Problem, problem
    from .protocol import Budget, Trial, synthetic_trial

__all__ = ["PROBLEMS", "Budget", "Problem", "Trial", "problem", "synthetic_trial"]

_LAZY = {
    "PROBLEMS": ".problems",
    "Problem": ".problems",
    "problem": ".problems",
    "Budget": ".protocol",
    "Trial": ".protocol",
    "synthetic_trial": ".protocol",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name], __name__), name)
