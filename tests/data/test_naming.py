"""Which files belong to which fidelity."""

from __future__ import annotations

from pathlib import Path

import pytest

from mastgp import DataError
from mastgp.data.naming import check_distinct, named_files


def pairs(files):
    return [(file.name, file.path) for file in named_files(files)]


def test_names_come_from_files_sheets_and_words():
    files = ["a/coarse.csv", "panel=p1.csv,p2.csv", "wing.xlsx:cfd", Path("fine.csv"), "lab=-", "-"]
    assert pairs(files) == [
        ("coarse", "a/coarse.csv"),
        ("panel", "p1.csv"),
        ("panel", "p2.csv"),
        ("cfd", "wing.xlsx:cfd"),
        ("fine", "fine.csv"),
        ("lab", "-"),
        ("stdin", "-"),
    ]


def test_a_mapping_is_taken_as_it_is():
    files = {"panel": ["a,b.csv", Path("c=d.csv")], 2: "x.csv"}
    assert pairs(files) == [("panel", "a,b.csv"), ("panel", "c=d.csv"), ("2", "x.csv")]


def test_several_files_need_a_name():
    with pytest.raises(DataError, match=r"several files need a name: name=p1.csv,p2.csv"):
        named_files(["p1.csv,p2.csv"])


def test_a_file_is_given_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("p1.csv", "p2.csv"):
        (tmp_path / name).write_text("x\n1\n")
    check_distinct(named_files(["panel=p1.csv,p2.csv"]))
    with pytest.raises(DataError, match=r"p1\.csv is given twice"):
        check_distinct(named_files(["panel=p1.csv,./p1.csv"]))
    with pytest.raises(DataError, match="the file - is given twice"):
        check_distinct(named_files(["a=-,-"]))
    with pytest.raises(DataError, match=r"two files are called 'panel'.* panel=p1.csv,p2.csv"):
        check_distinct(named_files(["panel=p1.csv", "panel=p2.csv"]))
