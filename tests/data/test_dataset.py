"""The constructors, what they have in common with a fit, and what a data set can do."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mastgp
from mastgp import MAST, DataError, Dataset
from mastgp.data.places import SAME_PLACE
from mastgp.examples import BOUNDS, FOLDER, INPUTS, TARGET
from support import COSTS

OPTIONS = {
    "costs": COSTS,
    "exponents": {"coarse": 0.7},
    "bounds": {"u": (-1.0, 2.0)},
    "noise_std": {"fine": 0.01},
}


def assert_same(one, other):
    """All that two data sets hold is the same."""
    assert one.ranking == other.ranking
    assert one.feature_names == other.feature_names
    assert one.feature_names_given == other.feature_names_given
    assert one.target_name == other.target_name
    np.testing.assert_array_equal(one.box.low, other.box.low)
    np.testing.assert_array_equal(one.box.high, other.box.high)
    for a, b in zip(one.fidelities, other.fidelities, strict=True):
        assert a.name == b.name
        for what in ("X", "y", "noise_var", "rows"):
            np.testing.assert_array_equal(getattr(a, what), getattr(b, what))


@pytest.fixture
def frame(two_fidelities):
    X, y, labels, _ = two_fidelities
    return pd.DataFrame({"source": labels, "u": X[:, 0], "v": X[:, 1], "drag": y})


@pytest.fixture
def fitted_to(frame):
    """What a model says it was fitted to."""
    model = MAST(**OPTIONS).fit(frame[["u", "v"]], frame["drag"], fidelity=frame["source"])
    assert model.target_name_ == "drag"
    return model.training_data_


def test_arrays_give_what_a_fit_holds(two_fidelities):
    X, y, labels, _ = two_fidelities
    noise = np.where(labels == "fine", 0.1, np.nan)
    model = MAST(COSTS, bounds=[(-1, 2), (0, 1)]).fit(X, y, fidelity=labels, noise_std=noise)
    data = Dataset.from_arrays(X, y, labels, noise, costs=COSTS, bounds=[(-1, 2), (0, 1)])
    assert_same(data, model.training_data_)
    assert data.feature_names == ("x0", "x1")
    assert not data.feature_names_given


def test_frames_as_arrays_give_what_a_fit_holds(frame, fitted_to):
    data = Dataset.from_arrays(frame[["u", "v"]], frame["drag"], frame["source"], **OPTIONS)
    assert_same(data, fitted_to)
    assert data.feature_names_given


def test_tables_give_what_a_fit_holds(frame):
    tables = {
        name: (part[["u", "v"]], part["drag"]) for name, part in frame.groupby("source", sort=True)
    }
    model = mastgp.fit(tables, method="ar1", costs=COSTS, bounds=OPTIONS["bounds"])
    data = Dataset.from_tables(tables, costs=COSTS, bounds=OPTIONS["bounds"])
    assert_same(data, model.training_data_)
    assert data.target_name == model.target_name_ == "drag"


def test_noise_of_tables_is_that_of_rows(frame, fitted_to):
    options = {key: value for key, value in OPTIONS.items() if key != "noise_std"}
    coarse, fine = (frame[frame["source"] == name] for name in ("coarse", "fine"))
    tables = {
        "fine": (fine[["v", "u"]], fine["drag"], 0.01),
        "coarse": (coarse[["v", "u"]], coarse["drag"]),
    }
    data = Dataset.from_tables(tables, **options)
    assert data.feature_names == ("v", "u")
    for one, other in zip(data.fidelities, fitted_to.fidelities, strict=True):
        np.testing.assert_array_equal(np.sort(one.y), np.sort(other.y))
        np.testing.assert_array_equal(one.noise_var, other.noise_var)


def test_a_frame_gives_what_a_fit_holds(frame, fitted_to):
    assert_same(Dataset.from_frame(frame, "drag", "source", **OPTIONS), fitted_to)
    more = frame.assign(case="A", e=np.where(frame.source == "fine", 0.01, np.nan))
    options = {key: value for key, value in OPTIONS.items() if key != "noise_std"}
    data = Dataset.from_frame(more, "drag", "source", ignore=["case"], noise_column="e", **options)
    assert_same(data, fitted_to)
    assert Dataset.from_frame(frame, "drag", inputs=["v"]).feature_names == ("v",)


def test_files_give_what_a_fit_holds(frame, fitted_to, tmp_path):
    frame.to_csv(tmp_path / "runs.csv", index=False)
    assert_same(Dataset.from_files([tmp_path / "runs.csv"], "drag", "source", **OPTIONS), fitted_to)
    for name, part in frame.groupby("source"):
        part.drop(columns="source").to_csv(tmp_path / f"{name}.csv", index=False)
    paths = [tmp_path / "coarse.csv", f"fine={tmp_path / 'fine.csv'}"]
    assert_same(Dataset.from_files(paths, "drag", **OPTIONS), fitted_to)


def test_the_example_from_files_with_bounds():
    files = [FOLDER / "panel.csv", FOLDER / "cfd.csv"]
    bounds = dict(zip(INPUTS, BOUNDS.tolist(), strict=True))
    data = Dataset.from_files(files, TARGET, order=["panel", "cfd"], bounds=bounds)
    assert data.feature_names == INPUTS
    np.testing.assert_array_equal(np.column_stack([data.box.low, data.box.high]), BOUNDS)


@pytest.mark.filterwarnings("ignore::mastgp.FewPointsWarning")
def test_one_fidelity_needs_no_name():
    data = Dataset.from_arrays([[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0])
    assert [f.name for f in data.fidelities] == ["data"]
    assert data.cheaper == ()
    np.testing.assert_array_equal(data.unit(data.top), [[0.0], [1 / 3], [1.0]])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "which of the fidelities 'coarse', 'fine' is the most expensive"),
        ({"costs": {"coarse": 1}}, "costs says nothing of fidelity 'fine'"),
        ({"costs": COSTS, "exponents": {"fine": 1.0}}, "only the cheaper fidelities have one"),
        ({"costs": COSTS, "noise_std": {"fine": -1.0}}, "noise_std is -1 in row 30"),
        ({"costs": COSTS, "bounds": [(0, 1), (0, 1e-6)]}, "outside the bounds .* widen"),
        ({"costs": COSTS, "bounds": {"span": (0, 1)}}, "bounds names column 'span'"),
        ({"costs": COSTS, "bounds": [(0, 1)]}, "bounds has shape"),
    ],
)
def test_options_are_checked_alike_by_all(two_fidelities, frame, tmp_path, options, words):
    X, y, labels, _ = two_fidelities
    frame.to_csv(tmp_path / "runs.csv", index=False)
    inputs = frame[["u", "v"]]
    tables = {name: (X[labels == name], y[labels == name]) for name in COSTS}
    for make, where in (
        (lambda: MAST(**options).fit(X, y, fidelity=labels), "row 30"),
        (lambda: Dataset.from_arrays(X, y, labels, **options), "row 30"),
        (lambda: Dataset.from_arrays(inputs, y, labels, **options), "row 30"),
        (lambda: Dataset.from_frame(frame, "drag", "source", **options), "row 30"),
        (lambda: Dataset.from_tables(tables, **options), "row 0"),
        (
            lambda: Dataset.from_files([tmp_path / "runs.csv"], "drag", "source", **options),
            "line 32",
        ),
    ):
        with pytest.raises(DataError, match=words.replace("row 30", where)):
            make()


def test_lengths_must_agree(two_fidelities):
    X, y, labels, _ = two_fidelities
    with pytest.raises(DataError, match="37 labels, but X has 38 rows"):
        Dataset.from_arrays(X, y, labels[1:], costs=COSTS)
    with pytest.raises(DataError, match="noise_std has 3 values, but there are 38 rows"):
        Dataset.from_arrays(X, y, labels, [1, 2, 3], costs=COSTS)


def test_warnings_are_a_fits_and_point_at_the_users_line():
    X, y = [[1.0, 7.0], [2.0, 7.0]], [3.0, 3.0]
    caught = []
    for make in (lambda: MAST().fit(X, y), lambda: Dataset.from_arrays(X, y)):
        with warnings.catch_warnings(record=True) as records:
            warnings.simplefilter("always")
            make()
        caught.append([(str(w.message), w.category, w.filename) for w in records])
    assert caught[0] == caught[1]
    assert {filename for *_, filename in caught[1]} == {__file__}
    assert [category for _, category, _ in caught[1]] == [
        mastgp.FewPointsWarning,
        mastgp.ConstantInputWarning,
        mastgp.ConstantTargetWarning,
    ]


def test_the_users_data_are_left_alone(frame):
    before = frame.copy()
    Dataset.from_frame(frame, "drag", "source", **OPTIONS)
    pd.testing.assert_frame_equal(frame, before)


def test_it_says_what_it_holds(frame):
    data = Dataset.from_frame(frame, "drag", "source", costs=COSTS)
    assert repr(data) == "<Dataset: coarse 30 + fine 8 points, 2 inputs, target 'drag'>"
    with pytest.warns(mastgp.MastWarning):
        assert repr(Dataset.from_arrays([[1.0]], [2.0])) == "<Dataset: data 1 point, 1 input>"


def test_it_can_be_pickled(frame):
    data = Dataset.from_frame(frame, "drag", "source", **OPTIONS)
    assert_same(pickle.loads(pickle.dumps(data)), data)


def table(seed, n=14, d=3):
    """Rows of two fidelities, some at one place."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (n, d))
    X[1], X[-1] = X[0], X[-2]
    labels = np.array(["coarse"] * (n - 5) + ["fine"] * 5)
    return rng, X, rng.standard_normal(n), labels


