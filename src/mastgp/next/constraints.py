"""Linear constraints on inputs and limits on targets, as text such as ``a + 2*b <= 3``."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, listed

Array = NDArray[np.float64]

_SIGNS = {ast.LtE: 1.0, ast.Lt: 1.0, ast.GtE: -1.0, ast.Gt: -1.0}


@dataclass(frozen=True)
class Linear:
    """A linear expression: coefficients of named quantities, and a constant."""

    coefficients: Mapping[str, float]
    constant: float = 0.0

    def __add__(self, other: Linear) -> Linear:
        names = {**self.coefficients, **other.coefficients}
        total = {n: self.coefficients.get(n, 0.0) + other.coefficients.get(n, 0.0) for n in names}
        return Linear(total, self.constant + other.constant)

    def times(self, factor: float) -> Linear:
        """The expression times a number."""
        scaled = {name: factor * value for name, value in self.coefficients.items()}
        return Linear(scaled, factor * self.constant)


@dataclass(frozen=True)
class Constraint:
    """Sum of coefficients times named quantities <= bound.

    Attributes
    ----------
    coefficients : mapping of name to float
    bound : float
    text : str
        As the user wrote it.
    """

    coefficients: Mapping[str, float]
    bound: float
    text: str


def parse(text: str, names: Sequence[str]) -> list[Constraint]:
    """Read a comparison of linear expressions.

    Parameters
    ----------
    text : str
        With ``<=`` or ``>=``, perhaps two of them: ``1 <= a + b <= 3``.
    names : sequence of str
        What may occur in it. Names that are no words of Python may occur as they are.

    Examples
    --------
    >>> [(c.coefficients, c.bound) for c in parse("a + 2*b <= 3 - a", ["a", "b"])]
    [({'a': 2.0, 'b': 2.0}, 3.0)]
    """
    stand_ins = {f"name_{i}_": name for i, name in enumerate(names)}
    tree = _compared(_replaced(text, stand_ins), text)
    sides = [_linear(side, stand_ins, text) for side in (tree.left, *tree.comparators)]
    found = []
    for operator, left, right in zip(tree.ops, sides, sides[1:], strict=False):
        if type(operator) not in _SIGNS:
            raise DataError(f"the constraint {text!r} must have <= or >= between its sides")
        difference = (left + right.times(-1.0)).times(_SIGNS[type(operator)])
        kept = {n: value for n, value in difference.coefficients.items() if value != 0.0}
        if not kept:
            raise DataError(f"the constraint {text!r} has nothing that varies in it")
        found.append(Constraint(kept, -difference.constant, text))
    return found


def _replaced(text: str, stand_ins: Mapping[str, str]) -> str:
    """The text with a word of Python for every name, longest names first."""
    by_name = {name: stand_in for stand_in, name in stand_ins.items()}
    ordered = sorted(by_name, key=len, reverse=True)
    if not ordered:
        return text
    pattern = "|".join(re.escape(name) for name in ordered)
    return re.sub(rf"(?<![\w.])({pattern})(?!\w)", lambda match: by_name[match[1]], text)


def _compared(text: str, shown: str) -> ast.Compare:
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise DataError(
            f"cannot read the constraint {shown!r}; write it as 'a + 2*b <= 3'"
        ) from None
    if not isinstance(tree, ast.Compare):
        raise DataError(f"the constraint {shown!r} must have <= or >= between its sides")
    return tree


def _linear(node: ast.expr, names: Mapping[str, str], shown: str) -> Linear:
    """A linear expression from a syntax tree."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return Linear({}, float(value))
        case ast.Name(id=name) if name in names:
            return Linear({names[name]: 1.0})
        case ast.Name(id=name):
            raise DataError(
                f"the constraint {shown!r} names {name!r}; known are {listed(names.values())}"
            )
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _linear(inner, names, shown).times(-1.0)
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _linear(inner, names, shown)
        case ast.BinOp(left=a, op=operator, right=b):
            return _combined(_linear(a, names, shown), operator, _linear(b, names, shown), shown)
    raise DataError(f"the constraint {shown!r} is not linear; use numbers, names, +, -, * and /")


def _combined(a: Linear, operator: ast.operator, b: Linear, shown: str) -> Linear:
    match operator:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a + b.times(-1.0)
        case ast.Mult() if not a.coefficients:
            return b.times(a.constant)
        case ast.Mult() if not b.coefficients:
            return a.times(b.constant)
        case ast.Div() if not b.coefficients and b.constant != 0.0:
            return a.times(1.0 / b.constant)
    raise DataError(f"the constraint {shown!r} is not linear; use numbers, names, +, -, * and /")


def divided(
    texts: Sequence[str], inputs: Sequence[str], targets: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Constraints on inputs, and limits on targets, from texts that may be either.

    Examples
    --------
    >>> divided(["a + b <= 1", "stress <= 250"], ["a", "b"], ["drag", "stress"])
    (['a + b <= 1'], ['stress <= 250'])
    """
    linear: list[str] = []
    limits: list[str] = []
    for text in texts:
        names = {name for c in parse(text, [*inputs, *targets]) for name in c.coefficients}
        if names <= set(inputs):
            linear.append(text)
        elif names <= set(targets):
            limits.append(text)
        else:
            raise DataError(f"the constraint {text!r} is on inputs and targets; give one for each")
    return linear, limits
