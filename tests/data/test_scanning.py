"""What one pass over files tells of all rows."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
import pandas as pd
import pytest

from mastgp import DataError
from mastgp.data import scanning
from mastgp.data.columns import Roles
from mastgp.data.parts import Inputs, parts_of
from mastgp.data.scanning import Summary, summaries_of
from mastgp.data.source import Source
from streaming_support import table

INPUTS = Inputs(["a", "m"], ["m"])


def parts(frame, roles, inputs=INPUTS):
    return parts_of(Source("a.csv", frame.reset_index(drop=True)), "coarse", roles, inputs)


def summary(frame):
    return summaries_of(parts(frame, Roles("y")), INPUTS, 100)["coarse"]


def test_summaries_of_parts_add_up_to_that_of_the_whole():
    frame = table(1000, labels=True)
    whole = summary(frame)
    divided = [frame.iloc[rows] for rows in np.array_split(np.arange(1000), 7)]
    total = reduce(add, map(summary, divided))
    assert total.n == whole.n == 1000
    assert total.levels == whole.levels == {"m": {"al", "steel", "ti"}}
    np.testing.assert_array_equal(total.low, [frame["a"].min(), np.nan])
    np.testing.assert_array_equal(total.high, whole.high)
    np.testing.assert_allclose(total.mean, frame["y"].mean(), rtol=1e-13)
    np.testing.assert_allclose(total.std, frame["y"].std(ddof=0), rtol=1e-13)
    content = ["x0", "x1", "y0", "noise"]
    pd.testing.assert_frame_equal(total.sample.rows[content], whole.sample.rows[content])


def test_moments_survive_a_mean_far_from_zero():
    frame = table(1000, labels=True)
    far = frame.assign(y=frame["y"] * 1e-3 + 1e6)
    total = reduce(add, (summary(far.iloc[i : i + 10]) for i in range(0, 1000, 10)))
    assert total.std[0] == pytest.approx(far["y"].std(ddof=0), rel=1e-6)


def test_every_target_has_its_own_count():
    frame = table(50).assign(z=np.where(np.arange(50) < 20, np.nan, 1.0))
    inputs = Inputs(["a", "b"])
    (part,) = parts(frame, Roles(["y", "z"]), inputs)
    of_both = Summary.of(part, inputs, 100)
    assert of_both.n_targets.tolist() == [50, 30]
    assert of_both.mean[1] == 1.0


def test_fidelities_are_told_apart():
    frame = table(50).assign(source=["low", "low", "high", "low", "high"] * 10)
    inputs = Inputs(["a", "b"])
    found = summaries_of(parts(frame, Roles("y", "source"), inputs), inputs, 100)
    assert {name: one.n for name, one in found.items()} == {"high": 20, "low": 30}
    assert found["high"].low[0] == frame.loc[frame["source"] == "high", "a"].min()


def test_names_of_rows_are_no_levels(monkeypatch):
    monkeypatch.setattr(scanning, "MOST_LEVELS", 20)
    frame = table(50).assign(m=[f"run {i}" for i in range(50)])
    words = "'m'.* has more than 20 different texts. If it names the rows, leave it out"
    with pytest.raises(DataError, match=words):
        summary(frame)
    with pytest.raises(DataError, match=words):
        summary(frame[:15]) + summary(frame[15:30])
