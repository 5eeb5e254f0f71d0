"""``mast study show --html`` and ``mast study serve``."""

from __future__ import annotations

import re
import subprocess
import sys
from urllib.request import urlopen

NEW = ("study", "new", "a.study", "--input", "x=0:1", "--cost", "panel=1,cfd=10", "--target", "y")


def test_a_page_of_a_study_is_written(mast, tmp_path):
    assert mast(*NEW)[0] == 0
    code, out, err = mast("study", "show", "a.study", "--html", "a.html")
    assert code == 0, err
    assert "Wrote a.html" in out
    assert "Study of y" in (tmp_path / "a.html").read_text()


def test_a_study_is_served_until_it_is_ended(mast, tmp_path):
    assert mast(*NEW)[0] == 0
    command = [sys.executable, "-m", "mastgp", "study", "serve", "a.study", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())[0]
            assert "Study of y" in urlopen(address, timeout=60).read().decode()
        finally:
            server.terminate()


def test_a_study_that_is_not_there_is_an_error(mast):
    assert "there is no study" in mast("study", "serve", "b.study")[2]
