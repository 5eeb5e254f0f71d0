"""Training of the deep GP: its schedule, its optimiser, and where it ends."""

from __future__ import annotations

import numpy as np
import pytest

from mastgp.baselines.clock import Clock
from mastgp.baselines.deep_layers import Layer, LayerData, lower_bound
from mastgp.baselines.deep_training import START_NOISE_VARS, Adam, Schedule, train

torch = pytest.importorskip("torch")


def schedule(iterations, limit=None, on_iteration=lambda: None):
    return Schedule(iterations, 0.01, Clock(limit), on_iteration)


@pytest.fixture
def data(rng):
    x = rng.random((9, 1))
    y = np.sin(5 * x[:, 0])
    return [LayerData(x, None, y, None), LayerData(x[:5], y[:5], y[:5] ** 2, None)]


@pytest.mark.parametrize("iterations", [1, 7, 100, 5000])
def test_both_steps_together_have_all_iterations(iterations):
    plan = schedule(iterations)
    first, second = plan.first_rates, plan.second_rates
    assert len(START_NOISE_VARS) * len(first) + len(second) == iterations
    assert len(second) >= 0.7 * iterations


def test_the_rate_falls_to_zero_over_the_last_half_of_the_second_step():
    rates = schedule(1000).second_rates
    half = len(rates) // 2
    np.testing.assert_array_equal(rates[:half], 0.01)
    assert (np.diff(rates[half:]) < 0).all()
    assert 0.0 < rates[-1] < 1e-4


def test_adam_is_torchs_own(rng):
    """The reference is torch.optim.Adam, which minimises."""
    start = torch.from_numpy(rng.standard_normal(4))
    ours, theirs = start.clone(), start.clone().requires_grad_()
    adam, reference = Adam([ours]), torch.optim.Adam([theirs], lr=0.05)
    for _ in range(20):
        adam.ascend([-2.0 * (ours - 1.0)], 0.05)
        reference.zero_grad()
        ((theirs - 1.0) ** 2).sum().backward()
        reference.step()
    np.testing.assert_allclose(ours, theirs.detach(), rtol=1e-12)


def test_training_raises_the_bound_and_counts_its_iterations(data):
    calls = []
    plan = schedule(100, on_iteration=lambda: calls.append(1))
    layers, done = train(data, plan, np.random.default_rng(0))
    assert done == len(calls) == 100
    eps = [torch.from_numpy(np.random.default_rng(1).standard_normal((50, 5)))]
    start = max(
        float(lower_bound([Layer(part, noise_var) for part in data], eps))
        for noise_var in START_NOISE_VARS
    )
    assert float(lower_bound(layers, eps)) > start + 1.0


def test_no_time_no_iterations(data, monkeypatch):
    plan = schedule(100, limit=1.0)
    monkeypatch.setattr("mastgp.baselines.clock.monotonic", lambda: float("inf"))
    layers, done = train(data, plan, np.random.default_rng(0))
    assert done == 0
    assert len(layers) == 2
