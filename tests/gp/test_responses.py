from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm, yeojohnson

from mastgp.gp.blends import Transformed
from mastgp.gp.distributions import Normal
from mastgp.gp.responses import (
    Bounded,
    Logarithm,
    YeoJohnson,
    quadrature,
    response_state,
    restored_response,
)
from mastgp.stored import DamagedError

ALL = [
    Logarithm(),
    Bounded(-1.0, 80.0),
    *(YeoJohnson(power, 2.0, 3.0) for power in (0.0, 0.5, 1.0, 1.5, 2.0)),
]
Y = np.array([0.01, 0.5, 1.9, 2.0, 2.1, 7.0, 60.0])


@pytest.mark.parametrize("response", ALL)
def test_backward_undoes_forward(response):
    np.testing.assert_allclose(response.backward(response.forward(Y)), Y, rtol=1e-12)
    assert (np.diff(response.forward(Y)) > 0).all()
    assert response.accepts(Y).all()


@pytest.mark.parametrize("response", ALL)
def test_slope_is_the_derivative(response):
    step = 1e-6
    numeric = (response.forward(Y + step) - response.forward(Y - step)) / (2 * step)
    np.testing.assert_allclose(np.exp(response.log_slope(Y)), numeric, rtol=1e-6)


@given(st.floats(-50, 50), st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0]))
def test_powers_are_those_of_scipy(y, power):
    ours = YeoJohnson(power).forward(np.array([y]))
    np.testing.assert_allclose(ours, yeojohnson(np.array([y]), power), rtol=1e-12, atol=1e-15)


def test_a_power_of_one_does_nothing():
    np.testing.assert_allclose(YeoJohnson(1.0, 2.0, 3.0).forward(Y), (Y - 2.0) / 3.0, atol=1e-15)


@pytest.mark.parametrize("response", ALL)
def test_moments_are_integrals_over_the_normal_distribution(response):
    mean, var = np.array([0.3]), np.array([0.2])
    for power, found in zip((1, 2), response.moments(mean, var), strict=True):
        expected = quad(
            lambda z, p=power: (
                float(response.backward(np.array([z]))[0]) ** p * norm.pdf(z, 0.3, np.sqrt(0.2))
            ),
            -6,
            6,
        )[0]
        assert found[0] == pytest.approx(expected, rel=1e-4)


def test_quadrature_agrees_with_the_log_normal_closed_form():
    mean, var = np.array([-1.0, 2.0]), np.array([0.5, 0.01])
    for ours, exact in zip(
        quadrature(Logarithm(), mean, var), Logarithm().moments(mean, var), strict=True
    ):
        np.testing.assert_allclose(ours, exact, rtol=1e-9)


def test_the_logarithm_takes_positive_values_only():
    assert Logarithm().accepts(np.array([-1.0, 0.0, 1.0])).tolist() == [False, False, True]
    assert Logarithm().forward(np.array([0.0]))[0] == -np.inf


@pytest.mark.parametrize("response", ALL)
def test_states_lead_back_to_the_same_transformation(response):
    assert restored_response(response_state(response)) == response


@pytest.mark.parametrize("response", ALL)
def test_nothing_overflows(response):
    assert np.isfinite(response.backward(np.array([-1e6, 1e6]))).all()


def test_bounds_are_never_reached():
    share = Bounded(0.0, 2.0)
    assert share.accepts(np.array([0.0, 1.0, 2.0])).tolist() == [False, True, False]
    assert share.forward(np.array([-1.0, 0.0, 1.0, 2.0, 3.0])).tolist() == [
        -np.inf,
        -np.inf,
        0.0,
        np.inf,
        np.inf,
    ]
    assert Transformed(Normal(np.zeros(2), np.ones(2)), share).log_density([0.0, 5.0]).tolist() == [
        -np.inf,
        -np.inf,
    ]


@pytest.mark.parametrize(
    "changed", [{"low": 3.0}, {"low": "x"}, {"high": np.nan}, {"power": 1.0}], ids=str
)
def test_damaged_bounds_are_refused(changed):
    with pytest.raises(DamagedError):
        restored_response({**response_state(Bounded(0.0, 2.0)), **changed})
