"""Inputs on a logarithmic scale: in every method, as if the user had given their logarithms."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mastgp
from mastgp import DataError, Dataset
from mastgp.methods import METHODS

COSTS = {"coarse": 1.0, "fine": 10.0}
OURS = [name for name, m in METHODS.items() if not m.needs and name != "mast-icl"]


def tables(change=lambda f: f):
    """Two fidelities over six decades of frequency."""
    rng = np.random.default_rng(1)
    found = {}
    for name, n, factor in (("coarse", 18, 0.8), ("fine", 7, 1.0)):
        f, gap = 10.0 ** rng.uniform(0.0, 6.0, n), rng.random(n)
        y = factor * np.sin(np.log10(f)) + gap
        found[name] = (pd.DataFrame({"frequency": change(f), "gap": gap}), y)
    return found


QUERIES = pd.DataFrame({"frequency": [20.0, 5e3, 3e5], "gap": [0.2, 0.5, 0.9]})


@pytest.mark.parametrize("method", OURS)
def test_every_method_models_the_logarithms(method):
    given = mastgp.fit(tables(), COSTS, method=method, log_inputs=["frequency"], random_state=0)
    by_hand = mastgp.fit(tables(np.log), COSTS, method=method, random_state=0)
    logs = QUERIES.assign(frequency=np.log(QUERIES.frequency))
    np.testing.assert_allclose(
        given.predict_interval(QUERIES), by_hand.predict_interval(logs), rtol=1e-5, atol=1e-6
    )


def test_gradients_are_by_the_input_itself():
    model = mastgp.fit(tables(), COSTS, method="ar1-map", log_inputs=["frequency"])
    step = 1e-4 * QUERIES.frequency
    high, low = (
        model.predict(QUERIES.assign(frequency=QUERIES.frequency + s)) for s in (step, -step)
    )
    slope = (high - low) / (2.0 * step)
    np.testing.assert_allclose(model.predict_gradient(QUERIES)[0][:, 0], slope, rtol=1e-5)


def test_files_keep_the_scale(tmp_path):
    model = mastgp.fit(tables(), COSTS, method="ar1-map", log_inputs=["frequency"])
    model.save(tmp_path / "m.mast")
    read = mastgp.load(tmp_path / "m.mast")
    np.testing.assert_array_equal(read.predict(QUERIES), model.predict(QUERIES))


def test_values_without_a_logarithm_are_named():
    bad = tables()
    bad["fine"][0].loc[2, "frequency"] = 0.0
    with pytest.raises(DataError, match=r"column 'frequency' is 0 in row 2; it is a log input"):
        Dataset.from_tables(bad, costs=COSTS, log_inputs=["frequency"])
    model = mastgp.fit(tables(), COSTS, method="ar1-map", log_inputs=[0])
    with pytest.raises(DataError, match="column 'frequency' is -1 in row 1"):
        model.predict(QUERIES.assign(frequency=[1.0, -1.0, 2.0]))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"log_inputs": ["speed"]}, "log_inputs names 'speed', but the inputs are"),
        ({"log_inputs": "frequency"}, "log_inputs must be a list of inputs"),
        (
            {"log_inputs": ["gap"], "categorical": ["gap"]},
            "column 'gap' holds labels, from row 0 on",
        ),
        (
            {"log_inputs": ["frequency"], "bounds": {"frequency": (0.0, 2e6)}},
            "its bounds are positive",
        ),
    ],
)
def test_what_cannot_be_is_refused(options, words):
    with pytest.raises(DataError, match=words):
        Dataset.from_tables(tables(), costs=COSTS, **options)


def test_whole_numbers_may_have_logarithms():
    X = pd.DataFrame({"cells": 10 ** np.arange(6), "x": np.linspace(0.0, 1.0, 6)})
    data = Dataset.from_arrays(X, np.arange(6.0), integer=["cells"], log_inputs=["cells"])
    assert data.box.logs == data.integers == (0,)


def test_a_narrow_range_of_a_log_input_is_no_sliver():
    wide = tables()
    wide["fine"][0]["frequency"] = np.geomspace(10.0, 1e4, 7)
    Dataset.from_tables(wide, costs=COSTS, log_inputs=["frequency"])
    with pytest.warns(mastgp.RangeWarning, match="a sliver of"):
        Dataset.from_tables(wide, costs=COSTS)
