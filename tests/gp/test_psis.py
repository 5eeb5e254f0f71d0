from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import genpareto

from mastgp.gp.psis import (
    effective_size,
    fit_pareto,
    normalised,
    pareto_quantile,
    smooth_weights,
)

LEVELS = (np.arange(4000) + 0.5) / 4000


@pytest.mark.parametrize("shape", [-0.3, 0.0, 0.3, 0.7, 1.2])
def test_quantiles_are_those_of_the_generalised_pareto_distribution(shape):
    expected = genpareto(shape, scale=2.0).ppf(LEVELS)
    assert np.allclose(pareto_quantile(LEVELS, shape, 2.0), expected)


@pytest.mark.parametrize("shape", [-0.3, 0.1, 0.3, 0.7, 1.2])
def test_shape_and_scale_of_a_known_tail_are_found(shape):
    found = fit_pareto(genpareto(shape, scale=2.0).ppf(LEVELS))
    assert found == pytest.approx((shape, 2.0), abs=0.03)


def test_the_shape_of_a_short_tail_is_drawn_towards_one_half():
    excess = genpareto(-0.3).ppf((np.arange(10) + 0.5) / 10)
    assert -0.1 < fit_pareto(excess)[0] < 0.5


@pytest.mark.parametrize("shape", [0.3, 0.6, 1.0])
def test_weights_with_a_pareto_tail_have_its_shape(shape):
    uniform = np.random.default_rng(0).random(40_000)
    assert smooth_weights(-shape * np.log(uniform))[1] == pytest.approx(shape, abs=0.08)


def test_weights_of_a_proposal_that_is_too_narrow_are_not_trusted():
    x = 0.4 * np.random.default_rng(1).standard_normal(2000)
    log_weights = -0.5 * x**2 + 0.5 * (x / 0.4) ** 2
    assert smooth_weights(log_weights)[1] > 0.7
    assert smooth_weights(-log_weights)[1] < 0.5


def test_smoothing_keeps_order_and_body_and_lowers_an_outlying_weight():
    logs = np.append(np.random.default_rng(2).standard_normal(499), 8.0)
    weights, _ = smooth_weights(logs)
    order = np.argsort(logs, kind="stable")
    raw = np.exp(logs - logs.max())
    body = order[:-100]
    assert (np.diff(weights[order]) >= -1e-15).all()
    assert weights.sum() == pytest.approx(1.0)
    assert np.allclose(weights[body] / weights[body[-1]], raw[body] / raw[body[-1]])
    assert weights.max() < 0.8 * normalised(logs).max()


def test_smoothing_raises_no_weight_above_the_largest():
    for seed in range(10):
        logs = -1.2 * np.log(np.random.default_rng(seed).random(100))
        weights, _ = smooth_weights(logs)
        least = logs.argmin()
        assert np.log(weights.max() / weights[least]) <= np.ptp(logs) + 1e-9


def test_equal_weights_are_left_alone():
    weights, shape = smooth_weights(np.full(100, -7.0))
    assert np.allclose(weights, 0.01)
    assert shape == -math.inf


def test_too_few_weights_tell_no_shape():
    weights, shape = smooth_weights([0.0, math.log(3.0)])
    assert np.allclose(weights, [0.25, 0.75])
    assert shape == math.inf


def test_impossible_points_have_no_weight():
    logs = np.append(np.random.default_rng(3).standard_normal(200), [-math.inf] * 50)
    weights, shape = smooth_weights(logs)
    assert (weights[-50:] == 0.0).all()
    assert shape == pytest.approx(smooth_weights(logs[:200])[1])


def test_effective_size_counts_equal_weights():
    assert effective_size(np.array([0.25, 0.25, 0.25, 0.25])) == pytest.approx(4.0)
    assert effective_size(np.array([2.0, 2.0, 0.0])) == pytest.approx(2.0)
