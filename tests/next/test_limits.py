from __future__ import annotations

import numpy as np
import pytest

from mastgp import DataError
from mastgp.next.limits import feasibility, limits_from


def test_probabilities_are_those_of_the_prediction(drawn_model, rng):
    U = rng.random((6, 2))
    below, above = limits_from(["drag <= 0.3", "drag >= 0.3"], {"drag": drawn_model})
    expected = drawn_model.predict_distribution(U).cdf(np.full(6, 0.3))
    np.testing.assert_allclose(np.exp(below.log_probability(U)), expected, atol=1e-99)
    np.testing.assert_allclose(np.exp(above.log_probability(U)), 1 - expected, atol=1e-99)
    both = feasibility([below, above], drawn_model.training_data_)
    np.testing.assert_allclose(both(U), below.log_probability(U) + above.log_probability(U))


def test_no_limits_are_no_trouble(drawn_model):
    assert (feasibility([], drawn_model.training_data_)(np.zeros((3, 2))) == 0).all()


def test_factors_and_directions_are_understood(drawn_model):
    (limit,) = limits_from(["-2*drag >= -5"], {"drag": drawn_model})
    assert (limit.bound, limit.below) == (2.5, True)


@pytest.mark.parametrize("text", ["drag + lift <= 1", "mass <= 1"])
def test_what_is_no_limit_is_refused(drawn_model, text):
    with pytest.raises(DataError):
        limits_from([text], {"drag": drawn_model, "lift": drawn_model})
