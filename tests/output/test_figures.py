from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from mastgp import MAST, AutoSurrogate, DataError, FewPointsWarning, FileError
from mastgp.check.heldout import HeldOut, held_out
from mastgp.models import SeveralTargets
from mastgp.models.cokriging import CoKriging
from mastgp.models.single import SingleFidelity, expensive_alone
from mastgp.output import figures
from mastgp.output.figures import draw, influential_inputs, plot_model, plot_slice, save_figure
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
    """The panels of a figure, without scales of colours and without the place of its legend."""
    panels = [axes for axes in figure.get_axes() if axes.get_label() != "<colorbar>"]
    return [axes for axes in panels if axes.axison or axes.texts]


def legend_of(figure):
    (legend,) = figure.legends
    return [text.get_text() for text in legend.texts]


def test_everything_on_one_page(model):
    figure = plot_model(model)
    parity, calibration, trust, contour, *slices = axes_of(figure)
    assert contour.get_title().startswith("Prediction over x0 and x1")
    assert calibration.get_xlabel() == "share that intervals promise"
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
        labels = legend_of(draw(fitted, "slices"))
        assert caption in labels
        assert "fine *" in labels
        assert "* measured near this slice, not on it;\n   paler = further away" in labels


def test_with_one_input_every_point_is_on_the_slice(rng):
    X = rng.random((20, 1))
    model = CoKriging(COSTS).fit(X, X[:, 0], fidelity=["coarse"] * 14 + ["fine"] * 6)
    labels = legend_of(draw(model, "slices"))
    assert labels == ["95 % interval", "prediction", "coarse, as observed", "fine"]


def test_a_slice_alone_has_its_own_legend(plain):
    axes = Figure().add_subplot()
    plot_slice(plain, axes, "x1")
    assert "fine *" in [text.get_text() for text in axes.get_legend().texts]
    assert axes.get_title().startswith("Prediction along x1\nat x0")


def boxes(figure):
    """Where titles, labels and legend of a figure are, in points of the page."""
    figure.draw_without_rendering()
    texts = [figure._suptitle]
    for axes in figure.axes:
        texts += [axes.title, axes.xaxis.label, axes.yaxis.label]
    inside = [axes.get_legend() for axes in figure.axes if not axes.axison and axes.get_legend()]
    shown = [text for text in texts if text.get_text()]
    return [text.get_window_extent() for text in (*shown, *figure.legends, *inside)]


@pytest.mark.parametrize("n_inputs", [1, 2, 3])
@pytest.mark.parametrize("method", [MAST, CoKriging])
def test_texts_are_whole_and_apart(rng, method, n_inputs):
    names = ["angle_of_attack_deg", "mach_number", "leading_edge_sweep_deg"][:n_inputs]
    X = pd.DataFrame(rng.random((26, n_inputs)), columns=names)
    labels = ["panel_method"] * 18 + ["expensive_cfd"] * 8
    y = pd.Series(100 * np.sin(X.sum(axis=1)), name="drag_coefficient_in_counts")
    figure = plot_model(method(order=labels[::18]).fit(X, y, fidelity=labels))
    found = boxes(figure)
    page = figure.bbox
    for i, box in enumerate(found):
        assert page.x0 <= box.x0 < box.x1 <= page.x1
        assert page.y0 <= box.y0 < box.y1 <= page.y1
        assert not any(box.overlaps(other) for other in found[i + 1 :])


def test_long_names_stay_on_the_page(rng):
    names = [
        "Reynolds number based on the mean aerodynamic chord",
        "angle of attack [deg]",
        "Mach number [-]",
        "a",
        "sweep angle of the quarter chord line [deg]",
    ]
    X = pd.DataFrame(rng.random((14, 5)), columns=names)
    y = pd.Series(X.sum(axis=1) ** 2, name="total drag coefficient of wing and body [counts]")
    figure = plot_model(SingleFidelity().fit(X, y))
    page = figure.bbox
    for box in boxes(figure):
        assert page.x0 <= box.x0 < box.x1 <= page.x1
        assert page.y0 <= box.y0 < box.y1 <= page.y1


def test_a_page_says_which_inputs_have_no_slice(rng):
    X = rng.random((20, 9))
    model = SingleFidelity().fit(X, X[:, 0])
    note = draw(model, "slices").legends[0].get_title().get_text()
    assert "The 3 inputs that change the prediction least have no slice." in " ".join(note.split())
    assert draw(model, "parity").legends == []


@pytest.mark.parametrize(("n_inputs", "grid"), [(1, (1, 3)), (2, (2, 3)), (3, (2, 3)), (6, (3, 3))])
def test_the_check_stands_beside_the_slices(rng, n_inputs, grid):
    X = rng.random((20, n_inputs))
    model = CoKriging(COSTS, warp=None, inference="map")
    model.fit(X, X.sum(axis=1), fidelity=["coarse"] * 12 + ["fine"] * 8)
    panels = axes_of(plot_model(model))
    assert len(panels) == 2 + (n_inputs > 1) + n_inputs
    assert panels[0].get_gridspec().get_geometry() == grid


@pytest.mark.parametrize(("std", "marked"), [(0.01, False), (50.0, True)])
def test_intervals_that_leave_the_panel_are_marked(model, std, marked):
    y = model.training_data_.top.y
    figure = plot_model(model, HeldOut(y, y, np.full(8, std), 8, True))
    assert ("interval goes on beyond the panel" in legend_of(figure)) is marked


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


