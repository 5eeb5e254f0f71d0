"""When a new fit is due: after surprises, many rows, rows outside, and a collapse of the draws."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from mastgp import RefitWarning
from mastgp.data.further import further_rows
from mastgp.models import MAST, CoKriging
from mastgp.models.refits import least_probability

COSTS = {"coarse": 1.0, "fine": 10.0}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(2026)
    X = rng.random((38, 2))
    labels = np.array(["coarse"] * 30 + ["fine"] * 8)
    y = np.sin(5 * X[:, 0]) + X[:, 1] ** 2 + np.where(labels == "coarse", 0.5 * X[:, 0], 0.0)
    return X, y, labels


@pytest.fixture(scope="module")
def model(rows):
    return CoKriging(costs=COSTS, n_draws=8).fit(*rows)


def test_an_expected_row_needs_no_new_fit(model):
    X = np.array([[0.5, 0.5]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.update(X, model.predict(X), "fine")


@pytest.mark.parametrize("fidelity", ["coarse", "fine"])
def test_a_surprise_is_said(model, fidelity):
    with pytest.warns(RefitWarning, match=f"a result of '{fidelity}' was unexpected"):
        model.update([[0.5, 0.5]], [30.0], fidelity)


def test_rows_outside_and_many_rows_are_said(model, rows):
    outside = np.array([[1.15, 0.5]])
    with pytest.warns(RefitWarning, match="outside the range"):
        model.update(outside, model.predict(outside), "fine")
    X = np.random.default_rng(1).random((14, 2))
    with pytest.warns(RefitWarning, match="14 rows were added to the 38"):
        model.update(X, model.predict(X), "fine")


def test_probabilities_are_those_of_the_prediction(model):
    X, y = np.array([[0.5, 0.5]]), [0.9]
    new = further_rows(model.training_data_, X, y, "fine")["fine"]
    below = model.predict_distribution(X, include_noise=True).cdf(y)[0]
    assert least_probability(model, new) == pytest.approx(2 * min(below, 1 - below))


def test_a_model_that_says_nothing_of_a_fidelity_is_not_surprised(rows):
    model = MAST(costs=COSTS).fit(*rows)
    new = further_rows(model.training_data_, np.array([[0.5, 0.5]]), [99.0], "coarse")["coarse"]
    assert least_probability(model, new) == 1.0
