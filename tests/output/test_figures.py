from __future__ import annotations

import numpy as np
import pytest

from mastgp import MAST, DataError, FileError, MastWarning
from mastgp.check.heldout import held_out
from mastgp.output.figures import draw, influential_inputs, plot_model, save_figure
from support import COSTS


@pytest.fixture
def model(two_fidelities):
    X, y, labels, _ = two_fidelities
    return MAST(COSTS).fit(X, y, fidelity=labels)


def axes_of(figure):
    return figure.get_axes()


def test_everything_on_one_page(model):
    figure = plot_model(model)
    parity, trust, *slices = axes_of(figure)
    assert parity.get_xlabel() == "observed y"
    np.testing.assert_allclose(
        np.sort(parity.containers[0].lines[0].get_xdata()), np.sort(model.training_data_.top.y)
    )
    offsets = trust.collections[0].get_offsets()
    weights = model.augmentations_[0].trust.weight
    np.testing.assert_allclose(np.sort(offsets[:, 1]), np.sort(weights))
    assert [axes.get_xlabel() for axes in slices] == ["x0", "x1"]
    assert "8 fine + 30 coarse" in figure.get_suptitle()


def test_slice_shows_the_prediction(model):
    axes = axes_of(draw(model, "slices"))[0]
    x, mean = axes.lines[0].get_data()
    centre = np.median(model.training_data_.top.X, axis=0)
    Q = np.column_stack([x, np.full(len(x), centre[1])])
    np.testing.assert_allclose(mean, model.predict(Q))


@pytest.mark.parametrize("kind", ["all", "parity", "slices", "trust"])
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_kinds_and_formats(model, tmp_path, kind, ending):
    path = tmp_path / f"figure.{ending}"
    save_figure(draw(model, kind), path)
    assert path.stat().st_size > 1000


def test_one_fidelity_and_many_inputs(rng, tmp_path):
    X = rng.random((15, 9))
    model = MAST().fit(X, 3 * X[:, 4] + X[:, 2])
    assert len(influential_inputs(model)) == 6
    assert {"x2", "x4"} <= set(influential_inputs(model))
    save_figure(draw(model), tmp_path / "a.png")
    with pytest.raises(DataError, match="trust weights to draw"):
        draw(model, "trust")


def test_unknown_ending(model, tmp_path):
    with pytest.raises(FileError, match="endings"):
        save_figure(draw(model, "trust"), tmp_path / "a.xyz")


def test_held_out_predictions_do_not_know_the_point(two_fidelities, model):
    """Leaving a point out must equal fitting to the table without its row."""
    X, y, labels, _ = two_fidelities
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


def test_repeats_are_left_out_together(rng):
    """Two runs at each place: predicting one from the other would be no test."""
    X = np.repeat(rng.random((6, 1)), 2, axis=0)
    y = np.sin(12 * X[:, 0]) + 0.01 * rng.standard_normal(12)
    with pytest.warns(MastWarning, match="repeat the inputs"):
        checked = held_out(MAST().fit(X, y))
    assert checked.n_folds == 6
    assert checked.rmse > 0.1


def test_known_noise_of_each_point_is_used(rng):
    X = np.linspace(0, 1, 12)[:, None]
    noise = np.linspace(0.01, 2.0, 12)
    model = MAST().fit(X, X[:, 0], noise_std=noise)
    assert (held_out(model).std >= noise).all()
    assert held_out(model).std[0] < 1.0


def test_many_points_are_held_out_in_ten_folds(rng):
    X = rng.random((35, 1))
    checked = held_out(MAST().fit(X, np.sin(6 * X[:, 0])))
    assert checked.n_folds == 10
    assert checked.rmse < 0.05


def test_one_expensive_point_cannot_be_held_out(rng):
    with pytest.warns(MastWarning):
        model = MAST().fit([[1.0]], [2.0])
    with pytest.raises(DataError, match="nothing to check predictions with"):
        held_out(model)
