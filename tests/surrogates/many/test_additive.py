from __future__ import annotations

import numpy as np
import pytest

from mastgp.stored import DamagedError
from mastgp.surrogates.many.additive import Additive, AdditiveSums, design, penalised
from mastgp.surrogates.many.rows import Rows


def additive_response(X):
    return np.sin(30 * X[:, 0]) + X[:, 1] ** 2 - np.abs(X[:, 2] - 0.3)


def test_splines_add_up_to_one_and_stay_beyond_the_cube(rng):
    A = design(rng.random((50, 2)), 7).toarray()
    assert A.shape == (50, 2 * 10)
    np.testing.assert_allclose(A.sum(axis=1), 2.0)
    outside = design(np.array([[1.5, -0.5]]), 7).toarray()
    np.testing.assert_allclose(outside, design(np.array([[1.0, 0.0]]), 7).toarray(), atol=1e-9)


def test_straight_lines_are_not_penalised():
    P = penalised(2, 5)
    line = np.tile(np.arange(8.0), 2)
    assert line @ P @ line == pytest.approx(0.0, abs=1e-12)
    bent = line**2
    assert bent @ P @ bent > 1.0


def test_rough_additive_responses_are_learned(rng):
    X = rng.random((6000, 3))
    y = additive_response(X) + 0.1 * rng.standard_normal(6000)
    model, penalty = AdditiveSums(Rows(X[:5000], y[:5000])).best(Rows(X[5000:], y[5000:]))
    Q = rng.random((500, 3))
    mean, var = model.predict(Q)
    error = np.sqrt(np.mean((mean - additive_response(Q)) ** 2))
    assert error < 0.02
    assert 0.3 * error < np.sqrt(var[0]) < 3 * error
    assert penalty < 1.0


def test_noisy_rows_count_less(rng):
    X = rng.random((3000, 1))
    noise = np.where(np.arange(3000) % 2 == 0, 1e-4, 1.0)
    y = X[:, 0] + np.sqrt(noise) * rng.standard_normal(3000)
    weighted = AdditiveSums(Rows(X, y, noise)).model(1e-4, 1e-4)
    even = AdditiveSums(Rows(X, y)).model(1e-4, 1e-4)
    Q = np.linspace(0.05, 0.95, 50)[:, None]
    errors = [np.abs(m.predict(Q)[0] - Q[:, 0]).mean() for m in (weighted, even)]
    assert errors[0] < 0.2 * errors[1]


def test_its_state_makes_it_again(rng):
    X = rng.random((300, 2))
    model = AdditiveSums(Rows(X, X[:, 0])).model(1e-3, 0.1)
    again = Additive.from_state(model.get_state())
    np.testing.assert_array_equal(again.predict(X)[0], model.predict(X)[0])
    with pytest.raises(DamagedError):
        Additive.from_state(model.get_state() | {"coefficients": np.zeros((2, 2))})
