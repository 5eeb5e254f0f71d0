from __future__ import annotations

import re

import numpy as np
import pytest

import mastgp
from mastgp import DataError, ScaleWarning
from mastgp.models.fusion import MISO, Reification, fuse
from support import COSTS, three_levels, truth

BOTH = pytest.mark.parametrize("method", [MISO, Reification])


@BOTH
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


def test_every_fidelity_has_a_floor(rng):
    X = rng.random((30, 1))
    model = Reification(order=["a", "b", "c"]).fit(X, X[:, 0], fidelity=["a", "b", "c"] * 10)
    np.testing.assert_allclose(model.floors_, [1e-2, 10**-2.5, 1e-3])
    with pytest.raises(DataError, match="must be positive"):
        Reification(floor_top=0.0).fit(X, X[:, 0])


def test_both_are_the_same_formula(rng):
    X, y, labels = three_levels(rng)
    order, Q = ["a", "b", "c"], rng.random((6, 2))
    first, second = (
        method(order=order).fit(X, y, fidelity=labels).predict(Q, return_std=True)
        for method in (MISO, Reification)
    )
    np.testing.assert_array_equal(first, second)


@BOTH
def test_three_fidelities_one_fidelity_and_files(method, tmp_path, rng):
    X, y, labels = three_levels(rng, (15, 15, 15))
    model = method(order=["a", "b", "c"]).fit(X, y, fidelity=labels)
    Q = rng.random((20, 2))
    mean, std = model.predict(Q, return_std=True)
    assert np.abs(mean - truth(Q)).mean() < 0.3
    assert set(model.facts()["noise"]) == {"a", "b", "c"}
    model.save(tmp_path / "m.mast")
    again = mastgp.load(tmp_path / "m.mast")
    assert type(again) is method
    np.testing.assert_array_equal(again.predict(Q, return_std=True), (mean, std))
    alone = method().fit(X, y)
    np.testing.assert_allclose(alone.floors_, [1e-3])
    assert alone.predict(Q).shape == (20,)


@BOTH
@pytest.mark.parametrize(("factor", "words"), [(1e-3, "hide what"), (1e6, "do nothing")])
def test_floors_that_do_not_suit_the_target_are_said(method, two_fidelities, factor, words):
    X, y, labels, _ = two_fidelities
    with pytest.warns(ScaleWarning, match=f"{words}.*standard deviation of ") as said:
        method(COSTS).fit(X, factor * y, fidelity=labels)
    advice = re.findall(r"(floor_\w+)=([-+.e\d]+)", str(said[0].message))[2:]
    options = {name: float(value) for name, value in advice}
    assert set(options) == {"floor_cheapest", "floor_top"}
    method(COSTS, **options).fit(X, factor * y, fidelity=labels)  # as advised: no warning
