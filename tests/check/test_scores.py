from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import r2_score

from mastgp.check.scores import score


def test_scores_agree_with_scipy_and_scikit_learn(rng):
    y, mean, std = rng.normal(size=(3, 50))
    std = 0.1 + np.abs(std)
    got = score(y, mean, std)
    density = norm(mean, std).pdf(y)
    assert got["rmse"] == pytest.approx(np.sqrt(np.mean((mean - y) ** 2)))
    assert got["mean_pdf"] == pytest.approx(density.mean())
    assert got["nlpd"] == pytest.approx(-np.log(density).mean())
    assert got["r2"] == pytest.approx(r2_score(y, mean))
    low, high = norm(mean, std).interval(0.95)
    assert got["coverage95"] == np.mean((low <= y) & (y <= high))
    assert got["width95"] == pytest.approx(np.mean(high - low))


def test_calibrated_predictions_cover_95_percent(rng):
    mean = rng.normal(size=20_000)
    y = mean + 0.3 * rng.normal(size=20_000)
    assert score(y, mean, np.full(20_000, 0.3))["coverage95"] == pytest.approx(0.95, abs=0.01)
