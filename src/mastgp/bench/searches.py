"""The search experiments: what is searched for, on which problems, and with which strategies."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import DataError
from .problems import PROBLEMS
from .sources import ADJUSTABLE, sources
from .strategies import STRATEGIES, strategy
from .tasks import Task


@dataclass(frozen=True)
class Search:
    """An experiment whose units are whole searches.

    Attributes
    ----------
    name, about : str
    goal : {"optimum", "accuracy"}
    problems : tuple of str
    """

    name: str
    about: str
    goal: str
    problems: tuple[str, ...]

    @property
    def strategies(self) -> list[str]:
        """Strategies that can pursue the goal and are installed."""
        return [s.name for s in STRATEGIES.values() if self.goal in s.goals and s.installed]

    def check_strategy(self, name: str) -> None:
        """Refuse a strategy that does not exist, is not installed, or has another goal."""
        if self.goal not in strategy(name).goals:
            raise DataError(f"{name!r} does not search for {self.goal}; use {self.name} without it")

    def scores(self, problem: str, name: str, seed: int, test_size: int) -> dict[str, float]:
        """Run a search; return what it found at every share of its budget, and its CPU seconds."""
        started = time.process_time()
        task = Task(sources(problem), self.goal, seed, test_size)
        strategy(name).run(task)
        return {**task.scores(), "search_seconds": time.process_time() - started}


SEARCHES: Mapping[str, Search] = {
    search.name: search
    for search in (
        Search(
            "next-accuracy",
            "cost against error: which runs make the best surrogate",
            "accuracy",
            tuple(PROBLEMS),
        ),
        Search(
            "next-optimum",
            "cost against regret: which runs find the best point",
            "optimum",
            (*ADJUSTABLE, *PROBLEMS),
        ),
    )
}
