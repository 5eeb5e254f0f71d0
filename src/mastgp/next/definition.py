"""What a study is about: inputs, fidelities, targets, goal, constraints and budget.

A definition is checked when it is made, and again when it is read from a file.
"""

from __future__ import annotations

import json
import math
import re
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from ..data.fidelities import fidelity_name
from ..errors import DataError, listed
from ..stored import DamagedError, mapping, number, sequence, text
from .constraints import Constraint
from .inputs import Choice, Domain, as_input, read_input
from .requirements import Limit, holds, read_constraints, target_of

#: Goals by name; ``target=VALUE`` is one more.
GOALS = ("minimum", "maximum", "accuracy")
#: Columns of tables of trials, which no input and no target may be called.
RESERVED = frozenset(
    {"trial", "fidelity", "cost", "status", "reason", "failure", "folder", "expected", "low95"}
    | {"high95", "asked_by", "asked_at", "started_at", "ended_at", "attempts"}
)
#: Share of the budget that is spent, at most, to find out whether cheap fidelities help.
SCOUTING = 0.1
#: Largest cost and budget; so many runs cost a finite sum.
LARGEST_COST = 1e100
#: Names that a placeholder of a command can have.
_NAME = re.compile(r"[^{}\x00-\x1f]{1,200}")
_MOST_INPUTS, _MOST_FIDELITIES = 1000, 100


@dataclass(frozen=True)
class Definition:
    """What a study is about.

    Attributes
    ----------
    domain : Domain
        The inputs.
    costs : mapping of fidelity to cost of one run, cheapest first
    targets : tuple of str
        What a run measures; the goal is about the first.
    goal : str
        ``minimum``, ``maximum``, ``accuracy``, or ``target=VALUE``.
    budget : float or None
        What all runs together may cost; None if there is no end.
    constraints : tuple of str
        Linear constraints on inputs, and limits of targets, in words.
    method : str
        Method of the surrogate.
    scouting : float
        Share of the budget that is spent, at most, to find out whether cheap fidelities help.
    random_state : int
    """

    domain: Domain
    costs: Mapping[str, float]
    targets: tuple[str, ...]
    goal: str = "minimum"
    budget: float | None = None
    constraints: tuple[str, ...] = ()
    method: str = "auto"
    scouting: float = SCOUTING
    random_state: int = 0

    @property
    def target(self) -> str:
        """The target that the goal is about."""
        return self.targets[0]

    @property
    def top(self) -> str:
        """The most expensive fidelity."""
        return list(self.costs)[-1]

    @property
    def level(self) -> float | None:
        """The value that a goal of the form ``target=VALUE`` asks for."""
        return float(self.goal.partition("=")[2]) if "=" in self.goal else None

    @cached_property
    def linear(self) -> tuple[Constraint, ...]:
        """Constraints on inputs."""
        return tuple(one for one in self._constraints() if isinstance(one, Constraint))

    @cached_property
    def limits(self) -> tuple[Limit, ...]:
        """Limits of targets."""
        return tuple(one for one in self._constraints() if isinstance(one, Limit))

    def _constraints(self) -> list[Constraint | Limit]:
        names = list(self.domain.bounds)
        return [
            one
            for words in self.constraints
            for one in read_constraints(words, names, self.targets)
        ]

    def allows(self, point: Mapping[str, Any]) -> bool:
        """Whether a point satisfies the constraints on inputs."""
        return all(holds(one, point) for one in self.linear)

    def loss(self, value: float) -> float:
        """How far a value is from the goal: smaller is better."""
        if self.level is not None:
            return abs(value - self.level)
        return -value if self.goal == "maximum" else value

    def with_budget(self, budget: float | None) -> Definition:
        """Return the same study with another budget."""
        return replace(self, budget=_budget(budget))

    def as_json(self) -> str:
        """Return it as text."""
        plain = {one.name: getattr(self, one.name) for one in fields(self)}
        return json.dumps(plain | {"domain": self.domain.as_json()}, allow_nan=False)


def define(
    inputs: Mapping[str, Any],
    costs: Mapping[Any, float],
    target: str | Sequence[str],
    *,
    goal: str = "minimum",
    budget: float | None = None,
    constraints: Sequence[str] = (),
    method: str = "auto",
    scouting: float = SCOUTING,
    random_state: int = 0,
) -> Definition:
    """Make a definition of what a user gave; every mistake is named.

    Targets that only a constraint names, as ``stress<=250``, are targets too.
    """
    if not isinstance(inputs, Mapping) or not inputs:
        raise DataError('inputs must be a mapping, such as {"mach": (0.5, 0.9)}')
    domain = Domain(
        {_name(name, "input"): as_input(str(name), one) for name, one in inputs.items()}
    )
    words = [constraints] if isinstance(constraints, str) else [str(one) for one in constraints]
    targets = [target] if isinstance(target, str) else list(target)
    known = [*domain.names, *targets]
    targets += [one for text in words if (one := target_of(text, known)) is not None]
    definition = Definition(
        domain,
        _costs(costs),
        tuple(dict.fromkeys(_name(one, "target") for one in targets)),
        _goal(goal),
        _budget(budget),
        tuple(words),
        method,
        _share(scouting),
        _seed(random_state),
    )
    check(definition)
    return definition


