"""``mast update``."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import mastgp
from mastgp import examples
from wing import WING


@pytest.fixture
def new_rows(tmp_path):
    """A few new results of cfd, where the response is known."""
    X = np.random.default_rng(3).uniform(*examples.BOUNDS.T, (2, 3))
    table = pd.DataFrame(X, columns=list(examples.INPUTS))
    table[examples.TARGET] = examples.cfd_drag(X)
    table.to_csv(tmp_path / "new.csv", index=False)
    return table


@pytest.mark.parametrize("how", [("new.csv", "--fidelity", "cfd"), ("cfd=new.csv",)])
def test_rows_are_added(mast, model_file, new_rows, tmp_path, how):
    code, out, _ = mast("update", "wing.mast", *how, "-o", "more.mast")
    assert code == 0
    assert "Added 2 rows" in out
    grown = mastgp.load(tmp_path / "more.mast")
    own = mastgp.load(model_file).update(
        new_rows[list(examples.INPUTS)], new_rows[examples.TARGET], "cfd"
    )
    Q = pd.read_csv(WING["queries"])[list(examples.INPUTS)]
    np.testing.assert_allclose(grown.predict(Q), own.predict(Q), rtol=1e-8)
    assert [c.split()[1] for c in grown.origin_.commands] == ["fit", "update"]
    assert grown.origin_.files[-1].path == "new.csv"
    assert own.origin_.commands[-1] == "model.update(...)  # 2 rows"


def test_a_column_of_fidelities_is_found(mast, model_file, new_rows, tmp_path):
    new_rows.assign(fidelity=["cfd", "panel"]).to_csv(tmp_path / "new.csv", index=False)
    found = json.loads(mast("update", "wing.mast", "new.csv", "-o", "more.mast", "--json")[1])
    assert found["added"] == 2
    assert found["points"] == {"panel": 81, "cfd": 15}


def test_a_surprise_is_told(mast, model_file, new_rows, tmp_path):
    new_rows.assign(**{examples.TARGET: 9e4}).to_csv(tmp_path / "new.csv", index=False)
    _, out, err = mast("update", "wing.mast", "cfd=new.csv", "-o", "more.mast", "--json")
    assert "a new fit is due" in err
    assert json.loads(out)["refit_due"]


def test_mistakes_are_named(mast, model_file, new_rows):
    code, _, err = mast("update", "wing.mast", "new.csv", "-o", "more.mast")
    assert code == 1
    assert "unknown fidelity 'new'" in err
    assert "--fidelity NAME" in err
    code, _, err = mast("update", "wing.mast", "none.csv", "-o", "more.mast")
    assert (code, "none.csv" in err) == (1, True)
