"""``mast show``: what a model was fitted to and what it learned."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

import mastgp
from wing import AUTO_FIT, COSTS


def test_what_a_model_is(mast, model_file):
    code, out, _ = mast("show", "wing.mast")
    assert code == 0
    assert "MAST surrogate of drag_counts as cfd sees it" in out
    assert "panel" in out
    assert "sweep_deg" in out


def test_json_is_json(mast, model_file):
    assert json.loads(mast("show", "wing.mast", "--json")[1])["target"] == "drag_counts"


def test_what_became_of_every_training_point(mast, model_file, tmp_path):
    code, out, _ = mast("show", "wing.mast", "--table", "points.csv")
    assert code == 0
    assert "panel" in out
    assert len(pd.read_csv(tmp_path / "points.csv")) == 94


def test_models_without_such_a_table_say_so(mast, tmp_path):
    assert mast(*AUTO_FIT, *COSTS, "--method", "ar1", "-o", "a.mast", "--no-check")[0] == 0
    code, _, err = mast("show", "a.mast", "--table", "points.csv")
    assert code == 1
    assert err.startswith("Error: ")
    assert not (tmp_path / "points.csv").exists()
    assert mast("show", "a.mast")[0] == 0


def test_a_check_that_is_stored_is_shown(mast, rng):
    X = rng.random((20, 1))
    labels = ["a"] * 12 + ["b"] * 8
    for name, method in (("auto", mastgp.AutoSurrogate), ("mast", mastgp.MAST)):
        method(order=["a", "b"]).fit(X, np.sin(6 * X[:, 0]), fidelity=labels).save(f"{name}.mast")
    assert "Held-out check on the b points" in mast("show", "auto.mast")[1]
    assert "Held-out check" not in mast("show", "mast.mast")[1]


def test_names_are_no_markup(mast, rng):
    X = rng.random((20, 2))
    labels = ["[/b]"] * 14 + ["[red]"] * 6
    mastgp.MAST(order=["[/b]", "[red]"]).fit(X, X[:, 0], fidelity=labels).save("a.mast")
    code, out, _ = mast("show", "a.mast")
    assert code == 0
    assert "[/b]" in out
    assert "[red] points" in out
