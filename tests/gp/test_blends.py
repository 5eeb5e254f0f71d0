from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import lognorm

from mastgp.gp.blends import Blend, Transformed, blended, gathered
from mastgp.gp.distributions import Mixture, Normal
from mastgp.gp.responses import Logarithm, YeoJohnson

LOG = Logarithm()


@pytest.fixture
def drag():
    """A log-normal distribution at two points."""
    return Transformed(Normal(np.array([0.0, 1.0]), np.array([0.25, 0.04])), LOG)


@pytest.fixture
def mixed(drag):
    """Half log-normal, half normal."""
    return blended([0.5, 0.5], [drag, Normal(np.array([1.0, 3.0]), np.array([0.1, 0.1]))])


def test_a_transformed_normal_is_the_log_normal_of_scipy(drag):
    peer = lognorm(s=np.array([0.5, 0.2]), scale=np.exp([0.0, 1.0]))
    y = np.array([0.7, 3.0])
    np.testing.assert_allclose(drag.mean, peer.mean())
    np.testing.assert_allclose(drag.variance, peer.var())
    np.testing.assert_allclose(drag.log_density(y), peer.logpdf(y))
    np.testing.assert_allclose(drag.density(y), peer.pdf(y))
    np.testing.assert_allclose(drag.cdf(y), peer.cdf(y))
    np.testing.assert_allclose(drag.quantile(0.1), peer.ppf(0.1))
    np.testing.assert_allclose(drag.median, peer.median())
    for ours, theirs in zip(drag.interval(0.9), peer.interval(0.9), strict=True):
        np.testing.assert_allclose(ours, theirs)
    np.testing.assert_allclose(drag.width(0.9), np.subtract(*peer.interval(0.9)[::-1]))


def test_what_cannot_be_has_no_density(drag):
    assert (drag.log_density([-1.0, 0.0]) == -np.inf).all()
    assert (drag.cdf([-1.0, 0.0]) == 0.0).all()


@pytest.mark.parametrize("which", ["drag", "mixed"])
def test_the_score_is_the_integral_it_is_defined_by(which, request):
    distribution, y = request.getfixturevalue(which), np.array([0.7, 3.3])
    for point in range(2):

        def square(value, point=point):
            below = distribution.cdf(np.full(2, value))[point]
            return (below - (value >= y[point])) ** 2

        expected = quad(square, -1, 25, points=[y[point]], limit=400)[0]
        assert distribution.crps(y)[point] == pytest.approx(expected, rel=2e-3)


def test_a_blend_averages_densities_and_probabilities(mixed, drag):
    normal, y = Normal(np.array([1.0, 3.0]), np.array([0.1, 0.1])), np.array([0.9, 2.5])
    assert isinstance(mixed, Blend)
    np.testing.assert_allclose(mixed.density(y), 0.5 * (drag.density(y) + normal.density(y)))
    np.testing.assert_allclose(mixed.cdf(y), 0.5 * (drag.cdf(y) + normal.cdf(y)))
    np.testing.assert_allclose(mixed.mean, 0.5 * (drag.mean + normal.mean))
    second = 0.5 * (drag.variance + drag.mean**2 + normal.variance + normal.mean**2)
    np.testing.assert_allclose(mixed.variance, second - mixed.mean**2)
    np.testing.assert_allclose(mixed.cdf(mixed.quantile(0.2)), 0.2)
    np.testing.assert_allclose(mixed.cdf(mixed.median), 0.5)


def test_weights_may_differ_from_point_to_point(drag):
    normal = Normal(np.array([1.0, 3.0]), np.array([0.1, 0.1]))
    blend = blended([[1.0, 0.0], [0.0, 1.0]], [drag, normal])
    np.testing.assert_allclose(blend.mean, [drag.mean[0], 3.0])
    np.testing.assert_allclose(
        blend.quantile(0.3), [drag.quantile(0.3)[0], normal.quantile(0.3)[1]]
    )


def test_members_of_one_transformation_stay_one_mixture(drag):
    both = blended([0.3, 0.7], [drag, Transformed(Normal(np.ones(2), np.ones(2)), LOG)])
    assert isinstance(both, Transformed)
    assert isinstance(both.inner, Mixture)
    assert isinstance(blended([0.5, 0.5], [drag.inner, drag.inner]), Mixture)
    other = Transformed(drag.inner, YeoJohnson(0.5))
    assert isinstance(blended([0.5, 0.5], [drag, other]), Blend)


def test_a_blend_may_be_blended_again(mixed, drag):
    y = np.array([0.9, 2.5])
    again = blended([0.4, 0.6], [mixed, drag])
    np.testing.assert_allclose(again.density(y), 0.4 * mixed.density(y) + 0.6 * drag.density(y))


def test_wider_distributions_are_wider_and_keep_their_median(drag, mixed):
    np.testing.assert_allclose(drag.dilated(2.0).median, drag.median)
    assert (drag.dilated(2.0).width() > 1.5 * drag.width()).all()
    assert (mixed.dilated(2.0).width() > mixed.width()).all()


def test_parts_are_gathered_in_their_places():
    first, second = Normal(np.array([1.0]), np.array([2.0])), Normal(np.array([3.0]), np.ones(1))
    found = gathered([(np.array([2]), first), (np.array([0]), second)], 3)
    np.testing.assert_array_equal(found.mean, [3.0, np.nan, 1.0])
    logs = [(np.array([0]), Transformed(first, LOG)), (np.array([1]), Transformed(second, LOG))]
    found = gathered(logs, 2)
    assert isinstance(found, Transformed)
    np.testing.assert_array_equal(found.inner.mean, [1.0, 3.0])
