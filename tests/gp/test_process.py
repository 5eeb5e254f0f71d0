from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from mastgp.gp import Component, GaussianProcess, Model, blas_threads
from mastgp.gp.fitting import _stratified, default_starts
from mastgp.gp.linalg import NotPositiveDefiniteError, cholesky
from mastgp.gp.model import WARP_BOUNDS
from mastgp.gp.warp import WarpInputs


def smooth(X):
    return np.sin(4 * X[:, 0]) + X[:, -1]


@pytest.fixture
def fitted(rng):
    X = rng.random((25, 2))
    return GaussianProcess.fit(Model(2, warp=True), X, smooth(X))


def of_two_groups(rng, means="profiled", warp=True):
    components = (Component((1.0, 1.0), ((), (0,))), Component((0.0, 1.0), (), "matern52", True))
    X = rng.random((30, 2))
    groups = np.repeat([0, 1], [20, 10])
    y = smooth(X) * np.where(groups == 0, 1.0, 2.0) + np.where(groups == 0, 0.0, X[:, 1])
    model = Model(2, components, warp=warp, means=means)
    return GaussianProcess.fit(model, X, y, groups=groups)


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


def test_far_from_the_data_the_prior_returns(rng):
    X = rng.random((15, 2))
    gp = GaussianProcess.fit(Model(2), X, smooth(X))
    _, var = gp.predict([[1e3, 1e3]])
    assert var[0] == pytest.approx(gp.y_scale**2, rel=1e-6)


def test_the_same_fit_twice_gives_the_same_bits(rng):
    X = rng.random((20, 3))
    first, second = (GaussianProcess.fit(Model(3, warp=True), X, smooth(X)) for _ in range(2))
    np.testing.assert_array_equal(first.predict(X)[0], second.predict(X)[0])


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


def test_report_says_what_happened(rng):
    X = rng.random((20, 2))
    report = GaussianProcess.fit(Model(2), X, X[:, 0]).report
    assert report.converged
    assert report.start in report.objectives
    assert set(report.objectives) == {"prior", "noisy"}
    assert report.evaluations >= report.iterations > 0
    assert report.jitter == 0.0
    assert report.at_bounds == ["noise"]  # noise-free data drive the noise to its floor


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


def test_many_points_start_from_a_part_of_them(rng):
    X = rng.random((900, 3))
    y = smooth(X) + 0.1 * rng.standard_normal(900)
    gp = GaussianProcess.fit(Model(3), X, y)
    assert gp.report.start == "subset"
    full = GaussianProcess.fit(Model(3), X, y, starts=default_starts(gp._objective))
    assert gp.report.objective == pytest.approx(full.report.objective, abs=1e-4)


def test_the_part_has_points_of_every_group():
    groups = np.repeat([0, 1, 2], [5000, 60, 7])
    chosen = groups[_stratified(groups)]
    assert len(chosen) == 400
    assert [int((chosen == g).sum()) >= least for g, least in enumerate((50, 50, 7))] == [True] * 3


def test_means_alone_are_the_same(two_groups, rng):
    Q = rng.random((30, 2))
    for group in (0, 1):
        np.testing.assert_allclose(
            two_groups.predict_mean(Q, group), two_groups.predict(Q, group)[0]
        )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"X": np.full((5, 1), np.nan)}, "finite"),
        ({"y": np.zeros(4)}, "y has shape"),
        ({"groups": np.ones(5, int)}, "from 0 to 0"),
        ({"X": np.zeros((5, 2))}, r"\(n, 1\)"),
    ],
)
def test_data_that_make_no_sense_are_refused(change, words):
    data = {"X": np.zeros((5, 1)), "y": np.arange(5.0), **change}
    with pytest.raises(ValueError, match=words):
        GaussianProcess.fit(Model(1), data.pop("X"), data.pop("y"), **data)


def test_threads_are_given_back_when_users_overlap():
    before = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    first, second = blas_threads(5), blas_threads(5)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    inside = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    second.__exit__(None, None, None)
    after = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    assert set(inside) == {1}
    assert after == before


def test_known_noise_must_be_given(rng):
    with pytest.raises(ValueError, match="variance per observation"):
        GaussianProcess.fit(Model(1, learn_noise=False), rng.random((5, 1)), np.arange(5.0))


@pytest.mark.parametrize("bad", [{"kernel": "cubic"}, {"loadings": (1.0, 1.0), "factors": ((),)}])
def test_impossible_components_are_refused(bad):
    with pytest.raises(ValueError, match=r"kernel|factors"):
        Component(**bad)


def test_cholesky_adds_jitter_only_where_needed(rng):
    A = rng.random((5, 5))
    K = A @ A.T + np.eye(5)
    L, jitter = cholesky(K)
    assert jitter == 0.0
    np.testing.assert_allclose(L @ L.T, K)
    singular = np.ones((5, 5))
    L, jitter = cholesky(singular)
    assert 0.0 < jitter <= 1e-8
    np.testing.assert_allclose(L @ L.T, singular, atol=1e-7)


