"""What new expensive rows do to a blend: weights by what was predicted, checks with more points."""

from __future__ import annotations

import numpy as np
import pytest

import mastgp
from mastgp.auto.updating import appended, reweighted
from mastgp.auto.weights import TEMPER
from mastgp.check.heldout import HeldOut
from mastgp.gp.distributions import Normal


def test_weights_follow_the_tempered_densities():
    found = reweighted(
        {"a": 0.6, "b": 0.3, "c": 0.1}, {"a": np.array([-2.0]), "b": np.array([0.0])}
    )
    odds = 0.6 / 0.3 * np.exp(-2.0 * TEMPER)
    assert found["a"] / found["b"] == pytest.approx(odds)
    assert found["c"] == 0.1
    assert sum(found.values()) == pytest.approx(1.0)
    assert list(found) == sorted(found, key=lambda name: -found[name])


def test_a_check_grows_by_predictions_that_were_made_before():
    held = HeldOut(np.zeros(2), np.zeros(2), np.ones(2), 2, True)
    new = appended(held, Normal(np.array([1.0]), np.array([4.0])), np.array([3.0]))
    assert new.y.tolist() == [0.0, 0.0, 3.0]
    assert new.std.tolist() == [1.0, 1.0, 2.0]
    assert new.log_density is None
    assert appended(None, Normal(np.zeros(1), np.ones(1)), np.zeros(1)) is None


def test_a_blend_is_updated_member_by_member(two_fidelities, tmp_path):
    X, y, labels, truth = two_fidelities
    model = mastgp.AutoSurrogate(costs={"coarse": 1, "fine": 10}).fit(X, y, labels)
    rng = np.random.default_rng(1)
    new, Q = rng.uniform(0.1, 0.9, (3, 2)), rng.uniform(0.1, 0.9, (50, 2))
    before = model.predict(Q)
    grown = model.update(new, truth(new), ["fine"] * 3)
    np.testing.assert_array_equal(model.predict(Q), before)
    assert len(grown.held_out_.y) == 11
    assert grown.verdict_ is model.verdict_
    assert sum(grown.weights_.values()) == pytest.approx(sum(model.weights_.values()))
    assert np.mean((grown.predict(Q) - truth(Q)) ** 2) < 1.2 * np.mean((before - truth(Q)) ** 2)
    grown.save(tmp_path / "grown.mast")
    again = mastgp.load(tmp_path / "grown.mast")
    np.testing.assert_allclose(again.predict(Q), grown.predict(Q), atol=1e-7)
