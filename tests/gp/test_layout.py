from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import lognorm

from gp.structures import co_kriging, random_point, single
from mastgp.gp import Component, GaussianProcess, Model, without_priors
from mastgp.gp.layout import LENGTHSCALE_BOUNDS, NOISE_BOUNDS, START_MARGIN, Layout
from mastgp.gp.priors import Cauchy, Flat, Gamma, LogNormal


@pytest.fixture
def layout():
    """Every kind of parameter: 2 + 1, 2 + 1 and 1 of components, 2 factors, 3 noises, 2 + 2."""
    return Layout(co_kriging(2, "rbf", warp=True, learn_noise=True))


def test_blocks_follow_one_another(layout):
    lengths, scales = layout.lengthscales, layout.scales
    order = [*(b for pair in zip(lengths, scales, strict=True) for b in pair)]
    order += [layout.factors, layout.noise, layout.warp_a, layout.warp_b]
    assert [block.size for block in order] == [2, 1, 2, 1, 1, 0, 2, 3, 2, 2]
    indices = [i for block in order for i in range(layout.size)[block.where]]
    assert indices == list(range(layout.size))


def test_vector_and_parameters_convert_both_ways(layout, rng):
    theta = rng.normal(size=layout.size)
    parameters = layout.unpack(theta)
    np.testing.assert_allclose(layout.pack(parameters), theta, rtol=1e-12)
    np.testing.assert_allclose(parameters.lengthscales[0], np.exp(theta[:2]))
    np.testing.assert_allclose(parameters.lengthscales[2], np.exp(theta[[6, 6]]))  # isotropic
    np.testing.assert_allclose(parameters.scales, [math.exp(theta[2]), math.exp(theta[5]), 1.0])
    np.testing.assert_array_equal(parameters.factors, theta[7:9])
    np.testing.assert_allclose(parameters.noise_var, np.exp(theta[9:12]))
    np.testing.assert_allclose(parameters.warp_b, np.exp(theta[14:]))


def test_what_a_model_does_not_learn_is_absent():
    parameters = Layout(single(2, "rbf", warp=False, learn_noise=False)).unpack(np.zeros(2))
    absent = (parameters.factors, parameters.noise_var, parameters.warp_a, parameters.warp_b)
    assert [len(values) for values in absent] == [0] * 4
    np.testing.assert_array_equal(parameters.scales, [1.0])


def test_unpacking_leaves_the_vector_alone(layout):
    theta = layout.start()
    before = theta.copy()
    layout.unpack(theta)
    np.testing.assert_array_equal(theta, before)


def test_starts_are_those_of_the_priors_but_for_the_warp(layout):
    theta, model = layout.start(), layout.model
    np.testing.assert_array_equal(theta[layout.noise.where], model.noise_prior.start)
    np.testing.assert_array_equal(theta[layout.factors.where], model.factor_prior.start)
    np.testing.assert_array_equal(layout.unpack(theta).warp_a, 1.0)
    np.testing.assert_array_equal(layout.unpack(theta).warp_b, 1.0)


def test_starts_take_given_values_in_natural_units(layout):
    given, usual = layout.unpack(layout.start(noise=0.3, lengthscale=2.0)), layout.start()
    np.testing.assert_allclose(given.noise_var, 0.3)
    np.testing.assert_allclose(given.lengthscales, 2.0)
    np.testing.assert_array_equal(given.scales, layout.unpack(usual).scales)


@pytest.mark.parametrize(("start", "inward", "bound"), [(-99.0, 1.0, 0), (99.0, -1.0, 1)])
def test_starts_beyond_a_bound_are_moved_well_inside(start, inward, bound):
    theta = Layout(Model(1, noise_prior=Flat(start))).start()
    assert theta[1] == pytest.approx(math.log(NOISE_BOUNDS[bound]) + inward * START_MARGIN)


def test_bounds_are_logarithms_but_for_factors(layout):
    np.testing.assert_allclose(np.exp(layout.lower[:2]), LENGTHSCALE_BOUNDS[0])
    np.testing.assert_allclose(np.exp(layout.upper[:2]), LENGTHSCALE_BOUNDS[1])
    np.testing.assert_array_equal(layout.lower[layout.factors.where], -1e3)


def test_names_of_parameters_at_their_bounds(layout):
    """Reports of saved models contain these names."""
    assert layout.at_bounds(layout.start()) == []
    assert layout.at_bounds(layout.lower) == layout.at_bounds(layout.upper)
    assert layout.at_bounds(layout.lower) == [
        "lengthscale0[0]",
        "lengthscale0[1]",
        "scale0",
        "lengthscale1[0]",
        "lengthscale1[1]",
        "scale1",
        "lengthscale2",
        "factor[0]",
        "factor[1]",
        "noise[0]",
        "noise[1]",
        "noise[2]",
        "warp_a[0]",
        "warp_a[1]",
        "warp_b[0]",
        "warp_b[1]",
    ]


def test_prior_is_the_density_of_the_parameter_itself(rng):
    layout = Layout(Model(3))
    theta = random_point(rng, layout)
    values = np.exp(theta)
    loc, scale = np.sqrt(2) + 0.5 * np.log(3), np.sqrt(3)
    expected = lognorm(scale, scale=np.exp(loc)).logpdf(values[:3]).sum()
    expected += lognorm(1.0, scale=np.exp(-4.0)).logpdf(values[3])
    assert layout.log_prior(theta)[0] == pytest.approx(expected, rel=1e-12)


def test_log_prior_is_the_sum_over_all_parameters(rng):
    """Priors that are stacked and priors that are not."""
    components = (
        Component((1.0, 1.0), ((), (0,)), lengthscale_prior=Gamma(3.0, 6.0), learn_scale=True),
    )
    noise_prior = LogNormal(-4.0, 3.0)
    layout = Layout(
        Model(2, components, warp=True, factor_prior=Cauchy(1.0, 0.2), noise_prior=noise_prior)
    )
    theta = random_point(rng, layout)
    value, gradient = layout.log_prior(theta)
    blocks = (layout.lengthscales[0], layout.scales[0], layout.factors)
    blocks += (layout.noise, layout.warp_a, layout.warp_b)
    expected = sum(block.prior.log_density(theta[block.where]).sum() for block in blocks)
    assert value == pytest.approx(expected, rel=1e-12)
    slopes = np.concatenate([block.prior.slope(theta[block.where]) for block in blocks])
    np.testing.assert_allclose(gradient, slopes, rtol=1e-12)


def test_flat_priors_weigh_nothing(rng):
    layout = Layout(without_priors(co_kriging(2, "rbf", warp=True, learn_noise=True)))
    value, gradient = layout.log_prior(random_point(rng, layout))
    assert value == 0.0
    np.testing.assert_array_equal(gradient, 0.0)


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
