"""Rows that enter a fitted model: the same as conditioning, for every method; files hold it."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest

import mastgp
from mastgp import DataError
from mastgp.gp import GaussianProcess
from mastgp.models import FIRE, MAST, CoKriging, SingleFidelity, TransformedResponse
from mastgp.models.continuing import JointProcess, Predictor

pytestmark = pytest.mark.filterwarnings("ignore::mastgp.RefitWarning")
COSTS = {"coarse": 1.0, "fine": 10.0}
Q = np.random.default_rng(0).random((9, 2))
NEW = np.array([[0.3, 0.4], [0.6, 0.1], [0.9, 0.8]])
LABELS = ["fine", "coarse", "fine"]


def truth(X):
    return np.sin(5 * X[:, 0]) + X[:, 1] ** 2 + 2.0


def new_values():
    return truth(NEW) + np.array([0.0, 0.3, 0.0])


@pytest.fixture(scope="module")
def rows():
    X = np.random.default_rng(2026).random((38, 2))
    labels = np.array(["coarse"] * 30 + ["fine"] * 8)
    return X, truth(X) + np.where(labels == "coarse", 0.5 * X[:, 0], 0.0), labels


def test_co_kriging_is_conditioned(rows):
    model = CoKriging(costs=COSTS, inference="map").fit(*rows)
    grown = model.update(NEW, new_values(), LABELS)
    process = grown.process_
    anew = GaussianProcess(
        process.model, model.process_.parameters, process._data, process.y_mean, process.y_scale
    )
    mean, var = anew.predict(model.training_data_.box.to_unit(Q), 1)
    found = grown.predict(Q, return_std=True)
    np.testing.assert_allclose(found[0], mean, atol=1e-8)
    np.testing.assert_allclose(found[1] ** 2, var, atol=1e-8)
    assert grown.training_data_.n_points == 41
    assert model.training_data_.n_points == 38


@pytest.mark.parametrize(
    "estimator",
    [
        CoKriging(costs=COSTS, n_draws=4),
        CoKriging(costs=COSTS, structure="top-only", n_draws=4),
        SingleFidelity(costs=COSTS),
        TransformedResponse(CoKriging(costs=COSTS, n_draws=3)),
        MAST(costs=COSTS),
        FIRE(costs=COSTS),
    ],
    ids=lambda estimator: estimator.label,
)
def test_every_method_learns_the_new_rows_and_stays_what_it_was(rows, estimator, tmp_path):
    model = estimator.fit(*rows)
    before = model.predict(Q)
    grown = model.update(NEW, new_values(), LABELS)
    np.testing.assert_array_equal(model.predict(Q), before)
    error = np.abs(grown.predict(NEW[::2]) - truth(NEW[::2]))
    assert (error <= np.abs(model.predict(NEW[::2]) - truth(NEW[::2])) + 0.02).all()
    grown.save(tmp_path / "grown.mast")
    again = mastgp.load(tmp_path / "grown.mast")
    np.testing.assert_allclose(again.predict(Q), grown.predict(Q), atol=1e-8)
    assert again.noise_var_ == pytest.approx(grown.noise_var_)
    assert len(again.training_data_.top.y) == 10


def test_held_out_predictions_of_a_grown_model_are_of_its_rows(rows):
    """Rows that were added are the process's last; each is still predicted as itself."""
    model = CoKriging(costs=COSTS, inference="map").fit(*rows)
    grown = model.update(NEW, new_values(), LABELS)
    folds = [np.array([i]) for i in range(10)]
    left_out = grown.leave_out(folds)
    without_last = model.update(NEW[:2], new_values()[:2], LABELS[:2])
    mean, std = without_last.predict(NEW[2:], return_std=True, include_noise=True)
    assert left_out.mean[-1] == pytest.approx(mean[0], abs=1e-6)
    assert left_out.variance[-1] == pytest.approx(std[0] ** 2, rel=1e-4)
    assert set(grown.facts()["noise"]) == {"coarse", "fine"}


def test_the_order_of_updates_does_not_matter(rows):
    model = CoKriging(costs=COSTS, n_draws=4).fit(*rows)
    one = model.update(NEW, new_values(), LABELS)
    two = model
    for i in (2, 0, 1):
        two = two.update(NEW[i : i + 1], new_values()[i : i + 1], LABELS[i])
    np.testing.assert_allclose(one.predict(Q), two.predict(Q), atol=1e-7)
    np.testing.assert_allclose(one.posterior_.weights, two.posterior_.weights, atol=1e-6)


def test_no_rows_change_nothing(rows):
    model = SingleFidelity(costs=COSTS).fit(*rows)
    assert model.update(np.empty((0, 2)), [], []) is model


def test_frames_categories_and_wrong_rows(rng):
    frame = pd.DataFrame({"a": np.linspace(0, 1, 12), "kind": ["p", "q"] * 6})
    model = SingleFidelity().fit(frame, frame.a.to_numpy(), categorical=["kind"])
    grown = model.update(frame.iloc[:1].assign(a=0.25), [0.25])
    assert grown.training_data_.top.y[-1] == 0.25
    with pytest.raises(DataError, match="level"):
        model.update(pd.DataFrame({"a": [0.1], "kind": ["r"]}), [0.1])
    log = TransformedResponse(SingleFidelity()).fit(
        rng.random((6, 1)), [1.0, 2.0, 3.0, 2.0, 4.0, 3.0]
    )
    with pytest.raises(DataError, match="positive values"):
        log.update([[0.2]], [-1.0])


def test_parts_say_what_a_model_is_made_of(rows):
    drawn = CoKriging(costs=COSTS, n_draws=4).fit(*rows)
    assert sum(part.share for part in drawn.parts()) == pytest.approx(1.0)
    assert all(part.fidelities == ("coarse", "fine") for part in drawn.parts())
    log = TransformedResponse(CoKriging(costs=COSTS, inference="map")).fit(*rows)
    (part,) = log.parts()
    assert isinstance(part, JointProcess)
    assert part.response is not None
    mast = MAST(costs=COSTS).fit(*rows)
    assert mast.parts() == [Predictor(1.0, mast)]


def test_one_row_into_two_thousand_is_quick():
    rng = np.random.default_rng(0)
    X = rng.random((2000, 4))
    y = truth(X)
    small = SingleFidelity().fit(X[:60], y[:60])
    first, rest = small.process_, slice(60, None)
    from mastgp.gp.extension import extended

    small.process_ = extended(first, small.training_data_.box.to_unit(X[rest]), y[rest])
    seconds = []
    for _ in range(3):
        started = time.process_time()
        small.update(X[:1] + 0.01, y[:1])
        seconds.append(time.process_time() - started)
    assert min(seconds) < 0.2, "0.03 s on a quiet core"
