from __future__ import annotations

import numpy as np

from mastgp.surrogates.many.rows import shuffled


def test_another_order_of_the_rows_gives_the_same(rng):
    X, y = rng.random((500, 3)), rng.standard_normal(500) * 3 + 7
    noise = rng.random(500)
    order = rng.permutation(500)
    one, units = shuffled(X, y, noise)
    two, same_units = shuffled(X[order], y[order], noise[order])
    np.testing.assert_array_equal(one.X, two.X)
    np.testing.assert_array_equal(one.y, two.y)
    np.testing.assert_array_equal(one.noise_var, two.noise_var)
    assert units == same_units


def test_rows_are_standardised_and_in_no_order(rng):
    X = np.linspace(0, 1, 1000)[:, None]
    rows, units = shuffled(X, 10 * X[:, 0], None)
    assert len(rows) == 1000
    np.testing.assert_allclose([rows.y.mean(), rows.y.std(ddof=1)], [0.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(units.mean + units.scale * rows.y, 10 * rows.X[:, 0], atol=1e-12)
    assert abs(rows.X[:100].mean() - 0.5) < 0.1
    some = rows.some(slice(0, 10))
    assert len(some) == 10
    assert some.noise_var is None
    np.testing.assert_array_equal(some.observations.groups, 0)


def test_known_noise_is_in_the_same_units(rng):
    y = 5 * rng.standard_normal(50)
    rows, units = shuffled(rng.random((50, 1)), y, np.full(50, 2.0))
    np.testing.assert_allclose(rows.noise_var * units.scale**2, 2.0)
