from __future__ import annotations

import math

import numpy as np
import pytest

from mastgp.gp import hmc
from mastgp.gp.hmc import Chains, State, StepSize, advance, correlation, leapfrog

COV = np.array([[1.0, 0.6, 0.0], [0.6, 0.8, 0.1], [0.0, 0.1, 0.05]])
ROOT = np.linalg.cholesky(COV)


class Normal:
    """Normal density with covariance COV, zero where the first coordinate is beyond `wall`."""

    def __init__(self, wall=math.inf):
        self.precision, self.wall = np.linalg.inv(COV), wall

    def __call__(self, point):
        if point[0] > self.wall:
            return -math.inf, np.zeros(3)
        return -0.5 * float(point @ self.precision @ point), -self.precision @ point

    def value(self, point):
        return self(point)[0]


def energy(state, momentum):
    return -state.value + 0.5 * momentum @ momentum


def test_trajectories_can_be_run_backwards():
    density, momentum = Normal(), np.array([0.3, -1.0, 0.7])
    start = State.at(density, np.array([0.5, 0.2, -0.1]))
    end, last = leapfrog(density, start, momentum, ROOT, 0.4, 6)
    back, first = leapfrog(density, end, -last, ROOT, 0.4, 6)
    assert np.allclose(back.point, start.point)
    assert np.allclose(first, -momentum)
    assert np.abs(end.point - start.point).max() > 0.5


def test_energy_is_kept_to_second_order_in_the_step():
    density, momentum = Normal(), np.array([0.3, -1.0, 0.7])
    start = State.at(density, np.array([0.5, 0.2, -0.1]))
    errors = []
    for size in (0.2, 0.1):
        end, last = leapfrog(density, start, momentum, ROOT, size, round(1.0 / size))
        errors.append(abs(energy(end, last) - energy(start, momentum)))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_the_metric_makes_all_directions_alike():
    """In whitened coordinates a quarter turn takes any point to its momentum."""
    density, momentum = Normal(), np.array([0.3, -1.0, 0.7])
    start = State.at(density, np.array([0.5, 0.2, -0.1]))
    end, _ = leapfrog(density, start, momentum, ROOT, math.pi / 2000.0, 1000)
    assert np.allclose(np.linalg.solve(ROOT, end.point), momentum, atol=1e-3)


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_chains_sample_the_density_whatever_the_metric(factor):
    rng = np.random.default_rng(0)
    chains = Chains(Normal(), np.zeros((50, 3)), [factor * ROOT], np.zeros(50, dtype=np.intp))
    seen = []
    for _ in range(60):
        chains.move(rng)
        seen.append(chains.points)
    points = np.concatenate(seen[10:])
    assert np.allclose(points.mean(axis=0), 0.0, atol=0.08)
    assert np.allclose(np.cov(points.T), COV, atol=0.08)
    assert np.mean(chains.acceptances[-500:]) == pytest.approx(hmc.WANTED_ACCEPTANCE, abs=0.06)


def test_chains_sample_a_truncated_density_without_leaving_it():
    rng = np.random.default_rng(1)
    chains = Chains(Normal(wall=0.0), np.full((50, 3), -0.1), [ROOT], np.zeros(50, dtype=np.intp))
    seen = []
    for _ in range(80):
        chains.move(rng)
        seen.append(chains.points[:, 0])
    assert np.max(seen) <= 0.0
    assert np.mean(seen[10:]) == pytest.approx(-math.sqrt(2.0 / math.pi), abs=0.05)


def test_a_rejected_chain_stays_where_it_is():
    density = Normal(wall=0.0)
    start = State.at(density, np.zeros(3))
    rng = np.random.default_rng(0)
    results = [advance(density, start, ROOT, 0.5, rng) for _ in range(50)]
    rejected = [state for state, acceptance in results if acceptance == 0.0]
    assert rejected
    assert all(state is start for state in rejected)


def test_each_chain_keeps_the_metric_of_its_owner():
    """A root of zeros never moves its chains."""
    owners = np.array([0, 1, 0], dtype=np.intp)
    chains = Chains(Normal(), np.ones((3, 3)), [ROOT, np.zeros((3, 3))], owners)
    chains.move(np.random.default_rng(0))
    moved = np.abs(chains.points - 1.0).max(axis=1) > 0.0
    assert moved.tolist() == [True, False, True]


def test_step_sizes_shrink_after_rejections_and_ever_less():
    step = StepSize(16)
    assert step.value == pytest.approx(hmc.FIRST_STEP_SIZE / 2.0)
    sizes = [step.value]
    for _ in range(3):
        step.learn(0.0)
        sizes.append(step.value)
    ratios = np.array(sizes[1:]) / sizes[:-1]
    assert (ratios < 1.0).all()
    assert (np.diff(ratios) > 0.0).all()
    before = step.value
    step.learn(1.0)
    assert step.value > before


def test_correlation_is_that_of_an_autoregression():
    rng = np.random.default_rng(3)
    before = rng.standard_normal((4000, 5))
    fresh = rng.standard_normal((4000, 5))
    for rho in (0.0, 0.5, 0.9):
        after = rho * before + math.sqrt(1.0 - rho**2) * fresh
        assert correlation(before, after) == pytest.approx(rho, abs=0.02)
    assert correlation(before, before) == 1.0
    assert correlation(before, -before) == 0.0
