from __future__ import annotations

import hashlib
import os
import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from mastgp import DataError, FileError
from mastgp.bench import datasets
from mastgp.bench.datasets import DATA_SETS, DataFile, DataSet, download, find_files, is_available

#: Where the real data are looked for: the folder of MASTGP_DATA, or one beside the project.
DATA = Path(os.environ.get("MASTGP_DATA", Path(__file__).parents[3] / "shared" / "data"))
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason="the real data sets are not here (set MASTGP_DATA)"
)


@needs_data
@pytest.mark.parametrize("name", sorted(DATA_SETS))
def test_files_have_the_recorded_hashes(name):
    for file, path in zip(DATA_SETS[name].files, find_files(name, DATA), strict=True):
        assert hashlib.sha256(path.read_bytes()).hexdigest() == file.sha256


def test_missing_data_say_which_file_to_put_where(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("MASTGP_DATA", raising=False)
    with pytest.raises(FileError, match=r"Put data_car.csv at .*drivaernet/data_car.csv.*download"):
        find_files("drivaernet", tmp_path)
    with pytest.raises(FileError, match=r"UCI data set 165"):
        find_files("concrete", tmp_path)
    assert not is_available("hoip")
    with pytest.raises(DataError, match="unknown data set 'mnist'"):
        find_files("mnist")


def test_folders_are_searched_in_order(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    places = [tmp_path / "named", tmp_path / "variable", tmp_path / "cache" / "mastgp" / "data"]
    monkeypatch.setenv("MASTGP_DATA", str(places[1]))
    for place in reversed(places):
        (place / "concrete").mkdir(parents=True)
        (place / "concrete" / "concrete.csv").write_text("")
        assert find_files("concrete", places[0]) == [place / "concrete" / "concrete.csv"]


@pytest.fixture
def server(tmp_path):
    """A web server on this machine, with one file."""
    (tmp_path / "www").mkdir()
    (tmp_path / "www" / "a.csv").write_bytes(b"1,2,3\n")
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "www"))
    handler.log_message = lambda *_: None
    running = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()
    running.server_close()


def one_file(url, content):
    file = DataFile("toy/a.csv", hashlib.sha256(content).hexdigest(), url)
    return DataSet("toy", "a toy", "none", (file,))


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_download(server, tmp_path, monkeypatch):
    monkeypatch.setitem(datasets.DATA_SETS, "toy", one_file(f"{server}/a.csv", b"1,2,3\n"))
    (path,) = download("toy", tmp_path / "data")
    assert path.read_bytes() == b"1,2,3\n"
    path.write_bytes(b"mine")
    download("toy", tmp_path / "data")
    assert path.read_bytes() == b"mine"  # what is there is kept


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_download_that_fails_leaves_nothing(server, tmp_path, monkeypatch):
    monkeypatch.setitem(datasets.DATA_SETS, "toy", one_file(f"{server}/a.csv", b"other"))
    with pytest.raises(DataError, match="has changed"):
        download("toy", tmp_path / "data")
    monkeypatch.setitem(datasets.DATA_SETS, "toy", one_file(f"{server}/none.csv", b""))
    with pytest.raises(FileError, match=r"cannot download .*File not found"):
        download("toy", tmp_path / "data")
    assert [path for path in (tmp_path / "data").rglob("*") if path.is_file()] == []
    with pytest.raises(FileError, match="UCI"):
        download("concrete", tmp_path / "data")


def test_published_files_are_of_one_revision_and_content():
    for data_set in DATA_SETS.values():
        for file in data_set.files:
            assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
            if file.url is not None:
                assert re.search(r"^https://.*/[0-9a-f]{40}/", file.url)
