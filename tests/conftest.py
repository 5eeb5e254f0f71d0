from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(2026)


@pytest.fixture
def two_fidelities(rng):
    """A small problem whose cheap version is tilted: X, y, labels, and the truth."""

    def truth(X):
        return np.sin(5 * X[:, 0]) + X[:, 1] ** 2

    X = rng.random((38, 2))
    labels = np.array(["coarse"] * 30 + ["fine"] * 8)
    y = truth(X) + np.where(labels == "coarse", 0.5 * X[:, 0] - 0.2, 0.0)
    return X, y, labels, truth
