from __future__ import annotations

import numpy as np
import pytest

from gp.structures import co_kriging, of_two_groups, shared_plus_bias, single
from mastgp.gp import Categorical, GaussianProcess, Model
from mastgp.gp.inducing import InducingProcess
from mastgp.gp.observations import Observations
from mastgp.gp.sums import Basis
from mastgp.stored import DamagedError


def rough(X):
    return np.sin(9 * X[:, 0]) + np.cos(7 * X[:, -1])


@pytest.fixture(params=["single", "fixed noise", "two groups", "uncertain means"])
def pair(request, rng):
    """An exact process, and the same with all of its rows as inducing points."""
    if request.param == "two groups":
        exact = of_two_groups(rng)
    elif request.param == "uncertain means":
        exact = of_two_groups(rng, "own")
    else:
        X = rng.random((30, 2))
        noise = None if request.param == "single" else rng.uniform(0.001, 0.01, 30)
        model = single(2, "matern52", True, noise is None)
        exact = GaussianProcess.fit(model, X, rough(X), noise_var=noise)
    return exact, inducing_of(exact, exact.objective.data.X, exact.groups)


def inducing_of(exact, X, groups=None):
    basis = Basis(exact.model, exact.parameters, X, groups)
    return InducingProcess.given(basis, exact.objective.data, exact.y_mean, exact.y_scale)


def test_with_all_rows_it_is_the_exact_process(pair, rng):
    exact, inducing = pair
    Q = rng.random((40, 2)) * 1.2 - 0.1
    for group in range(exact.model.n_groups):
        for found, expected in zip(
            inducing.predict(Q, group), exact.predict(Q, group), strict=True
        ):
            np.testing.assert_allclose(found, expected, atol=1e-8 * exact.y_scale[0])
        np.testing.assert_allclose(
            inducing.predict_mean(Q, group), exact.predict_mean(Q, group), atol=1e-8
        )
        for found, expected in zip(
            inducing.predict_covariance(Q, group), exact.predict_covariance(Q, group), strict=True
        ):
            np.testing.assert_allclose(found, expected, atol=1e-8)
    assert inducing.solution.bound == pytest.approx(exact.log_density, abs=1e-6)
    assert inducing.n_points == exact.n_points
    assert inducing.unexplained < 1e-8


def test_gradients_are_those_of_the_exact_process(pair, rng):
    exact, inducing = pair
    Q = rng.uniform(0.05, 0.95, (10, 2))
    group = exact.model.n_groups - 1
    found, expected = inducing.predict_gradient(Q, group), exact.predict_gradient(Q, group)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6 * np.abs(b).max())


def test_left_out_rows_are_predicted_as_the_exact_process_does(rng):
    """Uncertain means are integrated out by both; profiled ones are kept by this one."""
    exact = of_two_groups(rng, "own")
    inducing = inducing_of(exact, exact.objective.data.X, exact.groups)
    for found, expected in zip(
        inducing.leave_one_out(exact.objective.data), exact.leave_one_out(), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)
    folds = [np.arange(5), np.arange(12, 20)]
    for found, expected in zip(
        inducing.leave_out(exact.objective.data, folds), exact.leave_out(folds), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_profiled_means_hardly_move_without_a_row(rng):
    X = rng.random((80, 2))
    exact = GaussianProcess.fit(Model(2), X, rough(X) + 0.1 * rng.standard_normal(80))
    inducing = inducing_of(exact, X)
    mean, var = inducing.leave_one_out(exact.objective.data)
    expected_mean, expected_var = exact.leave_one_out()
    np.testing.assert_allclose(mean, expected_mean, atol=0.01)
    np.testing.assert_allclose(var, expected_var, rtol=0.05)


def test_fewer_inducing_points_are_nearly_as_good_where_the_response_is_smooth(rng):
    X = rng.random((400, 2))
    y = np.sin(3 * X[:, 0]) * X[:, 1] + 0.05 * rng.standard_normal(400)
    exact = GaussianProcess.fit(Model(2), X, y)
    inducing = inducing_of(exact, X[:60])
    Q = rng.random((200, 2))
    for found, expected in zip(inducing.predict(Q), exact.predict(Q), strict=True):
        np.testing.assert_allclose(found, expected, atol=0.05 * np.abs(expected).max())
    assert inducing.solution.bound < exact.log_density


def test_further_rows_are_the_same_as_all_at_once(rng):
    X = rng.random((100, 2))
    data = Observations(X, rough(X), np.zeros(100, np.intp))
    exact = GaussianProcess.fit(Model(2), X[:50], rough(X[:50]))
    basis = Basis(exact.model, exact.parameters, X[:30])
    first = InducingProcess.given(basis, data.subset(np.arange(50)))
    grown = first.with_rows(data.subset(np.arange(50, 100)))
    at_once = InducingProcess.given(basis, data)
    for a, b in zip(grown.predict(X), at_once.predict(X), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-9)
    assert first.n_points == 50
    assert grown.n_points == 100


def test_blocks_do_not_change_predictions(pair, rng, monkeypatch):
    Q = rng.random((600, 2))
    whole = pair[1].predict(Q)
    monkeypatch.setattr("mastgp.gp.inducing.BLOCK_ENTRIES", 1)
    for a, b in zip(whole, pair[1].predict(Q), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-12)


def test_samples_have_the_posterior_moments(pair, rng):
    inducing = pair[1]
    Q = rng.random((3, 2)) * 1.5
    mean, cov = inducing.predict_covariance(Q)
    draws = inducing.sample(Q, 20_000, rng)
    std = np.sqrt(cov.diagonal())
    np.testing.assert_allclose(draws.mean(axis=1), mean, atol=4 * std.max() / np.sqrt(20_000))


@pytest.mark.parametrize("structure", [single, shared_plus_bias, co_kriging])
def test_its_state_makes_it_again(rng, structure):
    model = structure(2, "rbf", True, True)
    X, groups = rng.random((60, 2)), np.sort(np.arange(60) % model.n_groups)
    exact = GaussianProcess.fit(model, X, rough(X), groups=groups, tolerance=10.0)
    inducing = inducing_of(exact, X[::3], groups[::3])
    again = InducingProcess.from_state(model, inducing.get_state())
    Q = rng.random((10, 2))
    for a, b in zip(again.predict(Q), inducing.predict(Q), strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(again.lengthscales, inducing.lengthscales)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gram", np.zeros(3)),
        ("projected", np.zeros((2, 2))),
        ("n", 0),
        ("missing", np.nan),
        ("groups", np.full(20, 7)),
        ("y_scale", np.zeros(1)),
    ],
)
def test_a_damaged_state_is_refused(rng, name, value):
    X = rng.random((60, 2))
    exact = GaussianProcess.fit(Model(2), X, rough(X))
    state = inducing_of(exact, X[::3]).get_state()
    with pytest.raises(DamagedError):
        InducingProcess.from_state(exact.model, state | {name: value})


def test_gradients_by_categories_are_zero(rng):
    model = Model(2, categories=(Categorical(1, 3),))
    X = np.column_stack([rng.random(40), rng.integers(0, 3, 40) / 2])
    exact = GaussianProcess.fit(model, X, np.sin(5 * X[:, 0]) + X[:, 1])
    inducing = inducing_of(exact, X[:25])
    d_mean, d_var = inducing.predict_gradient(X[:5])
    assert d_mean.shape == (5, 2)
    np.testing.assert_array_equal(d_mean[:, 1], 0.0)
    np.testing.assert_array_equal(d_var[:, 1], 0.0)
