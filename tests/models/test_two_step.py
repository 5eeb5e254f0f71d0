from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mastgp
from mastgp import MAST
from mastgp.data.dataset import Dataset
from mastgp.errors import MastError
from mastgp.models import FIRE, CoKriging
from mastgp.models.folds import folds_of
from mastgp.models.two_step import TwoStep, climb, least_squares
from mastgp.output.export.reader import members, moments
from mastgp.surrogates.many.additive import AdditiveSums
from mastgp.surrogates.many.fitted import ManyRows
from mastgp.surrogates.many.rows import Rows

ORDER = ["coarse", "fine"]


def coarse(X):
    return np.sin(6 * X[:, 0]) * (1 + X[:, 1])


def fine(X):
    return 2.0 * coarse(X) + X[:, 1]


def drawn(n_coarse=2100, n_fine=25, seed=4):
    rng = np.random.default_rng(seed)
    X = rng.random((n_coarse + n_fine, 2))
    y = np.concatenate([coarse(X[:n_coarse]), fine(X[n_coarse:])])
    y += 0.05 * rng.standard_normal(len(y))
    return X, y, np.repeat(ORDER, [n_coarse, n_fine])


@pytest.fixture(scope="module")
def fitted():
    X, y, labels = drawn()
    bounds = [[0, 1]] * 2
    return CoKriging(order=ORDER, n_draws=8, bounds=bounds).fit(X, y, fidelity=labels)


@pytest.fixture
def queries(rng):
    return rng.uniform(0.02, 0.98, (300, 2))


def test_many_cheap_rows_are_modelled_first(fitted, queries):
    assert isinstance(fitted.steps_.stages[0], ManyRows)
    mean, std = fitted.predict(queries, return_std=True)
    error = mean - fine(queries)
    assert np.sqrt(np.mean(error**2)) < 0.1
    assert np.mean(np.abs(error) < 1.96 * std) > 0.85
    assert fitted.rho_ == pytest.approx([2.0], abs=0.1)
    assert 0.0 < fitted.noise_var_ < 0.02
    np.testing.assert_allclose(fitted.predict(queries), mean)
    low, high = fitted.predict_interval(queries)
    assert (low < mean).all()
    assert (mean < high).all()


def test_the_factor_is_that_of_universal_kriging(fitted, queries):
    """With one draw: generalised least squares, by its textbook formula."""
    steps = fitted.steps_
    process, part = steps._processes[0], steps._explained[0]
    data = process.objective.data
    L = process.objective.factorise(process.parameters).L
    K = L @ L.T
    h = climb(steps.stages, steps.factors, data.X)[0] / process.y_scale[0]
    expected = h @ np.linalg.solve(K, data.y) / (h @ np.linalg.solve(K, h))
    assert part.correction == pytest.approx(expected, rel=1e-6)
    assert part.precision == pytest.approx(h @ np.linalg.solve(K, h), rel=1e-6)


def test_the_variance_below_is_carried_on(fitted, queries):
    below = fitted.steps_.stages[0].predict(queries)[1]
    _, var = fitted.predict_unit(queries)
    assert (var > fitted.steps_.factors[-1] ** 2 * below).all()


def test_held_out_rows_need_no_new_fit(fitted):
    folds = folds_of(fitted.training_data_)
    left_out = fitted.leave_out([fold.rows for fold in folds])
    z = (fitted.training_data_.top.y - left_out.mean) / np.sqrt(left_out.variance)
    assert np.sqrt(np.mean(z**2)) < 2.0
    assert fitted.leaves_out_honestly


def test_a_refit_keeps_the_cheap_level(fitted):
    data = fitted.training_data_
    fold = folds_of(data)[0]
    again = fitted.refit(fold.rest)
    assert again.steps_.stages[0] is fitted.steps_.stages[0]
    assert again.steps_.top is not fitted.steps_.top


def test_a_bias_has_no_factor():
    X, y, labels = drawn()
    cheap = np.where(labels == "coarse", 2.0, 1.0) * y
    model = CoKriging(order=ORDER, structure="shared-bias", inference="map")
    model.fit(X, cheap, fidelity=labels)
    np.testing.assert_array_equal(model.rho_, [1.0])
    assert all(np.isinf(part.precision) for part in model.steps_._explained)


