from __future__ import annotations

import numpy as np
import pytest

from mastgp.auto.weights import DRAWS, blend_weights, weights_without_each

ERRORS = np.array([[1.0, 4.0], [1.2, 3.0], [0.8, 5.0]] * 5)


def test_weights_follow_held_out_errors():
    weights = blend_weights(ERRORS)
    assert weights.sum() == pytest.approx(1.0)
    assert weights[0] > 0.9
    np.testing.assert_allclose(blend_weights(ERRORS[:, ::-1]), weights[::-1])
    np.testing.assert_allclose(blend_weights(100 * ERRORS), weights)
    assert blend_weights(ERRORS[:2])[1] > weights[1]  # few points decide little


def test_without_points_the_prior_decides():
    np.testing.assert_allclose(blend_weights(np.empty((0, 2))), 0.5)
    weights = blend_weights(np.empty((0, 2)), np.log([0.2, 0.6]))
    np.testing.assert_allclose(weights, [0.25, 0.75])


def test_equal_errors_leave_the_prior_as_it_is():
    weights = blend_weights(np.ones((7, 2)), np.log([1.0, 3.0]))
    np.testing.assert_allclose(weights, [0.25, 0.75])


def test_less_of_the_likelihood_counts_for_less():
    sure, unsure = (blend_weights(ERRORS, temper=t)[0] for t in (1.0, 0.1))
    assert 0.5 < unsure < sure


@pytest.fixture
def repeated(rng):
    """Squared errors of three candidates at six places, some of them with repeats."""
    groups = np.array([0, 0, 0, 1, 2, 2, 3, 4, 4, 5])
    return rng.random((10, 3)) ** 2, groups


def test_weights_at_a_place_are_those_of_the_other_places(repeated):
    errors, groups = repeated
    prior = np.array([0.0, -0.5, 0.3])
    weights = weights_without_each(errors, groups, prior)
    for group in range(6):
        expected = blend_weights(errors[groups != group], prior, draws=DRAWS // 5)
        np.testing.assert_array_equal(
            weights[groups == group], [expected] * np.sum(groups == group)
        )


def test_repeats_of_a_place_say_nothing_of_their_own_weights(repeated):
    """Had they been left out one by one, each would be weighed by its own repeats' errors."""
    errors, groups = repeated
    before = weights_without_each(errors, groups)
    altered = np.where((groups == 0)[:, None], errors[:, ::-1] * [100.0, 1.0, 0.01], errors)
    after = weights_without_each(altered, groups)
    here = groups == 0
    np.testing.assert_array_equal(after[here], before[here])
    assert (np.abs(after - before).max(axis=1)[~here] > 1e-3).all()


def test_points_that_some_candidate_could_not_predict_do_not_count(repeated):
    errors, groups = repeated
    with_gap = errors.copy()
    with_gap[3, 1] = np.nan
    weights = weights_without_each(with_gap, groups)
    assert np.isfinite(weights).all()
    rest = groups != 1
    np.testing.assert_array_equal(weights[rest], weights_without_each(errors[rest], groups[rest]))
