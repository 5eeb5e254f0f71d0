from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mastgp.gp.layout import Layout
from mastgp.surrogates.many.learning import (
    Learned,
    from_bound,
    from_neighbours,
    inducing_inputs,
    plain_model,
    rougher,
)
from mastgp.surrogates.many.rows import Rows


@pytest.fixture
def wiggly(rng):
    X = rng.random((3000, 2))
    y = np.sin(25 * X[:, 0]) + 0.1 * rng.standard_normal(3000)
    return Rows(X, y / y.std())


def test_a_wiggly_signal_is_not_taken_for_noise(wiggly):
    calls = []
    smooth = from_neighbours(wiggly, "rbf", evaluated=lambda: calls.append(1))
    parameters = smooth.parameters
    assert np.sqrt(parameters.noise_var[0]) == pytest.approx(0.1 / 0.71, rel=0.2)
    assert parameters.lengthscales[0, 0] < 0.2 < parameters.lengthscales[0, 1]
    assert len(calls) > 10
    rough = rougher(wiggly, smooth)
    assert rough.model.components[0].kernel == "matern52"
    assert rough.parameters.lengthscales[0, 0] < 0.5


def test_the_rougher_kernel_also_starts_from_short_distances(wiggly, monkeypatch):
    """Where the smooth kernel took jumps for noise, its end is no place to start from."""
    smooth = Learned(plain_model(2, "rbf", False), mistaken(wiggly))
    lengthscales = []

    def climb(model, layout, rows, theta, evaluated):
        found = layout.unpack(theta).lengthscales[0]
        lengthscales.append(found)
        return theta, float(found.max())

    monkeypatch.setattr("mastgp.surrogates.many.learning._climb", climb)
    best = rougher(wiggly, smooth).parameters.lengthscales[0]
    np.testing.assert_allclose(lengthscales[0], 1.7 * 3.0)
    np.testing.assert_allclose(lengthscales[1], 0.05 * np.sqrt(2.0))
    np.testing.assert_array_equal(best, lengthscales[1])


def mistaken(rows):
    """Hyperparameters of a smooth response in much noise."""
    layout = Layout(plain_model(2, "rbf", False))
    return layout.unpack(layout.start(lengthscale=3.0, noise=0.5))


def test_the_bound_finds_the_noise_of_a_smooth_response(rng):
    X = rng.random((2500, 2))
    y = np.sin(4 * X[:, 0]) + X[:, 1] + 0.2 * rng.standard_normal(2500)
    rows = Rows(X, (y - y.mean()) / y.std())
    found = from_bound(rows, from_neighbours(rows, "rbf"))
    assert np.sqrt(found.parameters.noise_var[0]) == pytest.approx(0.2 / y.std(), rel=0.05)


def test_known_noise_is_not_learned(rng):
    X = rng.random((600, 1))
    rows = Rows(X, np.sin(9 * X[:, 0]), np.full(600, 0.01))
    assert from_neighbours(rows, "rbf").parameters.noise_var.size == 0


def test_inducing_inputs_spread_and_none_is_in_vain(wiggly):
    learned = from_neighbours(wiggly, "rbf")
    chosen = inducing_inputs(learned, wiggly, 40)
    assert chosen.shape == (40, 2)
    assert len(np.unique(chosen, axis=0)) == 40
    assert np.ptp(chosen[:, 0]) > 0.8
    smooth = plain_model(2, "rbf", False)
    assert smooth.means == "own"
    # A response that hardly varies needs few.
    flat = replace(learned.parameters, lengthscales=np.full((1, 2), 50.0))
    assert len(inducing_inputs(replace(learned, parameters=flat), wiggly, 500)) < 30
