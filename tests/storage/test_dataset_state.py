from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from mastgp import MAST, Dataset
from mastgp.storage.dataset_state import data_hash, dataset_state, restored_dataset
from mastgp.stored import DamagedError
from mixed import mixed_dataset
from support import snapshot, three_levels


@pytest.fixture
def data(rng):
    X, y, labels = three_levels(rng)
    noise = np.where(labels == "b", 0.1, np.nan)
    costs = {"a": 1.0, "b": 3.0, "c": 20.0}
    model = MAST(costs, bounds=[(0, 1), (-1, 2)]).fit(X, y, fidelity=labels, noise_std=noise)
    return model.training_data_


def test_a_data_set_comes_back_as_it_was(data):
    again = restored_dataset(dataset_state(data))
    assert snapshot(again) == snapshot(data)
    assert data_hash(again) == data_hash(data)


def test_the_ranking_is_called_what_it_was_in_the_first_format(data):
    state = dataset_state(data)
    assert {"fidelities", "hierarchy", "box", "feature_names"} < set(state)
    assert state["hierarchy"]["names"] == ("a", "b", "c")


def changed(data, **changes):
    first, *others = data.fidelities
    return replace(data, fidelities=(replace(first, **changes), *others))


def test_the_hash_is_that_of_names_inputs_targets_and_noise(data):
    first = data.fidelities[0]
    others = [
        changed(data, name="d"),
        changed(data, X=first.X + 1e-9),
        changed(data, y=np.nextafter(first.y, np.inf)),
        changed(data, noise_var=np.ones(len(first.y))),
        replace(data, feature_names=("x0", "x2")),
    ]
    hashes = {data_hash(data), *map(data_hash, others)}
    assert len(hashes) == 1 + len(others)


def test_the_hash_does_not_depend_on_the_layout_of_arrays(data):
    same = changed(data, X=np.asfortranarray(data.fidelities[0].X))
    assert data_hash(same) == data_hash(data)


def test_names_of_target_and_inputs_are_kept(data):
    named = replace(data, target_name="drag", feature_names_given=True)
    again = restored_dataset(dataset_state(named))
    assert (again.target_name, again.feature_names_given) == ("drag", True)
    old = {
        k: v
        for k, v in dataset_state(named).items()
        if k not in ("target_name", "feature_names_given")
    }
    assert restored_dataset(old).target_name is None


def test_units_are_kept(data):
    named = replace(data, units={"a": "m"})
    assert restored_dataset(dataset_state(named)).units == {"a": "m"}
    old = {k: v for k, v in dataset_state(named).items() if k != "units"}
    assert restored_dataset(old).units == {}


def test_levels_and_whole_numbers_are_kept():
    data = replace(mixed_dataset(), integers=(0,))
    again = restored_dataset(dataset_state(data))
    assert again.categories == data.categories
    assert again.integers == (0,)
    renamed = replace(data.categories[0], levels=("al", "steel", "tin"))
    other = replace(data, categories=(renamed, *data.categories[1:]))
    assert data_hash(other) != data_hash(data) == data_hash(again)


def test_data_of_numbers_are_stored_as_they_always_were():
    state = dataset_state(replace(mixed_dataset(), categories=()))
    assert not {"categories", "integers"} & set(state)


def of_levels(state, **changes):
    first, *others = state["categories"]
    return {**state, "categories": [{**first, **changes}, *others]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s: of_levels(s, column=7), "a category's column is 7"),
        (lambda s: of_levels(s, column=1.0), "a category's column is no whole number"),
        (lambda s: of_levels(s, name="colour"), "category 'colour' is not the input 1"),
        (lambda s: of_levels(s, levels=["al", "al", "ti"]), "levels of 'material' are not dist"),
        (lambda s: of_levels(s, levels=["al", 3, "ti"]), "levels of 'material' is no text"),
        (lambda s: of_levels(s, levels=["al", "ti"]), "'material' of 'low' has the value 2"),
        (lambda s: of_levels(s, more=1), "a category has 'more', which is unknown"),
        (lambda s: {**s, "categories": s["categories"][:1] * 2}, "whole-number twice"),
        (lambda s: {**s, "integers": [1]}, "whole-number twice"),
        (lambda s: {**s, "integers": [-1]}, "a whole-number input is -1"),
        (lambda s: {**s, "integers": {}}, "the whole-number inputs is no list"),
        (
            lambda s: {**s, "categories": [{**s["categories"][0], "column": 0, "name": "speed"}]},
            "'speed' of 'low' has values that are no codes",
        ),
    ],
)
def test_what_is_wrong_with_levels_is_named(change, words):
    state = dataset_state(mixed_dataset())
    restored_dataset(state)
    with pytest.raises(DamagedError, match=words):
        restored_dataset(change(state))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s: s["fidelities"][0]["y"].fill(1e151), "y of 'a' has the value"),
        (lambda s: s["fidelities"][1]["noise_var"].fill(1e301), "noise_var of 'b' has the value"),
        (lambda s: (s["box"]["low"].fill(-1e308), s["box"]["high"].fill(1e308)), "the widths of"),
    ],
)
def test_data_that_no_fit_would_take_are_refused(data, change, words):
    state = deepcopy(dataset_state(data))
    change(state)
    with pytest.raises(DamagedError, match=words):
        restored_dataset(state)


def test_log_inputs_are_kept():
    X = np.column_stack([10.0 ** np.arange(6.0), np.linspace(0.0, 1.0, 6)])
    data = Dataset.from_arrays(X, np.arange(6.0), log_inputs=[0])
    again = restored_dataset(dataset_state(data))
    assert again.box.logs == (0,)
    assert data_hash(again) == data_hash(data)
    assert data_hash(data) != data_hash(Dataset.from_arrays(X, np.arange(6.0)))


@pytest.mark.parametrize(
    ("logs", "words"),
    [
        ([0, 0], "a log input twice"),
        ([7], "a log input is 7"),
        (["x0"], "a log input is no whole number"),
        ([1], "the lowest 'x1' is 0.0"),
    ],
)
def test_what_is_wrong_with_log_inputs_is_named(logs, words):
    X = np.column_stack([10.0 ** np.arange(6.0), np.linspace(0.0, 1.0, 6)])
    state = dataset_state(Dataset.from_arrays(X, np.arange(6.0), log_inputs=[0]))
    state["box"]["logs"] = logs
    with pytest.raises(DamagedError, match=words):
        restored_dataset(state)
