from __future__ import annotations

import pandas as pd
import pytest

from mastgp import DataError
from mastgp.next.runs import level_of, pending_runs, pool_of


def test_runs_under_way_in_both_forms(mixed_model):
    pairs = [({"x": 0.5, "n": 4, "kind": "b"}, "high"), ({"x": 0.1, "n": 1, "kind": "a"}, "low")]
    U, levels = pending_runs(mixed_model, pairs)
    frame = pd.DataFrame([{**inputs, "fidelity": name, "note": "?"} for inputs, name in pairs])
    same, also = pending_runs(mixed_model, frame)
    assert levels.tolist() == also.tolist() == [1, 0]
    assert (same == U).all()
    assert U[0].tolist() == [0.5, 0.6, 0.5]


@pytest.mark.parametrize("nothing", [None, [], pd.DataFrame()])
def test_nothing_under_way(mixed_model, nothing):
    U, levels = pending_runs(mixed_model, nothing)
    assert U.shape == (0, 3)
    assert len(levels) == 0


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"x": [0.5], "n": [4], "kind": ["b"]}, "column 'fidelity'"),
        ({"x": [0.5], "kind": ["b"], "fidelity": ["low"]}, "no column 'n'"),
        ({"x": [0.5], "n": [4], "kind": ["b"], "fidelity": ["mid"]}, "unknown fidelity 'mid'"),
        ({"x": [0.5], "n": [4], "kind": ["z"], "fidelity": ["low"]}, "'z'"),
        ({"x": [0.5], "n": [4.5], "kind": ["b"], "fidelity": ["low"]}, "whole numbers"),
    ],
)
def test_wrong_runs(mixed_model, frame, message):
    with pytest.raises(DataError, match=message):
        pending_runs(mixed_model, pd.DataFrame(frame))


def test_pools(mixed_model):
    frame = pd.DataFrame({"x": [0.5, 1.0], "n": [4, 1], "kind": ["b", "c"]}, index=["m1", "m2"])
    U, labels = pool_of(mixed_model, frame)
    assert U.shape == (2, 3)
    assert labels == ["m1", "m2"]
    with pytest.raises(DataError, match="no candidates"):
        pool_of(mixed_model, frame.iloc[:0])
    with pytest.raises(DataError, match="DataFrame"):
        pool_of(mixed_model, [[0.5, 4, "b"]])


def test_names_become_numbers(mixed_model):
    assert level_of(mixed_model.training_data_, "high") == 1
    with pytest.raises(DataError, match="did you mean 'high'"):
        level_of(mixed_model.training_data_, "hihg")
