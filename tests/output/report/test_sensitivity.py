"""Sobol indices of surrogates, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import qmc

from exported import fitted
from mastgp import ConstantInputWarning, ConstantTargetWarning
from mastgp.models.single import SingleFidelity
from mastgp.output.report.sensitivity import sample_size, sobol_indices, uniform_inputs, values_at


@pytest.fixture(scope="module")
def ishigami():
    X = np.pi * (2.0 * qmc.Sobol(3, rng=3).random(256) - 1.0)
    y = np.sin(X[:, 0]) + 7.0 * np.sin(X[:, 1]) ** 2 + 0.1 * X[:, 2] ** 4 * np.sin(X[:, 0])
    return SingleFidelity(bounds=[[-np.pi, np.pi]] * 3).fit(X, y)


def test_ishigami_is_within_two_hundredths_of_the_closed_form(ishigami):
    a, b, pi = 7.0, 0.1, np.pi
    v1 = 0.5 * (1 + b * pi**4 / 5) ** 2
    v2, v13 = a**2 / 8, b**2 * pi**8 * (1 / 18 - 1 / 50)
    total = v1 + v2 + v13
    found = sobol_indices(ishigami)
    np.testing.assert_allclose(found.first, np.array([v1, v2, 0.0]) / total, atol=0.02)
    np.testing.assert_allclose(found.total, np.array([v1 + v13, v2, v13]) / total, atol=0.02)
    assert (found.first_low <= found.first).all()
    assert (found.total <= found.total_high).all()


def test_an_input_that_does_nothing_has_no_index(rng):
    X = rng.random((40, 3))
    X[:, 2] = 1.0
    with pytest.warns(ConstantInputWarning):
        model = SingleFidelity().fit(X, 3.0 * X[:, 0])
    found = sobol_indices(model)
    np.testing.assert_allclose(found.first, [1.0, 0.0, 0.0], atol=0.01)


def test_a_response_that_is_the_same_everywhere_has_none(rng):
    with pytest.warns(ConstantTargetWarning):
        model = SingleFidelity().fit(rng.random((10, 2)), np.full(10, 3.0))
    assert sobol_indices(model) is None


def test_levels_are_sampled_as_levels():
    model = fitted("levels")
    X = values_at(model.training_data_, uniform_inputs(model, 64))
    assert set(X[:, 3].round(9)) == {0.0, 1.0, 2.0}


def test_samples_shrink_where_predictions_take_long():
    assert sample_size(3, 1e3) > sample_size(3, 1e5) >= sample_size(3, 1e9)


def test_the_only_input_explains_everything():
    x = np.linspace(0, 1, 9)[:, None]
    found = sobol_indices(SingleFidelity().fit(x, np.sin(4 * x[:, 0])))
    assert found.first == found.total == found.first_low == found.total_high == 1.0
