from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from gp.structures import (
    co_kriging,
    of_two_groups,
    random_data,
    random_point,
    shared_plus_bias,
    single,
)
from mastgp.gp import Component, GaussianProcess, Model
from mastgp.gp.leave_out import leave_one_out, leave_one_out_score
from mastgp.gp.likelihood import Objective
from mastgp.gp.observations import Observations


def random_factorisation(rng, model, data):
    objective = Objective(model, data)
    parameters = objective.layout.unpack(random_point(rng, objective.layout))
    return objective, parameters, objective.factorise(parameters)


@pytest.mark.parametrize("structure", [single, co_kriging])
def test_leave_one_out_equals_leaving_out(rng, structure):
    model = structure(2, "rbf", warp=True, learn_noise=True)
    data = random_data(rng, model)
    objective, parameters, factorisation = random_factorisation(rng, model, data)
    mean, var = leave_one_out(objective, factorisation)
    for i in range(len(data.y)):
        keep = np.flatnonzero(np.arange(len(data.y)) != i)
        rest = data.subset(keep)
        gp = GaussianProcess(model, parameters, rest, 0.0, 1.0)
        group = int(data.groups[i])
        left_mean, left_var = gp.predict(data.X[i : i + 1], group)
        assert mean[i] == pytest.approx(left_mean[0], rel=1e-8, abs=1e-10)
        # Unlike the prediction, the closed form knows that the group's mean is uncertain too.
        L = gp._factorisation.L
        H = (rest.groups[:, None] == np.arange(model.n_groups)).astype(float)
        k = gp._cross_covariance(gp._warp(data.X[i : i + 1]), group)[0]
        K_inverse = np.linalg.inv(L @ L.T)
        gap = np.eye(model.n_groups)[group] - H.T @ K_inverse @ k
        of_mean = gap @ np.linalg.inv(H.T @ K_inverse @ H) @ gap
        expected = left_var[0] + parameters.noise_var[group] + of_mean
        assert var[i] == pytest.approx(expected, rel=1e-7)


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
        # Conditioning treats the means as known; leaving out does not.
        assert (var[fold] >= latent + noise - 1e-12).all()
    alone, alone_var = gp.leave_one_out()
    one_by_one = gp.leave_out([np.array([i]) for i in range(20)])
    np.testing.assert_allclose(one_by_one[0], alone)
    np.testing.assert_allclose(one_by_one[1], alone_var)
    assert np.isnan(gp.leave_out([np.arange(10, 20)])[0]).all()


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


def test_a_point_alone_in_its_group_has_no_leave_one_out(rng):
    model = shared_plus_bias(2, "rbf", warp=False, learn_noise=True)
    groups = np.array([0] * 9 + [1])
    gp = GaussianProcess.fit(model, rng.random((10, 2)), rng.random(10), groups=groups)
    mean, var = gp.leave_one_out()
    assert np.isnan(mean[9])
    assert np.isnan(var[9])
    assert np.isfinite(mean[:9]).all()


def test_a_lonely_point_is_predicted_where_the_mean_is_shared(rng):
    X, groups = rng.random((12, 1)), np.array([0] * 11 + [1])
    components = (Component((1.0, 1.0)),)
    for means, known in (("own", False), ("shared", True)):
        gp = GaussianProcess.fit(Model(1, components, means=means), X, X[:, 0], groups=groups)
        assert np.isfinite(gp.leave_one_out()[0][-1]) == known
        assert np.isfinite(gp.leave_out([np.array([11])])[0][-1]) == known


@pytest.mark.parametrize(("n_last", "counted"), [(3, slice(9, None)), (2, slice(None))])
def test_the_score_is_the_density_of_the_last_group_if_it_has_three_points(rng, n_last, counted):
    model = shared_plus_bias(2, "rbf", warp=False, learn_noise=True)
    groups = np.repeat([0, 1], [12 - n_last, n_last])
    data = Observations(rng.random((12, 2)), rng.standard_normal(12), groups)
    objective, _, factorisation = random_factorisation(rng, model, data)
    mean, var = leave_one_out(objective, factorisation)
    expected = norm.logpdf(data.y, mean, np.sqrt(var))[counted].mean()
    assert leave_one_out_score(objective, factorisation) == pytest.approx(expected)
