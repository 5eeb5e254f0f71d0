from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone

import mastgp
from mastgp import MAST, DataError, DecadesWarning, ExtrapolationWarning
from mastgp.check.heldout import held_out
from mastgp.gp.blends import Transformed
from mastgp.gp.responses import Bounded, Logarithm, YeoJohnson
from mastgp.models import FIRE, CoKriging, SingleFidelity, TransformedResponse
from mastgp.models.transformed import of_response
from support import COSTS

METHODS = [MAST(COSTS), CoKriging(COSTS), FIRE(COSTS), SingleFidelity(costs=COSTS)]


@pytest.fixture
def skewed(two_fidelities):
    """A positive response over some decades: X, y, labels."""
    X, y, labels, _ = two_fidelities
    return X, np.exp(3.0 * y), labels


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.label)
def test_it_is_the_method_of_the_logarithms(skewed, rng, method):
    X, y, labels = skewed
    model = TransformedResponse(clone(method)).fit(X, y, fidelity=labels)
    inner = clone(method).fit(X, np.log(y), fidelity=labels)
    Q = rng.random((7, 2))
    np.testing.assert_allclose(
        model.predict_interval(Q, 0.9, include_noise=True),
        np.exp(inner.predict_interval(Q, 0.9, include_noise=True)),
        rtol=1e-9,
    )
    assert model.label == f"{method.label} of the logarithm"
    assert model.facts()["response"] == "the logarithm"
    assert model.uses_cheap_data == method.uses_cheap_data


def test_moments_are_those_of_the_distribution(skewed, rng):
    X, y, labels = skewed
    model = TransformedResponse(MAST(COSTS)).fit(X, y, fidelity=labels)
    inner, Q = MAST(COSTS).fit(X, np.log(y), fidelity=labels), rng.random((7, 2))
    m, s = inner.predict(Q, return_std=True, include_noise=True)
    mean, std = model.predict(Q, return_std=True, include_noise=True)
    np.testing.assert_allclose(mean, np.exp(m + s**2 / 2), rtol=1e-9)
    np.testing.assert_allclose(std, mean * np.sqrt(np.expm1(s**2)), rtol=1e-6)
    assert isinstance(model.predict_distribution(Q), Transformed)
    _, cov = model.predict(Q, return_cov=True)
    np.testing.assert_allclose(np.sqrt(cov.diagonal()), model.predict(Q, return_std=True)[1])


def test_gradients_are_those_of_the_mean(skewed, rng):
    X, y, labels = skewed
    model = TransformedResponse(CoKriging(COSTS)).fit(X, y, fidelity=labels)
    Q, step = 0.1 + 0.8 * rng.random((4, 2)), np.array([1e-3, 0.0])
    slope = (model.predict(Q + step) - model.predict(Q - step)) / 2e-3
    np.testing.assert_allclose(model.predict_gradient(Q)[0][:, 0], slope, rtol=1e-2)


