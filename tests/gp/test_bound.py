from __future__ import annotations

import numpy as np
import pytest

from gp.structures import (
    co_kriging,
    random_data,
    random_point,
    shared_mean,
    shared_plus_bias,
    single,
    uncertain_means,
)
from mastgp.gp import Categorical, Component, Model, NotPositiveDefiniteError
from mastgp.gp.bound import Bound, minimise
from mastgp.gp.layout import Layout
from mastgp.gp.likelihood import Objective
from mastgp.gp.observations import Observations


def numeric_gradient(objective, theta, step=1e-5):
    return np.array(
        [
            (objective(theta + step * e)[0] - objective(theta - step * e)[0]) / (2 * step)
            for e in np.eye(len(theta))
        ]
    )


@pytest.mark.parametrize("kernel", ["rbf", "matern52"])
@pytest.mark.parametrize("warp", [False, True])
@pytest.mark.parametrize("learn_noise", [False, True])
@pytest.mark.parametrize(
    "structure", [single, shared_plus_bias, co_kriging, uncertain_means, shared_mean]
)
def test_gradient_agrees_with_finite_differences(rng, structure, kernel, warp, learn_noise):
    model = structure(3, kernel, warp, learn_noise)
    data = random_data(rng, model, 40)
    chosen = rng.choice(40, 9, replace=False)
    bound = Bound(model, data, data.X[chosen], data.groups[chosen])
    theta = random_point(rng, bound.layout)
    gradient = bound(theta)[1]
    numeric = numeric_gradient(bound, theta)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-6 * np.abs(gradient).max())


def test_gradient_by_the_positions_of_levels(rng):
    rough = (Component(kernel="matern52"),)
    model = Model(2, rough, categories=(Categorical(1, 4),), warp=True)
    X = np.column_stack([rng.random(40), np.arange(40) % 4 / 3])
    data = Observations(X, rng.standard_normal(40), np.zeros(40, np.intp))
    bound = Bound(model, data, X[:12])
    theta = random_point(rng, bound.layout)
    gradient, numeric = bound(theta)[1], numeric_gradient(bound, theta)
    assert np.abs(gradient[bound.layout.positions.where]).max() > 1e-6
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-6 * np.abs(gradient).max())


def test_with_all_rows_it_is_the_exact_objective(rng):
    model = single(2, "matern52", True, True)
    data = random_data(rng, model, 30)
    theta = random_point(rng, Layout(model))
    value, gradient = Bound(model, data, data.X)(theta)
    expected, slope = Objective(model, data)(theta)
    assert value == pytest.approx(expected, abs=1e-10)
    np.testing.assert_allclose(gradient, slope, atol=1e-8)


def test_blocks_do_not_change_it(rng, monkeypatch):
    model = co_kriging(2, "rbf", True, True)
    data = random_data(rng, model, 600)
    bound = Bound(model, data, data.X[::30], data.groups[::30])
    theta = random_point(rng, bound.layout)
    value, gradient = bound(theta)
    monkeypatch.setattr("mastgp.gp.sums.BLOCK_ENTRIES", 1)
    in_blocks = bound(theta)
    assert in_blocks[0] == pytest.approx(value, rel=1e-9)
    np.testing.assert_allclose(in_blocks[1], gradient, rtol=1e-7, atol=1e-9)


def test_a_search_ends_where_nothing_gets_better(rng):
    model = single(2, "rbf", False, True)
    X = rng.random((200, 2))
    y = np.sin(5 * X[:, 0]) + 0.1 * rng.standard_normal(200)
    data = Observations(X, (y - y.mean()) / y.std(), np.zeros(200, np.intp))
    bound = Bound(model, data, X[:40])
    calls = []
    theta, value = minimise(
        bound,
        bound.layout,
        bound.layout.start(),
        iterations=200,
        tolerance=1e-12,
        on_evaluation=lambda: calls.append(1),
    )
    assert value < bound(bound.layout.start())[0]
    assert np.abs(bound(theta)[1]).max() < 1e-3
    assert len(calls) > 5
    assert bound.layout.unpack(theta).noise_var[0] == pytest.approx(0.01 / y.var(), rel=0.5)


def test_impossible_parameters_end_no_search():
    layout = Layout(Model(1))

    def objective(theta):
        raise NotPositiveDefiniteError("never")

    start = layout.start()
    theta, value = minimise(objective, layout, start, iterations=5, tolerance=1e-6)
    np.testing.assert_array_equal(theta, start)
    assert value == 1e10
