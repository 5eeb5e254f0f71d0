"""The state of a process comes back as it was, or what is wrong with it is named."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

from mastgp.gp import Categorical, GaussianProcess, Model, layout
from mastgp.gp.ensemble import ProcessEnsemble
from mastgp.stored import DamagedError


@pytest.fixture
def process(rng):
    X = rng.random((9, 2))
    return GaussianProcess.fit(Model(2, warp=True), X, np.sin(4 * X[:, 0]))


def changed(array, value):
    copy = np.array(array, dtype=array.dtype)
    copy.flat[0] = value
    return copy


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s: s.update(X=changed(s["X"], np.nan)), "X has values that are no numbers"),
        (lambda s: s.update(X=s["X"][:, :1]), r"X has the shape \(9, 1\), not \(any, 2\)"),
        (lambda s: s.update(X=s["X"][:0]), "the number of points is 0"),
        (lambda s: s.update(y=s["y"][:-1]), r"y has the shape \(8,\), not \(9,\)"),
        (lambda s: s.update(y=changed(s["y"], 1e308)), r"y has the value 1e\+308"),
        (lambda s: s.update(groups=changed(s["groups"], 1)), "groups has the value 1"),
        (lambda s: s.update(groups=s["groups"].astype(float)), "groups is no array of whole"),
        (lambda s: s.update(noise_var=-np.ones(9)), "noise_var has the value -1"),
        (lambda s: s.update(X=changed(s["X"], 1e300)), r"X has the value 1e\+300"),
        (lambda s: s.update(y_scale=np.zeros(1)), "y_scale has the value 0"),
        (lambda s: s.update(y_scale=np.full(1, 1e-300)), "y_scale has the value 1e-300"),
        (lambda s: s.update(y_scale=np.full(1, 1e200)), r"y_scale has the value 1e\+200"),
        (lambda s: s.update(y_mean=np.full(1, -1e200)), r"y_mean has the value -1e\+200"),
        (lambda s: s.update(y_mean=1.0), "y_mean is no array"),
        (lambda s: s.pop("y_mean"), "the process has no 'y_mean'"),
        (lambda s: s["parameters"].update(lengthscales=np.ones((1, 3))), "lengthscales has the sh"),
        (lambda s: s["parameters"].update(lengthscales=-np.ones((1, 2))), "lengthscales has the v"),
        (lambda s: s["parameters"].update(noise_var=np.ones(0)), "noise_var has the shape"),
        (lambda s: s["parameters"].update(more=np.ones(1)), "has 'more', which is unknown"),
        (lambda s: s["report"].update(objective="low"), "objective is no number"),
        (lambda s: s["report"].update(iterations=-1), "iterations is -1"),
    ],
)
def test_what_is_wrong_with_a_process_is_named(process, change, words):
    state = process.get_state()
    state = {**state, "parameters": dict(state["parameters"]), "report": dict(state["report"])}
    GaussianProcess.from_state(process.model, state)
    change(state)
    with pytest.raises(DamagedError, match=words):
        GaussianProcess.from_state(process.model, state)


def test_noise_is_learned_or_given(process, rng):
    given = Model(2, learn_noise=False)
    X = rng.random((5, 2))
    state = GaussianProcess.fit(given, X, X[:, 0], noise_var=np.full(5, 0.1)).get_state()
    GaussianProcess.from_state(given, state)
    with pytest.raises(DamagedError, match="neither learned nor given"):
        GaussianProcess.from_state(given, {**state, "noise_var": None})


@pytest.mark.parametrize("end", [0, 1])
@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("lengthscales", layout.LENGTHSCALE_BOUNDS),
        ("noise_var", layout.NOISE_BOUNDS),
        ("warp_a", layout.WARP_BOUNDS),
        ("warp_b", layout.WARP_BOUNDS),
    ],
)
def test_hyperparameters_are_those_of_a_fit(process, name, bounds, end):
    """What a search may find is read again, and what it cannot find is refused."""
    state = process.get_state()
    outside = bounds[end] * (1.0 + 1e-6 * (2 * end - 1))
    for value, damaged in ((bounds[end], False), (outside, True)):
        parameters = {**state["parameters"], name: changed(state["parameters"][name], value)}
        with pytest.raises(DamagedError, match=name) if damaged else nullcontext():
            GaussianProcess.from_state(process.model, {**state, "parameters": parameters})


@pytest.mark.parametrize(
    ("weights", "draws", "words"),
    [
        ([0.5, 0.5], 2, None),
        ([0.5, 0.6], 2, "weights have the sum 1.1"),
        ([1.5, -0.5], 2, "weights has the value"),
        ([1.0], 2, "weights has the shape"),
        ([], 0, "the number of draws is 0"),
        ([1e-4] * 10_000, 10_000, "at most 1000 are allowed"),
    ],
)
def test_draws_are_checked(process, weights, draws, words):
    parameters = process.get_state()["parameters"]
    state = {"weights": np.array(weights, dtype=float), "parameters": [parameters] * draws}
    if words is None:
        assert len(ProcessEnsemble.from_state(process, state).processes) == 2
        return
    with pytest.raises(DamagedError, match=words):
        ProcessEnsemble.from_state(process, state)


@pytest.fixture
def of_levels(rng):
    X = np.column_stack([rng.random(9), np.arange(9) % 3 / 2])
    model = Model(2, warp=True, categories=(Categorical(1, 3),))
    return GaussianProcess.fit(model, X, np.sin(4 * X[:, 0]) + X[:, 1])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s: s.update(X=s["X"] * 0.9), "column 1 of X has values that are no levels"),
        (lambda s: s.update(X=s["X"] * 2.0), "column 1 of X has values that are no levels"),
        (lambda s: s.update(X=s["X"] - 0.5), "column 1 of X has the value -1"),
        (lambda s: s["parameters"].pop("positions"), "the hyperparameters has no 'positions'"),
        (lambda s: s["parameters"].update(positions=np.ones(5)), "positions has the shape"),
        (lambda s: s["parameters"].update(positions=np.full(6, np.nan)), "positions has values"),
        (lambda s: s["parameters"].update(apart=-np.ones(1)), "apart has the value -1"),
        (lambda s: s["parameters"].update(warp_a=np.ones(2)), "warp_a has the shape"),
    ],
)
def test_what_is_wrong_with_levels_is_named(of_levels, change, words):
    state = of_levels.get_state()
    state = {**state, "parameters": dict(state["parameters"])}
    again = GaussianProcess.from_state(of_levels.model, state)
    assert again.predict_mean([[0.3, 0.5]]) == of_levels.predict_mean([[0.3, 0.5]])
    change(state)
    with pytest.raises(DamagedError, match=words):
        GaussianProcess.from_state(of_levels.model, state)


def test_a_model_of_numbers_has_no_positions(process):
    state = process.get_state()
    state["parameters"] = {**state["parameters"], "positions": np.ones(2)}
    with pytest.raises(DamagedError, match="has 'positions', which is unknown"):
        GaussianProcess.from_state(process.model, state)