def check(definition: Definition) -> None:
    """Refuse a definition that contradicts itself."""
    domain, targets = definition.domain, definition.targets
    if not targets:
        raise DataError("a study needs a target: what does a run measure?")
    if both := [name for name in domain.names if name in targets]:
        raise DataError(f"{listed(both)} cannot be both input and target")
    if definition.linear and all(isinstance(one, Choice) for one in domain.inputs.values()):
        raise DataError("constraints on inputs need inputs that are numbers")
    if definition.budget is not None and definition.budget < definition.costs[definition.top]:
        raise DataError(
            f"the budget of {definition.budget:g} is less than one run of {definition.top!r}, "
            f"which costs {definition.costs[definition.top]:g}"
        )


def read_definition(state: str) -> Definition:
    """A definition of what :meth:`Definition.as_json` wrote; everything is checked."""
    names = tuple(one.name for one in fields(Definition))
    found = mapping(parsed(state, "the study"), "the study", names, more=False)
    domain = mapping(found["domain"], "inputs")
    try:
        inputs = {name: read_input(domain[name], f"input {name!r}") for name in domain}
        costs = {
            name: number(one, "a cost") for name, one in mapping(found["costs"], "costs").items()
        }
        return define(
            inputs,
            costs,
            [text(one, "a target") for one in sequence(found["targets"], "targets", most=100)],
            goal=text(found["goal"], "the goal"),
            budget=None if found["budget"] is None else number(found["budget"], "the budget"),
            constraints=[
                text(one, "a constraint")
                for one in sequence(found["constraints"], "constraints", most=100)
            ],
            method=text(found["method"], "the method"),
            scouting=number(found["scouting"], "scouting"),
            random_state=number(found["random_state"], "random_state", whole=True),
        )
    except DamagedError:
        raise
    except DataError as error:
        raise DamagedError(str(error)) from None


def parsed(state: Any, what: str) -> Any:
    """Text of a file as plain data."""
    try:
        return json.loads(text(state, what))
    except (ValueError, RecursionError):
        raise DamagedError(f"{what} is no JSON") from None


def _name(name: Any, what: str) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name != name.strip():
        raise DataError(f"{what} {name!r}: a name is a text without braces and blanks around it")
    if name in RESERVED:
        raise DataError(f"no {what} can be called {name!r}: tables of trials have such a column")
    return name


def _costs(costs: Any) -> dict[str, float]:
    """Costs by fidelity, cheapest first; one fidelity must be the most expensive."""
    if not isinstance(costs, Mapping) or not costs:
        raise DataError('costs must be a mapping, such as {"panel": 1, "cfd": 20}')
    found = {fidelity_name(name): _positive(cost, f"the cost of {name!r}")
             for name, cost in costs.items()}  # fmt: skip
    if not 0 < len(found) <= _MOST_FIDELITIES or not all(map(_NAME.fullmatch, found)):
        raise DataError(f"costs names {listed(found, 5)}; these cannot all be fidelities")
    ranked = dict(sorted(found.items(), key=lambda pair: pair[1]))
    most = list(ranked.values())[-1]
    if tied := [name for name, cost in list(ranked.items())[:-1] if cost == most]:
        raise DataError(
            f"{listed([*tied, list(ranked)[-1]])} cost the same; the fidelity that counts must be "
            "the most expensive one"
        )
    return ranked


def _goal(goal: Any) -> str:
    words = str(goal).strip()
    name, equals, value = words.partition("=")
    if words in GOALS:
        return words
    try:
        if equals and name.strip() == "target" and math.isfinite(float(value)):
            return f"target={float(value)!r}"
    except ValueError:
        pass
    raise DataError(f"unknown goal {words!r}; choose one of {listed(GOALS)}, or target=VALUE")


def _budget(budget: Any) -> float | None:
    return None if budget is None else _positive(budget, "the budget")


def _positive(value: Any, what: str) -> float:
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{what} is {reprlib.repr(value)}, not a number") from None
    if not 0.0 < found <= LARGEST_COST:
        raise DataError(f"{what} is {found:g}; it must be above zero, and at most {LARGEST_COST:g}")
    return found


def _share(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        raise DataError(f"scouting is {value!r}; it is a share of the budget, from 0 to 1")
    return float(value)


def _seed(value: Any) -> int:
    seed = 0 if value is None else value
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
        raise DataError(f"random_state is {value!r}; a study needs a whole number, 0 or more")
    return seed
