from __future__ import annotations

import json

import pandas as pd
import pytest

import mastgp
from mastgp.cli.reporting import check_all, facts_of, known_checks
from mastgp.models import SeveralTargets, SingleFidelity

X = pd.DataFrame({"x": [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]})


@pytest.fixture
def model():
    Y = pd.DataFrame({"cl": X.x**2, "cd": 1.0 - X.x**3})
    return SeveralTargets(SingleFidelity()).fit(X, Y)


def test_facts_of_several_targets_are_by_target(model):
    assert known_checks(model) == {"cl": None, "cd": None}
    checks = check_all(model)
    assert known_checks(model) == checks
    facts = facts_of(model, checks)
    assert list(facts["targets"]) == ["cl", "cd"]
    assert facts["targets"]["cd"]["validation"] == checks["cd"]
    json.dumps(facts, allow_nan=False)


def test_facts_of_one_target_are_plain(model):
    one = model["cl"]
    assert facts_of(one, {})["target"] == "cl"
    assert "validation" not in facts_of(one, {})


def test_each_target_has_its_check_and_the_file_keeps_it(mast, tmp_path, monkeypatch):
    frame = X.assign(cl=X.x**2, cd=1.0 - X.x**3)
    frame.to_csv("runs.csv", index=False)
    code, out, _ = mast("fit", "runs.csv", "--target", "cl,cd", "--method", "hf-only")
    assert code == 0
    assert out.count("Held-out check on the runs points") == 2
    assert "surrogate of cd" in out
    monkeypatch.setattr("mastgp.check.heldout.predict_held_out", lambda *_: pytest.fail("again"))
    shown = mast("show", "model.mast")[1]
    assert shown.count("Held-out check on the runs points") == 2
    assert shown in out
    assert mast("plot", "model.mast", "-o", "m.png")[0] == 0
    facts = json.loads(mast("show", "model.mast", "--json")[1])
    assert facts["targets"]["cl"]["validation"][0]["model"] == "SingleFidelity"
    assert len(mastgp.validate(mastgp.load("model.mast"))) == 4
