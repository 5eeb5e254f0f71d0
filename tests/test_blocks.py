from __future__ import annotations

import numpy as np
import pytest

from mastgp.blocks import blocks, in_blocks


@pytest.mark.parametrize(("n", "size", "sizes"), [(0, 3, []), (3, 3, [3]), (7, 3, [3, 3, 1])])
def test_blocks_cover_every_row_once(n, size, sizes):
    parts = [np.arange(n)[rows] for rows in blocks(n, size)]
    assert [len(part) for part in parts] == sizes
    np.testing.assert_array_equal(np.concatenate([[], *parts]), np.arange(n))


def test_predictions_of_blocks_are_put_in_order(rng):
    X = rng.random((11, 2))
    seen = []

    def predict(Z):
        seen.append(len(Z))
        return Z[:, 0], 2.0 * Z[:, 1]

    mean, var = in_blocks(predict, X, 4)
    np.testing.assert_array_equal(mean, X[:, 0])
    np.testing.assert_array_equal(var, 2.0 * X[:, 1])
    assert seen == [4, 4, 3]


def test_no_rows_give_no_predictions():
    mean, var = in_blocks(lambda Z: (Z[:, 0], Z[:, 0]), np.empty((0, 2)), 4)
    assert mean.shape == var.shape == (0,)
