"""The best predicted point."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mastgp
from mastgp import DataError
from next.fitted import BEST, bowl


def test_the_minimum_is_found_with_its_interval(drawn_model):
    found = mastgp.optimum(drawn_model)
    np.testing.assert_allclose(list(found.inputs.values()), BEST, atol=0.05)
    low, high = found.interval
    assert low < found.mean < high
    assert found.best_observed == drawn_model.training_data_.top.y.min()


def test_no_sample_is_better(drawn_model, rng):
    data = drawn_model.training_data_
    X = np.vstack([f.X for f in data.fidelities])
    Q = rng.uniform(X.min(axis=0), X.max(axis=0), (4000, 2))
    predicted = drawn_model.predict(Q)
    assert mastgp.optimum(drawn_model).mean <= predicted.min() + 1e-9
    assert mastgp.optimum(drawn_model, "maximum").mean >= predicted.max() - 1e-9


def test_it_stays_inside_the_data_unless_told_otherwise(drawn_model):
    data = drawn_model.training_data_
    X = np.vstack([f.X for f in data.fidelities])
    inside = np.array(list(mastgp.optimum(drawn_model, "maximum").inputs.values()))
    assert (inside >= X.min(axis=0) - 1e-9).all()
    assert (inside <= X.max(axis=0) + 1e-9).all()
    wide = mastgp.optimum(drawn_model, "maximum", bounds={"x0": (-0.5, 1.0)})
    assert wide.inputs["x0"] < X[:, 0].min()
    assert "x0" in wide.beyond


def test_constraints_limits_and_pools(drawn_model):
    tied = mastgp.optimum(drawn_model, constraints=["x0 + x1 <= 0.6"])
    assert sum(tied.inputs.values()) <= 0.6 + 1e-8
    held = mastgp.optimum(drawn_model, limits=["y >= 0.2"])
    assert held.mean == pytest.approx(0.2, abs=0.05)
    assert held.feasible >= 0.5
    pool = pd.DataFrame(np.random.default_rng(2).random((200, 2)), columns=["x0", "x1"])
    best = mastgp.optimum(drawn_model, candidates=pool)
    assert best.candidate == int(np.argmin(drawn_model.predict(pool.to_numpy())))
    assert bowl(pool.to_numpy())[best.candidate] < 0.02


def test_mixed_inputs(mixed_model):
    found = mastgp.optimum(mixed_model)
    assert (found.inputs["n"], found.inputs["kind"]) == (4, "b")
    assert found.inputs["x"] == pytest.approx(0.5, abs=0.05)


def test_mistakes(drawn_model):
    with pytest.raises(DataError, match="unknown goal"):
        mastgp.optimum(drawn_model, "best")
    with pytest.raises(DataError, match="probably holds"):
        mastgp.optimum(drawn_model, limits=["y >= 50"])
