from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import invgamma

from mastgp.gp import Component, Hyperparameters, Model, posterior
from mastgp.gp.likelihood import Objective
from mastgp.gp.observations import Observations
from mastgp.gp.posterior import (
    Draws,
    LogPosterior,
    sample_posterior,
    systematic,
    worth_after,
)
from mastgp.gp.priors import Flat, LogNormal, lengthscale_prior


def co_kriging() -> Objective:
    """Two levels in one dimension: every kind of parameter but the warp."""
    rng = np.random.default_rng(0)
    X = np.concatenate([np.linspace(0, 1, 12), [0.1, 0.35, 0.6, 0.9]])[:, None]
    groups = np.repeat([0, 1], [12, 4]).astype(np.intp)
    y = np.sin(7.0 * X[:, 0]) + groups * X[:, 0] + 0.05 * rng.standard_normal(16)
    components = (
        Component((1.0, 1.0), ((), (0,)), learn_scale=True),
        Component((0.0, 1.0), scale_prior=LogNormal(-2.0, 1.0), learn_scale=True),
    )
    return Objective(Model(1, components), Observations(X, y - y.mean(), groups))


def only_noise(y: np.ndarray, prior: Flat | LogNormal) -> Objective:
    """A model whose likelihood depends on nothing but one noise variance."""
    model = Model(1, (Component((0.0,)),), noise_prior=prior)
    X, groups = np.linspace(0, 1, len(y))[:, None], np.zeros(len(y), dtype=np.intp)
    return Objective(model, Observations(X, y, groups))


@pytest.fixture(params=["importance", "hamiltonian"])
def method(request, monkeypatch):
    """Each way of drawing, whatever the weights of the proposals say."""
    good = math.inf if request.param == "importance" else -math.inf
    monkeypatch.setattr(posterior, "GOOD_SHAPE", good)
    monkeypatch.setattr(posterior, "ENOUGH", 0.0 if request.param == "importance" else 0.9)
    return request.param


def moments(draws: Draws) -> tuple[np.ndarray, np.ndarray]:
    mean = draws.weights @ draws.thetas
    return mean, np.sqrt(draws.weights @ (draws.thetas - mean) ** 2)


def share_below(draws: Draws, values: np.ndarray, levels: np.ndarray) -> np.ndarray:
    return np.array([draws.weights[values <= level].sum() for level in levels])


# The density


def test_gradient_and_value_agree_with_differences():
    density = LogPosterior(co_kriging())
    rng = np.random.default_rng(1)
    for scale in (0.3, 2.0):
        point = density.point(co_kriging().layout.start()) + scale * rng.standard_normal(7)
        value, gradient = density(point)
        assert density.value(point) == pytest.approx(value, rel=1e-9)
        steps = 1e-5 * np.eye(7)
        slopes = [(density.value(point + s) - density.value(point - s)) / 2e-5 for s in steps]
        assert np.allclose(gradient, slopes, rtol=1e-4, atol=1e-4)


def test_coordinates_are_the_optimisers_inside_and_never_leave_the_box():
    objective = co_kriging()
    layout, density = objective.layout, LogPosterior(objective)
    theta = layout.start()
    assert np.allclose(density.theta(density.point(theta)), theta)
    assert np.abs(density.point(np.zeros(7))).max() < 0.1
    for far in (-1e6, -20.0, 20.0, 1e6):
        reached = density.theta(np.full(7, far))
        assert (reached >= layout.lower).all()
        assert (reached <= layout.upper).all()


def test_an_optimum_on_a_bound_is_moved_inside():
    objective = co_kriging()
    density = LogPosterior(objective)
    point = density.point(objective.layout.lower)
    assert np.isfinite(point).all()
    assert np.allclose(density.theta(point), objective.layout.lower + posterior.MARGIN)


def test_logarithmic_coordinates_are_all_but_the_factor():
    objective = co_kriging()
    assert np.array_equal(objective.layout.logarithmic, jacobian(objective) == 1.0)
    assert objective.layout.logarithmic.sum() == 6


def test_evaluations_are_counted():
    density = LogPosterior(co_kriging())
    density(np.zeros(7))
    density.value(np.zeros(7))
    density.value(np.zeros(7))
    assert (density.gradients, density.values) == (1, 2)


# Closed forms


def test_without_information_draws_follow_the_prior(method):
    """The prior is a density of the parameter: its logarithm is normal about `loc`."""
    rng = np.random.default_rng(2)
    data = Observations(
        rng.random((4, 2)), rng.standard_normal(4), np.zeros(4, dtype=np.intp), np.full(4, 1e9)
    )
    model = Model(2, (Component(learn_scale=True),), learn_noise=False)
    objective = Objective(model, data)
    draws = sample_posterior(objective, [objective.layout.start()], 400, rng)
    mean, std = moments(draws)
    prior = lengthscale_prior(2)
    assert np.allclose(mean, [prior.loc, prior.loc, 0.0], atol=0.3)
    assert np.allclose(std, [prior.scale, prior.scale, 1.0], atol=0.25)
    assert draws.report.method == method


