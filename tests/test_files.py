"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat

import pytest

from mastgp import FileError
from mastgp.files import atomic_write, check_can_write, make_folder


def write_and_raise(path, error):
    with atomic_write(path) as file:
        file.write(b"half of the new")
        raise error


def test_a_file_appears_when_it_is_complete(tmp_path):
    path = tmp_path / "a.bin"
    with atomic_write(path) as file:
        file.write(b"content")
        assert not path.exists()
    assert path.read_bytes() == b"content"
    assert os.listdir(tmp_path) == ["a.bin"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("odd"), FileError("ours")])
def test_an_error_leaves_the_old_file_and_is_passed_on(tmp_path, error):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    with pytest.raises(type(error)) as caught:
        write_and_raise(path, error)
    assert caught.value is error
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.bin"]


def test_what_the_system_refuses_names_the_file(tmp_path):
    path = tmp_path / "a.bin"
    with pytest.raises(FileError, match=r"^cannot write .*a\.bin: No space left on device$"):
        write_and_raise(path, OSError(28, "No space left on device"))
    assert os.listdir(tmp_path) == []


def test_permissions_and_links_stay(tmp_path):
    path, link = tmp_path / "a.bin", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    with atomic_write(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "it is a folder"),
        ("nowhere/a", "nowhere does not exist; create it first"),
        ("a" * 300, "the name is too long"),
        ("pipe", "it is not an ordinary file"),
    ],
)
def test_what_cannot_be_written_is_said_beforehand(tmp_path, name, reason):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match=f"^cannot write .*{reason}$"):
        check_can_write(tmp_path / name)


def test_a_path_without_a_name_is_no_file():
    for path in ("", ".", "/"):
        with pytest.raises(FileError, match="it is not a file name"):
            check_can_write(path)


@pytest.mark.parametrize("refused", ["folder", "file"])
def test_no_permission(tmp_path, monkeypatch, refused):
    """The system's answer is replaced, because root may write everywhere."""
    path = tmp_path / "a"
    path.write_bytes(b"old")
    forbidden = tmp_path if refused == "folder" else path
    monkeypatch.setattr("os.access", lambda place, mode: place != forbidden)
    with pytest.raises(FileError, match="no permission to write there"):
        check_can_write(path)


def test_folders_are_made_with_those_above_them(tmp_path):
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"^cannot create the folder .*file/b: "):
        make_folder(tmp_path / "file" / "b")
