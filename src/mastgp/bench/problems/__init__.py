"""Synthetic problems by name: the paper's, and a dozen of our own."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from ...errors import DataError, unknown
from . import ackley, borehole, branin, hartmann, levy, park, rastrigin, rosenbrock
from .base import Problem
from .extra import EXTRA

#: In the order of the paper's tables.
PROBLEMS: dict[str, Callable[..., Problem]] = {
    "branin": branin.make,
    "hartmann3": hartmann.make3,
    "ackley": ackley.make,
    "park1": park.make1,
    "park2": park.make2,
    "hartmann6": hartmann.make6,
    "levy": levy.make,
    "borehole": borehole.make,
    "rastrigin": rastrigin.make,
    "rosenbrock": rosenbrock.make,
}


@cache
def problem(name: str, n_inputs: int | None = None) -> Problem:
    """Find a problem by name.

    Parameters
    ----------
    name : str
        One of :data:`PROBLEMS` or :data:`EXTRA`.
    n_inputs : int, optional
        Dimension, for ackley, levy, rastrigin and rosenbrock; the paper's by default.
    """
    makers = {**PROBLEMS, **EXTRA}
    if name not in makers:
        raise unknown("problem", name, makers)
    if n_inputs is None:
        return makers[name]()
    try:
        return makers[name](n_inputs)
    except TypeError:
        raise DataError(f"problem {name!r} has a fixed number of inputs") from None


__all__ = ["EXTRA", "PROBLEMS", "Problem", "problem"]
