"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys

import pytest

from mastgp import DataError, FileError
from mastgp.files import (
    atomic_write,
    check_can_write,
    check_is_no_input,
    is_same_file,
    make_folder,
    name_and_path,
    remove_remains,
)


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
    for path in ("", ".", "/", "a\0b"):
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


def test_a_path_that_exists_is_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run=3").mkdir()
    assert name_and_path("run=3/hi.csv") == ("run", "3/hi.csv")
    (tmp_path / "run=3" / "hi.csv").write_text("")
    assert name_and_path("run=3/hi.csv") == ("hi", "run=3/hi.csv")
    assert name_and_path("./run=4/hi.csv") == ("hi", "./run=4/hi.csv")
    assert name_and_path("=a.csv") == ("=a", "=a.csv")


def test_of_two_readings_that_exist_neither_is_chosen(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("run=3", "3"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "hi.csv").write_text("")
    with pytest.raises(DataError, match=r"both exist. Write \./run=3/hi\.csv .* run=\./3/hi\.csv"):
        name_and_path("run=3/hi.csv")
    assert name_and_path("./run=3/hi.csv")[1] == "./run=3/hi.csv"
    assert name_and_path("run=./3/hi.csv") == ("run", "./3/hi.csv")


def test_files_are_compared_as_files(tmp_path):
    data = tmp_path / "a.csv"
    data.write_text("x")
    (tmp_path / "soft").symlink_to(data)
    (tmp_path / "hard").hardlink_to(data)
    (tmp_path / "dangling").symlink_to(tmp_path / "b.csv")
    for name in ("soft", "hard", "../" + tmp_path.name + "/a.csv"):
        assert is_same_file(tmp_path / name, data)
        with pytest.raises(FileError, match="is one of the files to read"):
            check_is_no_input(str(tmp_path / name), [str(data)])
    assert is_same_file(tmp_path / "dangling", tmp_path / "b.csv")
    assert not is_same_file(tmp_path / "b.csv", data)


KILLED = """
import os, signal, sys
from mastgp.files import atomic_write
with atomic_write(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    signal.pause()
"""


def save_that_hangs(path):
    command = [sys.executable, "-c", KILLED, path]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "writing\n"
    return process


def test_remains_of_a_killed_save_go_with_the_next_one(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    with save_that_hangs(path) as process:
        assert len(os.listdir(tmp_path)) == 2
        with atomic_write(tmp_path / "b.bin") as file:  # the first save lives: nothing is removed
            file.write(b"new")
        assert len(os.listdir(tmp_path)) == 3
        process.send_signal(signal.SIGKILL)
    assert len(os.listdir(tmp_path)) == 3
    with atomic_write(tmp_path / "b.bin") as file:
        file.write(b"newer")
    assert sorted(os.listdir(tmp_path)) == ["a.bin", "b.bin"]
    assert path.read_bytes() == b"old"


def test_only_our_remains_are_removed(tmp_path):
    digits = "0123456789abcdef"
    others = [".mastgp-short.tmp", f"mastgp-{digits}.tmp", f".mastgp-{digits}.tmp.csv", "a.tmp"]
    for name in others:
        (tmp_path / name).write_text("mine")
    (tmp_path / f".mastgp-{digits[::-1]}.tmp").mkdir()
    (tmp_path / f".mastgp-{'0' * 16}.tmp").symlink_to(tmp_path / "a.tmp")
    (tmp_path / f".mastgp-{digits}.tmp").write_text("remains")
    before = set(os.listdir(tmp_path))
    remove_remains(tmp_path)
    assert before - set(os.listdir(tmp_path)) == {f".mastgp-{digits}.tmp"}
    remove_remains(tmp_path / "nowhere")
