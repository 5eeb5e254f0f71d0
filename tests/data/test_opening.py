"""Words of the user's as files, and pipes, devices and folders as bytes or as errors."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading

import pytest

from mastgp import FileError
from mastgp.data import opening
from mastgp.data.opening import Place, place_of, read_bytes, split_paths


def test_sheets_and_lists_are_taken_off_only_where_no_such_file_exists(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert place_of("a.xlsx:b") == Place("a.xlsx", "b")
    assert place_of("a.csv:b") == Place("a.csv:b")
    assert split_paths("a.csv,b.csv") == ["a.csv", "b.csv"]
    (tmp_path / "a.xlsx:b").write_text("")
    (tmp_path / "a.csv,b.csv").write_text("")
    assert place_of("a.xlsx:b") == Place("a.xlsx:b")
    assert split_paths("a.csv,b.csv") == ["a.csv,b.csv"]


def test_a_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(b"x,y\n1,2\n"))
    writer.start()
    assert read_bytes(Place(str(pipe))) == b"x,y\n1,2\n"
    writer.join()


def test_a_pipe_that_nobody_writes_to_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "SILENCE", 0.2)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match=r"nothing has come through the pipe .* seconds"):
        read_bytes(Place(str(tmp_path / "pipe")))


def test_a_stream_without_an_end_is_given_up(monkeypatch):
    monkeypatch.setattr(opening, "MOST_THROUGH_A_PIPE", 3 * 2**20)
    with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless:
        place = Place(f"/dev/fd/{endless.stdout.fileno()}")
        with pytest.raises(FileError, match=r"more than 3 MB came through .* to a file"):
            read_bytes(place)
        endless.kill()


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "/dev/urandom"])
def test_devices_are_refused(path):
    with pytest.raises(FileError, match=f"{path} is a device, not a file"):
        read_bytes(Place(path))


def test_what_is_no_file(tmp_path):
    with pytest.raises(FileError, match="is a folder"):
        read_bytes(Place(str(tmp_path)))
    with pytest.raises(FileError, match="there is no file"):
        read_bytes(Place(str(tmp_path / "none.csv")))
    with pytest.raises(FileError, match="is no path"):
        read_bytes(Place("a\0b"))


class Keyboard(io.BytesIO):
    def isatty(self):
        return True


def test_standard_input(monkeypatch):
    def with_bytes(stream):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))

    with_bytes(io.BytesIO(b"x\n1\n"))
    assert read_bytes(Place("-")) == b"x\n1\n"
    with pytest.raises(FileError, match="is empty, or has been read already"):
        read_bytes(Place("-"))
    with_bytes(Keyboard())
    with pytest.raises(FileError, match="standard input is the keyboard"):
        read_bytes(Place("-"))
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(FileError, match="there is no standard input"):
        read_bytes(Place("-"))


def test_files_that_are_too_large_or_have_no_end_are_refused(tmp_path, monkeypatch):
    sparse = tmp_path / "sparse.csv"
    with open(sparse, "wb") as file:
        file.truncate(2**40)
    with pytest.raises(FileError, match="no larger file is read"):
        read_bytes(Place(str(sparse)))
    monkeypatch.setattr(opening, "MOST_IN_A_FILE", 10)
    small = tmp_path / "small.csv"
    small.write_bytes(b"x,y\n1,2\n")
    assert read_bytes(Place(str(small))) == b"x,y\n1,2\n"
    if os.path.exists("/proc/self/status"):  # its size is zero, whatever it holds
        with pytest.raises(FileError, match="no larger file is read"):
            read_bytes(Place("/proc/self/status"))


def test_a_file_that_waits_is_refused(tmp_path, monkeypatch):
    """Some of the system's files are called ordinary and are none, as /proc/kmsg."""
    path = tmp_path / "kmsg"
    os.mkfifo(path)
    silent = os.open(path, os.O_RDWR)
    monkeypatch.setattr(opening.stat, "S_ISFIFO", lambda mode: False)
    try:
        with pytest.raises(FileError, match="waits for somebody to write to it"):
            read_bytes(Place(str(path)))
    finally:
        os.close(silent)
