from __future__ import annotations

import pandas as pd
import pytest

from mastgp.errors import DataError
from mastgp.next.inputs import Choice, Range
from mastgp.next.pools import pool_of


def frame():
    return pd.DataFrame({
        "name": [f"material {i}" for i in range(8)],
        "gap": [0.1 * i for i in range(8)],
        "metal": ["Pb", "Sn"] * 4,
        "same": 3.0,
    })  # fmt: skip


def test_columns_that_vary_are_inputs_and_names_are_notes():
    pool = pool_of(frame())
    assert pool.inputs == {"gap": Range(0.0, 0.1 * 7), "metal": Choice(("Pb", "Sn"))}
    assert pool.candidates[1].inputs == {"gap": 0.1, "metal": "Sn"}
    assert pool.candidates[1].notes == {"name": "material 1", "same": "3.0"}


def test_inputs_can_be_named_or_given(tmp_path):
    frame().to_csv(tmp_path / "pool.csv", index=False)
    pool = pool_of(tmp_path / "pool.csv", ["gap"])
    assert list(pool.inputs) == ["gap"]
    assert pool.candidates[0].notes["metal"] == "Pb"
    assert pool_of(frame(), {"gap": (0.0, 2.0)}).inputs == {"gap": Range(0.0, 2.0)}


@pytest.mark.parametrize(
    ("table", "inputs", "message"),
    [
        (frame().iloc[:0], None, "no candidates"),
        (frame(), ["missing"], "no column 'missing'"),
        (frame(), ["same"], "does not vary"),
        (frame()[["same"]], None, "no input"),
        (frame().assign(gap=[None, *range(7)]), ["gap"], "candidate 0 has nothing"),
        (frame(), {"gap": (0.0, 0.5)}, "candidate 6: input 'gap'"),
        ([1, 2], None, "must be a table"),
    ],
)
def test_tables_that_are_no_pool_are_refused(table, inputs, message):
    with pytest.raises(DataError, match=message):
        pool_of(table, inputs)
