"""Where a model comes from."""

from __future__ import annotations

import hashlib

import pytest

from mastgp.data.origin import (
    Origin,
    SourceFile,
    origin_state,
    restored_origin,
    source_file,
    without_folders,
)
from mastgp.data.tables import training_table
from mastgp.errors import MissingWarning
from mastgp.stored import DamagedError

WHOLE = Origin("1.0", ("mast fit a.csv",), (SourceFile("a.csv", "00"), SourceFile("-")), ("hm",))


def test_a_step_is_added_and_nothing_is_said_twice():
    after = WHOLE.then("mast update b.csv", [SourceFile("b.csv")], ["hm", "oh"])
    assert after.commands == ("mast fit a.csv", "mast update b.csv")
    assert [file.path for file in after.files] == ["a.csv", "-", "b.csv"]
    assert after.warnings == ("hm", "oh")
    assert WHOLE.then(None) == WHOLE


def test_it_comes_back_from_plain_values():
    assert restored_origin(origin_state(WHOLE)) == WHOLE
    assert restored_origin(origin_state(Origin())) == Origin()


@pytest.mark.parametrize(
    "change",
    [
        {"version": 1},
        {"commands": "mast"},
        {"commands": [1]},
        {"files": [{"path": "a"}]},
        {"files": [{"path": "a", "sha256": 3}]},
        {"warnings": ["a"] * 1001},
        {"more": 1},
    ],
)
def test_what_is_damaged_is_refused(change):
    with pytest.raises(DamagedError):
        restored_origin({**origin_state(WHOLE), **change})


def test_a_file_is_known_by_its_hash(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"x,y\n1,2\n")
    assert source_file(str(path)).sha256 == hashlib.sha256(b"x,y\n1,2\n").hexdigest()
    assert source_file("-") == SourceFile("standard input")


def test_a_table_knows_its_files_and_what_was_said_of_them(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("x,y\n1,2\n3,\n5,6\n")
    with pytest.warns(MissingWarning) as said:
        table = training_table([str(path)], "y", skip_missing=True)
    assert [file.path for file in table.origin.files] == [str(path)]
    assert list(table.origin.warnings) == [str(warning.message) for warning in said]


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("{here}/a b/hi.csv", "hi.csv"),
        ("hi={here}/a b/hi.csv", "hi=hi.csv"),
        ("hi={here}/x=1/hi.csv", "hi=hi.csv"),
        ("{here}/x=1/hi.csv", "hi.csv"),
        ("{here}/a.xlsx:Sheet 2", "a.xlsx:Sheet 2"),
        ("{here}/lo.csv,{here}/hi.csv", "lo.csv,hi.csv"),
        ("lo={here}/lo.csv,hi={here}/hi.csv", "lo=lo.csv,hi=hi.csv"),
        ("p/lo.csv,p/hi.csv", "lo.csv,hi.csv"),
        ("{here}/runs/", "runs"),
        ("p/*.csv", "*.csv"),
        ("p/*/a.csv", "a.csv"),
        ("--output={here}/m.mast", "--output=m.mast"),
        ("-o{here}/m.mast", "-om.mast"),
        ("lift/drag=1,m/s", "lift/drag=1,m/s"),
        ("--method", "--method"),
    ],
)
def test_files_are_named_without_their_folders(tmp_path, monkeypatch, word, shown):
    monkeypatch.chdir(tmp_path)
    for folder in ("p", "x=1"):
        (tmp_path / folder).mkdir()
    found = without_folders(word.format(here=tmp_path))
    assert str(tmp_path) not in found
    assert found == shown


def test_neither_files_nor_warnings_keep_folders(tmp_path):
    path = tmp_path / "runs.csv"
    origin = Origin().then(None, [SourceFile(str(path))], [f"row 3 of {path}: odd"])
    state = origin_state(origin)
    assert state["files"] == [{"path": "runs.csv", "sha256": None}]
    assert state["warnings"] == ["row 3 of runs.csv: odd"]
