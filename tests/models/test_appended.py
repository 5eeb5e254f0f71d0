from __future__ import annotations

import numpy as np

from mastgp.models.appended import AppendedColumns


def test_columns_are_scaled_to_the_unit_interval_over_all_sets(rng):
    first, second = rng.normal(5.0, 3.0, (2, 20)), rng.normal(-100.0, 1.0, (2, 7))
    appended = AppendedColumns.over(tuple(first), tuple(second))
    Z = np.vstack(
        [appended.append(np.zeros((n, 1)), *part) for n, part in ((20, first), (7, second))]
    )
    np.testing.assert_allclose(Z[:, 1:].min(axis=0), 0.0, atol=1e-15)
    np.testing.assert_allclose(Z[:, 1:].max(axis=0), 1.0)
    pooled = np.hstack([first, second])
    expected = (pooled - pooled.min(axis=1, keepdims=True)) / np.ptp(pooled, axis=1, keepdims=True)
    np.testing.assert_allclose(Z[:, 1:], expected.T)


def test_inputs_come_first_and_stay_as_they_are(rng):
    X, column = rng.random((4, 3)), np.array([1.0, 2.0, 3.0, 5.0])
    Z = AppendedColumns.over((column,)).append(X, column)
    np.testing.assert_array_equal(Z[:, :3], X)
    np.testing.assert_allclose(Z[:, 3], [0.0, 0.25, 0.5, 1.0])


def test_other_points_may_fall_outside():
    appended = AppendedColumns.over((np.array([0.0, 2.0]),))
    assert appended.append(np.zeros((1, 1)), np.array([5.0]))[0, 1] == 2.5


def test_rounding_is_not_blown_up_to_an_input():
    column = 1e6 * (1.0 + 1e-12 * np.arange(5))
    Z = AppendedColumns.over((column,)).append(np.zeros((5, 1)), column)
    assert np.ptp(Z[:, 1]) < 1e-3


def test_raw_columns_stay_as_they_are(rng):
    columns = rng.normal(100.0, 30.0, (2, 6))
    Z = AppendedColumns.raw(2).append(np.zeros((6, 1)), *columns)
    np.testing.assert_array_equal(Z[:, 1:], columns.T)
