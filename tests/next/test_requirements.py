from __future__ import annotations

import pytest

from mastgp.errors import DataError
from mastgp.next.constraints import Constraint
from mastgp.next.requirements import Limit, holds, read_constraints, target_of, violation


def test_constraints_of_inputs_and_limits_of_targets_are_told_apart():
    (linear,) = read_constraints("a + 2*b <= 3", ["a", "b"], ["y"])
    assert isinstance(linear, Constraint)
    assert holds(linear, {"a": 1.0, "b": 1.0})
    assert not holds(linear, {"a": 1.0, "b": 1.1})
    assert read_constraints("y <= 250", ["a"], ["y"]) == [Limit("y <= 250", "y", True, 250.0)]
    assert read_constraints("2*y >= -5", ["a"], ["y"]) == [Limit("2*y >= -5", "y", False, -2.5)]


def test_a_constraint_forgives_rounding():
    (linear,) = read_constraints("a + b <= 0.3", ["a", "b"], [])
    assert holds(linear, {"a": 0.1, "b": 0.2})  # 0.1 + 0.2 > 0.3 in floating point


def test_both_sides_of_a_target_are_two_limits():
    low, high = read_constraints("1 <= y <= 2", [], ["y"])
    assert [one.holds({"y": value}) for one in (low, high) for value in (0, 1.5, 3)] == [
        False, True, True, True, True, False,
    ]  # fmt: skip


def test_a_limit_is_on_one_target():
    with pytest.raises(DataError, match="one target alone"):
        read_constraints("y + a <= 2", ["a"], ["y"])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("stress<=250", "stress"),
        ("peak stress >= -2e3", "peak stress"),
        ("mach <= 0.7", None),
        ("mach + stress <= 2", None),
        ("stress = 2", None),
        ("stress <= mach", None),
    ],
)
def test_targets_that_only_a_constraint_names(text, found):
    assert target_of(text, ["mach"]) == found


def test_violations_are_shares_of_the_limits():
    limits = [Limit("", "y", True, 200.0), Limit("", "z", False, 10.0)]
    assert violation(limits, {"y": 200.0, "z": 10.0}) == 0.0
    assert violation(limits, {"y": 250.0, "z": 5.0}) == pytest.approx(0.25 + 0.5)
