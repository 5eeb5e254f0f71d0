from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import mastgp
from mastgp import MAST, AutoSurrogate, validate
from mastgp.check.heldout import held_out
from mastgp.check.validation import ALONE, records
from mastgp.models.cokriging import CoKriging
from mastgp.models.single import SingleFidelity
from support import COSTS, pair, truth

SCORES = ["rmse", "nlpd", "coverage95"]


@pytest.fixture
def problem(rng):
    return pair(rng, lambda X: 0.7 * truth(X) + X[:, 0], n_cheap=18, n_dear=7)


def row(table, name):
    """Scores of one model in a table."""
    (index,) = np.flatnonzero(table.model == name)
    return table[SCORES].iloc[index]


def scores_of(checked):
    return pd.Series({name: getattr(checked, name) for name in SCORES})


def test_the_model_and_the_expensive_points_alone(problem):
    X, y, labels = problem
    model = MAST(COSTS).fit(X, y, fidelity=labels)
    table = validate(model)
    assert list(table.model) == ["MAST", "expensive alone"]
    np.testing.assert_array_equal(row(table, "MAST"), scores_of(held_out(model)))
    assert (table.rmse > 0).all()


def test_there_is_one_definition_of_the_expensive_points_alone(problem):
    X, y, labels = problem
    yardstick = SingleFidelity(costs=COSTS).fit(X, y, fidelity=labels)
    by_method = mastgp.fit(
        {name: (X[labels == name], y[labels == name]) for name in COSTS},
        costs=COSTS,
        method="hf-only",
    )
    expected = scores_of(held_out(yardstick))
    np.testing.assert_array_equal(scores_of(held_out(by_method)), expected)
    for model in (MAST(COSTS), CoKriging(COSTS), yardstick, AutoSurrogate(COSTS)):
        table = validate(model.fit(X, y, fidelity=labels))
        np.testing.assert_array_equal(row(table, ALONE), expected)


def test_only_fitted_models_can_be_checked():
    with pytest.raises(NotFittedError):
        validate(MAST())


def test_a_table_that_was_made_while_fitting_is_returned(problem):
    X, y, labels = problem
    model = MAST(COSTS).fit(X, y, fidelity=labels)
    model.validation_ = pd.DataFrame({"model": ["own"]})
    assert validate(model) is model.validation_


def test_records_are_plain_data():
    table = pd.DataFrame({"model": ["a", "b"], "rmse": [0.5, np.nan], "nlpd": [np.inf, 1.0]})
    plain = records(table)
    assert plain == [
        {"model": "a", "rmse": 0.5, "nlpd": None},
        {"model": "b", "rmse": None, "nlpd": 1.0},
    ]
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
