"""Costs, fidelities that are not worth their money, and expensive runs that are due."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from mastgp import DataError
from mastgp.auto.verdict import FidelityVerdict, Verdict
from mastgp.next.beliefs import Belief
from mastgp.next.money import (
    MARGIN,
    allowed_levels,
    costs_of,
    spent_since_top,
    useless_fidelities,
    worth_most,
)
from mastgp.next.outlook import Outlook


def judged(model, word, together=None):
    entry = FidelityVerdict("coarse", word, 0.0, 0.0, 0.0, "")
    whole = None if together is None else FidelityVerdict("all", together, 0.0, 0.0, 0.0, "")
    return SimpleNamespace(training_data_=model.training_data_, verdict_=Verdict((entry,), whole))


@pytest.mark.parametrize(
    ("word", "levels"),
    [("helps", [0, 1]), ("hurts", [1]), ("makes no difference", [1]), ("undecided", [0, 1])],
)
def test_no_money_goes_where_the_verdict_speaks_against_it(optimum_model, word, levels):
    model = judged(optimum_model, word)
    assert allowed_levels(model, None) == levels
    assert allowed_levels(model, ["coarse", "fine"]) == [0, 1]


def test_the_verdict_on_all_counts(optimum_model):
    assert useless_fidelities(judged(optimum_model, "undecided", "hurts")) == {"coarse"}
    assert useless_fidelities(optimum_model) == set()


def test_costs_are_the_models_unless_others_are_given(optimum_model):
    data = optimum_model.training_data_
    assert costs_of(data, None) == [1.0, 10.0]
    assert costs_of(data, {"fine": 3}) == [1.0, 3.0]
    for wrong in ({"medium": 1}, {"fine": 0}, {"fine": float("nan")}, {"fine": 10**400}):
        with pytest.raises(DataError):
            costs_of(data, wrong)


@pytest.mark.parametrize("allow", ["fine", [], ["medium"]])
def test_wrong_permissions(optimum_model, allow):
    with pytest.raises(DataError):
        allowed_levels(optimum_model, allow)


def test_spending_since_the_last_expensive_run(optimum_model):
    """In the data the expensive rows come last; then runs under way count in their order."""
    belief = Belief(optimum_model)
    U = np.full((3, 2), 0.5) + 0.1 * np.arange(3)[:, None]
    for levels, spent in (([0, 0, 0], 3.0), ([0, 1, 0], 1.0), ([0, 0, 1], 0.0)):
        assert spent_since_top(Outlook(belief, U, np.array(levels)), [1.0, 10.0]) == spent


def test_a_cheap_run_must_win_by_a_margin():
    prices = [0.1, 0.5, 1.0]
    assert worth_most({0: 0.1 * MARGIN * 1.01, 1: 0.0, 2: 1.0}, prices, top=2) == 0
    assert worth_most({0: 0.1 * MARGIN * 0.99, 1: 0.0, 2: 1.0}, prices, top=2) == 2
    assert worth_most({0: 0.2, 1: 0.9}, prices, top=2) == 0
