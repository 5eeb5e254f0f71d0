"""Data of small models that the tests of suggestions share."""

from __future__ import annotations

import numpy as np
import pandas as pd

COSTS = {"coarse": 1.0, "fine": 10.0}
MIXED_COSTS = {"low": 1.0, "high": 5.0}
BEST = np.array([0.7, 0.3])


def bowl(X):
    """The expensive response: its minimum, 0, is at :data:`BEST`."""
    return ((X - BEST) ** 2).sum(axis=1)


def bowl_data(n_cheap=24, n_dear=12, seed=7):
    """Rows of a tilted bowl and of the bowl."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_cheap + n_dear, 2))
    labels = np.array(["coarse"] * n_cheap + ["fine"] * n_dear)
    y = bowl(X) + np.where(labels == "coarse", 0.2 * X[:, 0] - 0.1 + 0.01 * np.sin(9 * X[:, 1]), 0)
    return X, y, labels


def mixed(frame):
    """Smallest at x = 0.5, n = 4 and kind b."""
    kinds = frame["kind"].map({"a": 0.3, "b": 0.0, "c": 0.5})
    return (frame["x"] - 0.5) ** 2 + 0.05 * (frame["n"] - 4) ** 2 + kinds


def mixed_frame(n=60):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "x": rng.random(n),
            "n": rng.integers(1, 7, n).astype(float),
            "kind": rng.choice(["a", "b", "c"], n),
        }
    )
    labels = np.array(["low"] * (n - 20) + ["high"] * 20)
    y = mixed(frame) + np.where(labels == "low", 0.1, 0.0)
    return frame, y, labels


def lhs(rng, n, d=2):
    return (np.array([rng.permutation(n) for _ in range(d)]).T + rng.random((n, d))) / n
