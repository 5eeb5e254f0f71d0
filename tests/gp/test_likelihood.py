from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from gp.structures import (
    co_kriging,
    covariance_by_hand,
    random_data,
    random_point,
    shared_mean,
    shared_plus_bias,
    single,
    uncertain_means,
)
from mastgp.gp import Model, without_priors
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
@pytest.mark.parametrize("n_inputs", [1, 4])
def test_gradient_agrees_with_finite_differences(
    rng, structure, kernel, warp, learn_noise, n_inputs
):
    model = structure(n_inputs, kernel, warp, learn_noise)
    objective = Objective(model, random_data(rng, model))
    theta = random_point(rng, objective.layout)
    gradient = objective(theta)[1]
    # Uncertain means make K larger, and the differences lose two digits.
    digits = 1e-8 if model.means == "profiled" else 1e-6
    numeric = numeric_gradient(objective, theta)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=digits * np.abs(gradient).max())


@pytest.mark.parametrize("structure", [single, co_kriging, uncertain_means, shared_mean])
def test_log_likelihood_is_the_multivariate_normal_density(rng, structure):
    model = structure(2, "matern52", warp=False, learn_noise=True)
    data = random_data(rng, model)
    objective = Objective(model, data)
    parameters = objective.layout.unpack(random_point(rng, objective.layout))
    K = covariance_by_hand(model, data, parameters)
    beta = objective.factorise(parameters).beta
    expected = multivariate_normal(beta[data.groups], K).logpdf(data.y)
    assert objective.log_likelihood(parameters) == pytest.approx(expected, rel=1e-10)


def test_means_are_generalised_least_squares(rng):
    """No other constants make the data more likely."""
    model = shared_plus_bias(2, "rbf", warp=False, learn_noise=True)
    data = random_data(rng, model)
    objective = Objective(model, data)
    parameters = objective.layout.unpack(objective.layout.start())
    factorisation = objective.factorise(parameters)
    best = objective.log_likelihood(parameters)
    K = factorisation.L @ factorisation.L.T
    for change in ([0.01, 0.0], [0.0, -0.01], [0.02, 0.03]):
        beta = factorisation.beta + change
        assert multivariate_normal(beta[data.groups], K).logpdf(data.y) < best


def test_a_group_without_points_keeps_a_mean_of_zero(rng):
    model = shared_plus_bias(2, "rbf", warp=False, learn_noise=True)
    y = 1.0 + rng.random(10)
    data = Observations(rng.random((10, 2)), y, np.zeros(10, np.intp))
    objective = Objective(model, data)
    beta = objective.factorise(objective.layout.unpack(objective.layout.start())).beta
    assert beta[0] > 1.0
    assert beta[1] == 0.0


def test_without_priors_the_objective_is_the_likelihood(rng):
    model = without_priors(Model(3, warp=True))
    objective = Objective(model, random_data(rng, model))
    theta = random_point(rng, objective.layout)
    likelihood = objective.log_likelihood(objective.layout.unpack(theta))
    assert objective(theta)[0] == pytest.approx(-likelihood / 24, rel=1e-12)


def test_the_objective_is_likelihood_and_prior_per_observation(rng):
    model = co_kriging(2, "rbf", warp=True, learn_noise=True)
    objective = Objective(model, random_data(rng, model))
    theta = random_point(rng, objective.layout)
    likelihood = objective.log_likelihood(objective.layout.unpack(theta))
    prior, _ = objective.layout.log_prior(theta)
    assert objective(theta)[0] == pytest.approx(-(likelihood + prior) / 24, rel=1e-12)


def test_known_noise_beside_learned_noise_and_groups_in_any_order(rng):
    model = shared_plus_bias(2, "rbf", True, True)
    data = random_data(rng, model)
    noise = np.where(data.groups == 1, 0.03, np.nan)
    shuffled = rng.permutation(len(data.y))
    mixed = Observations(data.X, data.y, data.groups, noise)
    objective = Objective(model, mixed)
    theta = random_point(rng, objective.layout)
    value, gradient = objective(theta)
    other = Objective(model, mixed.subset(shuffled))
    np.testing.assert_allclose(other(theta)[0], value)
    np.testing.assert_allclose(other(theta)[1], gradient, rtol=1e-8)
    numeric = numeric_gradient(objective, theta)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-8)
