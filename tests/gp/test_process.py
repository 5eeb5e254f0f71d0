from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gp.structures import of_two_groups, shared_plus_bias, smooth
from mastgp.gp import Component, GaussianProcess, Model


@pytest.fixture
def fitted(rng):
    X = rng.random((25, 2))
    return GaussianProcess.fit(Model(2, warp=True), X, smooth(X))


@pytest.fixture
def two_groups(rng):
    return of_two_groups(rng)


@pytest.fixture
def uncertain(rng):
    return of_two_groups(rng, "own")


@pytest.fixture
def one_mean(rng):
    return of_two_groups(rng, "shared")


def test_interpolates_noise_free_data(fitted, rng):
    Q = rng.random((200, 2))
    mean, var = fitted.predict(Q)
    assert np.sqrt(np.mean((mean - smooth(Q)) ** 2)) < 0.02
    assert (var > 0).all()


@pytest.mark.parametrize("name", ["fitted", "two_groups", "uncertain", "one_mean"])
def test_gradients_of_mean_and_variance(request, rng, name):
    gp = request.getfixturevalue(name)
    group = gp.model.n_groups - 1
    # Inside the cube and outside of it, where the warp is the identity.
    Q = np.concatenate([rng.uniform(0.05, 0.95, (6, 2)), [[1.2, 0.5], [0.5, -0.3]]])
    d_mean, d_var = gp.predict_gradient(Q, group)
    step = 1e-6
    for i in range(2):
        up, down = (gp.predict(Q + sign * step * np.eye(2)[i], group) for sign in (1, -1))
        for exact, high, low in zip((d_mean, d_var), up, down, strict=True):
            numeric = (high - low) / (2 * step)
            np.testing.assert_allclose(exact[:, i], numeric, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["fitted", "two_groups", "uncertain", "one_mean"])
def test_covariance_agrees_with_mean_and_variance(request, rng, name):
    gp = request.getfixturevalue(name)
    Q = rng.random((20, 2))
    mean, var = gp.predict(Q)
    joint_mean, cov = gp.predict_covariance(Q)
    np.testing.assert_allclose(joint_mean, mean, rtol=1e-10)
    np.testing.assert_allclose(cov.diagonal(), var, rtol=1e-6, atol=1e-12)
    np.testing.assert_array_equal(cov, cov.T)


def test_samples_have_the_posterior_moments(fitted, rng):
    Q = rng.random((4, 2)) * 1.5
    mean, cov = fitted.predict_covariance(Q)
    draws = fitted.sample(Q, 20_000, rng)
    std = np.sqrt(cov.diagonal())
    np.testing.assert_allclose(draws.mean(axis=1), mean, atol=4 * std.max() / np.sqrt(20_000))
    np.testing.assert_allclose(np.cov(draws), cov, atol=0.05 * cov.max())


def test_blocks_do_not_change_predictions(fitted, rng, monkeypatch):
    Q = rng.random((101, 2))
    whole = fitted.predict(Q)
    monkeypatch.setattr("mastgp.gp.process._BLOCK_ENTRIES", 50)
    for a, b in zip(whole, fitted.predict(Q), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)


def test_units_of_the_target_do_not_matter(rng):
    X = rng.random((15, 2))
    y = smooth(X)
    plain = GaussianProcess.fit(Model(2), X, y)
    scaled = GaussianProcess.fit(Model(2), X, 1e12 * y + 3e12)
    Q = rng.random((9, 2))
    np.testing.assert_allclose(scaled.predict(Q)[0], 1e12 * plain.predict(Q)[0] + 3e12, rtol=1e-4)
    np.testing.assert_allclose(scaled.predict(Q)[1], 1e24 * plain.predict(Q)[1], rtol=1e-3)
    left_out, same = scaled.leave_one_out(), plain.leave_one_out()
    np.testing.assert_allclose(left_out[0], 1e12 * same[0] + 3e12, rtol=1e-4)
    np.testing.assert_allclose(left_out[1], 1e24 * same[1], rtol=1e-3)


def test_far_from_the_data_the_prior_returns(rng):
    X = rng.random((15, 2))
    gp = GaussianProcess.fit(Model(2), X, smooth(X))
    _, var = gp.predict([[1e3, 1e3]])
    assert var[0] == pytest.approx(gp.y_scale**2, rel=1e-6)


def test_state_restores_the_same_bits(fitted, rng):
    again = GaussianProcess.from_state(fitted.model, fitted.get_state())
    Q = rng.random((50, 2))
    for a, b in zip(fitted.predict(Q), again.predict(Q), strict=True):
        np.testing.assert_array_equal(a, b)
    assert again.report == fitted.report


def test_noise_is_found(rng):
    X = rng.random((150, 1))
    y = smooth(X) + 0.2 * rng.standard_normal(150)
    gp = GaussianProcess.fit(Model(1), X, y)
    assert np.sqrt(gp.noise_var[0]) == pytest.approx(0.2, rel=0.2)


def test_pure_noise_is_called_noise(rng):
    """Of the two modes the smooth one must win: a wiggly fit predicts nothing."""
    X = rng.random((60, 2))
    gp = GaussianProcess.fit(Model(2), X, rng.standard_normal(60))
    assert gp.noise_var[0] > 0.5 * gp.y_scale**2


