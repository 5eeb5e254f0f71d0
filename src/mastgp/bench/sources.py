"""Problems of a search: a function to be searched, its cheaper sources, costs and a budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import unknown
from .problems import PROBLEMS, Problem, problem
from .problems.augmented import (
    WING_BOUNDS,
    augmented_branin,
    augmented_hartmann,
    augmented_park,
    wing_weight,
)
from .problems.base import Function, box
from .protocol import TWO_FIDELITIES

Array = NDArray[np.float64]

#: Total budget of the problems with sources of adjustable quality, in expensive runs.
BUDGET = 30.0
#: Quality s and cost of a source that is worth its money, and of one that is not.
SOURCES = {"good": (0.9, 0.1), "bad": (0.0, 0.5)}
#: Best value of the paper's functions, for the goal that each is searched with.
_OPTIMA = {
    "branin": ("minimum", 0.39788735772973816),
    "hartmann3": ("maximum", 3.8627797873326597),
    "ackley": ("minimum", 0.0),
    "park1": ("maximum", 25.589254158606547),
    "park2": ("maximum", 2.0 / 3.0 * np.exp(2.0) + 1.0),
    "hartmann6": ("maximum", 3.3223680113998717),
    "levy": ("minimum", 0.0),
    "borehole": ("maximum", 308.27324508986857),
    "rastrigin": ("minimum", 0.0),
    "rosenbrock": ("minimum", 0.0),
}


@dataclass(frozen=True, eq=False)
class Sources:
    """A function to be searched, and cheaper sources that say something about it.

    Attributes
    ----------
    name : str
    bounds : array of shape (d, 2)
    costs : mapping of source to cost of one run, cheapest first
        The last one is the function that counts. Its cost is 1.
    functions : mapping of source to function
        (n, d) -> (n,), free of noise.
    goal : {"minimum", "maximum"}
    optimum : float
        The best value of the function that counts.
    budget : float
        In expensive runs.
    noises : mapping of source to float
        Standard deviation of the noise of a run; none by default.
    favourable : bool
        Whether the cheap source is meant to be worth its cost.
    """

    name: str
    bounds: Array
    costs: Mapping[str, float]
    functions: Mapping[str, Function]
    goal: str
    optimum: float
    budget: float
    noises: Mapping[str, float] = field(default_factory=dict)
    favourable: bool = True

    @property
    def top(self) -> str:
        """The source that counts."""
        return list(self.costs)[-1]

    @property
    def n_inputs(self) -> int:
        """Number of inputs."""
        return len(self.bounds)

    @property
    def names(self) -> list[str]:
        """Names of the inputs."""
        return [f"x{i}" for i in range(self.n_inputs)]

    def evaluate(self, X: ArrayLike) -> Array:
        """The function that counts, free of noise."""
        return self.functions[self.top](np.asarray(X, dtype=float))

    def observe(self, X: ArrayLike, source: str, rng: np.random.Generator) -> Array:
        """What runs of a source find."""
        values = self.functions[source](np.asarray(X, dtype=float))
        return values + self.noises.get(source, 0.0) * rng.standard_normal(len(values))

    def regret(self, x: ArrayLike) -> float:
        """How far the value at a point is from the best one, free of noise; never negative."""
        value = float(self.evaluate(np.asarray(x, dtype=float)[None])[0])
        away = value - self.optimum
        return max(0.0, away if self.goal == "minimum" else -away)


def _of_paper(given: Problem) -> Sources:
    """A problem of the paper: its two fidelities, its noise, its budget."""
    goal, optimum = _OPTIMA[given.name]
    degradations = TWO_FIDELITIES.degradations
    return Sources(
        given.name,
        given.bounds,
        TWO_FIDELITIES.costs,
        {name: partial(given.evaluate, degradation=d) for name, d in degradations.items()},
        goal,
        optimum,
        5.0 * given.n_inputs,
        {name: given.noise_std(d) for name, d in degradations.items()},
    )


def _adjustable(
    name: str, bounds: Array, function: Callable[..., Array], goal: str, optimum: float
) -> dict[str, Sources]:
    """A function with a good cheap source, and with a bad one."""
    return {
        f"{name}-{word}": Sources(
            f"{name}-{word}",
            bounds,
            {"low": cost, "high": 1.0},
            {"low": partial(function, s=s), "high": partial(function, s=1.0)},
            goal,
            optimum,
            BUDGET,
            favourable=word == "good",
        )
        for word, (s, cost) in SOURCES.items()
    }


def _wing() -> Sources:
    """The wing weight, of which four sources cost 1, 0.1, 0.01 and 0.001."""
    names = ("crude", "low", "mid", "high")
    return Sources(
        "wing-weight",
        WING_BOUNDS,
        {name: 10.0 ** (i - 3) for i, name in enumerate(names)},
        {name: partial(wing_weight, source=3 - i) for i, name in enumerate(names)},
        "minimum",
        123.252_393_6,
        BUDGET,
    )


_PARK_BOUNDS = np.array([[0.001, 1.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]])

#: Problems with sources of adjustable quality, and the wing weight.
ADJUSTABLE: dict[str, Sources] = {
    **_adjustable("branin", problem("branin").bounds, augmented_branin, *_OPTIMA["branin"]),
    **_adjustable("park", _PARK_BOUNDS, augmented_park, *_OPTIMA["park1"]),
    **_adjustable("hartmann6", box(0, 1, 6), augmented_hartmann, *_OPTIMA["hartmann6"]),
    "wing-weight": _wing(),
}


@cache
def sources(name: str) -> Sources:
    """Find a problem of a search by its name."""
    if name in ADJUSTABLE:
        return ADJUSTABLE[name]
    if name in PROBLEMS:
        return _of_paper(problem(name))
    raise unknown("problem", name, [*ADJUSTABLE, *PROBLEMS])
