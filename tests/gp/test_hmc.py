from __future__ import annotations

import math

import numpy as np
import pytest

from mastgp.gp import hmc
from mastgp.gp.hmc import Chains, States, StepSize, advance, correlation, leapfrog
from mastgp.gp.laplace import Density

COV = np.array([[1.0, 0.6, 0.0], [0.6, 0.8, 0.1], [0.0, 0.1, 0.05]])
ROOT = np.linalg.cholesky(COV)


class Normal(Density):
    """Normal density with covariance COV, zero where the first coordinate is beyond `wall`."""

    def __init__(self, wall=math.inf):
        self.precision, self.wall = np.linalg.inv(COV), wall

    def __call__(self, point):
        if point[0] > self.wall:
            return -math.inf, np.zeros(3)
        return -0.5 * float(point @ self.precision @ point), -self.precision @ point

    def value(self, point):
        return self(point)[0]


STARTS = np.array([[0.5, 0.2, -0.1], [-1.0, 0.0, 0.2]])
MOMENTA = np.array([[0.3, -1.0, 0.7], [0.1, 0.4, -0.2]])


def follow(density, states, momenta, size, n_steps):
    """Trajectories of as many steps each, with the metric ROOT."""
    k = len(states.values)
    roots = np.broadcast_to(ROOT, (k, 3, 3))
    return leapfrog(density, states, momenta, roots, np.full(k, size), np.full(k, n_steps))


def energy(states, momenta):
    return -states.values + 0.5 * (momenta**2).sum(axis=1)


def test_trajectories_can_be_run_backwards():
    density, start = Normal(), States.at(Normal(), STARTS)
    end, last = follow(density, start, MOMENTA, 0.4, 6)
    back, first = follow(density, end, -last, 0.4, 6)
    assert np.allclose(back.points, start.points)
    assert np.allclose(first, -MOMENTA)
    assert np.abs(end.points - start.points).max() > 0.5


def test_each_trajectory_has_its_own_number_and_size_of_steps():
    density, start = Normal(), States.at(Normal(), STARTS)
    roots, sizes, n_steps = np.array([ROOT, ROOT]), np.array([0.4, 0.3]), np.array([2, 5])
    ends, last = leapfrog(density, start, MOMENTA, roots, sizes, n_steps)
    for i in range(2):
        rows = slice(i, i + 1)
        alone, own = follow(density, start.only(rows), MOMENTA[rows], sizes[i], n_steps[i])
        assert np.allclose(ends.points[i], alone.points[0])
        assert np.allclose(last[i], own[0])


def test_equal_points_are_evaluated_once():
    asked = []

    class Counted(Normal):
        def __call__(self, point):
            asked.append(point)
            return super().__call__(point)

    states = States.at(Counted(), STARTS[[0, 1, 0, 0]])
    assert len(asked) == 2
    assert np.allclose(states.values, States.at(Normal(), STARTS).values[[0, 1, 0, 0]])


def test_energy_is_kept_to_second_order_in_the_step():
    density, start = Normal(), States.at(Normal(), STARTS[:1])
    errors = []
    for size in (0.2, 0.1):
        end, last = follow(density, start, MOMENTA[:1], size, round(1.0 / size))
        errors.append(abs(energy(end, last) - energy(start, MOMENTA[:1])))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_the_metric_makes_all_directions_alike():
    """In whitened coordinates a quarter turn takes any point to its momentum."""
    start = States.at(Normal(), STARTS)
    end, _ = follow(Normal(), start, MOMENTA, math.pi / 2000.0, 1000)
    assert np.allclose(np.linalg.solve(ROOT, end.points.T).T, MOMENTA, atol=1e-3)


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
    start = States.at(density, np.zeros((50, 3)))
    roots, sizes = np.broadcast_to(ROOT, (50, 3, 3)), np.full(50, 0.5)
    ends, acceptances = advance(density, start, roots, sizes, np.random.default_rng(0))
    rejected = acceptances == 0.0
    assert rejected.any()
    assert not ends.points[rejected].any()
    assert np.abs(ends.points[~rejected]).max() > 0.0


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
