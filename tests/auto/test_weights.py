from __future__ import annotations

import numpy as np
import pytest

from mastgp.auto.weights import DRAWS, FAR_BELOW, blend_weights, weights_without_each

DENSITIES = np.array([[-1.0, -2.0], [-1.2, -1.9], [-0.8, -2.4]] * 5)


def test_weights_follow_held_out_densities():
    weights = blend_weights(DENSITIES)
    assert weights.sum() == pytest.approx(1.0)
    assert weights[0] > 0.95
    np.testing.assert_allclose(blend_weights(DENSITIES[:, ::-1]), weights[::-1])
    assert blend_weights(DENSITIES[:2])[1] > weights[1]  # few points decide little


def test_the_targets_units_do_not_matter():
    """Another unit adds the same number to all log densities."""
    np.testing.assert_allclose(blend_weights(DENSITIES + 100.0), blend_weights(DENSITIES))


def test_without_points_all_are_equal():
    np.testing.assert_allclose(blend_weights(np.empty((0, 4))), 0.25)


def test_equal_densities_leave_all_equal():
    np.testing.assert_allclose(blend_weights(np.ones((7, 2))), 0.5)


def test_with_equal_points_it_is_the_tempered_likelihood():
    """The bootstrap then changes nothing: exp(temper * n * difference)."""
    weights = blend_weights(np.tile([0.0, -0.3], (6, 1)), temper=0.5)
    ratio = np.exp(-0.5 * 6 * 0.3)
    np.testing.assert_allclose(weights, np.array([1.0, ratio]) / (1.0 + ratio))


def test_one_impossible_point_counts_as_very_unlikely():
    weights = blend_weights(np.array([[0.0, -np.inf], [0.0, 3.0 * FAR_BELOW]]))
    assert np.isfinite(weights).all()
    np.testing.assert_allclose(weights, 0.5, atol=0.02)


def test_less_of_the_likelihood_counts_for_less():
    sure, unsure = (blend_weights(DENSITIES, temper=t)[0] for t in (1.0, 0.1))
    assert 0.5 < unsure < sure


@pytest.fixture
def repeated(rng):
    """Log densities of three candidates at six places, some of them with repeats."""
    groups = np.array([0, 0, 0, 1, 2, 2, 3, 4, 4, 5])
    return rng.normal(size=(10, 3)), groups


def test_weights_at_a_place_are_those_of_the_other_places(repeated):
    densities, groups = repeated
    weights = weights_without_each(densities, groups)
    for group in range(6):
        expected = blend_weights(densities[groups != group], draws=DRAWS // 5)
        np.testing.assert_array_equal(
            weights[groups == group], [expected] * np.sum(groups == group)
        )


def test_repeats_of_a_place_say_nothing_of_their_own_weights(repeated):
    """Had they been left out one by one, each would be weighed by its own repeats."""
    densities, groups = repeated
    before = weights_without_each(densities, groups)
    altered = np.where((groups == 0)[:, None], densities[:, ::-1] + [3.0, 0.0, -3.0], densities)
    after = weights_without_each(altered, groups)
    here = groups == 0
    np.testing.assert_array_equal(after[here], before[here])
    assert (np.abs(after - before).max(axis=1)[~here] > 1e-3).all()


def test_points_that_some_candidate_could_not_predict_do_not_count(repeated):
    densities, groups = repeated
    with_gap = densities.copy()
    with_gap[3, 1] = np.nan
    weights = weights_without_each(with_gap, groups)
    assert np.isfinite(weights).all()
    rest = groups != 1
    np.testing.assert_array_equal(
        weights[rest], weights_without_each(densities[rest], groups[rest])
    )