def test_levels_between_are_modelled_in_turn(queries):
    X, y, labels = drawn(2150, 25)
    labels[2100:2150] = "middle"
    y[2100:2150] = 1.5 * coarse(X[2100:2150]) - 1.0
    model = CoKriging(order=["coarse", "middle", "fine"], inference="map")
    model.fit(X, y, fidelity=labels)
    assert len(model.steps_.stages) == 2
    assert model.steps_.factors[0] == pytest.approx(1.5, abs=0.05)
    assert np.sqrt(np.mean((model.predict(queries) - fine(queries)) ** 2)) < 0.15
    U = model.training_data_.box.to_unit(queries)
    mean, var = moments(members(model.plain_predictor(), U))
    np.testing.assert_allclose(mean, model.predict_unit(U)[0], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(var, model.predict_unit(U)[1], rtol=1e-6)


def test_the_uncertain_factor_is_written_out(fitted, queries):
    mean, var = moments(members(fitted.plain_predictor(), queries))
    expected = fitted.predict_unit(queries)
    np.testing.assert_allclose(mean, expected[0], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(var, expected[1], rtol=1e-6)
    assert np.all(fitted.plain_predictor()["of"]["factor_vars"] > 0.0)


def test_covariances_and_samples_are_joint(fitted, queries):
    """Where all levels are processes; the diagonal is the variance."""
    assert {"file", "export", "covariance", "gradient", "samples"} == fitted.abilities
    mean, std = fitted.predict(queries[:40], return_std=True)
    joint_mean, cov = fitted.predict(queries[:40], return_cov=True)
    np.testing.assert_allclose(joint_mean, mean, rtol=1e-10)
    np.testing.assert_allclose(np.sqrt(cov.diagonal()), std, rtol=1e-8)
    assert np.linalg.eigvalsh(cov).min() > -1e-8 * cov.max()
    near = fitted.predict(queries[:1] + np.array([[0, 0], [0.01, 0]]), return_cov=True)[1]
    assert near[0, 1] > 0.9 * near[0, 0]
    draws = fitted.sample_y(queries[:3], 4000, random_state=0)
    np.testing.assert_allclose(np.cov(draws), cov[:3, :3], atol=0.1 * cov[:3, :3].max())


def test_gradients_are_those_of_mean_and_variance(fitted, queries):
    U, step = queries[:8], 1e-4
    d_mean, d_var = fitted.gradient_unit(U)
    for j in range(2):
        shift = step * np.eye(2)[j]
        high, low = fitted.predict_unit(U + shift), fitted.predict_unit(U - shift)
        np.testing.assert_allclose(d_mean[:, j], (high[0] - low[0]) / (2 * step), rtol=1e-4)
        np.testing.assert_allclose(
            d_var[:, j], (high[1] - low[1]) / (2 * step), rtol=1e-3, atol=1e-6
        )


def test_what_a_tool_cannot_do_the_model_says(fitted, queries):
    stage = fitted.steps_.stages[0]
    trend = AdditiveSums(Rows(queries, coarse(queries))).model(1e-4, 0.01)
    report = replace(stage.report_of_choice, chosen="additive")
    levels = [stage.with_tool(trend, report)]
    steps = TwoStep(fitted.training_data_, levels, [2.0], fitted.steps_.top, True)
    assert steps.abilities() == {"file"}
    for ask in (steps.covariance_unit, steps.gradient_unit):
        with pytest.raises(MastError, match="very many rows by additive splines has no"):
            ask(queries[:3])


def test_fire_of_many_rows_is_joint_too(queries):
    X, y, labels = drawn()
    model = FIRE(order=ORDER).fit(X, y, fidelity=labels)
    assert {"covariance", "gradient", "samples"} <= model.abilities
    mean, var = model.predict_unit(queries[:20])
    joint_mean, cov = model.covariance_unit(queries[:20])
    np.testing.assert_allclose(joint_mean, mean)
    np.testing.assert_allclose(cov.diagonal(), var, rtol=1e-6)
    assert np.isfinite(model.gradient_unit(queries[:20])).all()


def test_facts_name_the_tool(fitted):
    facts = fitted.facts()
    assert "of 2100 rows" in facts["model of coarse"]
    assert set(facts["noise"]) == {"coarse", "fine"}
    assert len(facts["factors"]) == 1


@pytest.mark.parametrize("kind", [CoKriging, FIRE, MAST])
def test_files_hold_the_levels(fitted, kind, tmp_path, queries):
    model = fitted
    if kind is not CoKriging:
        X, y, labels = drawn()
        model = kind(order=ORDER).fit(X, y, fidelity=labels)
    model.save(tmp_path / "model.mast")
    again = mastgp.load(tmp_path / "model.mast")
    for a, b in zip(
        again.predict(queries, return_std=True),
        model.predict(queries, return_std=True),
        strict=True,
    ):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-9)
    assert np.sqrt(np.mean((again.predict(queries) - fine(queries)) ** 2)) < 0.3


def test_exact_remains_an_option():
    X, y, labels = drawn(60)
    model = CoKriging(order=ORDER, exact=True, inference="map").fit(X, y, fidelity=labels)
    assert model.steps_ is None
    assert "gradient" in model.abilities


def test_further_rows_are_fitted_from_where_it_was(fitted, queries):
    X = np.array([[0.5, 0.5], [0.2, 0.9]])
    grown = fitted.update(X, fine(X), fidelity="fine")
    assert grown.steps_.stages[0] is fitted.steps_.stages[0]
    assert len(grown.training_data_.top.y) == 27


def test_the_factor_of_nothing_is_one():
    assert least_squares(np.ones(4), np.arange(4.0)) == 1.0


def test_nested_rows_hardly_count():
    """A cheap row at a held-out place is held out; the cheap level is not fitted again for it."""
    X, y, labels = drawn()
    X[2100:] = X[:25]
    data = Dataset.from_arrays(X, y, labels, order=ORDER)
    model = CoKriging(order=ORDER, inference="map").fit_data(data)
    rest = folds_of(data)[0].rest
    assert len(rest.fidelities[0].y) < 2100
    assert model.refit(rest).steps_.stages[0] is model.steps_.stages[0]
