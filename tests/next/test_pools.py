from __future__ import annotations

import numpy as np
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
    assert pool.candidates[1].notes == {"name": "material 1", "same": "3"}


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
        (
            frame().assign(metal=["a", " ", "", *"abbab"]),
            None,
            "1 has nothing in column 'metal', nor",
        ),
        (frame(), {"gap": (0.0, 0.5)}, "candidate 6: input 'gap'"),
        ([1, 2], None, "must be a table"),
    ],
)
def test_tables_that_are_no_pool_are_refused(table, inputs, message):
    with pytest.raises(DataError, match=message):
        pool_of(table, inputs)


def test_errors_name_the_file_and_the_line(tmp_path):
    path = tmp_path / "pool.csv"
    for wrong, message in [
        ({"metal": ["Pb", "", *["Sn"] * 6]}, "line 3 of .*pool.csv has nothing in column 'metal'"),
        ({"dft": [*"1234567", "much"]}, "line 9 of .*pool.csv: the result in column 'dft'"),
        ({"gap": [*range(7), 9]}, "line 9 of .*pool.csv: input 'gap' is 9"),
    ]:
        frame().assign(**wrong).to_csv(path, index=False)
        with pytest.raises(DataError, match=message):
            pool_of(path, {"gap": (0.0, 8.0), "metal": None}, ["dft"])
    with pytest.raises(DataError, match=r"pool\.csv: no column 'size' among 'name', 'gap'"):
        pool_of(path, ["size"])


def test_columns_called_like_fidelities_are_results():
    table = frame().assign(dft=[1.0, None, *range(6)], lab=None, strength=None)
    pool = pool_of(table, None, ["dft", "lab"], ["strength"])
    assert list(pool.inputs) == ["gap", "metal"]
    assert pool.known == {
        "dft": {0: 1.0, 2: 0.0, 3: 1.0, 4: 2.0, 5: 3.0, 6: 4.0, 7: 5.0},
        "lab": {},
    }
    (first, values), *others = pool.results("strength")
    assert (first.candidate, first.fidelity, values) == (0, "dft", {"strength": 1.0})
    assert (first.inputs, len(others)) == (pool.candidates[0].inputs, 6)
    with pytest.raises(DataError, match="column 'strength' has results, but not their fidelity"):
        pool_of(frame().assign(strength=[*[None] * 7, 2.0]), None, ["dft"], ["strength"])
    with pytest.raises(DataError, match="candidate 3: the result in column 'dft' is 'much'"):
        pool_of(frame().assign(dft=["1", "2", "3", "much", *"5678"]), None, ["dft"])


def test_a_column_that_counts_the_rows_is_no_input():
    assert list(pool_of(frame().assign(id=range(1, 9))).inputs) == ["gap", "metal"]
    pool = pool_of(frame().assign(id=np.arange(8.0)))
    assert list(pool.inputs) == ["gap", "metal"]
    assert pool.candidates[7].notes["id"] == "7"
    assert list(pool_of(frame()[["name"]].assign(x=range(8))).inputs) == ["x"]
