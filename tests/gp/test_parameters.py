from __future__ import annotations

from dataclasses import replace

import numpy as np

from gp.structures import co_kriging
from mastgp.gp import Hyperparameters, Model


def with_factors(factors) -> Hyperparameters:
    none = np.empty(0)
    return Hyperparameters(np.ones((1, 1)), np.ones(1), np.array(factors), none, none, none)


def test_factors_multiply_the_loadings_they_are_named_for():
    model = co_kriging(2, "rbf", warp=False, learn_noise=True)
    loadings = with_factors([2.0, -3.0]).loadings(model)
    np.testing.assert_array_equal(loadings, [[1, 2, -6], [0, 1, -3], [0, 0, 1]])


def test_without_factors_loadings_are_the_fixed_ones():
    np.testing.assert_array_equal(with_factors([]).loadings(Model(1)), [[1.0]])


def test_files_mention_categories_only_where_there_are_some():
    plain = Hyperparameters(np.ones((1, 1)), np.ones(1), *(np.empty(0) for _ in range(4)))
    assert set(plain.state) == {
        "lengthscales",
        "scales",
        "factors",
        "noise_var",
        "warp_a",
        "warp_b",
    }
    mixed = replace(plain, positions=np.zeros(2), apart=np.ones(1))
    assert {"positions", "apart"} <= set(mixed.state)
