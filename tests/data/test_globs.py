"""Words that mean many files."""

from __future__ import annotations

import pytest

from mastgp import DataError
from mastgp.data.globs import is_many, name_of_many, paths_of
from mastgp.data.naming import named_files
from mastgp.errors import FileError


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of tables, with files of other programs among them."""
    monkeypatch.chdir(tmp_path)
    for name in ("a/p10.csv", "a/p2.csv", "a/deep/p1.csv", "a/_done.csv", "a/.hidden.csv"):
        path = tmp_path / "runs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x,y\n1,2\n")
    return tmp_path / "runs"


def test_a_folder_is_all_of_its_tables_whatever_the_order_of_the_disk(folder):
    assert paths_of("runs/a") == ["runs/a/deep/p1.csv", "runs/a/p10.csv", "runs/a/p2.csv"]
    assert paths_of("runs/") == paths_of("runs")


def test_a_pattern_is_all_that_match_it(folder):
    assert paths_of("runs/a/p*.csv") == ["runs/a/p10.csv", "runs/a/p2.csv"]
    assert paths_of("runs/**/*1.csv") == ["runs/a/deep/p1.csv"]
    assert paths_of("runs/a/p?.csv") == ["runs/a/p2.csv"]


def test_a_file_whose_own_name_has_wildcards_is_itself(folder):
    (folder / "p[2].csv").write_text("x,y\n1,2\n")
    assert paths_of("runs/p[2].csv") == ["runs/p[2].csv"]
    assert not is_many("runs/p[2].csv")
    assert paths_of("-") == ["-"]


def test_what_means_nothing_is_named(folder):
    with pytest.raises(FileError, match=r"no file matches runs/\*.parquet"):
        paths_of("runs/*.parquet")
    (folder / "empty").mkdir()
    with pytest.raises(FileError, match="the folder runs/empty has no tables"):
        paths_of("runs/empty")


def test_a_folder_of_several_kinds_is_refused(folder):
    (folder / "a" / "p1.parquet").write_bytes(b"")
    with pytest.raises(DataError, match=r"several kinds, '.csv', '.parquet'; .* runs/a/\*.csv"):
        paths_of("runs/a")


def test_names_are_those_of_the_folders(folder, monkeypatch):
    named = {(file.name, file.argument) for file in named_files(["runs/a", "top=runs/a/p?.csv"])}
    assert named == {("a", 0), ("top", 1)}
    assert name_of_many("runs/a/*/*.csv") == "a"
    assert [file.name for file in named_files({"b": "runs/a/p*.csv"})] == ["b", "b"]
    monkeypatch.chdir(folder / "a")
    assert name_of_many(".") == "a"
    with pytest.raises(DataError, match=r"need a name: name=\*.csv"):
        named_files(["*.csv"])
