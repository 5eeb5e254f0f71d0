"""Files of typed columns that are written block by block."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mastgp import DataError
from mastgp.data.writing import Dialect, table_writer

READERS = {"a.parquet": pd.read_parquet, "a.feather": pd.read_feather}


def write(path, *blocks):
    with table_writer(path) as add:
        for block in blocks:
            add(block, Dialect())


@pytest.mark.parametrize("name", READERS)
def test_blocks_become_one_table(tmp_path, name):
    table = pd.DataFrame({"x": np.arange(10.0), "m": list("abcdefghij")})
    write(tmp_path / name, table[:4], table[4:9], table[9:])
    pd.testing.assert_frame_equal(READERS[name](tmp_path / name), table)


@pytest.mark.parametrize("name", READERS)
def test_cells_that_are_empty_in_some_blocks_only(tmp_path, name):
    whole = pd.DataFrame({"n": [1, 2], "note": [None, None]})
    later = pd.DataFrame({"n": [3.0, np.nan], "note": ["a", None]})
    write(tmp_path / name, whole, later)
    table = READERS[name](tmp_path / name)
    assert table["n"].tolist()[:3] == [1, 2, 3]
    assert table["n"].isna().tolist() == [False, False, False, True]
    assert table["note"].tolist()[2] == "a"


def test_a_column_that_changes_its_type_is_an_error_and_leaves_no_file(tmp_path):
    blocks = [pd.DataFrame({"x": [1.0]}), pd.DataFrame({"x": ["steel"]})]
    with pytest.raises(DataError, match=r"a.parquet cannot be written: a column changes its type"):
        write(tmp_path / "a.parquet", *blocks)
    assert list(tmp_path.iterdir()) == []
