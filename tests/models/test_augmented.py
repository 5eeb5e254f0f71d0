from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mastgp import MAST
from mastgp.models.augmented import Augmented, blend
from support import COSTS


def test_blend_is_the_papers_formula():
    """W = 0.25: a quarter of 2 + 1 and three quarters of 7; variances by the squares."""
    one = np.ones(1)
    mean, var = blend(0.25 * one, 2.0 * one, 0.5 * one, one, 0.3 * one, 7.0 * one, 0.4 * one)
    assert mean[0] == pytest.approx(0.25 * 3.0 + 0.75 * 7.0)
    assert var[0] == pytest.approx(0.0625 * 0.8 + 0.5625 * 0.4)


def test_full_trust_and_none(rng):
    y, noise, delta, delta_var, top, top_var = rng.random((6, 4))
    wholly = blend(np.ones(4), y, noise, delta, delta_var, top, top_var)
    np.testing.assert_allclose(wholly, (y + delta, noise + delta_var))
    not_at_all = blend(np.zeros(4), y, noise, delta, delta_var, top, top_var)
    np.testing.assert_allclose(not_at_all, (top, top_var))


def test_state_and_back(two_fidelities):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS).fit(X, y, fidelity=labels)
    (part,) = model.augmentations_
    state = part.get_state()
    assert state["fidelity"] == "coarse"
    assert set(state["trust"]) == {"weight", "nearest", "neighbours"}
    again = Augmented.from_state(state, model.training_data_)
    assert again.fidelity is part.fidelity
    np.testing.assert_array_equal(again.trust.value, part.trust.value)
    np.testing.assert_array_equal(again.y, part.y)
    np.testing.assert_array_equal(again.var, part.var)
    assert "weight" in state["trust"]  # the state is left as it was


def test_inputs_may_be_called_like_results(two_fidelities):
    X, y, labels, _ = two_fidelities
    frame = pd.DataFrame(X, columns=["trust", "y"])
    table = MAST(COSTS).fit(frame, y, fidelity=labels).augmented_
    assert list(table.columns[:4]) == ["fidelity", "trust (input)", "y (input)", "y"]
    np.testing.assert_array_equal(table["trust (input)"], X[:, 0])
    np.testing.assert_array_equal(table["y"], y)
    assert len(set(table.columns)) == len(table.columns)