def test_one_noise_variance_has_an_inverse_gamma_posterior(method):
    """With a flat prior of the variance, not of its logarithm."""
    y = np.array([-1.2, 0.4, 0.9, -0.3, 0.8, -0.6, 1.1, -1.1])
    objective = only_noise(y, Flat(-1.0))
    draws = sample_posterior(objective, [objective.layout.start()], 400, 3)
    noise = np.array([p.noise_var[0] for p in draws.parameters])
    exact = invgamma(0.5 * len(y) - 1.0, scale=0.5 * np.sum((y - y.mean()) ** 2))
    levels = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    assert np.allclose(share_below(draws, noise, exact.ppf(levels)), levels, atol=0.06)


def test_the_density_is_cut_off_at_the_bounds(method):
    """Almost no noise: much of the posterior lies just above the smallest variance allowed."""
    y = 0.01 * np.array([-1.2, 0.4, 0.9, -0.3, 0.8])
    prior = LogNormal(-4.0, 3.0)
    objective = only_noise(y, prior)
    index = int(np.flatnonzero(objective.layout.pack(_marked(objective)) == math.log(7.0))[0])
    low, high = objective.layout.lower[index], objective.layout.upper[index]
    u = np.linspace(low, high, 20_001)
    squares = np.sum((y - y.mean()) ** 2)
    logs = prior.log_density(u) + u - 0.5 * (len(y) * u + squares * np.exp(-u))
    cumulative = np.cumsum(np.exp(logs - logs.max()))
    levels = np.array([0.2, 0.5, 0.8])
    exact = u[np.searchsorted(cumulative, levels * cumulative[-1])]
    draws = sample_posterior(objective, [objective.layout.start()], 400, 4)
    assert draws.thetas[:, index].min() > low
    assert exact[0] < low + 0.5
    assert np.allclose(share_below(draws, draws.thetas[:, index], exact), levels, atol=0.06)


def _marked(objective: Objective) -> Hyperparameters:
    parameters = objective.layout.unpack(objective.layout.start())
    return replace(parameters, noise_var=np.array([7.0]))


# Other ways to the same density


def jacobian(objective: Objective) -> np.ndarray:
    """One for each coordinate that is a logarithm: all but the factor."""
    layout = objective.layout
    marked = replace(layout.unpack(np.zeros(layout.size)), factors=np.array([5.0]))
    return (layout.pack(marked) != 5.0).astype(float)