many = settings(max_examples=30, deadline=None)
#: Random tables have oddities of their own.
ignore_repeats = pytest.mark.filterwarnings("ignore::mastgp.MastWarning")


@ignore_repeats
@many
@given(seed=st.integers(0, 2**31))
def test_the_order_of_the_rows_does_not_matter(seed):
    rng, X, y, labels = table(seed)
    noise = np.where(labels == "fine", rng.random(len(y)), np.nan)
    data = Dataset.from_arrays(X, y, labels, noise, costs=COSTS)
    mixed = rng.permutation(len(y))
    again = Dataset.from_arrays(X[mixed], y[mixed], labels[mixed], noise[mixed], costs=COSTS)
    for one, other in zip(data.fidelities, again.fidelities, strict=True):
        for what in ("X", "y", "noise_var"):
            np.testing.assert_array_equal(getattr(one, what), getattr(other, what))
        np.testing.assert_array_equal(y[mixed][other.rows], other.y)
        np.testing.assert_array_equal(data.places(one), again.places(other))


@ignore_repeats
@many
@given(
    seed=st.integers(0, 2**31),
    names=st.lists(st.text("abc", min_size=1), min_size=2, max_size=2, unique=True),
)
def test_names_are_but_names(seed, names):
    _, X, y, labels = table(seed)
    new = dict(zip(("coarse", "fine"), names, strict=True))
    data = Dataset.from_arrays(X, y, labels, costs=COSTS)
    costs = {new[name]: cost for name, cost in COSTS.items()}
    renamed = Dataset.from_arrays(X, y, [new[label] for label in labels], costs=costs)
    for one, other in zip(data.fidelities, renamed.fidelities, strict=True):
        assert other.name == new[one.name]
        np.testing.assert_array_equal(one.rows, other.rows)
        np.testing.assert_array_equal(one.y, other.y)
    assert list(data.ranking.exponents.values()) == list(renamed.ranking.exponents.values())


