from __future__ import annotations

import numpy as np
import pytest

import mastgp
from mastgp.gp import GaussianProcess, Model
from mastgp.models.cokriging import CoKriging
from mastgp.models.recursive import Recursive
from support import COSTS, nonlinear_pair, seen_by, three_levels


def scaled(values, *pools):
    """Values on the scale where the pools' range is [0, 1]."""
    pooled = np.concatenate(pools)
    return (values - pooled.min()) / np.ptp(pooled)


def test_levels_are_fitted_and_predict_as_the_paper_describes(rng):
    """Three levels from scratch: each sees the mean below, and nothing of its variance."""
    X, y, labels = three_levels(rng)
    model = Recursive(order=["a", "b", "c"]).fit(X, y, fidelity=labels)
    data = model.training_data_
    U = [data.unit(fidelity) for fidelity in data.fidelities]
    Q = rng.random((12, 2))
    at = data.box.to_unit(Q)

    gp = GaussianProcess.fit(Model(2), U[0], data.fidelities[0].y)
    below = [gp.predict_mean(points) for points in U]
    mean = gp.predict_mean(at)
    for level in (1, 2):
        pools = (below[level - 1], below[level])
        Z = np.column_stack([U[level], scaled(below[level], *pools)])
        np.testing.assert_allclose(seen_by(model.processes_[level])[0], Z, rtol=1e-6, atol=1e-9)
        gp = GaussianProcess.fit(Model(3), Z, data.fidelities[level].y)
        own = [
            gp.predict_mean(np.column_stack([points, scaled(values, *pools)]))
            for points, values in zip(U, below, strict=True)
        ]
        mean, var = gp.predict(np.column_stack([at, scaled(mean, *pools)]))
        below = own
    got, std = model.predict(Q, return_std=True)
    np.testing.assert_allclose(got, mean, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(std**2, var, rtol=1e-4)
    np.testing.assert_array_equal(model.predict(Q), got)
    np.testing.assert_allclose(model.predict(Q, return_cov=True)[1].diagonal(), std**2, rtol=1e-6)
    assert model.noise_var_ == pytest.approx(gp.noise_var[0], rel=1e-4)


def test_follows_a_nonlinear_relation_where_linear_co_kriging_fails():
    X, y, labels, truth = nonlinear_pair(np.random.default_rng(3))
    x = np.linspace(0, 1, 300)

    def error(model):
        values = model.fit(X, y, fidelity=labels).predict(x[:, None])
        return np.sqrt(np.mean((values - truth(x)) ** 2))

    assert error(Recursive(COSTS)) < error(CoKriging(COSTS)) / 3


def test_recovers_a_linear_relation():
    coarse, fine = np.linspace(0, 1, 40), np.linspace(0.01, 0.99, 10)
    X = np.concatenate([coarse, fine])[:, None]
    y = np.concatenate([np.sin(20 * coarse), 2 * np.sin(20 * fine) + 0.3 * fine])
    model = Recursive(COSTS).fit(X, y, fidelity=["coarse"] * 40 + ["fine"] * 10)
    x = np.linspace(0, 1, 200)
    error = model.predict(x[:, None]) - 2 * np.sin(20 * x) - 0.3 * x
    assert np.sqrt(np.mean(error**2)) < 0.1


def test_facts_files_and_one_fidelity(tmp_path, rng):
    X, y, labels = three_levels(rng)
    model = Recursive(order=["a", "b", "c"]).fit(X, y, fidelity=labels)
    assert list(model.facts()["noise"]) == ["a", "b", "c"]
    assert list(model.facts()["fits"]) == ["of a", "of b", "of c"]
    Q = rng.random((20, 2))
    model.save(tmp_path / "m.mast")
    again = mastgp.load(tmp_path / "m.mast").predict(Q, return_std=True)
    np.testing.assert_array_equal(again, model.predict(Q, return_std=True))
    alone = Recursive().fit(X, y)
    gp = GaussianProcess.fit(Model(2), *_unit_rows(alone))
    np.testing.assert_allclose(alone.predict(Q), gp.predict_mean(_unit(alone, Q)))


def _unit(model, Q):
    return model.training_data_.box.to_unit(Q)


def _unit_rows(model):
    data = model.training_data_
    return data.unit(data.top), data.top.y
