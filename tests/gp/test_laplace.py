from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_t

from mastgp.gp import laplace
from mastgp.gp.laplace import Density, Mode, Proposal, climb, covariance_root, find_mode, find_modes


class NormalMixture(Density):
    """A density whose modes and evidence are known."""

    def __init__(self, centres, cov, log_masses):
        self.centres, self.precision = np.asarray(centres, dtype=float), np.linalg.inv(cov)
        half = 0.5 * np.linalg.slogdet(2.0 * np.pi * np.asarray(cov))[1]
        self.constants = np.asarray(log_masses) - half
        self.calls = 0

    def __call__(self, point):
        self.calls += 1
        away = point - self.centres
        parts = self.constants - 0.5 * np.einsum("ki,ij,kj->k", away, self.precision, away)
        total = logsumexp(parts)
        return total, -np.exp(parts - total) @ away @ self.precision

    def value(self, point):
        return self(point)[0]


COV = np.array([[1.0, 0.6, 0.0], [0.6, 0.8, 0.1], [0.0, 0.1, 0.05]])
CENTRE = np.array([2.0, -1.0, 0.5])


def test_the_mode_of_a_normal_density_is_found_with_covariance_and_evidence():
    mode = find_mode(NormalMixture([CENTRE], COV, [3.7]), np.zeros(3), laplace.FIRST_CLIMB)
    assert np.allclose(mode.centre, CENTRE, atol=1e-3)
    assert np.allclose(mode.root @ mode.root.T, COV, rtol=1e-6)
    assert mode.log_evidence == pytest.approx(3.7, abs=1e-5)


def test_the_last_climb_corrects_a_first_one_that_was_too_short():
    density = NormalMixture([CENTRE], COV, [0.0])
    mode = find_mode(density, np.zeros(3), 0)
    assert np.allclose(mode.centre, CENTRE, atol=1e-3)


def test_flat_and_upward_directions_count_as_two_units_wide():
    root = covariance_root(np.diag([4.0, 0.01, -3.0]))
    assert np.allclose(root @ root.T, np.diag([0.25, 4.0, 4.0]))


def test_whitened_coordinates_undo_the_root():
    mode = Mode(CENTRE, np.linalg.cholesky(COV), 0.0)
    z = np.random.default_rng(0).standard_normal((5, 3))
    assert np.allclose(mode.whitened(CENTRE + z @ mode.root.T), z)
    assert np.allclose(mode.whitened(CENTRE + mode.root @ z[0]), z[0])


def test_two_modes_are_found_and_ordered_by_evidence():
    other = CENTRE + np.array([9.0, 0.0, 0.0])
    density = NormalMixture([CENTRE, other], COV, [0.0, 2.0])
    modes = find_modes(density, [CENTRE + 0.1, other - 0.1])
    assert np.allclose([m.centre for m in modes], [other, CENTRE], atol=1e-3)
    assert modes[0].log_evidence - modes[1].log_evidence == pytest.approx(2.0, abs=1e-4)


def test_starts_below_one_mode_find_it_once_and_need_one_curvature():
    density = NormalMixture([np.ones(30)], np.eye(30), [0.0])
    find_modes(density, [np.zeros(30)])
    alone = density.calls
    assert len(find_modes(density, [np.zeros(30), np.full(30, 3.0)])) == 1
    assert density.calls - 2 * alone < 30


@pytest.mark.parametrize("lower", [10.0, 25.0])
def test_modes_of_no_weight_are_dropped(lower):
    other = CENTRE + np.array([20.0, 0.0, 0.0])
    density = NormalMixture([CENTRE, other], COV, [0.0, -lower])
    assert len(find_modes(density, [CENTRE, other])) == 1


def test_a_climb_goes_around_points_of_no_density():
    class Wall(NormalMixture):
        def __call__(self, point):
            if point[0] > 2.5:
                return -math.inf, np.zeros(3)
            return super().__call__(point)

    point, value = climb(Wall([CENTRE], COV, [0.0]), np.zeros(3), np.eye(3), 50)
    assert np.allclose(point, CENTRE, atol=0.02)
    assert value == pytest.approx(-0.5 * np.linalg.slogdet(2.0 * np.pi * COV)[1], abs=1e-3)


def proposal(evidence_gap):
    root = np.linalg.cholesky(COV)
    return Proposal([Mode(CENTRE, root, 0.0), Mode(CENTRE + 30.0, 0.5 * root, evidence_gap)])


def test_the_density_of_one_mode_is_students():
    single = Proposal([Mode(CENTRE, np.linalg.cholesky(COV), 0.0)])
    points = single.draw(50, np.random.default_rng(0))
    exact = multivariate_t(CENTRE, laplace.WIDENING**2 * COV, df=laplace.FREEDOM).logpdf(points)
    assert np.ptp(single.log_density(points) - exact) < 1e-9


def test_draws_follow_the_density_they_claim():
    """Importance weights towards one of the modes have the mean that its share says."""
    mixed = proposal(2.0)
    rng = np.random.default_rng(1)
    points = mixed.draw(20_000, rng)
    exact = multivariate_t(CENTRE, laplace.WIDENING**2 * COV, df=laplace.FREEDOM)
    constant = exact.logpdf(CENTRE) + np.linalg.slogdet(mixed.modes[0].root)[1]
    ratio = np.exp(exact.logpdf(points) - mixed.log_density(points) - constant)
    assert ratio.mean() == pytest.approx(1.0, abs=0.02)
    assert np.cov(points[mixed.owners(points) == 0].T) == pytest.approx(
        laplace.WIDENING**2 * COV * laplace.FREEDOM / (laplace.FREEDOM - 2.0), abs=0.15
    )


def test_modes_get_points_by_evidence_and_none_is_forgotten():
    mixed = proposal(math.log(9.0) + 3.0 * math.log(2.0))  # nine times the evidence
    assert np.allclose(mixed.shares, [0.9 * 0.1 + 0.05, 0.9 * 0.9 + 0.05])
    owners = mixed.owners(mixed.draw(1000, np.random.default_rng(2)))
    assert abs((owners == 0).sum() - 1000 * mixed.shares[0]) <= 1
    lopsided = proposal(50.0)
    assert lopsided.shares[0] == pytest.approx(0.05)
