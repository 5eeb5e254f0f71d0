"""One choice: per cost, by fidelities that may be chosen, expensive when it is due."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp import DataError
from mastgp.next.beliefs import Belief
from mastgp.next.choosing import Chooser, Goal
from mastgp.next.outlook import Outlook
from mastgp.next.space import Space

NONE = np.zeros((0, 2)), np.zeros(0, dtype=np.intp)


def chooser(model, goal, prices=(1.0, 10.0), levels=(0, 1)):
    space = Space.of(model.training_data_)
    rng = np.random.default_rng(0)
    return Chooser(Goal.of(goal), space, list(prices), list(levels), [], rng)


@pytest.mark.parametrize(
    "goal", ["best", ("target",), ("target", np.nan), ("minimum", 3.0), 3, None]
)
def test_goals_that_are_none(goal):
    with pytest.raises((DataError, TypeError)):
        Goal.of(goal)


def test_goals_are_read():
    assert Goal.of("maximum") == Goal("maximum")
    assert Goal.of(("target", 3)) == Goal("target", 3.0)


def test_prices_decide_between_fidelities(optimum_model):
    outlook = Outlook(Belief(optimum_model), *NONE)
    for goal in ("accuracy", "minimum"):
        cheap = chooser(optimum_model, goal, (1e-9, 10.0)).choose(outlook)
        dear = chooser(optimum_model, goal, (10.0, 10.0)).choose(outlook)
        assert (cheap.level, dear.level) == (0, 1)
        assert set(cheap.gains) == {0, 1}


def test_an_expensive_run_is_due_after_many_cheap_ones(optimum_model):
    belief = Belief(optimum_model)
    U = np.random.default_rng(5).random((10, 2))
    outlook = Outlook(belief, U, np.zeros(10, dtype=np.intp))
    found = chooser(optimum_model, "minimum", (1.0, 9.5)).choose(outlook)
    assert found.level == 1
    if found.gains[0] / 1.0 > found.gains[1] / 9.5:
        assert found.due == 10.0
    early = Outlook(belief, U[:2], np.zeros(2, dtype=np.intp))
    assert chooser(optimum_model, "minimum", (1e-9, 10.0)).choose(early).level == 0
    # The cost of what was spent decides, not the number of runs.
    free = chooser(optimum_model, "minimum", (1e-9, 10.0)).choose(outlook)
    assert (free.level, free.due) == (0, None)


def test_a_due_run_is_chosen_whatever_the_gain(optimum_model):
    belief = Belief(optimum_model)
    U = np.random.default_rng(5).random((3, 2))
    outlook = Outlook(belief, U, np.zeros(3, dtype=np.intp))
    choose = chooser(optimum_model, "minimum", (1.0, 1e6))
    assert choose.choose(outlook).level == 0
    choose.prices = [1e6 / 3, 1e6]
    found = choose.choose(outlook)
    assert found.level == 1


def test_fidelities_of_which_the_model_says_nothing_cannot_be_chosen(single_model):
    outlook = Outlook(Belief(single_model), *NONE)
    assert chooser(single_model, "accuracy").choose(outlook).level == 1
    with pytest.raises(DataError, match="says nothing"):
        chooser(single_model, "accuracy", levels=(0,)).choose(outlook)


def test_a_pool_without_anything_left(optimum_model):
    data = optimum_model.training_data_
    known = data.unit(data.top)[:3]
    choose = chooser(optimum_model, "minimum", levels=(1,))
    choose.space = Space.of_pool(data, known, None)
    assert choose.choose(Outlook(Belief(optimum_model), *NONE)) is None
