"""The paper's benchmark problems and protocol."""

from .problems import PROBLEMS, Problem, problem
from .protocol import Budget, Trial, synthetic_trial

__all__ = ["PROBLEMS", "Budget", "Problem", "Trial", "problem", "synthetic_trial"]
