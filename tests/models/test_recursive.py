from __future__ import annotations

import numpy as np
import pytest

import mastgp
from mastgp import DataError
from mastgp.models.cokriging import CoKriging
from mastgp.models.fire import FIRE
from mastgp.models.fusion import MISO, Reification, fuse
from mastgp.models.recursive import Recursive
from support import COSTS

ALL = [FIRE, MISO, Recursive, Reification]


def nonlinear_pair(rng):
    """The benchmark of Perdikaris et al. (2017): high is a nonlinear function of low."""
    low = np.linspace(0, 1, 50)
    high = np.sort(rng.choice(low, 14, replace=False))

    def f_low(x):
        return np.sin(8 * np.pi * x)

    def f_high(x):
        return (x - np.sqrt(2)) * f_low(x) ** 2

    X = np.concatenate([low, high])[:, None]
    y = np.concatenate([f_low(low), f_high(high)])
    return X, y, ["coarse"] * 50 + ["fine"] * 14, f_high


@pytest.mark.parametrize("method", [FIRE, Recursive])
def test_follows_a_nonlinear_relation_where_linear_co_kriging_fails(method):
    X, y, labels, truth = nonlinear_pair(np.random.default_rng(3))
    x = np.linspace(0, 1, 300)

    def error(model):
        values = model.fit(X, y, fidelity=labels).predict(x[:, None])
        return np.sqrt(np.mean((values - truth(x)) ** 2))

    assert error(method(COSTS)) < error(CoKriging(COSTS)) / 3


@pytest.mark.parametrize("method", [FIRE, Recursive])
def test_recovers_a_linear_relation(method, rng):
    coarse, fine = np.linspace(0, 1, 40), np.linspace(0.01, 0.99, 10)
    X = np.concatenate([coarse, fine])[:, None]
    y = np.concatenate([np.sin(20 * coarse), 2 * np.sin(20 * fine) + 0.3 * fine])
    model = method(COSTS).fit(X, y, fidelity=["coarse"] * 40 + ["fine"] * 10)
    x = np.linspace(0, 1, 200)
    error = model.predict(x[:, None]) - 2 * np.sin(20 * x) - 0.3 * x
    assert np.sqrt(np.mean(error**2)) < 0.1


@pytest.mark.parametrize("method", [MISO, Reification])
def test_fusion_is_the_papers_formula(method, two_fidelities, rng):
    X, y, labels, _ = two_fidelities
    model = method(COSTS).fit(X, y, fidelity=labels)
    Q = rng.random((7, 2))
    U = model.training_data_.box.to_unit(Q)
    (m_low, v_low), (m_high, v_high) = (
        model.processes_[name].predict(U) for name in ("coarse", "fine")
    )
    v_low, v_high = v_low + 1e-2, v_high + 1e-3
    by_hand = (m_low / v_low + m_high / v_high) / (1 / v_low + 1 / v_high)
    mean, std = model.predict(Q, return_std=True)
    np.testing.assert_allclose(mean, by_hand)
    np.testing.assert_allclose(std**2, 1 / (1 / v_low + 1 / v_high))


def test_fusion_of_equal_opinions_keeps_them():
    mean, var = fuse(np.array([[1.0], [3.0]]), np.array([[2.0], [2.0]]))
    assert mean[0] == 2.0
    assert var[0] == 1.0


def test_fusion_has_a_floor_for_every_fidelity(rng):
    X = rng.random((30, 1))
    model = Reification(order=["a", "b", "c"]).fit(X, X[:, 0], fidelity=["a", "b", "c"] * 10)
    np.testing.assert_allclose(model.floors_, [1e-2, 10**-2.5, 1e-3])
    with pytest.raises(DataError, match="must be positive"):
        Reification(floor_top=0.0).fit(X, X[:, 0])


@pytest.mark.parametrize("method", ALL)
def test_three_fidelities_one_fidelity_and_files(method, tmp_path, rng):
    X = rng.random((45, 2))
    labels = np.repeat(["a", "b", "c"], 15)
    y = np.sin(4 * X[:, 0]) + X[:, 1] + 0.1 * (labels == "a")
    model = method(order=["a", "b", "c"]).fit(X, y, fidelity=labels)
    Q = rng.random((20, 2))
    mean, std = model.predict(Q, return_std=True)
    assert np.abs(mean - np.sin(4 * Q[:, 0]) - Q[:, 1]).mean() < 0.15
    assert (std > 0).all()
    model.save(tmp_path / "m.mast")
    again = mastgp.load(tmp_path / "m.mast").predict(Q, return_std=True)
    np.testing.assert_array_equal(again, (mean, std))
    alone = method().fit(X, y)
    assert alone.predict(Q).shape == (20,)
