"""Files that are read block by block."""

from __future__ import annotations

import pytest

from mastgp import DataError
from mastgp.data.columns import Roles
from mastgp.data.partitions import Partitions
from mastgp.data.parts import Inputs
from mastgp.errors import FileError
from mastgp.progress import listening
from streaming_support import SAMPLE, lower_limits, table, write_parts

INPUTS = Inputs(["a", "b"])


@pytest.fixture(autouse=True)
def low_limits(monkeypatch, tmp_path):
    lower_limits(monkeypatch)
    monkeypatch.chdir(tmp_path)


def partitions(folder, **options):
    paths = tuple(str(path.relative_to(folder.parent)) for path in sorted(folder.iterdir()))
    return Partitions(paths, ["a", "b", "y"], "coarse", Roles("y"), INPUTS, **options)


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_a_scan_knows_all_rows(tmp_path, ending):
    frame = table(2000)
    found = partitions(write_parts(frame, tmp_path / "c", 3, ending)).scan().summaries["coarse"]
    assert found.n == 2000
    assert found.low.tolist() == [frame["a"].min(), frame["b"].min()]
    assert len(found.sample.rows) == SAMPLE


def test_an_estimate_that_is_too_high_costs_no_rows(tmp_path, monkeypatch):
    few = partitions(write_parts(table(450), tmp_path / "c", 3))
    monkeypatch.setattr("mastgp.data.partitions._SURELY", 0.1)
    assert len(few.scan().summaries["coarse"].sample.rows) == 450


def test_a_broken_file_in_the_middle_is_named(tmp_path):
    folder = write_parts(table(), tmp_path / "c", 5)
    (folder / "p002.parquet").write_bytes((folder / "p002.parquet").read_bytes()[:500])
    with pytest.raises(DataError, match=r"c/p002.parquet cannot be read as Parquet"):
        partitions(folder).scan()


def test_a_file_that_has_gone_is_named(tmp_path):
    folder = write_parts(table(), tmp_path / "c", 5)
    those = partitions(folder)
    (folder / "p003.parquet").unlink()
    with pytest.raises(FileError, match=r"there is no file c/p003.parquet"):
        those.scan()


def test_a_column_that_changes_or_is_missing_is_named(tmp_path):
    folder = write_parts(table(), tmp_path / "c", 5)
    own = table(50)
    own.astype({"b": str}).to_parquet(folder / "p003.parquet")
    with pytest.raises(DataError, match=r"c/p003.parquet, column 'b', holds text, but in c/p000"):
        partitions(folder).scan()
    own.rename(columns={"b": "B"}).to_parquet(folder / "p003.parquet")
    with pytest.raises(DataError, match=r"c/p003.parquet has no column 'b', but c/p000.parquet"):
        partitions(folder).scan()
    own.assign(b=None).to_parquet(folder / "p003.parquet")
    with pytest.raises(DataError, match=r"row 1 of c/p003.parquet, column 'b': the value is mis"):
        partitions(folder).scan()


def test_rows_with_empty_cells_are_counted(tmp_path):
    frame = table(1000)
    frame.loc[[3, 700], "b"] = None
    folder = write_parts(frame, tmp_path / "c", 4)
    scan = partitions(folder, skip_missing=True).scan()
    assert scan.summaries["coarse"].n == 998
    assert (scan.missing.total, scan.missing.left_out) == (1000, 2)
    assert scan.missing.first == "row 4, column 'b'"


def test_progress_knows_how_much_there_is_to_read(tmp_path):
    folder = write_parts(table(2000), tmp_path / "c", 4)
    reports = []
    with listening(lambda what, done, total: reports.append((done, total))):
        partitions(folder).scan()
    assert reports[-1] == (6000, 6000)
    assert {total for _, total in reports} == {6000}
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)
