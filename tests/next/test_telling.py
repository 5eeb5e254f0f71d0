from __future__ import annotations

import math

import numpy as np
import pytest

from mastgp.errors import DataError
from mastgp.next.telling import check_agrees, outcome_of
from mastgp.next.trials import DONE, FAILED, Trial


def trial(**changed):
    return Trial(id=3, inputs={}, fidelity="cfd", cost=1.0, reason="", **changed)


@pytest.mark.parametrize("result", [2, 2.0, np.float32(2), np.array([2.0]), "2.0", {"drag": 2}])
def test_results_are_numbers_of_any_kind(result):
    assert outcome_of(result, ["drag"], "trial 3") == {"drag": 2.0}


@pytest.mark.parametrize("result", [math.nan, math.inf, {"drag": None}, np.nan, -1.2e308])
def test_what_is_not_finite_is_a_failure(result):
    assert isinstance(outcome_of(result, ["drag"], "trial 3"), str)


@pytest.mark.parametrize(
    ("result", "targets", "message"),
    [
        ("high", ["drag"], "trial 3: drag is 'high', not a number"),
        (True, ["drag"], "not a number"),
        ([1, 2], ["drag"], "not a number"),
        (2.0, ["drag", "stress"], "expected a mapping with 'drag', 'stress'"),
        ({"drag": 2.0}, ["drag", "stress"], "trial 3 has no 'stress'"),
    ],
)
def test_what_is_no_result_is_refused(result, targets, message):
    with pytest.raises(DataError, match=message):
        outcome_of(result, targets, "trial 3")


def test_what_was_told_stays_unless_it_is_replaced():
    check_agrees(trial(), {"drag": 1.0})
    check_agrees(trial(status=DONE, values={"drag": 1.0}), {"drag": 1.0})
    check_agrees(trial(status=FAILED, failure="a"), "b")
    with pytest.raises(DataError, match="trial 3 has been told"):
        check_agrees(trial(status=DONE, values={"drag": 1.0}), {"drag": 2.0})
    with pytest.raises(DataError, match="replace=True"):
        check_agrees(trial(status=FAILED, failure="a"), {"drag": 2.0})