def metropolis(objective: Objective, n: int, rng: np.random.Generator) -> np.ndarray:
    """Random-walk Metropolis inside the box, its proposals fitted to the first third of the run."""
    layout, volume = objective.layout, jacobian(objective)

    def log_density(theta: np.ndarray) -> float:
        if (theta < layout.lower).any() or (theta > layout.upper).any():
            return -math.inf
        return float(-len(objective.data.y) * objective(theta)[0] + volume @ theta)

    theta, root = layout.start(), 0.2 * np.eye(layout.size)
    value, seen = log_density(theta), np.empty((n, layout.size))
    for i in range(n):
        if i in (n // 12, n // 6, n // 3):
            spread = np.cov(seen[i // 4 : i].T) + 1e-4 * np.eye(layout.size)
            root = np.linalg.cholesky(spread) * 2.4 / math.sqrt(layout.size)
        proposed = theta + root @ rng.standard_normal(layout.size)
        there = log_density(proposed)
        if math.log(rng.random()) < there - value:
            theta, value = proposed, there
        seen[i] = theta
    return seen[n // 3 :]


@pytest.fixture(scope="module")
def long_run():
    return metropolis(co_kriging(), 9000, np.random.default_rng(5))


def test_draws_agree_with_a_long_run_of_another_sampler(method, long_run):
    objective, other = co_kriging(), long_run
    draws = sample_posterior(objective, [objective.layout.start()], 300, 6)
    mean, std = moments(draws)
    assert np.allclose((mean - other.mean(axis=0)) / other.std(axis=0), 0.0, atol=0.3)
    assert np.allclose(std / other.std(axis=0), 1.0, atol=0.3)


def two_explanations() -> Objective:
    """Six points that are either a wiggly function or noise, one lengthscale and one noise."""
    X = np.array([0.0, 0.21, 0.39, 0.6, 0.83, 1.0])[:, None]
    y = np.array([0.9, 0.8, -1.1, -0.9, 0.9, -0.6])
    model = Model(1, noise_prior=LogNormal(-4.0, 2.5))
    return Objective(model, Observations(X, y, np.zeros(6, dtype=np.intp)))


def test_all_explanations_get_their_share(method):
    """Against sums over a grid; the search for the optimum ends at one of the explanations."""
    objective = two_explanations()
    layout, volume = objective.layout, jacobian(objective)
    length, noise = np.linspace(-3.6, 8.0, 90), np.linspace(*np.log([1e-4, 1e2]), 90)
    grid = np.stack(np.meshgrid(length, noise, indexing="ij"), axis=-1).reshape(-1, 2)
    logs = np.array([-6.0 * objective(theta)[0] + volume @ theta for theta in grid])
    weights = np.exp(logs - logs.max())
    noisy = weights[grid[:, 1] > -2.0].sum() / weights.sum()
    assert 0.2 < noisy < 0.8
    wiggly = np.array([-1.5, -6.0])
    draws = sample_posterior(objective, [wiggly], 300, 7)
    assert draws.report.n_modes == 2
    assert draws.weights[draws.thetas[:, 1] > -2.0].sum() == pytest.approx(noisy, abs=0.1)
    assert (layout.lower <= draws.thetas).all()


# What comes back


def test_draws_are_the_same_for_a_seed_and_differ_between_seeds():
    objective = two_explanations()
    start = [objective.layout.start()]
    first = sample_posterior(objective, start, 16, 1)
    again = sample_posterior(objective, start, 16, np.random.default_rng(1))
    other = sample_posterior(objective, start, 16, 2)
    assert np.array_equal(first.thetas, again.thetas)
    assert np.array_equal(first.weights, again.weights)
    assert not np.array_equal(first.thetas, other.thetas)


def test_draws_have_weights_of_sum_one_and_no_repetitions(method):
    objective = co_kriging()
    draws = sample_posterior(objective, [objective.layout.start()], 24, 0)
    assert len(draws.parameters) == len(draws.weights) == len(draws.thetas) <= 24
    assert draws.weights.sum() == pytest.approx(1.0)
    assert np.allclose(draws.weights * 24, np.round(draws.weights * 24))
    assert len(np.unique(draws.thetas, axis=0)) == len(draws.thetas)
    for theta, parameters in zip(draws.thetas, draws.parameters, strict=True):
        assert np.allclose(objective.layout.pack(parameters), theta)


def test_the_report_says_what_was_done(method):
    objective = co_kriging()
    report = sample_posterior(objective, [objective.layout.start()], 24, 0).report
    assert report.method == method
    assert (report.acceptance is None) == (method == "importance")
    assert report.values == posterior.PROPOSED_PER_DRAW * 24
    assert 0.0 < report.effective_draws <= 24.0
    assert report.gradients > objective.layout.size
    assert report.seconds > 0.0


def test_weights_that_cannot_be_trusted_lead_to_chains(monkeypatch):
    objective = co_kriging()
    start = [objective.layout.start()]
    monkeypatch.setattr(posterior, "smooth_weights", lambda logs: (np.full(48, 1 / 48), 0.71))
    assert sample_posterior(objective, start, 24, 0).report.method == "hamiltonian"
    monkeypatch.setattr(posterior, "smooth_weights", lambda logs: (np.full(48, 1 / 48), 0.69))
    assert sample_posterior(objective, start, 24, 0).report.method == "importance"
    few = np.where(np.arange(48) < 17, 1 / 17, 0.0)
    monkeypatch.setattr(posterior, "smooth_weights", lambda logs: (few, 0.1))
    assert sample_posterior(objective, start, 24, 0).report.method == "hamiltonian"


def test_moves_go_on_until_the_sample_is_worth_enough(monkeypatch):
    objective = co_kriging()
    start = [objective.layout.start()]
    monkeypatch.setattr(posterior, "GOOD_SHAPE", -math.inf)
    gradients = []
    for enough in (0.0, 2.0):
        monkeypatch.setattr(posterior, "ENOUGH", enough)
        gradients.append(sample_posterior(objective, start, 24, 0).report.gradients)
    assert gradients[1] - gradients[0] > 24 * 3 * (posterior.MOST_MOVES - 1)


def test_systematic_choice_takes_each_as_often_as_its_weight_says():
    weights = np.array([0.5, 0.0, 0.26, 0.24])
    for seed in range(20):
        chosen = np.bincount(systematic(weights, 10, np.random.default_rng(seed)), minlength=4)
        assert chosen[0] == 5
        assert chosen[1] == 0
        assert set(chosen[2:]) <= {2, 3}


def test_worth_goes_from_that_of_the_starts_to_that_of_independent_draws():
    assert worth_after(6.0, 24, 1.0) == pytest.approx(6.0)
    assert worth_after(6.0, 24, 0.0) == pytest.approx(24.0)
    assert worth_after(6.0, 24, math.sqrt(0.5)) == pytest.approx(1.0 / (0.5 / 6 + 0.5 / 24))


def test_a_model_that_is_told_its_noise_has_no_noisy_explanation():
    objective = co_kriging()
    data = replace(objective.data, noise_var=np.full(16, 0.01))
    told = Objective(replace(objective.model, learn_noise=False), data)
    draws = sample_posterior(told, [told.layout.start()], 8, 0)
    assert draws.parameters[0].noise_var.size == 0