def co_kriging(rng, factor=2.0, offset=0.0, unit=1.0):
    """Two levels, the expensive one `factor` times the cheap one plus a little of its own."""
    components = (
        Component((1.0, 1.0), ((), (0,)), learn_scale=True),
        Component((0.0, 1.0), learn_scale=True),
    )
    X = rng.random((48, 2))
    groups = np.repeat([0, 1], [40, 8])
    own = 0.1 * X[:, 1]
    y = np.where(groups == 0, smooth(X), factor * smooth(X) + own)
    y = np.where(groups == 0, unit * y + offset, y)
    scale = np.array([y[groups == g].std(ddof=1) for g in (0, 1)])
    return GaussianProcess.fit(Model(2, components), X, y, groups=groups, y_scale=scale)


def test_co_kriging_finds_the_factor(rng):
    gp = co_kriging(rng)
    rho = gp.parameters.factors[0] * gp.y_scale[1] / gp.y_scale[0]
    assert rho == pytest.approx(2.0, abs=0.2)
    Q = rng.random((200, 2))
    error = gp.predict(Q, group=1)[0] - (2 * smooth(Q) + 0.1 * Q[:, 1])
    assert np.sqrt(np.mean(error**2)) < 0.03


def test_units_of_the_cheap_level_do_not_matter():
    Q = np.random.default_rng(5).random((50, 2))
    plain = co_kriging(np.random.default_rng(1)).predict(Q, group=1)
    other = co_kriging(np.random.default_rng(1), offset=1000.0, unit=100.0).predict(Q, group=1)
    np.testing.assert_allclose(other[0], plain[0], atol=1e-2)


def test_means_alone_are_the_same(two_groups, rng):
    Q = rng.random((30, 2))
    for group in (0, 1):
        np.testing.assert_allclose(
            two_groups.predict_mean(Q, group), two_groups.predict(Q, group)[0]
        )


def test_known_noise_must_be_given(rng):
    with pytest.raises(ValueError, match="variance per observation"):
        GaussianProcess.fit(Model(1, learn_noise=False), rng.random((5, 1)), np.arange(5.0))


def test_gradient_at_the_bounds_is_the_one_inside(rng):
    X = rng.random((25, 1))
    gp = GaussianProcess.fit(Model(1, warp=True), X, np.exp(-8 * X[:, 0]))
    for edge, inward in ((0.0, 1.0), (1.0, -1.0)):
        d_mean, _ = gp.predict_gradient([[edge]])
        step = 1e-6
        near, far = gp.predict([[edge + inward * step], [edge + 2 * inward * step]])[0]
        assert d_mean[0, 0] == pytest.approx(inward * (far - near) / step, rel=0.3, abs=1e-3)


def test_a_single_component_that_leaves_a_group_out(rng):
    X, groups = rng.random((12, 1)), np.repeat([0, 1], 6)
    gp = GaussianProcess.fit(Model(1, (Component((1.0, 0.0)),)), X, X[:, 0], groups=groups)
    mean, var = gp.predict(X[:2], group=1)
    assert np.isfinite(mean).all()
    assert (var >= 0).all()


def test_uncertain_means_are_universal_kriging(rng):
    """With a wide prior: the same mean as profiled ones, and the variance that Matheron gives."""
    sure = of_two_groups(rng, warp=False)
    unsure = GaussianProcess(
        replace(sure.model, means="own"), sure.parameters, sure._data, sure.y_mean, sure.y_scale
    )
    Q = rng.random((20, 2))
    mean, var = sure.predict(Q, 1)
    unsure_mean, unsure_var = unsure.predict(Q, 1)
    L, H = sure._factorisation.L, np.eye(2)[sure._data.groups]
    k = sure._cross_covariance(Q, 1)
    solved = np.linalg.solve(L @ L.T, H)
    unexplained = np.array([0.0, 1.0]) - k @ solved
    extra = np.einsum("ij,jk,ik->i", unexplained, np.linalg.inv(H.T @ solved), unexplained)
    np.testing.assert_allclose(unsure_mean, mean, atol=0.01 * np.ptp(mean))
    np.testing.assert_allclose(unsure_var, var + extra * sure.y_scale[1] ** 2, rtol=0.05)
    assert (unsure_var > var).all()


def test_a_group_without_points_is_no_problem(rng):
    model = shared_plus_bias(2, "rbf", warp=False, learn_noise=True)
    gp = GaussianProcess.fit(model, rng.random((10, 2)), rng.random(10), groups=np.zeros(10, int))
    mean, var = gp.predict(rng.random((5, 2)), group=1)
    assert np.isfinite(mean).all()
    assert (var > 0).all()


def test_bad_data_are_refused_before_anything_is_fitted():
    with pytest.raises(ValueError, match="finite"):
        GaussianProcess.fit(Model(1), np.full((5, 1), np.nan), np.arange(5.0))


@pytest.mark.parametrize("group", [0, 1])
def test_the_gradient_of_the_mean_is_one_of_weighted_covariances(two_groups, rng, group):
    X = rng.random((6, 2))
    alpha = two_groups.objective.factorise(two_groups.parameters).alpha
    found = two_groups.weighted_gradient(X, alpha, group) * two_groups.y_scale[group]
    np.testing.assert_allclose(found, two_groups.predict_gradient(X, group)[0], rtol=1e-12)
