"""``mast next`` and ``mast optimum``."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import mastgp
from mastgp import DataError, examples
from mastgp.cli.next import goal_of
from wing import WING


def test_runs_are_printed_and_written(mast, model_file, tmp_path):
    code, out, _ = mast("next", "wing.mast", "-n", "2", "-o", "runs.csv")
    assert code == 0
    assert "Wrote 2 runs to runs.csv." in out
    table = pd.read_csv(tmp_path / "runs.csv")
    added = ["fidelity", "cost", "gain", "mean", "lower95", "upper95", "reason"]
    assert list(table.columns) == [*examples.INPUTS, *added]
    own = mastgp.suggest(mastgp.load(model_file), 2)
    assert table["fidelity"].tolist() == [one.fidelity for one in own]
    np.testing.assert_allclose(table["gain"], [one.gain for one in own])
    assert own[0].reason in out


def test_what_was_written_can_be_pending(mast, model_file, tmp_path):
    assert mast("next", "wing.mast", "-o", "runs.csv")[0] == 0
    code, out, _ = mast("next", "wing.mast", "--pending", "runs.csv", "--json")
    (one,) = json.loads(out)
    assert code == 0
    first = pd.read_csv(tmp_path / "runs.csv").iloc[0]
    away = [abs(one["inputs"][name] - first[name]) for name in examples.INPUTS]
    assert max(away) > 1e-3


def test_options_reach_the_search(mast, model_file):
    options = ("--goal", "minimum", "--constraint", "mach + 0.01*sweep_deg <= 0.9")
    more = ("--cost", "cfd=3", "--bounds", "alpha_deg=1:2", "--allow", "cfd", "--json")
    code, out, _ = mast("next", "wing.mast", *options, *more)
    (one,) = json.loads(out)
    assert code == 0
    assert (one["fidelity"], one["cost"]) == ("cfd", 3.0)
    inputs = one["inputs"]
    assert inputs["mach"] + 0.01 * inputs["sweep_deg"] <= 0.9 + 1e-9
    assert 1 <= inputs["alpha_deg"] <= 2


def test_the_best_of_a_file_of_candidates(mast, model_file, tmp_path):
    pool = pd.read_csv(WING["queries"])
    pool.insert(0, "name", [f"wing {i}" for i in range(len(pool))])
    pool.to_csv(tmp_path / "pool.csv", index=False)
    options = ("--goal", "maximum", "--candidates", "pool.csv", "-n", "3", "-o", "chosen.csv")
    assert mast("next", "wing.mast", *options)[0] == 0
    chosen = pd.read_csv(tmp_path / "chosen.csv")
    assert set(chosen["name"]) <= set(pool["name"])
    code, out, _ = mast("optimum", "wing.mast", "--maximize", "--candidates", "pool.csv")
    predicted = mastgp.load(model_file).predict(pool[list(examples.INPUTS)])
    assert code == 0
    assert f"name = wing {int(np.argmax(predicted))}" in out


def test_the_optimum_is_the_libraries_own(mast, model_file):
    found = json.loads(mast("optimum", "wing.mast", "--minimize", "--json")[1])
    own = mastgp.optimum(mastgp.load(model_file))
    assert found["inputs"] == pytest.approx(own.inputs)
    assert found["mean"] == pytest.approx(own.mean)
    text = mast("optimum", "wing.mast", "--minimize")[1]
    assert "The minimum of drag_counts is predicted to be" in text


def test_goals_as_text():
    assert goal_of("accuracy") == "accuracy"
    assert goal_of("target=2.5") == ("target", 2.5)
    with pytest.raises(DataError, match="not a number"):
        goal_of("target=high")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("next", "wing.mast", "--goal", "best"), "unknown goal"),
        (("next", "wing.mast", "--constraint", "mach*mach <= 1"), "not linear"),
        (("next", "wing.mast", "--constraint", "lift <= 1"), "names 'lift'"),
        (("next", "wing.mast", "--constraint", "mach + drag_counts <= 1"), "inputs and targets"),
        (("next", "wing.mast", "--pending", "none.csv"), "none.csv"),
        (("next", "wing.mast", "--pending", WING["queries"]), "column 'fidelity'"),
        (("next", "wing.mast", "-o", "runs.pdf"), ".pdf"),
        (("next", "wing.mast", "--allow", "tunnel"), "unknown fidelity 'tunnel'"),
        (("optimum", "wing.mast"), "--minimize or --maximize"),
        (("optimum", "wing.mast", "--minimize", "--bounds", "mach=2"), "low:high"),
    ],
)
def test_mistakes_are_named(mast, model_file, arguments, message):
    code, _, err = mast(*arguments)
    assert code == 1
    assert message in err


def test_an_optimum_of_several_targets_is_asked_for_by_name(mast, tmp_path):
    x = np.linspace(0.0, 1.0, 7)
    table = pd.DataFrame({"x": x, "cl": (x - 0.2) ** 2, "cd": (x - 0.7) ** 2})
    table.to_csv(tmp_path / "runs.csv", index=False)
    fit = ("fit", "runs.csv", "--target", "cl,cd", "--method", "hf-only", "--no-check")
    assert mast(*fit, "-o", "both.mast")[0] == 0
    code, _, err = mast("optimum", "both.mast", "--minimize")
    assert code == 1
    assert "the model is of 'cl', 'cd'; say which with --target" in err
    out = mast("optimum", "both.mast", "--minimize", "--target", "cd")[1]
    assert abs(float(out.split()[2]) - 0.7) < 0.01
    assert "The minimum of cd" in out