def test_the_expensive_alone_of_a_blend_are_not_fitted_again(two_fidelities, monkeypatch):
    X, y, labels, _ = two_fidelities
    blend = AutoSurrogate(COSTS).fit(X, y, fidelity=labels)
    monkeypatch.setattr(figures, "alone_like", None)
    (axes,) = axes_of(draw(blend, "parity"))
    (alone,) = blend.validation_.rmse[blend.validation_.model == "expensive alone"]
    assert f"without the cheap data {alone:.3g}" in axes.get_title()


def test_a_model_of_the_expensive_points_is_not_compared_with_itself(two_fidelities):
    X, y, labels, _ = two_fidelities
    (axes,) = axes_of(draw(SingleFidelity(costs=COSTS).fit(X, y, fidelity=labels), "parity"))
    assert "without the cheap data" not in axes.get_title()


def test_a_check_that_is_known_is_not_made_again(model):
    y = model.training_data_.top.y
    known = HeldOut(y, y + 0.25, np.ones(8), 8, True)
    parity, *_ = axes_of(plot_model(model, known))
    np.testing.assert_allclose(parity.containers[0].lines[0].get_ydata(), y + 0.25)


def test_models_without_trust_have_no_figure_of_it(plain):
    _, _, _, *slices = axes_of(plot_model(plain))
    assert len(slices) == 2
    with pytest.raises(DataError, match="AR1 gives cheap points no trust to draw; draw its 'slic"):
        draw(plain, "trust")


def test_one_expensive_point_has_nothing_to_check_with(rng):
    X = rng.random((6, 1))
    with pytest.warns(FewPointsWarning):
        model = MAST(COSTS).fit(X, X[:, 0], fidelity=["coarse"] * 5 + ["fine"])
    (axes,) = axes_of(draw(model, "parity"))
    assert axes.texts[0].get_text() == "one expensive place:\nnothing to check with"
    (axes,) = axes_of(draw(model, "calibration"))
    assert axes.texts[0].get_text() == "one expensive place:\nnothing to check with"
    assert len(axes_of(plot_model(model))) == 3  # the check, trust, one slice


def test_calibration_is_drawn_with_what_chance_allows(plain):
    """Four points: one inside the 38 % interval, three inside the 68 % one, one far outside."""
    checked = HeldOut(np.zeros(4), np.array([0.4, 0.9, -0.9, 5.0]), np.ones(4), 4, True)
    axes = Figure().add_subplot()
    figures.plot_calibration(plain, axes, checked)
    lines = {line.get_label(): line.get_data() for line in axes.lines}
    promised, observed = lines["held-out points"]
    assert observed[np.searchsorted(promised, 0.3)] == 0.0
    assert observed[np.searchsorted(promised, 0.5)] == 0.25
    assert observed[np.searchsorted(promised, 0.8)] == 0.75
    assert observed[-1] == 1.0
    (band,) = axes.collections
    ends = band.get_paths()[0].vertices
    half = ends[np.isclose(ends[:, 0], 0.5), 1]
    # Of four points inside with even chances at most three are, but for one time in sixteen.
    assert half.max() == pytest.approx(1.0)
    assert half.min() == pytest.approx(0.0)
    assert "of 4 held-out points 1 are in their 50 %,\n3 in their 80 % and 3 in" in axes.get_title()


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
    with pytest.raises(DataError, match="unknown kind 'slice': did you mean 'slices'"):
        draw(model, "slice")


def test_one_fidelity_and_many_inputs(rng, tmp_path):
    X = rng.random((15, 9))
    model = MAST().fit(X, 3 * X[:, 4] + X[:, 2])
    assert len(influential_inputs(model)) == 6
    assert {"x2", "x4"} <= set(influential_inputs(model))
    save_figure(draw(model), tmp_path / "a.png")
    with pytest.raises(DataError, match="there are no cheap points in this model"):
        draw(model, "trust")


def test_unknown_ending(model, tmp_path):
    with pytest.raises(FileError, match="endings"):
        save_figure(draw(model, "trust"), tmp_path / "a.xyz")


@pytest.fixture(scope="module")
def three_targets():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.random((24, 2)), columns=["mach", "alpha"])
    Y = pd.DataFrame({"cl": X.mach, "cd": X.alpha**2, "cm": X.mach - X.alpha})
    method = CoKriging(COSTS, inference="map")
    return SeveralTargets(method).fit(X, Y, fidelity=["coarse"] * 16 + ["fine"] * 8)


def test_three_targets_have_a_row_each_and_one_legend(three_targets):
    figure = draw(three_targets, "all")
    assert [bool(part.legends) for part in figure.subfigs] == [False, False, False, True]
    figure.draw_without_rendering()
    heights = []
    for part, name in zip(figure.subfigs[:3], ("cl", "cd", "cm"), strict=True):
        panels = axes_of(part)
        heights.append(panels[0].get_window_extent().height)
        assert len(panels) == 4
        assert panels[0].get_xlabel() == f"observed {name}"
        assert panels[0].get_gridspec().get_geometry() == (1, 4)
    assert max(heights) < 1.05 * min(heights)


@pytest.mark.parametrize(
    ("kind", "grid"),
    [("parity", (1, 3)), ("calibration", (1, 3)), ("slices", (3, 2)), ("contour", (3, 2))],
)
def test_three_targets_side_by_side(three_targets, kind, grid):
    panels = axes_of(draw(three_targets, kind))
    assert panels[0].get_gridspec().get_geometry() == grid
    named = [axes.get_title().splitlines()[0] for axes in panels]
    assert list(dict.fromkeys(named)) == ["cl", "cd", "cm"]
