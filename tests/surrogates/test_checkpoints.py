"""Where weights are looked for, what is said without them, and how they are downloaded."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from mastgp import MAST, DataError, MastError, libraries
from mastgp.errors import FileError, MissingExtraError
from mastgp.progress import listening
from mastgp.surrogates import GP
from mastgp.surrogates import checkpoints as icl
from mastgp.surrogates.checkpoints import CHECKPOINTS, checksum, download, find_checkpoint
from support import COSTS

TABPFN = CHECKPOINTS["tabpfn"]
NEEDS_PACKAGES = pytest.mark.skipif(
    not (find_spec("tabpfn") and find_spec("tabicl")), reason="needs TabPFN and TabICL"
)
SRC = Path(icl.__file__).parents[2]


@pytest.fixture(autouse=True)
def bare_machine(tmp_path, monkeypatch):
    """No weights anywhere."""
    for variable in (
        "TABPFN_MODEL_PATH", "TABICL_MODEL_PATH", "TABPFN_MODEL_CACHE_DIR", "HF_HOME",
        "HF_HUB_CACHE",
    ):  # fmt: skip
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "platform", "linux")


def put(folder, name=TABPFN.filename, content=b"weights"):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(content)
    return path


def test_argument_before_variable_before_cache(tmp_path, monkeypatch):
    cached = put(tmp_path / "cache" / "tabpfn")
    assert find_checkpoint(TABPFN) == cached
    named = put(tmp_path / "named", "mine.ckpt")
    monkeypatch.setenv("TABPFN_MODEL_PATH", str(named))
    assert find_checkpoint(TABPFN) == named
    given = put(tmp_path / "given")
    assert find_checkpoint(TABPFN, given) == given
    assert find_checkpoint(TABPFN, tmp_path / "given") == given


def test_a_file_that_was_named_is_not_replaced_by_another(tmp_path, monkeypatch):
    put(tmp_path / "cache" / "tabpfn")
    with pytest.raises(FileError, match=r"not at .*nowhere\.ckpt"):
        find_checkpoint(TABPFN, tmp_path / "nowhere.ckpt")
    monkeypatch.setenv("TABPFN_MODEL_PATH", str(tmp_path / "gone.ckpt"))
    with pytest.raises(FileError, match=r"not at .*gone\.ckpt"):
        find_checkpoint(TABPFN)


def test_tabpfn_s_own_cache_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TABPFN_MODEL_CACHE_DIR", str(tmp_path / "own"))
    path = put(tmp_path / "own")
    assert find_checkpoint(TABPFN) == path


def test_tabicl_is_found_where_its_package_keeps_it(tmp_path):
    tabicl = CHECKPOINTS["tabicl"]
    snapshot = tmp_path / "cache/huggingface/hub/models--jingang--TabICL/snapshots/0a1b"
    path = put(snapshot, tabicl.filename)
    assert find_checkpoint(tabicl) == path


def test_a_certain_file_is_found_wherever_it_is(tmp_path, monkeypatch):
    wanted = hashlib.sha256(b"weights").hexdigest()
    other = put(tmp_path / "given", content=b"other weights")
    with pytest.raises(FileError, match="not the file that this model was fitted with"):
        find_checkpoint(TABPFN, other, sha256=wanted)
    cached = put(tmp_path / "cache" / "tabpfn", "renamed.ckpt")
    assert find_checkpoint(TABPFN, other, filename="renamed.ckpt", sha256=wanted) == cached
    assert find_checkpoint(TABPFN, "/gone", filename="renamed.ckpt", sha256=wanted) == cached


def test_checksum_notices_a_change(tmp_path):
    path = put(tmp_path)
    assert checksum(path) == hashlib.sha256(b"weights").hexdigest()
    path.write_bytes(b"others")
    assert checksum(path) == hashlib.sha256(b"others").hexdigest()


@NEEDS_PACKAGES
@pytest.mark.parametrize("name", CHECKPOINTS)
def test_without_weights_one_message_before_any_work(two_fidelities, name, monkeypatch):
    X, y, labels, _ = two_fidelities
    monkeypatch.setattr(GP, "fit", None)  # nothing is fitted before all stages are ready
    with pytest.raises(FileError) as caught:
        MAST(COSTS, surrogate=("gp", "gp", name)).fit(X, y, fidelity=labels)
    message = str(caught.value)
    checkpoint = CHECKPOINTS[name]
    assert "\n" not in message
    for fact in (
        checkpoint.filename, str(checkpoint.folders()[0]), checkpoint.variable, checkpoint.licence,
        checkpoint.licence_url, f"mast icl download {name}",
    ):  # fmt: skip
        assert fact in message


@NEEDS_PACKAGES
def test_without_weights_neither_torch_nor_the_network_is_touched():
    code = (
        "import socket, sys\n"
        "def refuse(*args, **kwargs): raise SystemExit('network')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from mastgp import MAST\n"
        "try: MAST(surrogate='tabpfn').fit([[0.], [1.], [2.]], [0., 1., 5.])\n"
        "except OSError as error: print(error)\n"
        "print(sorted({'torch', 'tabpfn', 'tabicl'} & set(sys.modules)))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    message, imported = done.stdout.strip().split("\n")
    assert "tabpfn-v2-regressor.ckpt" in message
    assert imported == "[]"


def test_without_the_package_the_command_that_installs_it(two_fidelities, monkeypatch):
    X, y, labels, _ = two_fidelities
    monkeypatch.setattr(libraries, "find_spec", lambda name: None)
    message = r"surrogate 'tabpfn' needs 'tabpfn'; install it with pip install 'mastgp\[icl\]'"
    with pytest.raises(MissingExtraError, match=message):
        MAST(COSTS, surrogate="tabpfn").fit(X, y, fidelity=labels)


def test_unknown_learner():
    with pytest.raises(DataError, match="unknown learner 'tabby'; choose one of 'tabpfn'"):
        icl.checkpoint_of("tabby")
    assert icl.checkpoint_of("tabicl") is CHECKPOINTS["tabicl"]


class Server(BaseHTTPRequestHandler):
    """Sends 3 MB; on /broken it promises more."""

    content = bytes(range(256)) * 12_000
    asked = 0

    def do_GET(self):
        type(self).asked += 1
        self.send_response(200)
        promised = len(self.content) + (1000 if self.path == "/broken" else 0)
        self.send_header("Content-Length", str(promised))
        self.end_headers()
        self.wfile.write(self.content)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    server = HTTPServer(("127.0.0.1", 0), Server)
    Server.asked = 0
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_download_asks_first_and_shows_the_licence(server, tmp_path):
    sha256 = hashlib.sha256(Server.content).hexdigest()
    size = len(Server.content)
    checkpoint = replace(TABPFN, url=f"{server}/file", sha256=sha256, size=size)
    shown, steps = [], []

    def refuse(notice):
        shown.append(notice)
        return False

    with pytest.raises(MastError, match="was not accepted: nothing was downloaded"):
        download(checkpoint, refuse)
    assert Server.asked == 0
    assert not (tmp_path / "cache").exists()
    for fact in (checkpoint.licence, checkpoint.licence_url, checkpoint.url, checkpoint.filename):
        assert fact in shown[0]

    with listening(lambda what, done, total: steps.append(done / total)):
        path = download(checkpoint, lambda notice: True)
    assert path == tmp_path / "cache" / "tabpfn" / TABPFN.filename
    assert path.read_bytes() == Server.content
    assert steps[-1] == 1.0
    assert find_checkpoint(TABPFN) == path

    assert download(checkpoint, refuse) == path  # it is there: nothing to ask
    assert Server.asked == 1


@pytest.mark.filterwarnings("ignore::mastgp.DownloadWarning")
def test_a_download_that_fails_leaves_nothing(server, monkeypatch):
    monkeypatch.setattr("mastgp.downloads.PAUSE", 0.0)
    broken = replace(TABPFN, url=f"{server}/broken")
    with pytest.raises(FileError, match=f"cannot download {broken.url}: the connection broke"):
        download(broken, lambda notice: True)
    changed = replace(TABPFN, url=f"{server}/file", sha256="00" * 32)
    with pytest.raises(DataError, match="has changed"):
        download(changed, lambda notice: True)
    assert not list(TABPFN.folders()[0].iterdir())


def test_published_checkpoints_are_of_one_revision_and_content():
    """The address names a commit, which cannot change, and the content has a known checksum."""
    for checkpoint in CHECKPOINTS.values():
        assert re.fullmatch(r"https://[^/]+/[^/]+/[^/]+/resolve/[0-9a-f]{40}/[^/]+", checkpoint.url)
        assert checkpoint.url.endswith(f"/{checkpoint.filename}")
        assert re.fullmatch(r"[0-9a-f]{64}", checkpoint.sha256)


def test_random_numbers_of_the_process_are_left_alone_without_weights(two_fidelities):
    X, y, labels, _ = two_fidelities
    before = np.random.mtrand._rand.get_state()[1].copy()
    with pytest.raises(MastError):
        MAST(COSTS, surrogate="tabpfn").fit(X, y, fidelity=labels)
    np.testing.assert_array_equal(before, np.random.mtrand._rand.get_state()[1])
