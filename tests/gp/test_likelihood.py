from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import lognorm, multivariate_normal

from mastgp.gp import Component, GaussianProcess, Model, without_priors
from mastgp.gp.likelihood import Objective, Observations
from mastgp.gp.model import MEAN_VAR

KERNELS = ("rbf", "matern52")


def co_kriging(n_inputs: int, kernel: str, warp: bool, learn_noise: bool) -> Model:
    """Three levels: every kind of loading, learned factors and scales at once."""
    return Model(
        n_inputs,
        components=(
            Component((1.0, 1.0, 1.0), ((), (0,), (0, 1)), kernel, learn_scale=True),
            Component((0.0, 1.0, 1.0), ((), (), (1,)), "rbf", learn_scale=True),
            Component((0.0, 0.0, 1.0), (), kernel, isotropic=True),
        ),
        warp=warp,
        learn_noise=learn_noise,
    )


def shared_plus_bias(n_inputs: int, kernel: str, warp: bool, learn_noise: bool) -> Model:
    components = (Component((1.0, 1.0), (), kernel), Component((1.0, 0.0), (), kernel, True))
    return Model(n_inputs, components, warp=warp, learn_noise=learn_noise)


def single(n_inputs: int, kernel: str, warp: bool, learn_noise: bool) -> Model:
    return Model(n_inputs, (Component(kernel=kernel),), warp=warp, learn_noise=learn_noise)


def uncertain_means(n_inputs: int, kernel: str, warp: bool, learn_noise: bool) -> Model:
    return replace(co_kriging(n_inputs, kernel, warp, learn_noise), means="own")


def shared_mean(n_inputs: int, kernel: str, warp: bool, learn_noise: bool) -> Model:
    return replace(shared_plus_bias(n_inputs, kernel, warp, learn_noise), means="shared")


def random_data(rng: np.random.Generator, model: Model, n: int = 24) -> Observations:
    X = rng.random((n, model.n_inputs))
    X[0], X[1] = 0.0, 1.0  # the warp's fixed points
    y = rng.standard_normal(n)
    groups = np.sort(rng.integers(0, model.n_groups, n))
    noise = None if model.learn_noise else rng.uniform(0.01, 0.1, n)
    return Observations(X, (y - y.mean()) / y.std(ddof=1), groups.astype(np.intp), noise)


def random_point(rng: np.random.Generator, objective: Objective) -> np.ndarray:
    layout = objective.layout
    theta = layout.start() + 0.4 * rng.standard_normal(layout.size)
    return np.clip(theta, layout.lower + 0.01, layout.upper - 0.01)


@pytest.mark.parametrize("kernel", KERNELS)
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
    theta = random_point(rng, objective)
    step = 1e-5
    numeric = np.array(
        [
            (objective(theta + step * e)[0] - objective(theta - step * e)[0]) / (2 * step)
            for e in np.eye(len(theta))
        ]
    )
    gradient = objective(theta)[1]
    # Uncertain means make K larger, and the differences lose two digits.
    digits = 1e-8 if model.means == "profiled" else 1e-6
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=digits * np.abs(gradient).max())


@pytest.mark.parametrize("structure", [single, co_kriging, uncertain_means, shared_mean])
def test_log_likelihood_is_the_multivariate_normal_density(rng, structure):
    model = structure(2, "matern52", warp=False, learn_noise=True)
    data = random_data(rng, model)
    objective = Objective(model, data)
    parameters = objective.layout.unpack(random_point(rng, objective))
    a = parameters.loadings(model)[:, data.groups]
    K = np.diag(parameters.noise_var[data.groups])
    for c, component in enumerate(model.components):
        difference = data.X[:, None] - data.X[None]
        R = np.sum((difference / parameters.lengthscales[c]) ** 2, axis=-1)
        s = np.sqrt(5 * R)
        k = np.exp(-R / 2) if component.kernel == "rbf" else (1 + s + s**2 / 3) * np.exp(-s)
        K += parameters.scales[c] * np.outer(a[c], a[c]) * k
    if model.means == "own":
        K += MEAN_VAR * np.equal.outer(data.groups, data.groups)
    if model.means == "shared":
        K += MEAN_VAR
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


