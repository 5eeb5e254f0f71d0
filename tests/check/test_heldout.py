from __future__ import annotations

import numpy as np
import pytest

import mastgp
from mastgp import MAST, Dataset
from mastgp.check.heldout import HeldOut, check_table, held_out
from mastgp.gp import GaussianProcess
from mastgp.gp.distributions import Mixture, Normal
from mastgp.models.calibration import widening
from mastgp.models.cokriging import CoKriging
from mastgp.models.fire import FIRE
from mastgp.models.folds import folds_of
from mastgp.models.single import SingleFidelity
from mastgp.progress import listening
from support import COSTS, pair, truth


def test_held_out_predictions_do_not_know_the_point(two_fidelities):
    """Leaving a point out must equal fitting to the table without its row."""
    X, y, labels, _ = two_fidelities
    model = MAST(COSTS).fit(X, y, fidelity=labels)
    checked = held_out(model)
    bounds = np.column_stack([X.min(axis=0), X.max(axis=0)])
    row = int(model.training_data_.top.rows[0])
    rest = np.arange(len(y)) != row
    alone = MAST(COSTS, bounds=bounds).fit(X[rest], y[rest], fidelity=labels[rest])
    mean, std = alone.predict(X[row : row + 1], return_std=True, include_noise=True)
    # Searches start where that of all the data ended: the same optimum, not the same bits.
    assert checked.mean[0] == pytest.approx(mean[0], rel=1e-3)
    assert checked.std[0] == pytest.approx(std[0], rel=1e-2)
    assert checked.n_folds == 8
    assert checked.rmse == pytest.approx(np.sqrt(np.mean((checked.mean - checked.y) ** 2)))


def test_known_noise_of_each_point_is_used(rng):
    X = np.linspace(0, 1, 12)[:, None]
    noise = np.linspace(0.01, 2.0, 12)
    model = MAST().fit(X, X[:, 0], noise_std=noise)
    assert (held_out(model).std >= noise).all()
    assert held_out(model).std[0] < 1.0


def test_many_points_are_predicted_from_the_nine_tenths_left(rng):
    X = rng.random((35, 1))
    checked = held_out(MAST().fit(X, np.sin(6 * X[:, 0])))
    assert checked.n_folds == 10
    assert not checked.one_at_a_time
    assert checked.rmse < 0.05


def change_by_a_cheap_row(model, rng):
    """How the prediction of a held-out point changes with what a cheap row at its place says."""
    L, H = rng.random((20, 2)), rng.random((6, 2))
    X, labels = np.concatenate([L, H[:1], H]), ["coarse"] * 21 + ["fine"] * 6
    predicted = []
    for told in (0.0, 1.5):
        y = np.concatenate([truth(L), [told], truth(H)])
        fitted = model.fit(X, y, fidelity=labels)
        data = fitted.training_data_
        row = int(np.flatnonzero(data.top.rows == 21)[0])
        (fold,) = (fold for fold in folds_of(data) if row in fold.rows)
        assert len(fold.rest.fidelities[0].y) == 20
        predicted.append(held_out(fitted).mean[row])
    return abs(predicted[0] - predicted[1])


@pytest.mark.parametrize("model", [MAST(COSTS), FIRE(COSTS)], ids=["mast", "fire"])
def test_cheap_rows_at_held_out_places_give_nothing_away(model, rng):
    """Whatever they say, the prediction of the held-out point is the same."""
    assert change_by_a_cheap_row(model, rng) < 0.02


def test_cheap_rows_at_held_out_places_give_nothing_away_to_draws():
    """The same but for the chance of the draws, hence the median of five data sets."""
    model = CoKriging(COSTS, n_draws=400)
    changes = [change_by_a_cheap_row(model, np.random.default_rng(seed)) for seed in range(5)]
    assert np.median(changes) < 0.02


def test_closed_form_of_a_nested_design(rng):
    """The block formula is what conditioning on the other rows gives, hyperparameters kept."""
    L = rng.random((15, 2))
    H = L[:5]
    y = np.concatenate([truth(L) + 0.3, truth(H)])
    labels = ["coarse"] * 15 + ["fine"] * 5
    model = CoKriging(COSTS, warp=None, inference="map").fit(
        np.concatenate([L, H]), y, fidelity=labels
    )
    checked = held_out(model, quick=True)
    data, process = model.training_data_, model.process_
    for row in range(5):
        rest = data.without(data.at_places_of(np.array([row])))
        assert rest.n_points == 18
        state = process.get_state()
        keep = ~np.concatenate(data.at_places_of(np.array([row])))
        part = {k: state[k][keep] for k in ("X", "y", "groups")}
        again = GaussianProcess.from_state(process.model, {**state, **part})
        mean, var = again.predict(data.unit(data.top)[[row]], 1)
        assert checked.mean[row] == pytest.approx(mean[0], rel=1e-6)
        assert checked.std[row] ** 2 == pytest.approx(var[0] + model.noise_var_, rel=1e-6)


