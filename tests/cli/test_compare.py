from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

X = np.linspace(0.0, 1.0, 10)


@pytest.fixture
def models(mast, tmp_path):
    """Two models of two targets: one of all inputs, one that does not know the second."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": X, "z": rng.random(10)})
    frame = frame.assign(cl=np.sin(3.0 * X) + frame.z, cd=np.exp(X))
    frame.to_csv("runs.csv", index=False)
    test = pd.DataFrame({"x": rng.random(6), "z": rng.random(6)})
    test = test.assign(cl=np.sin(3.0 * test.x) + test.z, cd=np.exp(test.x))
    test.loc[0, "cd"] = np.nan
    test.to_csv("test.csv", index=False)
    fit = ("fit", "runs.csv", "--target", "cl,cd", "--method", "hf-only")
    assert mast(*fit, "-o", "both.mast")[0] == 0
    assert mast(*fit, "--inputs", "x", "-o", "x.mast")[0] == 0


@pytest.mark.usefixtures("models")
def test_on_a_file_of_observations(mast):
    code, out, _ = mast("compare", "both.mast", "x.mast", "test.csv")
    assert code == 0
    assert "cl on the observations in test.csv" in out
    assert "x.mast is better than both.mast: its log density is higher by" in out  # of cd
    facts = json.loads(mast("compare", "both.mast", "x.mast", "test.csv", "--json")[1])
    both, alone = facts["cl"]["models"]
    assert both["rmse"] < 0.1 * alone["rmse"]
    assert (facts["cl"]["models"][0]["points"], facts["cd"]["models"][0]["points"]) == (6, 5)
    assert mast("compare", "both.mast", "test.csv")[0] == 0


@pytest.mark.usefixtures("models")
def test_on_what_was_held_out(mast, monkeypatch):
    monkeypatch.setattr("mastgp.check.heldout.predict_held_out", lambda *_: pytest.fail("again"))
    code, out, err = mast("compare", "both.mast", "x.mast")
    assert code == 0
    assert "cd on held-out points" in out
    assert "the models held out different points" in err  # their inputs differ


@pytest.mark.usefixtures("models")
def test_what_cannot_be_compared_is_said(mast):
    assert "name two models or more" in mast("compare", "both.mast")[2]
    assert "both.mast is named twice" in mast("compare", "both.mast", "both.mast")[2]
    assert "there is no file none.mast" in mast("compare", "both.mast", "none.mast")[2]
    pd.DataFrame({"x": [1.0], "cl": [1.0], "cd": [1.0]}).to_csv("few.csv", index=False)
    err = mast("compare", "both.mast", "x.mast", "few.csv")[2]
    assert "few.csv has no column 'z'" in err
    pd.DataFrame({"x": [1.0], "z": [1.0], "cl": [1.0]}).to_csv("few.csv", index=False)
    assert "few.csv has no column 'cd'" in mast("compare", "both.mast", "x.mast", "few.csv")[2]
    (pd.DataFrame({"x": [1.0], "z": [1.0], "cl": [1.0], "cd": [None]})).to_csv(
        "few.csv", index=False
    )
    assert "no value in column 'cd'" in mast("compare", "both.mast", "x.mast", "few.csv")[2]
