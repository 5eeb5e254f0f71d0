"""Benchmarks: the paper's problems, experiments and tables.

Names are imported when they are first used, so that commands start at once.
"""

from typing import TYPE_CHECKING

from .._lazy import lazily

if TYPE_CHECKING:
    from .problems import PROBLEMS, Problem, problem
    from .protocol import Budget, Trial, synthetic_trial

__all__ = ["PROBLEMS", "Budget", "Problem", "Trial", "problem", "synthetic_trial"]

__getattr__ = lazily(
    __name__,
    {
        "PROBLEMS": ".problems",
        "Problem": ".problems",
        "problem": ".problems",
        "Budget": ".protocol",
        "Trial": ".protocol",
        "synthetic_trial": ".protocol",
    },
)