def test_quick_is_for_models_that_have_a_closed_form(rng):
    X = rng.random((8, 1))
    model = SingleFidelity().fit(X, np.sin(5 * X[:, 0]))
    slow, quick = held_out(model), held_out(model, quick=True)
    np.testing.assert_array_equal(slow.mean, quick.mean)


def test_a_fidelity_is_never_held_out_as_a_whole(rng):
    X = rng.random((8, 2))
    X[0] = X[1]
    labels = ["coarse"] + ["fine"] * 7
    with pytest.warns(mastgp.CostWarning):
        model = CoKriging(COSTS).fit(X, truth(X), fidelity=labels)
    data = model.training_data_
    masks = data.at_places_of(np.arange(7))
    assert not masks[0].any()
    assert masks[1].all()


def test_a_check_that_was_made_while_fitting_is_not_made_again(rng):
    X = rng.random((8, 1))
    model = SingleFidelity().fit(X, X[:, 0])
    known = held_out(model)
    model.held_out_ = known
    assert held_out(model) is known
    assert held_out(model, folds_of(model.training_data_)) is not known


def test_scores_are_those_of_normal_predictions_unless_told_otherwise(rng):
    y, mean = rng.normal(size=(2, 9))
    std = rng.uniform(0.5, 2.0, 9)
    checked = HeldOut(y, mean, std, 9, True)
    normal = Normal(mean, std**2)
    assert checked.nlpd == pytest.approx(-normal.log_density(y).mean())
    assert checked.coverage95 == np.mean(np.abs(y - mean) <= 1.959964 * std)
    np.testing.assert_array_equal(checked.error, mean - y)


@pytest.mark.filterwarnings("ignore::mastgp.FewPointsWarning")
def test_scores_of_a_mixture_are_its_own():
    """Nothing is between two narrow humps, which no normal distribution could say."""
    humps = Mixture(np.array([0.5, 0.5]), np.array([[-1.0] * 2, [1.0] * 2]), np.full((2, 2), 1e-2))
    y = np.array([0.0, 1.0])
    data = Dataset.from_arrays([[0.0], [1.0]], y)
    checked = HeldOut.of(data, humps, [None, None])
    np.testing.assert_allclose(checked.mean, 0.0, atol=1e-15)
    np.testing.assert_allclose(checked.std, np.sqrt(1.01))
    assert checked.nlpd == pytest.approx(-humps.log_density(y).mean())
    assert checked.nlpd > 20.0
    np.testing.assert_allclose(checked.probability, humps.cdf(y))
    assert checked.one_at_a_time
    assert not HeldOut.of(data, humps, [None]).one_at_a_time


def test_a_table_has_a_row_for_every_model_that_was_checked():
    checked = HeldOut(np.zeros(2), np.array([0.3, -0.4]), np.ones(2), 2, True)
    table = check_table({"a": checked, "b": None})
    assert list(table.columns) == ["model", "rmse", "nlpd", "crps", "coverage95"]
    assert list(table.model) == ["a"]
    assert table.rmse[0] == pytest.approx(np.sqrt(0.125))
    assert check_table({"b": None}).empty


def test_progress_is_told(rng):
    X = rng.random((5, 1))
    model = SingleFidelity().fit(X, X[:, 0])
    told = []
    with listening(lambda *report: told.append(report)):
        held_out(model)
    steps = [report for report in told if report[0] == "checking on held-out points"]
    assert steps == [("checking on held-out points", done, 5) for done in range(6)]


def test_a_calibrated_model_is_checked_with_widths_from_other_folds(rng):
    X, y, labels = pair(rng, lambda X: np.sin(9 * X[:, 0]), n_cheap=20, n_dear=8)
    plain = MAST(COSTS).fit(X, y, fidelity=labels)
    calibrated = MAST(COSTS, calibrate=True).fit(X, y, fidelity=labels)
    before, after = held_out(plain), held_out(calibrated)
    np.testing.assert_array_equal(after.mean, before.mean)
    z = before.error / before.std
    expected = [widening(np.delete(z, i)) for i in range(8)]
    np.testing.assert_allclose(after.std / before.std, expected)
    assert max(expected) > 1.1
    np.testing.assert_array_equal(held_out(calibrated, quick=True).std, after.std)


def test_coverage_of_any_interval():
    checked = HeldOut(np.array([0.0, 0.0]), np.array([0.5, 1.5]), np.ones(2), 2, True)
    assert checked.coverage(0.5) == 0.5
    assert checked.coverage(0.1) == 0.0
    assert checked.coverage(0.95) == checked.coverage95 == 1.0
