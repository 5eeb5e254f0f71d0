from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gp.structures import random_data, random_point
from mastgp.gp import Component, GaussianProcess, Model, NotPositiveDefiniteError
from mastgp.gp.layout import Layout
from mastgp.gp.observations import Observations
from mastgp.gp.vecchia import Conditionals, batch_distances, check_plain


def plain(n_inputs, kernel="rbf", learn_noise=True, isotropic=False):
    component = Component(kernel=kernel, learn_scale=True, isotropic=isotropic)
    return Model(n_inputs, (component,), learn_noise=learn_noise, means="own")


def some_neighbours(rng, n, targets, k):
    return np.array([rng.permutation(np.delete(np.arange(n), t))[:k] for t in targets])


@pytest.mark.parametrize("kernel", ["rbf", "matern52"])
@pytest.mark.parametrize("learn_noise", [True, False])
@pytest.mark.parametrize("isotropic", [True, False])
def test_gradient_agrees_with_finite_differences(rng, kernel, learn_noise, isotropic):
    model = plain(3, kernel, learn_noise, isotropic)
    data = random_data(rng, model, 60)
    targets = np.arange(10)
    objective = Conditionals(model, data, targets, some_neighbours(rng, 60, targets, 12))
    theta = random_point(rng, objective.layout)
    step, gradient = 1e-5, objective(theta)[1]
    numeric = [
        (objective(theta + step * e)[0] - objective(theta - step * e)[0]) / (2 * step)
        for e in np.eye(len(theta))
    ]
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-6 * np.abs(gradient).max())


def test_a_row_given_all_others_is_what_the_exact_process_leaves_out(rng):
    model = plain(2)
    data = random_data(rng, model, 20)
    theta = random_point(rng, Layout(model))
    gp = GaussianProcess(model, Layout(model).unpack(theta), data, 0.0, 1.0)
    mean, var = gp.leave_one_out()
    expected = -0.5 * (np.log(2 * np.pi * var) + (data.y - mean) ** 2 / var)
    targets = np.arange(20)
    objective = Conditionals(model, data, targets, some_neighbours(rng, 20, targets, 19))
    value = -20 * objective(theta)[0] - float(Layout(model).log_prior(theta)[0])
    assert value == pytest.approx(expected.sum(), rel=1e-6)


def test_only_plain_models_have_neighbours():
    model = plain(2)
    check_plain(model)
    for other in (
        replace(model, warp=True),
        replace(model, means="profiled"),
        replace(model, components=model.components * 2),
    ):
        with pytest.raises(ValueError, match="neighbours need"):
            check_plain(other)


def test_points_in_one_place_are_named(rng):
    model = plain(1, learn_noise=False)
    noise = np.zeros(5)
    data = Observations(np.zeros((5, 1)), np.zeros(5), np.zeros(5, np.intp), noise, no_noise=0.0)
    objective = Conditionals(model, data, np.array([0]), np.array([[1, 2, 3]]))
    with pytest.raises(NotPositiveDefiniteError, match="same place"):
        objective(objective.layout.start())


def test_distances_of_batches(rng):
    A, B = rng.random((4, 3, 2)), rng.random((4, 5, 2))
    expected = -0.5 * ((A[:, :, None] - B[:, None]) ** 2).sum(axis=-1)
    np.testing.assert_allclose(batch_distances(A, B), expected, atol=1e-12)
