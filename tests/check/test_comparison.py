from __future__ import annotations

import numpy as np
import pytest

from mastgp import DataError
from mastgp.check.comparison import (
    Compared,
    common_targets,
    on_held_out,
    on_points,
    same_points,
    verdicts,
)
from mastgp.check.heldout import held_out
from mastgp.models import SingleFidelity, TransformedResponse

X = np.linspace(0.0, 1.0, 9)[:, None]


@pytest.fixture(scope="module")
def model():
    return SingleFidelity().fit(X, np.exp(2.0 * X[:, 0]))


def compared(name, log_density):
    n = len(log_density)
    return Compared(name, {"rmse": 1.0}, np.array(log_density), np.zeros((n, 1)))


def test_scores_on_points_are_of_observations_in_the_users_units(model):
    Q = np.array([[0.15], [0.55]])
    y = np.array([1.4, 2.9])
    logarithmic = TransformedResponse(SingleFidelity()).fit(X, np.exp(2.0 * X[:, 0]))
    for one in (model, logarithmic):
        found = on_points("a", one, Q, y)
        expected = one.predict_distribution(Q, include_noise=True).log_density(y)
        np.testing.assert_array_equal(found.log_density, expected)
        assert found.scores["nlpd"] == pytest.approx(-expected.mean())
        mean, _ = one.predict(Q, return_std=True, include_noise=True)
        assert found.scores["rmse"] == pytest.approx(np.sqrt(np.mean((mean - y) ** 2)))
        assert found.row()["points"] == 2


def test_scores_on_held_out_points_are_those_of_the_check(model):
    found, checked = on_held_out("a", model), held_out(model)
    assert found.scores["rmse"] == checked.rmse
    assert found.scores["nlpd"] == pytest.approx(-np.mean(found.log_density))


def test_the_normal_density_stands_in_where_a_check_has_none(model):
    from mastgp.check.comparison import _log_density
    from mastgp.check.heldout import HeldOut

    checked = HeldOut(np.array([1.0]), np.array([1.5]), np.array([0.5]), 1, True)
    assert _log_density(checked)[0] == pytest.approx(-checked.nlpd)


def test_models_are_compared_on_the_same_points_only(model):
    other = SingleFidelity().fit(X[1:], np.exp(2.0 * X[1:, 0]))
    assert same_points([on_held_out("a", model), on_held_out("b", model)])
    assert not same_points([on_held_out("a", model), on_held_out("b", other)])


def test_a_difference_is_clear_from_two_standard_errors_on():
    good = compared("good", [1.0, 1.2, 0.8, 1.0])
    assert verdicts([compared("bad", [0.0, 0.1, 0.0, 0.1]), good])[0].startswith("good is better")
    close = compared("close", [1.6, 0.6, 1.2, 0.4])
    (sentence,) = verdicts([good, close])
    assert sentence.startswith("No clear difference between good and close")
    assert "0.05 ± 0.32" in sentence


def test_infinite_densities_and_single_points_decide_nothing():
    (sentence,) = verdicts([compared("a", [1.0, 1.0]), compared("b", [0.0, -np.inf])])
    assert "too few points" in sentence


def test_models_need_a_target_in_common():
    assert common_targets({"a": {"cl": 1, "cd": 2}, "b": {"cd": 3, "cl": 4}}) == ["cl", "cd"]
    with pytest.raises(DataError, match="no target in common: a has 'cl'; b has 'cd'"):
        common_targets({"a": {"cl": 1}, "b": {"cd": 1}})
