"""Adam and Langevin dynamics: what they find, and which states are kept."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp.baselines.clock import Clock
from mastgp.baselines.network_training import FIRST_STEP, LAST_STEP, Chain, sample, train
from mastgp.baselines.networks import NETWORKS, Energy

torch = pytest.importorskip("torch")


@pytest.fixture
def energy(rng):
    """A linear model with known noise: its energy is quadratic."""
    U = rng.random((20, 2))
    y = U @ [1.0, -2.0] + 0.5
    return Energy((), U, y, np.full(20, 0.1), torch.Generator().manual_seed(0))


def ignore():
    pass


def test_training_finds_the_minimum_of_a_quadratic(energy):
    best = train(energy, 2000, Clock(None), ignore)
    assert best.shape == (1, energy.n_weights)
    energy.update_gradient()
    np.testing.assert_allclose(energy.gradient, 0.0, atol=0.05)
    np.testing.assert_allclose(energy.weights, best.expand(NETWORKS, -1), atol=1e-3)


def test_samples_are_every_so_manyth_state_after_the_burn_in(energy):
    steps = []
    samples = sample(energy, Chain(100, 40, 20), Clock(None), lambda: steps.append(1))
    assert samples.shape == (3 * NETWORKS, energy.n_weights)
    assert len(steps) == 100
    np.testing.assert_array_equal(samples[-NETWORKS:], energy.parameters)


def test_steps_shrink_during_the_burn_in():
    chain = Chain(100, 40, 20)
    sizes = [chain.step_size(iteration) for iteration in range(1, 101)]
    assert FIRST_STEP > sizes[0] > sizes[20] > LAST_STEP
    np.testing.assert_allclose(sizes[39:], LAST_STEP)
    assert Chain(100, 0, 20).step_size(1) == LAST_STEP
    assert [i for i in range(101) if chain.is_kept(i)] == [60, 80, 100]


def test_a_chain_whose_time_is_over_returns_where_it_is(energy, monkeypatch):
    clock = Clock(1.0)
    monkeypatch.setattr("mastgp.baselines.clock.monotonic", lambda: float("inf"))
    samples = sample(energy, Chain(100, 40, 20), clock, ignore)
    np.testing.assert_array_equal(samples, energy.parameters)
    assert clock.expired
