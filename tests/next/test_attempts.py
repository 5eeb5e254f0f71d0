from __future__ import annotations

import json
import os
import sys

import pytest

from mastgp.errors import FileError
from mastgp.next.attempts import Job, end, finished, folder_of, outcome, prepare, start


def job(code, **changed):
    options = {"study": "abc", "trial": 7, "attempt": 1, "seconds": 20.0, **changed}
    return Job(words=(sys.executable, "-I", "-S", "-c", code), **options)


def attempted(folder, code, **changed):
    made = job(code, **changed)
    prepare(folder, made)
    process = start(folder, made, {"MAST_TRIAL": "7"})
    process.wait(60)
    end(process)
    return outcome(folder, made)


@pytest.fixture
def folder(tmp_path):
    return folder_of(tmp_path, 7, 1)


def test_an_attempt_that_ends_well_has_an_output(folder):
    found = attempted(folder, "import os; print(os.environ['MAST_TRIAL'])")
    assert (found.output, found.problem) == ("7\n", None)
    assert folder.name == "00007-1"
    assert finished(folder, "abc")


def test_what_went_wrong_is_said(folder):
    assert attempted(folder, "raise SystemExit('boom')").problem == "ended with 1: boom"
    killed = attempted(folder, "import os; os.kill(os.getpid(), 9)")
    assert killed.problem == "ended by signal 9"
    slow = attempted(folder, "import time; time.sleep(99)", seconds=0.3)
    assert slow.problem == "took more than 0.3 s"
    assert len(list(folder.parent.iterdir())) == 3  # what was there is set aside


def test_results_may_be_in_a_file(folder):
    path = folder / "out.txt"
    code = f"open({str(path)!r}, 'w').write('3')"
    assert attempted(folder, code, file=str(path)).output == "3"
    assert "cannot read" in attempted(folder, "", file=str(path)).problem


def test_a_command_that_does_not_exist_never_started(folder):
    made = Job("abc", 7, 1, ("./no-such-program",))
    prepare(folder, made)
    process = start(folder, made, {})
    process.wait(60)
    end(process)
    found = outcome(folder, made)
    assert not found.could_start
    assert "no-such-program" in found.problem


def test_a_run_without_a_word_of_its_end_does_not_count(folder):
    prepare(folder, job(""))
    assert not outcome(folder, job("")).could_start
    assert not finished(folder, "abc")


def test_remains_of_another_study_are_no_results(folder):
    attempted(folder, "print(1)")
    assert not finished(folder, "another")
    (folder / "run.json").write_text("[]")
    assert not finished(folder, "abc")
    (folder / "run.json").unlink()
    assert not finished(folder, "abc")


def test_folders_say_what_was_run(folder):
    prepare(folder, job("print(1)"))
    about = json.loads((folder / "run.json").read_text())
    assert (about["study"], about["trial"], about["words"][-1]) == ("abc", 7, "print(1)")


def test_a_folder_that_cannot_be_made_is_an_error_of_ours(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="folder of runs"):
        prepare(tmp_path / "file" / "00007-1", job(""))


def test_what_has_no_end_is_no_file_of_results(folder, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", str(tmp_path / "pipe"), str(tmp_path)):
        assert "cannot read" in attempted(folder, "", file=path).problem


def test_a_command_that_is_too_long_is_named(folder):
    made = Job("abc", 7, 1, ("echo", "a" * 2**20))
    prepare(folder, made)
    with pytest.raises(FileError, match="whose words may be too long: Argument list too long"):
        start(folder, made, {})
