"""Constraints of a study: linear ones on its inputs, and limits of its targets."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import DataError
from .constraints import Constraint, parse

#: Rounding that a constraint forgives, as a share of its terms.
_SLACK = 1e-9
_LIMIT = re.compile(r"\s*([^<>=+*/\-]+?)\s*[<>]=?\s*[+-]?[\d.][\d.eE+-]*\s*")


@dataclass(frozen=True)
class Limit:
    """A limit of a target.

    Attributes
    ----------
    text : str
        As the user wrote it.
    target : str
    upper : bool
        Whether the value is the most that is allowed, or the least.
    value : float
    """

    text: str
    target: str
    upper: bool
    value: float

    def holds(self, values: Mapping[str, float]) -> bool:
        """Whether results satisfy it."""
        found = values[self.target]
        return found <= self.value if self.upper else found >= self.value


def read_constraints(
    text: str, numeric: Collection[str], targets: Sequence[str]
) -> list[Constraint | Limit]:
    """Read constraints of inputs, as ``x1 + 2*x2 <= 3``, or of one target, as ``stress<=250``.

    Parameters
    ----------
    text : str
    numeric : collection of str
        Inputs that are numbers.
    targets : sequence of str

    Examples
    --------
    >>> read_constraints("2*a - b >= -1", ["a", "b"], [])[0].coefficients
    {'a': -2.0, 'b': 1.0}
    >>> read_constraints("stress <= 250", ["a"], ["stress"])[0].value
    250.0
    """
    return [_sorted(one, targets) for one in parse(text, [*numeric, *targets])]


def _sorted(constraint: Constraint, targets: Sequence[str]) -> Constraint | Limit:
    """The constraint itself, or the limit that it is."""
    limited = [name for name in constraint.coefficients if name in targets]
    if not limited:
        return constraint
    if len(constraint.coefficients) > 1:
        raise DataError(
            f"the constraint {constraint.text!r}: a limit is on one target alone, as "
            f"'{limited[0]} <= 250'"
        )
    factor = constraint.coefficients[limited[0]]
    return Limit(constraint.text, limited[0], factor > 0.0, constraint.bound / factor)


def holds(constraint: Constraint, point: Mapping[str, Any]) -> bool:
    """Whether a point satisfies a constraint on inputs."""
    terms = [factor * float(point[name]) for name, factor in constraint.coefficients.items()]
    slack = _SLACK * (abs(constraint.bound) + sum(abs(term) for term in terms))
    return sum(terms) <= constraint.bound + slack


def target_of(text: str, known: Collection[str]) -> str | None:
    """The target that only a constraint names: a name that is not known, and a number.

    >>> target_of("stress <= 250", ["mach"]), target_of("mach <= 0.7", ["mach"])
    ('stress', None)
    """
    match = _LIMIT.fullmatch(text)
    return match[1] if match is not None and match[1] not in known else None


def violation(limits: Sequence[Limit], values: Mapping[str, float]) -> float:
    """How far results are from satisfying all limits, as a sum of shares; 0 where they do."""
    total = 0.0
    for limit in limits:
        beyond = values[limit.target] - limit.value
        total += max(beyond if limit.upper else -beyond, 0.0) / max(abs(limit.value), 1e-300)
    return total
