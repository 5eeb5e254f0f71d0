from __future__ import annotations

import numpy as np
import pytest

import mastgp
from mastgp import MAST, FewPointsWarning, FitWarning
from mastgp.gp.distributions import Normal
from mastgp.methods import METHODS
from mastgp.models.calibration import standardised, widening, widening_without_each
from mastgp.models.cokriging import CoKriging
from mastgp.models.fire import FIRE
from mastgp.models.folds import folds_of, predict_refitted
from mastgp.models.fusion import Reification
from mastgp.models.recursive import Recursive
from mastgp.models.single import SingleFidelity
from support import COSTS, pair


def test_what_is_too_narrow_is_widened():
    z = np.array([3.0, -3.0, 2.0, -2.0] * 5)
    assert widening(z) == pytest.approx(np.sqrt((4 + z @ z) / 24))
    assert widening(np.append(z, np.nan)) == widening(z)


def test_nothing_becomes_narrower():
    assert widening(np.full(50, 0.1)) == 1.0
    assert widening(np.array([])) == 1.0


def test_a_few_points_cannot_widen_as_much_as_many():
    assert 1.0 < widening(np.full(3, 4.0)) < widening(np.full(30, 4.0)) < 4.0


def test_factors_without_each_group():
    z, groups = np.array([5.0, 1.0, 1.0, 3.0]), np.array([0, 0, 1, 2])
    expected = [widening(z[2:])] * 2 + [widening(z[[0, 1, 3]]), widening(z[:3])]
    np.testing.assert_array_equal(widening_without_each(z, groups), expected)


def test_standardised_errors():
    predicted = Normal(np.array([1.0, 2.0]), np.array([4.0, 0.25]))
    np.testing.assert_array_equal(standardised(predicted, np.array([0.0, 3.0])), [0.5, -2.0])


def wiggly(X):
    return np.sin(9 * X[:, 0])


@pytest.mark.parametrize(
    "estimator",
    [
        MAST(COSTS),
        CoKriging(COSTS, inference="map"),
        FIRE(COSTS),
        Recursive(COSTS),
        SingleFidelity(costs=COSTS),
        Reification(COSTS),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_every_uncertainty_is_widened_and_no_mean(estimator, rng, tmp_path):
    X, y, labels = pair(rng, wiggly, n_cheap=20, n_dear=7)
    plain = estimator.fit(X, y, fidelity=labels)
    model = type(estimator)(**{**plain.get_params(deep=False), "calibrate": True})
    model.fit(X, y, fidelity=labels)
    data = plain.training_data_
    z = standardised(predict_refitted(plain, folds_of(data)), data.top.y)
    factor = model.calibration_
    assert factor == widening(z) >= 1.0
    assert plain.calibration_ == 1.0
    model.calibration_ = factor = factor + 0.5  # also where these points ask for nothing
    check_widened(plain, model, factor, rng.random((4, 2)))
    model.save(tmp_path / "m.mast")
    again = mastgp.load(tmp_path / "m.mast")
    assert again.calibration_ == factor
    Q = rng.random((3, 2))
    np.testing.assert_array_equal(again.predict_interval(Q), model.predict_interval(Q))


def check_widened(plain, model, factor, Q):
    np.testing.assert_array_equal(model.predict(Q), plain.predict(Q))
    for noisy in (False, True):
        before, after = (
            m.predict(Q, return_std=True, include_noise=noisy)[1] for m in (plain, model)
        )
        np.testing.assert_allclose(after, factor * before)
        before, after = (
            np.sqrt(m.predict_distribution(Q, include_noise=noisy).variance) for m in (plain, model)
        )
        np.testing.assert_allclose(after, factor * before)
        before, after = (
            np.subtract(*m.predict_interval(Q, include_noise=noisy)) for m in (plain, model)
        )
        np.testing.assert_allclose(after, factor * before)
    lower = [m.predict_quantile(Q, 0.1) - m.predict(Q) for m in (plain, model)]
    np.testing.assert_allclose(lower[1], factor * lower[0])
    if "covariance" in plain.abilities:
        covs = [m.predict(Q, return_cov=True)[1] for m in (plain, model)]
        np.testing.assert_allclose(covs[1], factor**2 * covs[0])
        draws = [
            m.sample_y(Q, 3, random_state=1) - plain.predict(Q)[:, None] for m in (plain, model)
        ]
        np.testing.assert_allclose(draws[1], factor * draws[0], atol=1e-6)
    if "gradient" in plain.abilities:
        slopes = [m.predict_gradient(Q) for m in (plain, model)]
        np.testing.assert_array_equal(slopes[1][0], slopes[0][0])
        np.testing.assert_allclose(slopes[1][1], factor**2 * slopes[0][1])


def test_draws_are_calibrated_by_refits_too(rng):
    """Their own leave-out needs no refit, but calibration goes by refits only."""
    X, y, labels = pair(rng, wiggly, n_cheap=15, n_dear=6)
    model = CoKriging(COSTS, n_draws=8, calibrate=True).fit(X, y, fidelity=labels)
    data = model.training_data_
    z = standardised(predict_refitted(model, folds_of(data)), data.top.y)
    assert model.calibration_ == widening(z)


def test_every_method_of_the_package_has_the_option():
    assert all("calibrate" in m.load_class()._get_param_names() for m in METHODS.values())


def test_a_new_fit_forgets_the_old_factor(rng):
    X, y, labels = pair(rng, wiggly, n_cheap=15, n_dear=6)
    model = MAST(COSTS, calibrate=True).fit(X, y, fidelity=labels)
    assert model.calibration_ > 1.0
    assert model.set_params(calibrate=False).fit(X, y, fidelity=labels).calibration_ == 1.0


def test_refits_are_not_calibrated_themselves(rng):
    X, y, labels = pair(rng, wiggly, n_cheap=15, n_dear=6)
    model = MAST(COSTS, calibrate=True).fit(X, y, fidelity=labels)
    again = model.refit(model.training_data_)
    assert not again.calibrate
    assert again.calibration_ == 1.0
    assert model.calibrate


def test_one_expensive_point_cannot_calibrate(rng):
    X, y, labels = pair(rng, wiggly, n_cheap=15, n_dear=1)
    with (
        pytest.warns(FewPointsWarning),
        pytest.warns(FitWarning, match="intervals are not calibrated: fidelity 'fine' has one"),
    ):
        model = MAST(COSTS, calibrate=True).fit(X, y, fidelity=labels)
    assert model.calibration_ == 1.0
