"""Benchmarks: the paper's problems, experiments and tables.

Names are imported when they are first used, so that commands start at once.
"""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .problems import PROBLEMS, Problem, problem
    from .protocol import Budget, Draw, synthetic_draw

__all__ = ["PROBLEMS", "Budget", "Draw", "Problem", "problem", "synthetic_draw"]

__getattr__ = lazily(
    __name__,
    {
        ".problems": ("PROBLEMS", "Problem", "problem"),
        ".protocol": ("Budget", "Draw", "synthetic_draw"),
    },
)