@ignore_repeats
@many
@given(
    seed=st.integers(0, 2**31),
    scale=st.floats(1e-6, 1e6),
    shift=st.floats(-100.0, 100.0),
)
def test_units_of_the_inputs_do_not_matter(seed, scale, shift):
    _, X, y, labels = table(seed)
    data = Dataset.from_arrays(X, y, labels, costs=COSTS)
    scaled = Dataset.from_arrays(scale * (X + shift), y, labels, costs=COSTS)
    for one, other in zip(data.fidelities, scaled.fidelities, strict=True):
        np.testing.assert_array_equal(data.places(one), scaled.places(other))
        np.testing.assert_allclose(data.unit(one), scaled.unit(other), rtol=0, atol=1e-12)


def at_odds(two_fidelities):
    """Data whose first expensive row is also a cheap row, exactly, and another nearly."""
    X, y, labels, _ = two_fidelities
    X = np.vstack([X, X[30], X[30] + 0.5 * SAME_PLACE])
    data = Dataset.from_arrays(
        X, np.append(y, [7.0, 7.0]), np.append(labels, ["coarse"] * 2), costs=COSTS,
        bounds=[(-0.1, 1.1)] * 2,
    )  # fmt: skip
    return data, int(np.flatnonzero(data.top.rows == 30)[0])


