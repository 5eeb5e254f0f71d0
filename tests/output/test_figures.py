from __future__ import annotations

import numpy as np
import pytest

from mastgp import MAST, DataError, FewPointsWarning, FileError
from mastgp.check.heldout import HeldOut, held_out
from mastgp.models.cokriging import CoKriging
from mastgp.models.single import expensive_alone
from mastgp.output.figures import draw, influential_inputs, plot_model, save_figure
from support import COSTS


@pytest.fixture
def model(two_fidelities):
    X, y, labels, _ = two_fidelities
    return MAST(COSTS).fit(X, y, fidelity=labels)


@pytest.fixture
def plain(two_fidelities):
    """A model in which trust plays no part."""
    X, y, labels, _ = two_fidelities
    return CoKriging(COSTS, warp=None).fit(X, y, fidelity=labels)


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
    weights = model.augmentations_[0].trust.value
    np.testing.assert_allclose(np.sort(offsets[:, 1]), np.sort(weights))
    assert [axes.get_xlabel() for axes in slices] == ["x0", "x1"]
    assert "8 fine + 30 coarse" in figure.get_suptitle()


def test_slice_shows_the_prediction(model):
    axes = axes_of(draw(model, "slices"))[0]
    x, mean = axes.lines[0].get_data()
    centre = np.median(model.training_data_.top.X, axis=0)
    Q = np.column_stack([x, np.full(len(x), centre[1])])
    np.testing.assert_allclose(mean, model.predict(Q))
    low, high = model.predict_interval(Q)
    (band,) = (c for c in axes.collections if c.get_label() == "95 % interval")
    drawn = band.get_paths()[0].vertices[:, 1]
    assert drawn.min() == pytest.approx(low.min())
    assert drawn.max() == pytest.approx(high.max())


def test_slices_show_cheap_points_as_the_model_sees_them(model, plain):
    for fitted, caption in ((model, "coarse, corrected *"), (plain, "coarse, as observed *")):
        labels = [text.get_text() for text in axes_of(draw(fitted, "slices"))[0].get_legend().texts]
        assert caption in labels
        assert "fine *" in labels


def test_parity_shows_held_out_predictions_beside_the_expensive_points_alone(plain):
    (axes,) = axes_of(draw(plain, "parity"))
    checked, alone = held_out(plain), held_out(expensive_alone(plain.training_data_))
    x, y = axes.containers[0].lines[0].get_data()
    np.testing.assert_allclose(x, checked.y)
    np.testing.assert_allclose(y, checked.mean)
    assert f"{checked.rmse:.3g}" in axes.get_title()
    assert f"without the cheap data {alone.rmse:.3g}" in axes.get_title()
    inside = int(np.sum(np.abs(checked.error) <= 1.959964 * checked.std))
    assert f"{inside} of 8 inside their 95 % interval" in axes.get_title()


def test_a_check_that_is_known_is_not_made_again(model):
    y = model.training_data_.top.y
    known = HeldOut(y, y + 0.25, np.ones(8), 8, True)
    parity, *_ = axes_of(plot_model(model, known))
    np.testing.assert_allclose(parity.containers[0].lines[0].get_ydata(), y + 0.25)


def test_models_without_trust_have_no_figure_of_it(plain):
    _, *slices = axes_of(plot_model(plain))
    assert len(slices) == 2
    with pytest.raises(DataError, match="trust weights to draw"):
        draw(plain, "trust")


def test_one_expensive_point_has_nothing_to_check_with(rng):
    X = rng.random((6, 1))
    with pytest.warns(FewPointsWarning):
        model = MAST(COSTS).fit(X, X[:, 0], fidelity=["coarse"] * 5 + ["fine"])
    (axes,) = axes_of(draw(model, "parity"))
    assert axes.texts[0].get_text() == "one expensive place:\nnothing to check with"


@pytest.mark.parametrize("kind", ["all", "parity", "slices", "trust"])
def test_kinds(model, tmp_path, kind):
    save_figure(draw(model, kind), tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("name", "start"),
    [("a.png", b"\x89PNG"), ("a.PDF", b"%PDF"), ("a.svg", b"<?xml"), ("a", b"\x89PNG")],
)
def test_formats(model, tmp_path, name, start):
    save_figure(draw(model, "trust"), tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(start)


def test_an_unknown_kind_is_refused(model):
    with pytest.raises(DataError, match="unknown kind 'magic'; choose one of 'all'"):
        draw(model, "magic")


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
