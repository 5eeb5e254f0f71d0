"""Constraints as text: what is read, and what is refused."""

from __future__ import annotations

import pytest

from mastgp import DataError
from mastgp.next.constraints import divided, parse

NAMES = ["a", "b", "mach number", "T [K]"]


@pytest.mark.parametrize(
    ("text", "coefficients", "bound"),
    [
        ("a + 2*b <= 3", {"a": 1.0, "b": 2.0}, 3.0),
        ("a >= b", {"a": -1.0, "b": 1.0}, 0.0),
        ("-(a - 4)/2 < 1", {"a": -0.5}, -1.0),
        ("3 > a*2 + a", {"a": 3.0}, 3.0),
        ("mach number + T [K] <= 1e3", {"mach number": 1.0, "T [K]": 1.0}, 1000.0),
        ("+a <= 1", {"a": 1.0}, 1.0),
    ],
)
def test_linear_constraints_are_read(text, coefficients, bound):
    (found,) = parse(text, NAMES)
    assert dict(found.coefficients) == coefficients
    assert found.bound == pytest.approx(bound)


def test_two_comparisons_are_two_constraints():
    low, high = parse("1 <= a + b <= 3", NAMES)
    assert (low.coefficients, low.bound) == ({"a": -1.0, "b": -1.0}, -1.0)
    assert (high.coefficients, high.bound) == ({"a": 1.0, "b": 1.0}, 3.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a*b <= 1", "not linear"),
        ("a**2 <= 1", "not linear"),
        ("a/b <= 1", "not linear"),
        ("c <= 1", "names 'c'"),
        ("a + b", "<= or >="),
        ("a == 1", "<= or >="),
        ("a <=", "cannot read"),
        ("1 <= 2", "nothing that varies"),
        ("a - a <= 2", "nothing that varies"),
        ("__import__('os') <= 1", "not linear"),
        ("True <= a", "not linear"),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(DataError, match=message):
        parse(text, NAMES)


def test_limits_and_constraints_are_told_apart():
    assert divided(["a <= 1", "drag >= 2"], ["a"], ["drag"]) == (["a <= 1"], ["drag >= 2"])
    with pytest.raises(DataError, match="inputs and targets"):
        divided(["a + drag <= 1"], ["a"], ["drag"])
