"""Categorical inputs in every method of ours, from the data to the file."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mastgp
from mastgp import DataError, FitWarning, load
from mastgp.data.dataset import Dataset
from mastgp.errors import CategoriesWarning
from mastgp.methods import METHODS
from mastgp.models import CoKriging, SingleFidelity
from mixed import CATEGORICAL, COSTS, inputs, mixed_dataset, queries, response, tables

OURS = ["mast", "hf-only", "lf-only", "ar1", "ar1-map", "shared-bias", "recursive", "fire"]
OURS += ["reification", "miso"]


def error(model, at):
    truth = response(at)
    return np.sqrt(np.mean((model.predict(at) - truth) ** 2)) / truth.std()


@pytest.mark.parametrize("name", OURS)
def test_every_method_of_ours_models_levels(name, tmp_path):
    model = mastgp.fit(tables(), COSTS, method=name, categorical=CATEGORICAL)
    at = queries()
    limit = 0.9 if name in ("lf-only", "reification", "miso") else 0.35
    assert error(model, at) < limit
    mean, std = model.predict(at, return_std=True)
    model.save(tmp_path / "m.mast")
    again = load(tmp_path / "m.mast")
    np.testing.assert_array_equal(again.predict(at, return_std=True), [mean, std])
    assert again.training_data_.categories == model.training_data_.categories


@pytest.mark.parametrize("name", ["mast", "ar1-map", "fire", "recursive"])
def test_renaming_levels_changes_nothing(name):
    """Levels in another order have other codes, and the same predictions."""
    renamed = {"al": "z", "steel": "m", "ti": "a"}

    def rename(frame):
        return frame.assign(material=frame["material"].map(renamed))

    given = tables()
    others = {name: (rename(X), y) for name, (X, y) in given.items()}
    one, other = (
        mastgp.fit(data, COSTS, method=name, categorical=CATEGORICAL) for data in (given, others)
    )
    at = queries()
    np.testing.assert_allclose(one.predict(at), other.predict(rename(at)), atol=0.03)


def test_auto_tries_levels_that_are_all_alike():
    data = mixed_dataset(n_low=15, n_high=6)
    model = mastgp.AutoSurrogate().fit_data(data)
    assert "general, warped, exchangeable" in model.weights_
    assert error(model, queries()) < 0.8
    assert model.predict_gradient(queries(3))[0].shape == (3, 3)


@pytest.mark.parametrize("name", ["ar1", "mast", "hf-only"])
def test_a_level_that_only_the_cheap_data_have_is_less_certain(name):
    data = mixed_dataset(n_high=16, materials=("al", "steel"))
    assert data.categories[0].levels == ("al", "steel", "ti")
    model = mastgp.fit(data, method=name)
    at = queries().assign(coated="no")
    known, new = (
        model.predict(at.assign(material=m), return_std=True)[1].mean() for m in ("al", "ti")
    )
    assert new > 1.5 * known


def test_a_level_that_only_the_expensive_data_have_is_less_certain():
    rng = np.random.default_rng(0)
    low, high = inputs(rng, 36, ("al", "steel")), inputs(rng, 17)
    high = high[(high["material"] != "ti") | (np.arange(17) < 6)]
    data = {"low": (low, response(low, 0.5)), "high": (high, response(high))}
    model = mastgp.fit(data, COSTS, method="ar1", categorical=CATEGORICAL)
    at = queries().assign(coated="no")
    known, new = (
        model.predict(at.assign(material=m), return_std=True)[1].mean() for m in ("al", "ti")
    )
    assert new > 1.5 * known


@pytest.mark.parametrize("kernel", ["latent", "exchangeable"])
def test_data_without_noise_are_interpolated(kernel):
    data = Dataset.from_tables(
        tables(), costs=COSTS, categorical=CATEGORICAL, noise_std={"low": 0.0, "high": 0.0}
    )
    X, y = tables()["high"]
    for model in (CoKriging(categories=kernel, inference="map"), SingleFidelity()):
        residual = model.fit_data(data).predict(X) - y
        assert np.abs(residual).max() < 1e-6


def cooling(X, gain):
    """Energy of a cooled room: five numbers of any size, and two switches."""
    width, setpoint, shade, *gaps, blinds, fan = X.T
    sun = 900.0 * (1.0 - 0.3 * blinds) * (12.0 - width) ** 1.2 * (1.0 + 0.1 * np.sin(9.0 * shade))
    return 2e4 + gain * sun - 800.0 * (setpoint - 24.0) * (1.0 + fan) + 30.0 * gaps[0] * gaps[1]


@pytest.mark.parametrize("name", ["ar1", "mast", "hf-only", "fire", "recursive", "auto"])
def test_a_nested_design_with_switches_is_interpolated(name):
    """The case in which SMT's mixed MFK misses its own training points (SMT, issue 817).

    Every expensive run is at the place of a cheap one, there are two switches, and many runs lie
    in a corner. Values are in the ten thousands.
    """
    rng = np.random.default_rng(817)
    numbers = rng.uniform([6.5, 24.0, 0.2, 2.0, 2.0], [12.0, 26.0, 0.7, 6.0, 6.0], (26, 5))
    numbers[22:, [1, 3, 4]] = [26.0, 6.0, 6.0]
    low = np.column_stack([numbers, rng.integers(0, 2, (26, 2))])
    high = low[8:]
    tables = {"low": (low, cooling(low, 0.9)), "high": (high, cooling(high, 1.0) - 900.0)}
    exact = {"low": 0.0, "high": 0.0}
    data = Dataset.from_tables(tables, costs=COSTS, noise_std=exact, categorical=[5, 6])
    found = mastgp.fit(data, method=name).predict(high)
    np.testing.assert_allclose(found, tables["high"][1], rtol=1e-6)


def test_gradients_are_by_numbers_only():
    model = mastgp.fit(tables(), COSTS, method="ar1-map", categorical=CATEGORICAL)
    at, step = queries(4), 1e-5
    d_mean, d_var = model.predict_gradient(at)
    up, down = (model.predict(at.assign(speed=at["speed"] + s)) for s in (step, -step))
    np.testing.assert_allclose(d_mean[:, 0], (up - down) / (2 * step), rtol=1e-4, atol=1e-6)
    assert not d_mean[:, 1:].any()
    assert not d_var[:, 1:].any()


def test_models_are_checked_on_held_out_points():
    model = mastgp.fit(tables(n_high=9), COSTS, categorical=CATEGORICAL)
    assert np.isfinite(mastgp.validate(model)["rmse"]).all()


def test_points_are_shown_with_their_labels():
    table = mastgp.fit(tables(), COSTS, method="mast", categorical=CATEGORICAL).augmented_
    assert set(table["material"]) == {"al", "steel", "ti"}


def test_samples_and_covariances():
    model = mastgp.fit(tables(), COSTS, method="ar1-map", categorical=CATEGORICAL)
    at = queries(5)
    _, cov = model.predict(at, return_cov=True)
    np.testing.assert_allclose(np.sqrt(cov.diagonal()), model.predict(at, return_std=True)[1])
    assert model.sample_y(at, 3, random_state=0).shape == (5, 3)


@pytest.mark.parametrize("name", [*OURS, "auto"])
def test_numbers_are_the_same_to_the_last_bit_however_they_are_given(name):
    """An array, a table with named columns, and a table with numbers that are written as text."""
    rng = np.random.default_rng(5)
    X = {fidelity: rng.random((n, 2)) for fidelity, n in (("low", 14), ("high", 6))}
    y = {fidelity: np.sin(4 * at[:, 0]) + at[:, 1] for fidelity, at in X.items()}
    frames = {fidelity: pd.DataFrame(at, columns=["a", "b"]) for fidelity, at in X.items()}
    texts = {fidelity: frame.astype({"b": str}) for fidelity, frame in frames.items()}
    at = rng.random((5, 2))
    asked = pd.DataFrame(at, columns=["a", "b"])
    bits = [
        mastgp.fit({f: (given[f], y[f]) for f in given}, COSTS, method=name, **options).predict(
            query, return_std=True
        )
        for given, query, options in (
            (X, at, {}),
            (frames, asked, {}),
            (texts, asked, {"numeric": ["b"]}),
        )
    ]
    np.testing.assert_array_equal(bits[1], bits[0])
    np.testing.assert_array_equal(bits[2], bits[0])


def test_text_needs_no_option_and_is_noted():
    with pytest.warns(CategoriesWarning, match="'material'"):
        model = mastgp.fit(tables(), COSTS, method="hf-only")
    assert [c.name for c in model.training_data_.categories] == CATEGORICAL


def test_a_data_set_knows_its_categories_already():
    with pytest.raises(DataError, match="has its 'categorical' already"):
        mastgp.fit(mixed_dataset(), categorical=["material"])


def test_methods_without_categories_say_so():
    pytest.importorskip("smt")
    with pytest.warns(FitWarning, match="MFK has no categorical inputs: the levels of 'material'"):
        METHODS["mfk"].build(costs=COSTS, random_state=0).fit_data(mixed_dataset())
