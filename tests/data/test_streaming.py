"""Files of many rows as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mastgp import CategoriesWarning, DataError, Dataset, MissingWarning
from mastgp.data import streaming
from mastgp.data.columns import Roles
from mastgp.data.naming import Named
from mastgp.data.streaming import groups_of
from mastgp.data.tables import training_table
from streaming_support import IN_MEMORY, SAMPLE, lower_limits, table, write_parts


@pytest.fixture(autouse=True)
def low_limits(monkeypatch, tmp_path):
    lower_limits(monkeypatch)
    monkeypatch.chdir(tmp_path)


def same(first, second):
    for one, other in zip(first.fidelities, second.fidelities, strict=True):
        np.testing.assert_array_equal(one.X, other.X)
        np.testing.assert_array_equal(one.y, other.y)
        assert one.n_rows == other.n_rows
    np.testing.assert_array_equal(first.box.low, second.box.low)
    np.testing.assert_array_equal(first.box.high, second.box.high)
    assert first.categories == second.categories


def test_files_are_grouped_by_fidelity_unless_a_column_says_it():
    named = [Named("a", "1.csv"), Named("b", "2.csv", 1), Named("a", "3.csv")]
    assert groups_of(named, Roles("y")) == {"a": ["1.csv", "3.csv"], "b": ["2.csv"]}
    assert groups_of(named, Roles("y", "source")) == {"": ["1.csv", "2.csv", "3.csv"]}


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.filterwarnings("ignore::mastgp.CategoriesWarning")
def test_rows_that_fit_in_memory_are_the_same_read_in_blocks_or_not(tmp_path, ending, monkeypatch):
    write_parts(table(IN_MEMORY, labels=True), tmp_path / "coarse", 3, ending)
    table(20, seed=7, labels=True).to_csv("fine.csv", index=False)

    def read():
        return Dataset.from_files(["coarse", "fine.csv"], "y", order=["coarse", "fine"])

    in_blocks = read()
    assert in_blocks.cheaper[0].stream is None
    monkeypatch.setattr(streaming, "READ_WHOLE", 10**9)
    same(in_blocks, read())


@pytest.mark.filterwarnings("ignore::mastgp.CategoriesWarning")
def test_data_are_the_same_in_any_order_of_rows_and_files(tmp_path):
    frame = table(2000, labels=True)
    shuffled = frame.sample(frac=1.0, random_state=0)
    folders = [
        write_parts(frame, tmp_path / "one", 1),
        write_parts(shuffled, tmp_path / "many", 9),
        write_parts(shuffled, tmp_path / "text", 2, ".csv"),
    ]
    table(20, seed=7, labels=True).to_csv("fine.csv", index=False)
    first, *others = (
        Dataset.from_files([f"coarse={folder}", "fine.csv"], "y", order=["coarse", "fine"])
        for folder in folders
    )
    assert first.cheaper[0].n_rows == 2000
    for other in others:
        same(first, other)


def test_a_column_may_name_the_fidelity_of_rows_beyond_memory(tmp_path):
    frame = pd.concat([table(2000).assign(source="low"), table(30, 7).assign(source="high")])
    write_parts(frame.sample(frac=1.0, random_state=0), tmp_path / "runs", 4)
    data = Dataset.from_files(["runs"], "y", "source", order=["low", "high"])
    low, high = data.fidelities
    assert (low.n_rows, len(low.y), high.n_rows) == (2000, SAMPLE, 30)
    blocks = [block for file in low.stream.files() for block in low.stream.blocks(file)]
    total = sum(float(block.y.sum()) for block in blocks)
    assert total == pytest.approx(table(2000)["y"].sum(), rel=1e-12)


def test_every_fidelity_may_have_a_column_of_results(tmp_path):
    frame = table(2000).assign(HF=lambda f: np.where(np.arange(2000) % 100 == 0, f["y"], np.nan))
    write_parts(frame, tmp_path / "runs", 4)
    data = Dataset.from_files(["runs"], {"low": "y", "high": "HF"}, order=["low", "high"])
    assert [f.n_rows for f in data.fidelities] == [2000, 20]
    assert data.cheaper[0].stream is not None


def test_several_targets_have_streams_of_their_own(tmp_path):
    from mastgp.data.targets import split

    frame = table(2000).assign(z=lambda f: np.where(f["a"] > 0.5, 2.0 * f["y"], np.nan))
    write_parts(frame, tmp_path / "coarse", 4)
    both = training_table(["coarse"], ["y", "z"])
    with pytest.warns(MissingWarning):
        tables = split(both)
    streams = {name: own.streams["coarse"] for name, own in tables.items()}
    assert [stream.n for stream in streams.values()] == [2000, int((frame["a"] > 0.5).sum())]
    stream = streams["z"]
    y = [block.y for file in stream.files() for block in stream.blocks(file)]
    np.testing.assert_array_equal(np.concatenate(y), frame["z"].dropna())


def test_what_was_left_out_or_taken_as_categories_is_said(tmp_path):
    frame = table(2000, labels=True)
    frame.loc[[5, 1600], "a"] = np.nan
    write_parts(frame, tmp_path / "coarse", 4)
    words = (
        r"2 of 2000 rows of coarse/p000.parquet and 3 more files have an empty cell, first row 6"
    )
    with pytest.warns(MissingWarning, match=words), pytest.warns(CategoriesWarning):
        data = Dataset.from_files(["coarse"], "y", skip_missing=True)
    assert data.top.n_rows == 1998


def test_warnings_name_the_row_of_the_file(tmp_path):
    frame = table(450)
    frame.loc[345, "y"] = 1e30
    write_parts(frame, tmp_path / "coarse", 3)
    with pytest.warns(UserWarning, match=r"1e\+30 in row 46 of coarse/p002.parquet"):
        Dataset.from_files(["coarse"], "y")


def test_an_interrupted_or_failed_fit_writes_nothing(tmp_path, monkeypatch):
    """A broken file in the middle of a folder, and an interrupt while files are read."""
    from mastgp.cli.fit import ColumnOptions, read
    from mastgp.data import partitions

    folder = write_parts(table(2000), tmp_path / "coarse", 6)
    before = sorted(tmp_path.iterdir())
    (folder / "p003.parquet").write_bytes(b"PAR1 and nothing else")
    columns = ColumnOptions(["y"], None, None, None, None)
    with pytest.raises(DataError, match=r"coarse/p003.parquet cannot be read as Parquet"):
        read(["coarse"], columns)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(partitions, "report", interrupt)
    with pytest.raises(KeyboardInterrupt):
        read(["coarse"], columns)
    assert sorted(tmp_path.iterdir()) == before
