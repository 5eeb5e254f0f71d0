from __future__ import annotations

import numpy as np
import pytest

import mastgp
from mastgp import DataError, FileError, MastError, MissingExtraError
from mastgp.methods import METHODS, Method, method, method_names, register, stored_class
from mastgp.models.cokriging import CoKriging
from mastgp.models.estimator import MultiFidelityRegressor
from mastgp.models.mast import MAST
from mastgp.storage.model_file import check_can_be_saved
from support import COSTS


class Toy(MultiFidelityRegressor):
    """A method of the user's own: the mean of the expensive points, and their variance."""

    def __init__(
        self, costs=None, order=None, shift=0.0, bounds=None, noise_std=None, random_state=None
    ) -> None:
        self.costs = costs
        self.order = order
        self.shift = shift
        self.bounds = bounds
        self.noise_std = noise_std
        self.random_state = random_state

    noise_var_ = 0.0

    def fit_unit(self, data, known):
        self.mean_, self.var_ = data.top.y.mean() + self.shift, data.top.y.var()

    def predict_unit(self, U):
        return np.full(len(U), self.mean_), np.full(len(U), self.var_)

    def get_state(self):
        return {"mean": self.mean_, "var": self.var_}

    def set_state(self, state):
        self.mean_, self.var_ = state["mean"], state["var"]


@pytest.fixture
def toy():
    """The toy method, registered as long as a test runs."""
    entry = Method("toy", f"{__name__}:Toy", "predicts the mean", options={"shift": 2.0})
    register(entry)
    yield entry
    del METHODS["toy"]


@pytest.fixture
def tables(two_fidelities):
    X, y, labels, _ = two_fidelities
    return {name: (X[labels == name], y[labels == name]) for name in COSTS}


def test_a_method_of_the_users_own_is_one_like_all_others(toy, tables, tmp_path):
    assert list(METHODS)[-1] == "toy"
    assert method("toy") is toy
    assert toy.ready
    model = mastgp.fit(tables, costs=COSTS, method="toy")
    assert type(model) is Toy
    expected = tables["fine"][1].mean() + 2.0
    assert model.predict([[0.5, 0.5]])[0] == pytest.approx(expected)
    assert mastgp.fit(tables, costs=COSTS, method="toy", shift=5.0).shift == 5.0
    model.save(tmp_path / "toy.mast")
    again = mastgp.load(tmp_path / "toy.mast")
    assert type(again) is Toy
    np.testing.assert_array_equal(
        again.predict([[0.5, 0.5]], return_std=True), model.predict([[0.5, 0.5]], return_std=True)
    )
    assert list(mastgp.validate(model).model) == ["Toy", "expensive alone"]


def test_it_can_take_part_in_a_blend(toy, tables):
    model = mastgp.fit(tables, costs=COSTS, method="auto", add=["toy"])
    assert "toy" in model.weights_


def test_a_name_is_taken_once(toy):
    with pytest.raises(DataError, match="there is a method 'toy' already; choose another name"):
        register(toy)
    with pytest.raises(DataError, match="there is a method 'mast' already"):
        register(Method("mast", f"{__name__}:Toy", "another"))
    assert METHODS["mast"].load_class() is MAST


def test_a_file_of_a_method_that_is_not_registered_is_refused(toy, tables, tmp_path):
    mastgp.fit(tables, costs=COSTS, method="toy").save(tmp_path / "toy.mast")
    del METHODS["toy"]
    try:
        with pytest.raises(mastgp.ModelFileError, match="'Toy', unknown to this version"):
            mastgp.load(tmp_path / "toy.mast")
    finally:
        METHODS["toy"] = toy


def test_a_method_for_python_only_has_no_files(tables):
    register(Method("toy", f"{__name__}:Toy", "predicts the mean", python_only=True))
    try:
        model = mastgp.fit(tables, costs=COSTS, method="toy")
        with pytest.raises(MastError, match="cannot be written to a file"):
            check_can_be_saved(model)
    finally:
        del METHODS["toy"]


@pytest.mark.parametrize("name", [name for name in METHODS if METHODS[name].installed])
def test_what_is_for_python_only_is_what_has_no_file_format(name):
    """The registry repeats the estimator's ability, so that commands need not import it."""
    assert METHODS[name].python_only == ("file" not in METHODS[name].build().abilities)


def test_options_of_a_method_can_be_replaced():
    calibrated = METHODS["auto-calibrated"]
    assert calibrated.build(costs=COSTS).calibrate
    assert calibrated.build(costs=COSTS).costs == COSTS
    assert not calibrated.build(calibrate=False).calibrate
    assert calibrated.options == {"calibrate": True}


def test_a_class_may_have_several_methods():
    assert list(method_names(CoKriging)) == ["ar1", "ar1-map", "shared-bias"]
    assert stored_class("CoKriging") is CoKriging
    assert stored_class("os.system") is None
    assert METHODS["ar1"].class_name == "CoKriging"


def test_a_method_without_its_checkpoint(monkeypatch, tmp_path):
    monkeypatch.setenv("TABPFN_MODEL_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("TABPFN_MODEL_PATH", raising=False)
    assert not METHODS["mast-icl"].ready
    if METHODS["mast-icl"].installed:
        with pytest.raises(FileError, match=r"tabpfn-v2-regressor\.ckpt"):
            method("mast-icl")


def test_a_method_that_does_not_exist_or_is_not_installed(monkeypatch):
    with pytest.raises(DataError, match="unknown method 'magic'; choose one of 'auto', "):
        method("magic")
    with pytest.raises(DataError, match=r"unknown method 'autoo': did you mean 'auto'\? Cho"):
        method("autoo")
    monkeypatch.setattr("mastgp.libraries.find_spec", lambda name: None)
    assert not METHODS["nargp"].installed
    assert METHODS["mast"].installed
    with pytest.raises(MissingExtraError, match=r"pip install 'mastgp\[emukit\]'"):
        method("nargp")
