from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import r2_score

from mastgp.check.scores import PAPER_METRICS, SMALLER_IS_BETTER, coverage, rmse, score
from mastgp.gp.distributions import Mixture, Normal


def test_scores_agree_with_scipy_and_scikit_learn(rng):
    y, mean, std = rng.normal(size=(3, 50))
    std = 0.1 + np.abs(std)
    got = score(y, Normal(mean, std**2))
    density = norm(mean, std).pdf(y)
    assert got["rmse"] == pytest.approx(np.sqrt(np.mean((mean - y) ** 2)))
    assert got["mean_pdf"] == pytest.approx(density.mean())
    assert got["nlpd"] == pytest.approx(-np.log(density).mean())
    assert got["r2"] == pytest.approx(r2_score(y, mean))
    for share in (50, 80, 95):
        low, high = norm(mean, std).interval(share / 100)
        assert got[f"coverage{share}"] == np.mean((low <= y) & (y <= high))
    assert got["width95"] == pytest.approx(np.mean(high - low))


def test_calibrated_predictions_cover_what_they_say(rng):
    mean = rng.normal(size=20_000)
    y = mean + 0.3 * rng.normal(size=20_000)
    got = score(y, Normal(mean, np.full(20_000, 0.09)))
    for share in (50, 80, 95):
        assert got[f"coverage{share}"] == pytest.approx(share / 100, abs=0.012)


def test_a_mixture_is_scored_as_what_it_is():
    """Two narrow humps at -1 and 1: nothing between them, which no normal could say."""
    ends, middle = np.array([-1.0, 1.0]), np.array([-1e-3, 1e-3])
    humps = Mixture(np.array([0.5, 0.5]), np.array([[-1.0] * 2, [1.0] * 2]), np.full((2, 2), 1e-2))
    at_ends, between = score(ends, humps), score(middle, humps)
    assert at_ends["nlpd"] == pytest.approx(-np.log(0.5 * norm.pdf(0, 0, 0.1)))
    assert between["nlpd"] > 40.0
    assert at_ends["rmse"] == pytest.approx(1.0)
    assert between["coverage50"] == 1.0  # the middle of the distribution, where nothing is


def test_every_score_has_a_direction():
    got = score(np.array([0.0, 1.0]), Normal(np.zeros(2), np.ones(2)))
    assert set(PAPER_METRICS) < set(got)
    assert (SMALLER_IS_BETTER & set(got)) == {"rmse", "nlpd", "crps", "width95"}


def test_coverage_of_central_intervals():
    below = np.array([0.01, 0.03, 0.5, 0.97, 0.99])
    assert coverage(below, 0.95) == 0.6
    assert coverage(below, 0.5) == 0.2
    assert coverage(below, 1.0) == 1.0


def test_rmse_by_hand():
    assert rmse(np.array([3.0, -4.0, 0.0, 0.0])) == 2.5
