from __future__ import annotations

import numpy as np
import pytest

from gp.structures import co_kriging, random_data, random_point, shared_mean, uncertain_means
from mastgp.gp import Categorical, GaussianProcess, Model
from mastgp.gp.layout import Layout
from mastgp.gp.likelihood import Objective
from mastgp.gp.view import View, slope_of_warp


@pytest.mark.parametrize("structure", [co_kriging, uncertain_means, shared_mean])
def test_covariances_are_those_of_the_exact_engine(rng, structure):
    model = structure(2, "matern52", warp=True, learn_noise=True)
    data = random_data(rng, model)
    objective = Objective(model, data)
    parameters = objective.layout.unpack(random_point(rng, objective.layout))
    view = View(model, parameters, data.X)
    points = view.points(data.X, data.groups)
    K = view.covariance(points, points)
    L = objective.factorise(parameters).L
    noise = parameters.noise_var[data.groups]
    np.testing.assert_allclose(K + np.diag(noise), L @ L.T, atol=1e-10)
    np.testing.assert_allclose(view.prior_var(data.groups), K.diagonal(), atol=1e-8)


def test_slopes_of_the_warp(rng):
    model = Model(2, warp=True)
    X = rng.uniform(0.1, 0.9, (5, 2))
    view = View(model, Layout(model).unpack(random_point(rng, Layout(model))), X)
    groups = np.zeros(5, np.intp)
    step = 1e-6
    numeric = (view.points(X + step, groups).seen - view.points(X - step, groups).seen) / 2 / step
    np.testing.assert_allclose(slope_of_warp(view, X), numeric, rtol=1e-6)
    plain = Model(2)
    view = View(plain, Layout(plain).unpack(Layout(plain).start()), X)
    np.testing.assert_array_equal(slope_of_warp(view, X), np.ones((5, 2)))


def test_levels_are_points(rng):
    model = Model(2, categories=(Categorical(0, 3),), warp=True)
    X = np.column_stack([rng.integers(0, 3, 25) / 2, rng.random(25)])
    gp = GaussianProcess.fit(model, X, X[:, 1] + np.cos(X[:, 0]))
    view = View(model, gp.parameters, X)
    points = view.points(X, np.zeros(25, np.intp))
    assert points.seen.shape == (25, 1 + 2 + 3)
    assert len(points) == 25
    np.testing.assert_array_equal(slope_of_warp(view, X)[:, 0], 1.0)
