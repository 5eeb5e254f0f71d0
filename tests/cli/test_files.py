"""Files that commands read and write."""

from __future__ import annotations

import subprocess
import sys

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


def test_standard_input_and_output_may_be_files(tmp_path):
    """As with ``mast fit lo.csv hi=- -o hi.csv < hi.csv`` and ``mast predict m.mast q >> q``."""
    (tmp_path / "in.csv").write_text("x\n")
    script = (
        "from mastgp.cli.files import check_output, check_standard_output\n"
        "for check in (lambda: check_output('in.csv', ['-']), "
        "lambda: check_standard_output(['in.csv'])):\n"
        "    try: check()\n"
        "    except Exception as error: print(error, file=__import__('sys').stderr)\n"
        "check_output('other.csv', ['-'])\n"
    )
    with open(tmp_path / "in.csv", "r+") as stream:
        run = subprocess.run(
            [sys.executable, "-c", script], stdin=stream, stdout=stream, stderr=subprocess.PIPE,
            cwd=tmp_path, text=True, check=True,
        )  # fmt: skip
    assert run.stderr.splitlines() == [
        "in.csv is one of the files to read; write to another one",
        "standard output is one of the files to read; write to another one",
    ]


def test_devices_as_standard_output_are_no_files_to_read():
    script = "from mastgp.cli.files import check_standard_output as c; c(['-', '/dev/null'])"
    null = subprocess.DEVNULL
    subprocess.run([sys.executable, "-c", script], stdin=null, stdout=null, check=True)
