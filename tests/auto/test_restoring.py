"""A blend from a file is that of its data, or what is wrong with it is named."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

from mastgp.auto.restoring import check_blend_state, check_held_out
from mastgp.check.heldout import HeldOut
from mastgp.data.dataset import Dataset
from mastgp.stored import DamagedError
from support import COSTS


@pytest.fixture
def data(two_fidelities):
    X, y, labels, _ = two_fidelities
    return Dataset.from_arrays(X, y, labels, costs=COSTS)


@pytest.fixture
def state(data):
    """What a blend of two members writes, members left out."""
    y = data.top.y
    held_out = HeldOut(y, np.full(len(y), np.nan), np.ones(len(y)), 3, False)
    entry = {"name": "coarse", "word": "helps", "gain": 0.1, "low": None, "high": 0.2}
    return {
        "fidelities": ["coarse", "fine"],
        "weights": {"a": 0.25, "b": 0.75},
        "candidates": {"a": {}, "b": {}},
        "checked": {"a": asdict(held_out)},
        "held_out": asdict(held_out),
        "verdict": [{**entry, "sentence": "it helps"}],
        "calibration": 1.0,
    }


def test_a_right_blend_passes(state, data):
    check_blend_state(state, data)
    check_blend_state({**state, "held_out": None}, data)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s: s.pop("weights"), "the blend has no 'weights'"),
        (lambda s: s["weights"].update(a=0.5), "weights have the sum 1.25"),
        (lambda s: s["weights"].update(a=-0.25), "a weight is -0.25"),
        (lambda s: s["candidates"].update(c={}), "the weights has no 'c'"),
        (lambda s: s.update(fidelities=["coarse"]), "not those of the data"),
        (lambda s: s.update(fidelities=["other", "fine"]), "not those of the data"),
        (lambda s: s.update(calibration=0), "the calibration is 0"),
        (lambda s: s.update(calibration=None), "the calibration is no number"),
        (lambda s: s["held_out"].update(y=np.ones(3)), "y of a held-out check has the shape"),
        (lambda s: s["held_out"].update(std=-s["held_out"]["std"]), "std has the value -1"),
        (lambda s: s["checked"]["a"].update(n_folds=-1), "n_folds is -1"),
        (lambda s: s["checked"]["a"].update(evil=1), "has 'evil', which is unknown"),
        (lambda s: s["verdict"][0].update(word=3), "the word of a verdict is no text"),
        (lambda s: s["verdict"][0].update(evil=3), "has 'evil', which is unknown"),
        (lambda s: s["verdict"].extend([{}] * 200), "at most 100 are allowed"),
    ],
)
def test_what_is_wrong_with_a_blend_is_named(state, data, change, words):
    change(state)
    with pytest.raises(DamagedError, match=words):
        check_blend_state(state, data)


def test_held_out_predictions_may_be_missing_but_not_observations(state):
    state["held_out"]["y"] = np.full(len(state["held_out"]["y"]), np.nan)
    with pytest.raises(DamagedError, match="no numbers"):
        check_held_out(state["held_out"])