def test_prior_is_the_density_of_the_parameter_itself(rng):
    model = Model(3)
    objective = Objective(model, random_data(rng, model))
    theta = random_point(rng, objective)
    values = np.exp(theta)
    loc, scale = np.sqrt(2) + 0.5 * np.log(3), np.sqrt(3)
    expected = lognorm(scale, scale=np.exp(loc)).logpdf(values[:3]).sum()
    expected += lognorm(1.0, scale=np.exp(-4.0)).logpdf(values[3])
    assert objective.layout.log_prior(theta)[0] == pytest.approx(expected, rel=1e-12)


def test_without_priors_the_objective_is_the_likelihood(rng):
    model = without_priors(Model(3, warp=True))
    objective = Objective(model, random_data(rng, model))
    theta = random_point(rng, objective)
    likelihood = objective.log_likelihood(objective.layout.unpack(theta))
    assert objective(theta)[0] == pytest.approx(-likelihood / 24, rel=1e-12)


def test_a_prior_of_the_users_own_is_used(rng):
    class Tight:
        start = 0.0

        def log_density(self, u):
            return -50.0 * u**2

        def slope(self, u):
            return -100.0 * u

    model = Model(2, (Component(lengthscale_prior=Tight()),))
    gp = GaussianProcess.fit(model, rng.random((15, 2)), rng.standard_normal(15))
    np.testing.assert_allclose(gp.lengthscales, 1.0, rtol=0.2)


def test_vector_and_parameters_convert_both_ways(rng):
    model = co_kriging(2, "rbf", warp=True, learn_noise=True)
    layout = Objective(model, random_data(rng, model)).layout
    theta = rng.normal(size=layout.size)
    np.testing.assert_allclose(layout.pack(layout.unpack(theta)), theta, rtol=1e-12)


@pytest.mark.parametrize("structure", [single, co_kriging])
def test_leave_one_out_equals_leaving_out(rng, structure):
    model = structure(2, "rbf", warp=True, learn_noise=True)
    data = random_data(rng, model)
    objective = Objective(model, data)
    parameters = objective.layout.unpack(random_point(rng, objective))
    mean, var = objective.leave_one_out(objective.factorise(parameters))
    for i in range(len(data.y)):
        keep = np.arange(len(data.y)) != i
        rest = Observations(data.X[keep], data.y[keep], data.groups[keep])
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


def test_a_point_alone_in_its_group_has_no_leave_one_out(rng):
    model = shared_plus_bias(2, "rbf", warp=False, learn_noise=True)
    groups = np.array([0] * 9 + [1])
    gp = GaussianProcess.fit(model, rng.random((10, 2)), rng.random(10), groups=groups)
    mean, var = gp.leave_one_out()
    assert np.isnan(mean[9])
    assert np.isnan(var[9])
    assert np.isfinite(mean[:9]).all()


def test_a_group_without_points_is_no_problem(rng):
    model = shared_plus_bias(2, "rbf", warp=False, learn_noise=True)
    gp = GaussianProcess.fit(model, rng.random((10, 2)), rng.random(10), groups=np.zeros(10, int))
    mean, var = gp.predict(rng.random((5, 2)), group=1)
    assert np.isfinite(mean).all()
    assert (var > 0).all()


def test_known_noise_beside_learned_noise_and_groups_in_any_order(rng):
    model = shared_plus_bias(2, "rbf", True, True)
    data = random_data(rng, model)
    noise = np.where(data.groups == 1, 0.03, np.nan)
    shuffled = rng.permutation(len(data.y))
    mixed = Observations(data.X, data.y, data.groups, noise)
    objective = Objective(model, mixed)
    theta = random_point(rng, objective)
    value, gradient = objective(theta)
    other = Objective(model, mixed.subset(shuffled))
    np.testing.assert_allclose(other(theta)[0], value)
    np.testing.assert_allclose(other(theta)[1], gradient, rtol=1e-8)
    step = 1e-5
    numeric = [
        (objective(theta + step * e)[0] - objective(theta - step * e)[0]) / (2 * step)
        for e in np.eye(len(theta))
    ]
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-8)