@pytest.mark.parametrize(
    "matrix", [-np.eye(3), np.full((3, 3), np.nan), np.array([[1.0, np.nan], [np.nan, 1.0]])]
)
def test_cholesky_names_hopeless_matrices(matrix):
    with pytest.raises(NotPositiveDefiniteError, match=r"not positive definite|NaN"):
        cholesky(matrix)


def test_gradient_at_the_bounds_is_the_one_inside(rng):
    X = rng.random((25, 1))
    gp = GaussianProcess.fit(Model(1, warp=True), X, np.exp(-8 * X[:, 0]))
    for edge, inward in ((0.0, 1.0), (1.0, -1.0)):
        d_mean, _ = gp.predict_gradient([[edge]])
        step = 1e-6
        near, far = gp.predict([[edge + inward * step], [edge + 2 * inward * step]])[0]
        assert d_mean[0, 0] == pytest.approx(inward * (far - near) / step, rel=0.3, abs=1e-3)


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.3, 4.0), (5.0, 0.2), WARP_BOUNDS])
def test_warp_is_a_monotone_map_that_fixes_the_ends(a, b):
    x = np.concatenate([[-0.5, 0.0], np.linspace(1e-9, 1 - 1e-9, 101), [1.0, 1.7]])[:, None]
    warped = WarpInputs.of(x).value(np.array([a]), np.array([b]))[:, 0]
    assert (np.diff(warped) >= 0).all()
    np.testing.assert_array_equal(warped[[0, 1, -2, -1]], [-0.5, 0.0, 1.0, 1.7])
    expected = 1 - (1 - x[2:-2, 0] ** a) ** b
    np.testing.assert_allclose(warped[2:-2], expected, rtol=1e-6, atol=1e-9)
    if a == b == 1.0:
        np.testing.assert_allclose(warped, x[:, 0], atol=1e-15)


def test_leave_out_is_what_a_fit_without_the_fold_predicts(rng):
    """The formula for whole folds, against conditioning again on what remains."""
    X, groups = rng.random((20, 2)), np.repeat([0, 1], 10)
    y = np.sin(5 * X[:, 0]) + 0.3 * groups + 0.05 * rng.standard_normal(20)
    model = Model(2, (Component((1.0, 1.0)), Component((1.0, 0.0), learn_scale=True)))
    gp = GaussianProcess.fit(model, X, y, groups=groups)
    folds = [np.array([10, 13, 17]), np.array([11])]
    mean, var = gp.leave_out(folds)
    assert np.isnan(mean[:10]).all()
    for fold in folds:
        keep = np.setdiff1d(np.arange(20), fold)
        rest = GaussianProcess(model, gp.parameters, gp._data.subset(keep), gp.y_mean, gp.y_scale)
        expected, latent = rest.predict(X[fold], group=1)
        noise = gp.noise_var[fold]
        np.testing.assert_allclose(mean[fold], expected, rtol=1e-7)
        # conditioning takes the means as known; leaving out does not
        assert (var[fold] >= latent + noise - 1e-12).all()
    alone, _ = gp.leave_one_out()
    np.testing.assert_allclose(gp.leave_out([np.array([i]) for i in range(20)])[0], alone)
    assert np.isnan(gp.leave_out([np.arange(10, 20)])[0]).all()


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


@pytest.mark.parametrize("means", ["own", "shared"])
def test_leave_out_with_uncertain_means_is_a_fit_without_the_point(rng, means):
    gp = of_two_groups(rng, means)
    data, fold = gp._data, np.array([21, 27])
    kept = np.setdiff1d(np.arange(30), fold)
    rest = GaussianProcess(gp.model, gp.parameters, data.subset(kept), gp.y_mean, gp.y_scale)
    mean, var = rest.predict(data.X[fold], 1)
    ours, our_var = gp.leave_out([fold])
    np.testing.assert_allclose(ours[fold], mean, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(our_var[fold], var + gp.noise_var[fold], rtol=1e-5)


def test_a_lonely_point_is_predicted_where_the_mean_is_shared(rng):
    X, groups = rng.random((12, 1)), np.array([0] * 11 + [1])
    components = (Component((1.0, 1.0)),)
    for means, known in (("own", False), ("shared", True)):
        gp = GaussianProcess.fit(Model(1, components, means=means), X, X[:, 0], groups=groups)
        assert np.isfinite(gp.leave_one_out()[0][-1]) == known
        assert np.isfinite(gp.leave_out([np.array([11])])[0][-1]) == known


@pytest.mark.parametrize(
    ("wrong", "words"), [({"means": "median"}, "means"), ({"factor_starts": (1.0,)}, "starts")]
)
def test_impossible_models_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        Model(2, **wrong)


def test_a_tolerance_saves_evaluations_and_little_else(rng):
    X = rng.random((40, 3))
    y = smooth(X) + 0.05 * rng.standard_normal(40)
    exact, rough = (
        GaussianProcess.fit(Model(3, warp=True), X, y, tolerance=t) for t in (None, 1e-2)
    )
    assert rough.report.evaluations < exact.report.evaluations
    assert rough.report.objective == pytest.approx(exact.report.objective, abs=0.1 / 40)
