"""One definition of the same place, checked against all pairs of points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from mastgp.data.places import SAME_PLACE, place_labels, same_place


def clustered(rng, n, d):
    """Points of which many share a place, exactly or nearly, at distances well off the limit."""
    centres = rng.random((max(1, n // 3), d))
    near = rng.choice([0.0, 0.2, 3.0], (n, 1)) * SAME_PLACE * rng.choice([-1.0, 1.0], (n, d))
    return centres[rng.integers(len(centres), size=n)] + near


@pytest.mark.parametrize("d", [1, 3, 14])
def test_same_place_is_the_greatest_difference_of_an_input(rng, d):
    U, others = clustered(rng, 60, d), clustered(np.random.default_rng(2026), 30, d)
    expected = (cdist(U, others, metric="chebyshev") <= SAME_PLACE).any(axis=1)
    np.testing.assert_array_equal(same_place(U, others), expected)
    assert 0 < expected.sum() < 60


def test_at_the_limit_it_is_the_same_place():
    U = np.array([[SAME_PLACE, 0.0], [np.nextafter(SAME_PLACE, 1.0), 0.0]])
    np.testing.assert_array_equal(same_place(U, np.zeros((1, 2))), [True, False])
    np.testing.assert_array_equal(place_labels(np.vstack([[0.0, 0.0], U])), [0, 0, 1])


def test_nothing_is_at_the_place_of_nothing():
    assert same_place(np.zeros((2, 1)), np.empty((0, 1))).tolist() == [False, False]
    assert same_place(np.empty((0, 1)), np.zeros((2, 1))).tolist() == []


def labels_by_definition(U):
    """Each point that is not at an earlier place's first point makes a new place."""
    firsts, labels = [], []
    for u in U:
        at = [i for i, f in enumerate(firsts) if np.abs(u - f).max() <= SAME_PLACE]
        labels.append(at[0] if at else len(firsts))
        if not at:
            firsts.append(u)
    return labels


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**31), n=st.integers(1, 40), d=st.integers(1, 4))
def test_places_are_numbered_by_their_first_points(seed, n, d):
    U = clustered(np.random.default_rng(seed), n, d)
    assert place_labels(U).tolist() == labels_by_definition(U)


def test_a_chain_of_near_points_is_divided_by_its_first_points():
    U = 0.5 + SAME_PLACE * np.array([[0.0], [0.7], [1.4], [2.1]])
    assert place_labels(U).tolist() == [0, 0, 1, 1]


def test_many_points_at_one_place_take_no_table_of_pairs(rng):
    """All pairs of these would take tens of gigabytes."""
    U = np.concatenate([0.1 * SAME_PLACE * rng.random((40_000, 2)), np.full((40_000, 2), 0.5)])
    labels = place_labels(U)
    assert labels[:40_000].max() == 0
    assert labels[40_000:].min() == 1
