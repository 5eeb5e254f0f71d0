"""The search: known maxima, with and without constraints, of numbers, whole numbers and levels."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp.next.search import best_in, climb, in_pieces
from mastgp.next.space import Space


def hill(U):
    return -((U - np.array([0.7, 0.3])) ** 2).sum(axis=1)


def test_gradients_find_the_top(optimum_model):
    space = Space.of(optimum_model.training_data_)
    u, value = climb(hill, space, np.array([[0.1, 0.9], [0.5, 0.5]]))
    np.testing.assert_allclose(u, [0.7, 0.3], atol=1e-4)
    assert value == pytest.approx(0.0, abs=1e-7)


def test_the_top_may_be_on_a_bound_or_on_a_constraint(optimum_model):
    data = optimum_model.training_data_
    bounded = Space.of(data, {"x0": (0.0, 0.4)})
    np.testing.assert_allclose(
        climb(hill, bounded, np.array([[0.2, 0.9]]))[0], [0.4, 0.3], atol=1e-4
    )
    tied = Space.of(data, constraints=["x0 + x1 <= 0.6"])
    u, _ = climb(hill, tied, np.array([[0.1, 0.1]]))
    np.testing.assert_allclose(u, [0.5, 0.1], atol=1e-3)
    assert tied.inside(u[None])[0]


def test_levels_and_whole_numbers_are_found(mixed_model, rng):
    space = Space.of(mixed_model.training_data_)

    def values(U):
        x, n, kind = U[:, 0], 1 + 5 * U[:, 1], np.rint(2 * U[:, 2])
        return -((x - 0.25) ** 2) - (n - 5) ** 2 - 3.0 * (kind != 1)

    u, _ = climb(values, space, space.snapped(np.array([[0.9, 0.1, 0.0]])))
    assert space.inputs(u)["n"] == 5
    assert space.inputs(u)["kind"] == "b"


def test_the_best_of_a_pool_is_the_best(optimum_model, rng):
    pool = rng.random((2500, 2))
    space = Space.of_pool(optimum_model.training_data_, pool, list(range(2500)))
    u, label = best_in(hill, space, rng, pool[:1])
    assert label == int(np.argmax(hill(pool)))
    np.testing.assert_array_equal(in_pieces(hill, pool), hill(pool))
    np.testing.assert_array_equal(u, pool[label])


def test_many_tops_are_told_apart(optimum_model, rng):
    """Two hills, the higher one narrow: many starts find it."""

    def values(U):
        away = ((U - np.array([0.15, 0.85])) ** 2).sum(axis=1)
        return hill(U) + 2.0 * np.exp(-away / 0.01)

    u, _ = best_in(values, Space.of(optimum_model.training_data_), rng, np.array([[0.5, 0.5]]))
    np.testing.assert_allclose(u, [0.15, 0.85], atol=0.02)
