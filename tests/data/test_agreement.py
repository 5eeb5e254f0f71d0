"""Columns that hold the same kind of value in all files of a fidelity."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mastgp import DataError
from mastgp.data.agreement import check_agreement
from mastgp.data.source import Source
from mastgp.data.tables import training_table


def text(path, *cells):
    return Source(path, pd.DataFrame({"x": list(cells)}), unit="line")


def typed(path, *cells):
    return Source(path, pd.DataFrame({"x": list(cells)}), typed=True)


@pytest.mark.parametrize(
    ("first", "later", "words"),
    [
        (text("a.csv", "1", "2"), text("b.csv", "s", "t"), "b.csv, .* holds labels, but in a.csv"),
        (text("a.csv", "s", "t"), text("b.csv", "1", "2"), "b.csv, .* holds numbers, .* labels"),
        (typed("a.pq", 1.0, 2.0), typed("b.pq", "1", "2"), "b.pq, .* holds text, .* numbers"),
        (typed("a.pq", 1, 2), typed("b.pq", True, False), "b.pq, .* holds labels, .* numbers"),
        (typed("a.pq", 1, 2), typed("b.pq", pd.Timestamp("2026-01-01")), "b.pq, .* holds dates"),
    ],
)
def test_a_change_is_named_with_both_files(first, later, words):
    with pytest.raises(DataError, match=words):
        check_agreement([first, first, later], ["x"], free=[])
    check_agreement([first, later], ["x"], free=["x"])


@pytest.mark.parametrize(
    ("first", "later"),
    [
        (typed("a.pq", 1, 2), typed("b.pq", 1.5, np.nan)),
        (text("a.csv", "1", "2"), typed("b.pq", 1, 2)),
        (text("a.csv", "s", "t"), typed("b.pq", "s", "u")),
        (text("a.csv", "", ""), text("b.csv", "s", "t")),
        (text("a.csv", "s", "t"), text("b.csv", "", "")),
    ],
)
def test_the_same_in_another_kind_of_file_is_no_change(first, later):
    check_agreement([first, later], ["x"], free=[])


def test_a_column_that_changes_its_type_in_the_700th_file_is_named(tmp_path):
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [3.0, 4.0]})
    for i in range(700):
        table = frame.astype({"x": str}) if i == 699 else frame
        table.to_parquet(tmp_path / f"p{i:03d}.parquet")
    with pytest.raises(DataError, match=r"p699.parquet, column 'x', holds text.*p000.parquet"):
        training_table([f"coarse={tmp_path}"], "y")
