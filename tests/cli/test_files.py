"""Files that commands read and write."""

from __future__ import annotations

import pytest

from mastgp import FileError
from mastgp.cli.files import check_output, load_model


def test_an_output_may_be_new_or_another_file(tmp_path):
    (tmp_path / "in.csv").write_text("x\n")
    (tmp_path / "old.csv").write_text("x\n")
    check_output(str(tmp_path / "new.csv"), inputs=[str(tmp_path / "in.csv"), "none.csv"])
    check_output(str(tmp_path / "old.csv"), inputs=[str(tmp_path / "in.csv")])


def test_a_file_to_read_is_never_written_by_whatever_name(tmp_path):
    (tmp_path / "in.csv").write_text("x\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "in.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "in.csv")
    for name in ("in.csv", "link.csv", "hard.csv", "../" + tmp_path.name + "/in.csv"):
        with pytest.raises(FileError, match="is one of the files to read"):
            check_output(str(tmp_path / name), inputs=["none.csv", str(tmp_path / "in.csv")])


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(FileError, match="does not exist; create it first"):
        check_output(str(tmp_path / "nowhere" / "a.csv"), inputs=[])


def test_a_model_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileError, match=r"there is no file .*none\.mast"):
        load_model(str(tmp_path / "none.mast"))


def test_a_sheet_is_part_of_its_file(tmp_path):
    book = tmp_path / "runs.xlsx"
    book.write_bytes(b"x")
    with pytest.raises(FileError, match="is one of the files to read"):
        check_output(str(book), inputs=[f"{book}:Sheet2"])