def test_cheap_rows_at_held_out_places_are_held_out(two_fidelities):
    data, row = at_odds(two_fidelities)
    cheap, top = data.at_places_of(np.array([row]))
    assert sorted(data.fidelities[0].rows[cheap]) == [38, 39]
    assert np.flatnonzero(top).tolist() == [row]
    rest = data.without((cheap, top))
    assert rest.n_points == data.n_points - 3
    np.testing.assert_array_equal(rest.box.high, data.box.high)


def test_fidelities_that_lose_nothing_stay_the_same_objects(two_fidelities):
    data, row = at_odds(two_fidelities)
    _, top = data.at_places_of(np.array([row]))
    rest = data.without((np.zeros(32, dtype=bool), top))
    assert rest.fidelities[0] is data.fidelities[0]
    assert len(rest.top.y) == 7


@pytest.mark.filterwarnings("ignore::mastgp.FewPointsWarning")
def test_a_fidelity_is_never_held_out_as_a_whole():
    X = np.array([[0.0], [0.0], [1.0], [2.0]])
    with pytest.warns(mastgp.CostWarning):
        data = Dataset.from_arrays(X, np.arange(4.0), ["coarse"] + ["fine"] * 3, costs=COSTS)
    cheap, top = data.at_places_of(np.arange(3))
    assert not cheap.any()
    assert top.all()


def test_some_fidelities_and_always_the_top(two_fidelities):
    X, y, labels, _ = two_fidelities
    labels = np.where(np.arange(38) < 15, "draft", labels)
    data = Dataset.from_arrays(X, y, labels, order=["draft", "coarse", "fine"])
    assert [f.name for f in data.only(lambda f: f.name == "draft").fidelities] == ["draft", "fine"]
    assert [f.name for f in data.only(lambda f: False).fidelities] == ["fine"]


def test_scales_of_few_values_are_those_of_all(two_fidelities):
    X, y, labels, _ = two_fidelities
    data = Dataset.from_arrays(X, y, labels, costs=COSTS)
    assert data.scale_of(np.array([1.0, 9.0])) == data.y_scale
    assert data.scale_of(np.full(9, 3.0)) == data.y_scale
    assert data.scale_of(np.array([1.0, 9.0, 20.0])) != data.y_scale


def test_names_of_inputs_and_target_stay_with_parts(frame):
    data = Dataset.from_frame(frame, "drag", "source", costs=COSTS)
    part = replace(data.only(lambda f: False), fidelities=(data.top,))
    assert (part.target_name, part.feature_names_given) == ("drag", True)