def test_samples_are_never_negative(skewed, rng):
    X, y, labels = skewed
    model = TransformedResponse(MAST(COSTS)).fit(X, y, fidelity=labels)
    samples = model.sample_y(rng.random((5, 2)), 40, random_state=1)
    assert samples.shape == (5, 40)
    assert (samples > 0.0).all()


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.label)
def test_held_out_densities_are_of_the_response_itself(skewed, method):
    X, y, labels = skewed
    model = TransformedResponse(clone(method)).fit(X, y, fidelity=labels)
    inner = clone(method).fit(X, np.log(y), fidelity=labels)
    checked, of_logs = held_out(model), held_out(inner)
    order = np.argsort(np.argsort(checked.y)), np.argsort(of_logs.y)
    np.testing.assert_allclose(np.exp(of_logs.y[order[1]])[order[0]], checked.y)
    expected = of_logs.log_density[order[1]][order[0]] - np.log(checked.y)
    np.testing.assert_allclose(checked.log_density, expected, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("response", ["log", Logarithm(), YeoJohnson(0.5, 3.0, 2.0)])
def test_files_keep_the_model_and_the_transformation(skewed, rng, tmp_path, response):
    X, y, labels = skewed
    model = TransformedResponse(CoKriging(COSTS), response).fit(X, y, fidelity=labels)
    model.save(tmp_path / "a.mast")
    again, Q = mastgp.load(tmp_path / "a.mast"), rng.random((5, 2))
    np.testing.assert_array_equal(
        again.predict(Q, return_std=True), model.predict(Q, return_std=True)
    )
    assert again.costs == COSTS
    assert again.transformation == model.transformation


def test_known_noise_is_that_of_the_response(skewed):
    X, y, labels = skewed
    noise = {"coarse": 0.5, "fine": 0.5}
    model = TransformedResponse(MAST(COSTS, noise_std=noise)).fit(X, y, fidelity=labels)
    inner = model.estimator_.training_data_.top
    np.testing.assert_allclose(np.sqrt(inner.noise_var), 0.5 / model.training_data_.top.y)
    assert np.isfinite(held_out(model).nlpd)
    assert model.noise_var_ > 0.0


def test_responses_that_are_not_positive_are_refused(two_fidelities):
    X, y, labels, _ = two_fidelities
    with pytest.raises(DataError, match=r"needs positive values: .* rows of 'coarse' are not"):
        TransformedResponse(MAST(COSTS)).fit(X, y, fidelity=labels)
    with pytest.raises(DataError, match="unknown response 'root'; use 'log'"):
        TransformedResponse(MAST(COSTS), "root").fit(X, y, fidelity=labels)
    with pytest.raises(DataError, match="needs an estimator"):
        TransformedResponse().fit(X, y, fidelity=labels)


def test_a_method_of_the_logarithm():
    wrapped = of_response(MAST(COSTS, calibrate=True), Logarithm())
    assert isinstance(wrapped, TransformedResponse)
    assert wrapped.calibrate
    assert not wrapped.estimator.calibrate
    told = of_response(mastgp.AutoSurrogate(COSTS), Logarithm())
    assert told.transform == "log"


def test_held_out_points_widen_the_intervals_of_mast_on_such_a_scale():
    assert of_response(MAST(COSTS), Logarithm()).calibrate
    assert not of_response(CoKriging(COSTS), Logarithm()).calibrate
    assert not MAST(COSTS).calibrate


def test_calibration_widens_before_the_transformation(skewed, rng):
    X, y, labels = skewed
    model = TransformedResponse(CoKriging(COSTS, inference="map"), calibrate=True)
    model.fit(X, y * np.exp(0.3 * rng.standard_normal(len(y))), fidelity=labels)
    model.calibration_ = 2.0
    Q = rng.random((5, 2))
    low, high = np.log(model.predict_interval(Q))
    inner_low, inner_high = model.estimator_.predict_interval(Q)
    np.testing.assert_allclose(high - low, 2.0 * (inner_high - inner_low), rtol=1e-6)


def test_the_yardstick_has_the_same_transformation(skewed):
    X, y, labels = skewed
    model = TransformedResponse(SingleFidelity(costs=COSTS)).fit(X, y, fidelity=labels)
    table = mastgp.validate(model).set_index("model")
    alone, own = table.loc["expensive alone"], table.loc["SingleFidelity of the logarithm"]
    np.testing.assert_array_equal(alone, own)


def test_noise_trust_and_cheap_points_are_in_the_users_units(skewed):
    X, y, labels = skewed
    model = TransformedResponse(MAST(COSTS)).fit(X, y, fidelity=labels)
    inner = model.estimator_
    assert model.trusted_points() == inner.trusted_points()
    ((caption, _, values),) = model.cheap_points()
    assert "corrected" in caption
    np.testing.assert_allclose(np.log(values), inner.cheap_points()[0][2])
    top = model.training_data_.top
    rms = np.sqrt(np.mean(top.y**2))
    expected = rms * inner.facts()["noise"][top.name]
    assert model.facts()["noise"][top.name] == pytest.approx(expected)
    assert model.points_table().equals(inner.points_table())


def rates(rng, n, energy):
    """Temperatures and pressures, and a rate over six decades that follows Arrhenius' law."""
    X = rng.uniform([400.0, 1.0], [1400.0, 20.0], (n, 2))
    return X, 1e9 * np.exp(-energy / (8.314 * X[:, 0])) * X[:, 1] ** 0.6


@pytest.mark.parametrize("method", ["hf-only", "ar1"])
def test_a_rate_over_six_decades_is_better_modelled_by_its_logarithm(method):
    """Density and coverage, which is counted at all sizes: wide intervals hold all small rates."""
    rng = np.random.default_rng(2)
    tables = {"low": rates(rng, 40, 6.6e4), "high": rates(rng, 12, 7.0e4)}
    X, y = rates(rng, 300, 7.0e4)
    assert np.log10(y.max() / y.min()) > 6.0
    density, off = {}, {}
    for log in (False, True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DecadesWarning)
            model = mastgp.fit(tables, {"low": 1, "high": 20}, method=method, log=log)
        predicted = model.predict_distribution(X)
        low, high = predicted.interval(0.95)
        inside = [
            np.mean((low[third] <= y[third]) & (y[third] <= high[third]))
            for third in np.array_split(np.argsort(y), 3)
        ]
        density[log] = predicted.log_density(y).mean()
        off[log] = np.mean(np.abs(np.array(inside) - 0.95))
        assert (low > 0.0).all() == log
    assert density[True] > density[False] + 1.0
    assert off[True] < 0.8 * off[False]


@pytest.fixture
def shares(two_fidelities):
    """An efficiency between 0 and 1, near both at some points: X, y, labels."""
    X, y, labels, _ = two_fidelities
    return X, 1.0 / (1.0 + np.exp(-3.0 * (y - y.mean()) / y.std())), labels


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.label)
def test_what_is_bounded_stays_inside_its_bounds(shares, rng, method, tmp_path):
    X, y, labels = shares
    model = TransformedResponse(clone(method), Bounded(0.0, 1.0)).fit(X, y, fidelity=labels)
    inner = clone(method).fit(X, Bounded(0.0, 1.0).forward(y), fidelity=labels)
    Q = 3.0 * rng.random((9, 2)) - 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExtrapolationWarning)
        low, high = model.predict_interval(Q, 0.99, include_noise=True)
        mean, std = model.predict(Q, return_std=True)
        ends = inner.predict_interval(Q, 0.99, include_noise=True)
    assert ((low >= 0.0) & (low < mean) & (mean < high) & (high <= 1.0)).all()
    assert (std < 0.5).all()
    np.testing.assert_allclose([low, high], 1.0 / (1.0 + np.exp(-np.array(ends))), rtol=1e-8)
    assert np.isfinite(mastgp.validate(model)["nlpd"]).all()
    model.save(tmp_path / "m.mast")
    again = mastgp.load(tmp_path / "m.mast")
    assert again.transformation == Bounded(0.0, 1.0)
    np.testing.assert_array_equal(again.predict(X[:5]), model.predict(X[:5]))


def test_a_bounded_response_needs_values_between_its_bounds(shares):
    X, y, labels = shares
    model = TransformedResponse(SingleFidelity(costs=COSTS), Bounded(0.0, 0.9))
    with pytest.raises(DataError, match=r"logit between 0 and 0.9 .* needs values between its"):
        model.fit(X, y, fidelity=labels)
