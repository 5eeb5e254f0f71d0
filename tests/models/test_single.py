from __future__ import annotations

import numpy as np
import pytest

from mastgp import MAST, DataError, FewPointsWarning
from mastgp.gp import GaussianProcess, Model
from mastgp.models.single import SingleFidelity, expensive_alone
from support import COSTS


@pytest.mark.parametrize(("which", "name"), [("top", "fine"), ("cheapest", "coarse")])
def test_one_fidelity_as_if_the_others_did_not_exist(two_fidelities, rng, which, name):
    X, y, labels, _ = two_fidelities
    model = SingleFidelity(which, costs=COSTS).fit(X, y, fidelity=labels)
    altered = np.where(labels == name, y, 99.0 - y)
    other = SingleFidelity(which, costs=COSTS).fit(X, altered, fidelity=labels)
    Q = rng.random((9, 2))
    np.testing.assert_array_equal(
        model.predict(Q, return_std=True), other.predict(Q, return_std=True)
    )
    assert model.uses_cheap_data == (which == "cheapest")
    assert list(model.facts()["noise"]) == [name]
    assert list(model.facts()["fits"]) == [f"of {name}"]


def test_the_yardstick_is_the_engines_plain_gp(two_fidelities, rng):
    X, y, labels, _ = two_fidelities
    data = MAST(COSTS).fit(X, y, fidelity=labels).training_data_
    gp = GaussianProcess.fit(Model(2), data.unit(data.top), data.top.y)
    Q = rng.random((9, 2))
    mean, var = expensive_alone(data).predict_unit(Q)
    np.testing.assert_allclose((mean, var), gp.predict(Q), rtol=1e-12)


def test_the_yardstick_is_silent(rng):
    X = rng.random((14, 1))
    labels = ["coarse"] * 13 + ["fine"]
    with pytest.warns(FewPointsWarning):
        data = MAST(COSTS).fit(X, X[:, 0], fidelity=labels).training_data_
    assert expensive_alone(data).training_data_ is data  # warnings are errors here


def test_an_unknown_choice_is_refused(two_fidelities):
    X, y, labels, _ = two_fidelities
    with pytest.raises(DataError, match="unknown choice 'middle'; use 'top' or 'cheapest'"):
        SingleFidelity("middle", costs=COSTS).fit(X, y, fidelity=labels)


def test_one_expensive_point_has_the_scale_of_all(rng):
    X = rng.random((15, 1))
    y = 1e6 + np.sin(5 * X[:, 0])
    labels = ["coarse"] * 14 + ["fine"]
    with pytest.warns(FewPointsWarning):
        model = SingleFidelity(costs=COSTS).fit(X, y, fidelity=labels)
    assert model.predict([[0.5]], return_std=True)[1][0] < 10.0
