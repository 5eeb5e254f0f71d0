from __future__ import annotations

import numpy as np
import pytest

from gp.test_vecchia import plain
from mastgp.gp import GaussianProcess
from mastgp.gp.layout import Layout
from mastgp.gp.neighbours import NeighbourProcess
from mastgp.gp.observations import Observations
from mastgp.stored import DamagedError


def wiggly(X):
    return np.sin(12 * X[:, 0]) * np.cos(9 * X[:, 1])


@pytest.fixture(params=[True, False])
def exact(request, rng):
    X = rng.random((60, 2))
    noise = None if request.param else rng.uniform(0.001, 0.01, 60)
    return GaussianProcess.fit(plain(2, learn_noise=request.param), X, wiggly(X), noise_var=noise)


def neighbours_of(exact, k):
    return NeighbourProcess(
        exact.model,
        exact.parameters,
        exact.objective.data,
        k,
        float(exact.y_mean[0]),
        float(exact.y_scale[0]),
    )


def test_with_all_rows_as_neighbours_it_is_the_exact_process(exact, rng):
    near = neighbours_of(exact, 1000)
    assert near.k == near.n_points == 60
    Q = rng.random((20, 2))
    for found, expected in zip(near.predict(Q), exact.predict(Q), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-7)
    np.testing.assert_array_equal(near.predict_mean(Q), near.predict(Q)[0])
    np.testing.assert_array_equal(near.lengthscales, exact.lengthscales)


def test_neighbours_are_near_in_lengthscales(exact):
    near = neighbours_of(exact, 5)
    X = exact.objective.data.X
    found = near.nearest(X[:3])
    assert found.shape == (3, 5)
    np.testing.assert_array_equal(found[:, 0], [0, 1, 2])
    distances = ((X - X[0]) / near.lengthscales) ** 2
    np.testing.assert_array_equal(np.sort(found[0]), np.sort(np.argsort(distances.sum(1))[:5]))
    assert near.nearest(X[:3], 2).shape == (3, 2)


def test_many_rows_of_a_wiggly_response(rng):
    X = rng.random((4000, 2))
    y = wiggly(X) + 0.05 * rng.standard_normal(4000)
    exact = GaussianProcess.fit(plain(2), X[:150], y[:150])
    data = exact.objective.data.extended(X[150:], y[150:], np.zeros(3850, np.intp))
    near = NeighbourProcess(exact.model, exact.parameters, data, 30)
    Q = rng.random((300, 2))
    mean, var = near.predict(Q)
    y_scale = float(exact.y_scale[0])
    some = exact.predict(Q)[0]
    assert np.sqrt(np.mean((mean - some) ** 2)) < 0.2 * y_scale
    assert (var > 0).all()


def test_blocks_do_not_change_predictions(exact, rng, monkeypatch):
    near, Q = neighbours_of(exact, 10), rng.random((50, 2))
    whole = near.predict(Q)
    monkeypatch.setattr("mastgp.gp.neighbours._BATCH_ENTRIES", 700)
    for a, b in zip(whole, near.predict(Q), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)


def test_its_state_makes_it_again(exact, rng):
    near, Q = neighbours_of(exact, 10), rng.random((20, 2))
    again = NeighbourProcess.from_state(exact.model, near.get_state())
    for a, b in zip(again.predict(Q), near.predict(Q), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("name", "value"), [("k", 0), ("y", np.zeros(3)), ("y_scale", -1.0), ("X", np.zeros((60, 3)))]
)
def test_a_damaged_state_is_refused(exact, name, value):
    with pytest.raises(DamagedError):
        NeighbourProcess.from_state(
            exact.model, neighbours_of(exact, 5).get_state() | {name: value}
        )


def test_rows_in_one_place_without_noise_get_a_jitter_of_their_own(rng):
    """Other points of the same batch are predicted as if these rows were not asked for."""
    X = np.vstack([rng.random((40, 2)), np.full((5, 2), 3.0)])
    model = plain(2, learn_noise=False)
    exact = GaussianProcess.fit(model, X[:40], wiggly(X[:40]), noise_var=np.full(40, 1e-4))
    noise = np.r_[np.full(40, 1e-4), np.zeros(5)]
    data = Observations(X, np.r_[exact.objective.data.y, np.ones(5)], np.zeros(45, int), noise)
    near = NeighbourProcess(model, exact.parameters, data, 5)
    Q = np.vstack([X[:3] + 0.01, np.full((1, 2), 3.0)])
    mean, var = near.predict(Q)
    np.testing.assert_allclose(mean[3], 1.0, atol=1e-3)
    for found, alone in zip((mean[:3], var[:3]), near.predict(Q[:3]), strict=True):
        np.testing.assert_allclose(found, alone, rtol=1e-9)


def test_predictions_at_the_same_points_are_not_computed_again(monkeypatch, rng):
    X, model = rng.random((300, 2)), plain(2, learn_noise=True)
    parameters = Layout(model).unpack(Layout(model).start())
    data = Observations(X, wiggly(X), np.zeros(300, np.intp), None)
    process = NeighbourProcess(model, parameters, data, 20)
    computed = []
    original = process._in_batches
    monkeypatch.setattr(process, "_in_batches", lambda P: computed.append(len(P)) or original(P))
    monkeypatch.setattr("mastgp.gp.neighbours._REMEMBERED", 450)
    first, second, third = rng.random((3, 200, 2))
    before = process.predict(first)
    before[0][:] = 7.0
    again = process.predict(first)
    np.testing.assert_array_equal(again, process.predict(first.copy()))
    assert (again[0] != 7.0).all()
    process.predict(second)
    process.predict(third)
    assert computed == [200, 200, 200]
    process.predict(second)
    process.predict(first)
    process.predict(first[:50])
    process.predict(first[:50])
    assert computed == [200, 200, 200, 200, 50, 50]
