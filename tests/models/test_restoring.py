"""Models from files whose checksums fit and whose content does not."""

from __future__ import annotations

import numpy as np
import pytest

import mastgp
from mastgp import ModelFileError
from mastgp.models.restoring import restored_by_name, restored_levels, restored_stage
from mastgp.storage.model_file import estimator_state, restored_estimator
from mastgp.stored import DamagedError
from mastgp.surrogates import GP
from support import three_levels

METHODS = ("mast", "mast-forest", "recursive", "fire", "miso", "hf-only", "ar1", "shared-bias")


@pytest.fixture(scope="module")
def models():
    """A small model of every kind."""
    rng = np.random.default_rng(0)
    X, y, labels = three_levels(rng, (8, 6, 5))
    tables = {name: (X[labels == name], y[labels == name]) for name in "abc"}
    return {m: mastgp.fit(tables, order=list("abc"), method=m, random_state=0) for m in METHODS}


def arrays_in(value, path=()):
    """Paths of all arrays inside plain data."""
    if isinstance(value, np.ndarray):
        yield from [path] if value.size else []
    elif isinstance(value, dict | list | tuple):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, entry in items:
            yield from arrays_in(entry, (*path, key))


def with_array(value, path, change):
    """A copy of plain data with one array changed."""
    if not path:
        return change(value)
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = with_array(value[path[0]], path[1:], change)
    return copy


def nan(array):
    copy = array.astype(float)
    copy[...] = np.nan
    return copy


CHANGES = {
    "NaN": nan,
    "longer": lambda a: np.concatenate([a, a]),
    "deeper": lambda a: a[None],
}


@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.parametrize("method", METHODS)
def test_every_array_of_a_state_is_checked(models, method, how):
    """No array of a file can be without numbers or of another shape; it is said on reading."""
    model = models[method]
    entry = estimator_state(model)
    paths = list(arrays_in(entry["state"]))  # of arrays that have something in them
    assert len(paths) >= 8
    for path in paths:
        wrong = {**entry, "state": with_array(entry["state"], path, CHANGES[how])}
        with pytest.raises((ModelFileError, ValueError)):
            restored_estimator(wrong, model.training_data_)


@pytest.mark.parametrize("value", [-1e308, 1e308, 1e-308, 1e100])
@pytest.mark.parametrize("method", [m for m in METHODS if m != "mast-forest"])
def test_no_number_of_a_state_makes_predictions_that_are_none(models, method, value):
    """Whatever a number is changed to: the file is refused, or predictions stay in order."""
    model = models[method]
    entry, Q = estimator_state(model), np.full((1, len(model.training_data_.feature_names)), 0.37)
    for path in kinds_of_arrays(entry["state"]):
        wrong = {**entry, "state": with_array(entry["state"], path, last_set_to(value))}
        try:
            changed = restored_estimator(wrong, model.training_data_)
        except (ModelFileError, ValueError):
            continue
        mean, std = changed.predict(Q, return_std=True)
        low, high = changed.predict_interval(Q)
        assert np.isfinite([mean, std, low, high]).all(), path
        assert low <= high, path


def kinds_of_arrays(state):
    """Paths of arrays of numbers; of those of many draws only the first."""
    paths = [path for path in arrays_in(state) if at(state, path).dtype.kind == "f"]
    return [path for path in paths if "draws" not in path or path[-2] in (0, "draws")]


def at(value, path):
    return value if not path else at(value[path[0]], path[1:])


def last_set_to(value):
    def change(array):
        copy = array.copy()
        copy.flat[-1] = value
        return copy

    return change


@pytest.mark.parametrize(
    ("method", "change", "words"),
    [
        ("mast", lambda s: s["stage1"].pop("a"), "has no 'a'"),
        ("mast", lambda s: s["stage1"].update(d=s["stage1"]["a"]), "has 'd', which is unknown"),
        ("mast", lambda s: s.update(final=s["discrepancy"]["a"]), r"\(any, 2\)"),
        ("mast", lambda s: s["augmentations"].pop(), "has 1 entries, not 2"),
        ("mast-forest", lambda s: s.update(final=s["discrepancy"]["a"]), r"\(any, 2\)"),
        ("mast-forest", lambda s: s["final"].update(seed=-1), "seed of a stage is -1"),
        ("mast-forest", lambda s: s["final"].update(checkpoint="../x", sha256="0" * 64), "plain"),
        ("recursive", lambda s: s["processes"].pop(), "has 2 entries, not 3"),
        ("recursive", lambda s: s["processes"].reverse(), "has the shape"),
        ("fire", lambda s: s["appended"].pop(), "has 1 entries, not 2"),
        ("fire", lambda s: s.update(adds_variances=False), "has the shape"),
        ("miso", lambda s: s["processes"].pop("c"), "has no 'c'"),
    ],
)
def test_stages_are_those_of_the_data(models, method, change, words):
    entry = copied(estimator_state(models[method]))
    change(entry["state"])
    with pytest.raises(ModelFileError, match=words):
        restored_estimator(entry, models[method].training_data_)


def copied(value):
    if isinstance(value, dict):
        return {key: copied(entry) for key, entry in value.items()}
    return [copied(entry) for entry in value] if isinstance(value, list) else value


def test_a_stage_has_the_inputs_that_it_gets(rng):
    X = rng.random((6, 3))
    state = GP().fit(X, X[:, 0]).get_state()
    for n_inputs in (3, None):
        assert restored_stage(GP(), state, n_inputs).model.n_inputs == 3
    with pytest.raises(DamagedError, match=r"X of a stage has the shape \(6, 3\), not \(any, 2\)"):
        restored_stage(GP(), state, 2)
    assert list(restored_by_name(GP(), {"a": state}, ["a"], 3)) == ["a"]
    assert len(restored_levels(GP(), [state, state], 3, 0, 2)) == 2
    with pytest.raises(DamagedError, match="the levels has 2 entries, not 3"):
        restored_levels(GP(), [state, state], 3, 0, 3)
