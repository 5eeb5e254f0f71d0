"""Surrogates by name, as instances, as regressors, and three of them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import BaggingRegressor, ExtraTreesRegressor
from sklearn.linear_model import BayesianRidge, LinearRegression

from mastgp import MAST, DataError
from mastgp.surrogates import GP, SURROGATES, FromSpread, FromStd, Surrogate, find_surrogate
from mastgp.surrogates.choice import surrogates_of_stages
from support import COSTS


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ("gpp", "unknown surrogate 'gpp'; choose one of 'gp', 'gp-exact', 'extra-trees'"),
        (3, "unknown surrogate 3"),
        (GP, "unknown surrogate"),
        (("gp", "gp"), "has 2 entries; give one, or one per stage"),
        (LinearRegression(), "a LinearRegression gives no variance"),
    ],
)
def test_what_is_no_surrogate(two_fidelities, chosen, message):
    X, y, labels, _ = two_fidelities
    with pytest.raises(DataError, match=message):
        MAST(COSTS, surrogate=chosen).fit(X, y, fidelity=labels)


def test_every_name_is_a_surrogate():
    for name in SURROGATES:
        assert isinstance(find_surrogate(name), Surrogate), name
    takes_noise = [name for name in SURROGATES if find_surrogate(name).takes_noise]
    assert takes_noise == ["gp", "gp-exact"]
    assert find_surrogate("gp-exact").exact


def test_parameters_of_a_regressor_can_be_tuned(two_fidelities):
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS, surrogate=BayesianRidge()).set_params(surrogate__max_iter=7)
    model.fit(X, y, fidelity=labels)
    assert model.final_.regressor.max_iter == 7


def test_a_surrogate_is_itself_and_a_regressor_is_wrapped():
    own = GP()
    assert find_surrogate(own) is own
    assert isinstance(find_surrogate(BayesianRidge()), FromStd)
    for ensemble in (ExtraTreesRegressor(), BaggingRegressor()):
        assert isinstance(find_surrogate(ensemble), FromSpread)


def test_one_surrogate_is_for_all_stages_and_three_are_in_order():
    own = GP()
    assert surrogates_of_stages(own) == (own,) * 3
    first, second, third = surrogates_of_stages(("gp", BayesianRidge(), own))
    assert isinstance(first, GP)
    assert isinstance(second, FromStd)
    assert third is own


def test_a_regressor_is_not_changed_by_a_fit(two_fidelities):
    X, y, labels, _ = two_fidelities
    state = np.random.RandomState(0)
    for regressor in (BayesianRidge(), ExtraTreesRegressor(n_estimators=3, random_state=state)):
        before, drawn = dict(vars(regressor)), str(state.get_state())
        MAST(COSTS, surrogate=regressor).fit(X, y, fidelity=labels)
        assert vars(regressor) == before
        assert str(state.get_state()) == drawn
