from __future__ import annotations

import numpy as np
import pytest

from mastgp.data.levels import Category
from mastgp.errors import MastError, PoorFitWarning
from mastgp.output.export.reader import draws
from mastgp.stored import DamagedError
from mastgp.surrogates.many.fitted import ManyRows, fit_many
from surrogates.many.test_choosing import drawn, jump, smooth


@pytest.fixture(scope="module")
def of_smooth():
    X, y, *_ = drawn(smooth, 5600, 4, 0.1)
    return fit_many(X, 100 + 10 * y, None)


def test_predictions_are_in_units(of_smooth):
    Q = np.random.default_rng(0).random((500, 4))
    mean, var = of_smooth.predict(Q)
    error = mean - (100 + 10 * smooth(Q))
    assert np.sqrt(np.mean(error**2)) < 0.4
    assert np.mean(np.abs(error) < 1.96 * np.sqrt(var)) > 0.9
    np.testing.assert_allclose(of_smooth.predict_mean(Q), mean, rtol=1e-9)
    assert of_smooth.noise_var.shape == (5600,)
    assert np.sqrt(of_smooth.noise_var[0]) == pytest.approx(1.0, rel=0.1)


def test_it_says_what_was_chosen(of_smooth):
    report = of_smooth.report_of_choice
    assert report.chosen == "inducing"
    assert report.inducing >= 100
    assert report.explained > 0.95
    assert report.rmse["inducing"] == min(report.rmse.values())
    sentence = of_smooth.sentence()
    assert sentence.startswith("inducing points (")
    assert "of 5600 rows" in sentence
    assert "boosted trees" in sentence


def test_another_order_of_the_rows_gives_the_same(of_smooth):
    X, y, Q, _ = drawn(smooth, 5600, 4, 0.1)
    order = np.random.default_rng(1).permutation(5600)
    again = fit_many(X[order], 100 + 10 * y[order], None)
    for a, b in zip(again.predict(Q), of_smooth.predict(Q), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-8)


def test_processes_have_covariances_and_gradients(of_smooth):
    Q = np.random.default_rng(0).uniform(0.1, 0.9, (5, 4))
    assert of_smooth.abilities == {"covariance", "gradient", "export"}
    mean, cov = of_smooth.predict_covariance(Q)
    np.testing.assert_allclose(mean, of_smooth.predict(Q)[0], rtol=1e-9)
    np.testing.assert_allclose(cov.diagonal(), of_smooth.predict(Q)[1], rtol=1e-5)
    step = 1e-5
    d_mean, _ = of_smooth.predict_gradient(Q)
    up, down = (of_smooth.predict_mean(Q + sign * step * np.eye(4)[0]) for sign in (1, -1))
    np.testing.assert_allclose(d_mean[:, 0], (up - down) / (2 * step), rtol=1e-3)


def test_its_state_makes_it_again(of_smooth):
    Q = np.random.default_rng(0).random((5, 4))
    again = ManyRows.from_state(of_smooth.get_state(), 4)
    for a, b in zip(again.predict(Q), of_smooth.predict(Q), strict=True):
        np.testing.assert_array_equal(a, b)
    assert again.report_of_choice == of_smooth.report_of_choice
    np.testing.assert_array_equal(again.noise_var, of_smooth.noise_var)


def test_files_of_before_have_no_widening(of_smooth):
    state = of_smooth.get_state()
    del state["widening"]
    assert ManyRows.from_state(state, 4).widening == 1.0


@pytest.mark.parametrize(
    ("name", "value"),
    [("widening", 0.0), ("many", "magic"), ("extra", -1.0), ("noise_var", np.ones(7))],
)
def test_a_damaged_state_is_refused(of_smooth, name, value):
    with pytest.raises(DamagedError):
        ManyRows.from_state(of_smooth.get_state() | {name: value}, 4)


def test_tools_that_are_no_processes_say_so():
    X, y, *_ = drawn(jump, 2100, 2, 0.1)
    fitted = fit_many(X, y, None)
    assert fitted.report_of_choice.chosen != "inducing"
    if not fitted.abilities:
        with pytest.raises(MastError, match="has no gradient"):
            fitted.predict_gradient(X[:2])


def test_it_is_written_out_in_units_with_what_was_missing(of_smooth):
    Q = np.random.default_rng(1).random((50, 4))
    wider = ManyRows(
        of_smooth.tool,
        of_smooth.units,
        of_smooth.noise_var,
        0.25,
        of_smooth.report_of_choice,
        widening=1.7,
    )
    np.testing.assert_allclose(
        wider.predict_covariance(Q)[1].diagonal(), wider.predict(Q)[1], rtol=1e-5
    )
    ((_, mean, var, _),) = draws(wider.plain(), Q)
    np.testing.assert_allclose(mean, wider.predict(Q)[0], rtol=1e-8)
    np.testing.assert_allclose(var, wider.predict(Q)[1], rtol=1e-7)


def test_categories_are_columns_of_their_own(rng):
    codes = rng.integers(0, 3, 2100)
    x = rng.random(2100)
    y = np.sin(5 * x) * np.array([1.0, -1.0, 3.0])[codes] + 0.05 * rng.standard_normal(2100)
    category = Category(1, "material", ("a", "b", "c"))
    X = np.column_stack([x, codes / 2])
    fitted = fit_many(X, y, None, [category])
    mean, _ = fitted.predict(X[:500])
    assert np.sqrt(np.mean((mean - y[:500]) ** 2)) < 0.15
    again = ManyRows.from_state(fitted.get_state(), 2, [category])
    np.testing.assert_allclose(again.predict(X[:5])[0], mean[:5], rtol=1e-8)


def test_pure_noise_is_said_to_be_poor(rng):
    X, y = rng.random((2100, 3)), rng.standard_normal(2100)
    with pytest.warns(PoorFitWarning, match="mostly noise"):
        fitted = fit_many(X, y, None)
    assert np.abs(fitted.predict(X)[0]).max() < 1.0


def test_known_noise_stays_with_its_rows(rng):
    X, y, *_ = drawn(smooth, 2100, 4, 0.1)
    noise = rng.uniform(0.005, 0.02, 2100)
    fitted = fit_many(X, y, noise)
    np.testing.assert_array_equal(fitted.noise_var, noise)
    again = ManyRows.from_state(fitted.get_state(), 4)
    np.testing.assert_array_equal(again.noise_var, noise)


def test_rows_that_are_said_to_be_exact_are_modelled():
    rng = np.random.default_rng(3)
    X = rng.random((2000, 2))
    y = np.sin(5 * X.sum(axis=1)) + X[:, 0] ** 2 * X[:, 1]
    fitted = fit_many(X, y, np.zeros(2000))
    mean, var = fitted.predict(X[:50])
    np.testing.assert_allclose(mean, y[:50], atol=1e-3)
    assert (var > 0).all()
