from __future__ import annotations

import numpy as np
import pytest

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
from mastgp.gp.covariance import Covariance
from mastgp.gp.kernels import KERNELS, scaled_distances
from mastgp.gp.layout import Layout


def terms_and_matrix(model, data, theta):
    covariance, parameters = Covariance(model, data), Layout(model).unpack(theta)
    terms = covariance.terms(parameters, data.X)
    return terms, covariance.matrix(terms, parameters)


@pytest.mark.parametrize(
    "structure", [single, shared_plus_bias, co_kriging, uncertain_means, shared_mean]
)
@pytest.mark.parametrize("kernel", ["rbf", "matern52"])
def test_matrix_is_the_sum_of_its_definition(rng, structure, kernel):
    model = structure(2, kernel, warp=False, learn_noise=True)
    data, theta = random_data(rng, model), random_point(rng, Layout(model))
    _, K = terms_and_matrix(model, data, theta)
    expected = covariance_by_hand(model, data, Layout(model).unpack(theta))
    np.testing.assert_allclose(K, expected, rtol=1e-10, atol=1e-12)


def test_the_order_of_the_groups_does_not_matter(rng):
    model = co_kriging(2, "matern52", warp=False, learn_noise=True)
    data, theta = random_data(rng, model), random_point(rng, Layout(model))
    shuffled = rng.permutation(len(data.y))
    _, K = terms_and_matrix(model, data, theta)
    _, other = terms_and_matrix(model, data.subset(shuffled), theta)
    np.testing.assert_allclose(other, K[np.ix_(shuffled, shuffled)], rtol=1e-10, atol=1e-12)


def test_nothing_is_computed_for_groups_that_a_component_leaves_out(rng):
    model = co_kriging(2, "rbf", warp=False, learn_noise=True)
    data = random_data(rng, model)
    terms, _ = terms_and_matrix(model, data, Layout(model).start())
    for group, term in enumerate(terms):
        assert len(term.Z) == int((data.groups >= group).sum())
    model = shared_plus_bias(2, "rbf", warp=False, learn_noise=True)
    data = random_data(rng, model)
    (_, bias), _ = terms_and_matrix(model, data, Layout(model).start())
    assert len(bias.Z) == int((data.groups == 0).sum())


@pytest.mark.parametrize("structure", [single, co_kriging])
@pytest.mark.parametrize("kernel", ["rbf", "matern52"])
def test_terms_carry_the_kernel_and_its_slope(rng, structure, kernel):
    model = structure(2, kernel, warp=False, learn_noise=True)
    data, theta = random_data(rng, model), random_point(rng, Layout(model))
    terms, _ = terms_and_matrix(model, data, theta)
    for component, term in zip(model.components, terms, strict=True):
        k, slope = KERNELS[component.kernel](scaled_distances(term.Z))
        np.testing.assert_array_equal(term.correlation, k)
        np.testing.assert_array_equal(term.slope, slope)
        a = np.ones(len(k)) if term.loadings is None else term.loadings
        np.testing.assert_allclose(term.covariance(), term.scale * np.outer(a, a) * k, rtol=1e-12)


@pytest.mark.parametrize("structure", [single, shared_plus_bias, co_kriging, uncertain_means])
@pytest.mark.parametrize("kernel", ["rbf", "matern52"])
def test_a_workspace_changes_nothing_however_often_it_is_used(rng, structure, kernel):
    model = structure(2, kernel, warp=False, learn_noise=True)
    data, layout = random_data(rng, model), Layout(model)
    covariance = Covariance(model, data)
    work = covariance.workspace()
    for theta in (random_point(rng, layout), random_point(rng, layout)):
        parameters = layout.unpack(theta)
        K = covariance.matrix(covariance.terms(parameters, data.X, work), parameters, work)
        _, expected = terms_and_matrix(model, data, theta)
        np.testing.assert_array_equal(K, expected)


def test_the_matrix_does_not_share_memory_with_a_term(rng):
    model = single(2, "rbf", warp=False, learn_noise=True)
    terms, K = terms_and_matrix(model, random_data(rng, model), Layout(model).start())
    np.testing.assert_array_equal(terms[0].correlation.diagonal(), 1.0)
    assert (K.diagonal() > 1.0).all()
