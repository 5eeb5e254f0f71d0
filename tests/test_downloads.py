"""Files from a real web server on this machine: whole and checked, or not at all."""

from __future__ import annotations

import hashlib
import shutil
import socket
import ssl
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mastgp import DataError, DownloadWarning, FileError, downloads
from mastgp.downloads import fetch_file
from mastgp.progress import listening

CONTENT = bytes(range(256)) * 12_000  # 3 MB: several reads
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Answers as the path says."""

    protocol_version = "HTTP/1.0"

    def do_GET(self):
        self.server.asked.append(self.path)
        getattr(self, self.path.strip("/").partition("/")[0].replace("-", "_"))()

    def answer(self, content=CONTENT, status=200, size=None, **headers):
        self.send_response(status)
        if size != "unsaid":
            headers.setdefault("Content-Length", str(len(content) if size is None else size))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def file(self):
        self.answer()

    def unsaid(self):
        self.answer(size="unsaid")

    def short(self):
        self.answer(size=len(CONTENT) + 1000)

    def short_chunks(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc")

    def breaks_twice(self):
        """Break the connection in the first two answers."""
        n_asked = self.server.asked.count("/breaks-twice")
        self.answer(CONTENT if n_asked == 3 else CONTENT[:1000], size=len(CONTENT))

    def busy_once(self):
        busy = self.server.asked.count("/busy-once") == 1
        self.answer(b"" if busy else CONTENT, 503 if busy else 200)

    def moved_to_http(self):
        port = self.server.server_port
        self.answer(b"", 302, Location=f"http://127.0.0.1:{port}/file")

    def nonsense(self):
        self.wfile.write(b"no HTTP at all\r\n\r\n")

    def gone(self):
        self.answer(b"", 404)

    def page(self):
        self.answer(b"hello", Content_Type="text/html; charset=utf-8")

    def secret_page(self):
        self.answer(b"\n <!DOCTYPE HTML><p>sign in", Content_Type="application/octet-stream")

    def moved(self):
        self.answer(b"", 302, Location="/file")

    def moved_away(self):
        self.answer(b"", 302, Location="http://192.0.2.1/file")

    def moved_to_https(self):
        self.answer(b"", 302, Location="https://127.0.0.1/file")

    def moved_to_a_file(self):
        self.answer(b"", 302, Location="file:///etc/hostname")

    def log_message(self, *args):
        pass


@contextmanager
def serving(scheme="http", prepare=lambda server: None):
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        prepare(running)
        running.daemon_threads = True
        running.asked = []
        running.address = f"{scheme}://127.0.0.1:{running.server_port}"
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(downloads, "PAUSE", 0.0)
    with serving() as running:
        yield running


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of this machine, and its key; nobody trusts it yet."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("certificate")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    return folder


@pytest.fixture
def secure(certificate, monkeypatch):
    """An https server of this machine, whose certificate is trusted."""

    def encrypt(running):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
        running.socket = context.wrap_socket(running.socket, server_side=True)

    monkeypatch.setattr(downloads, "PAUSE", 0.0)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert.pem"))
    with serving("https", encrypt) as running:
        yield running


def files_in(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("place", ["file", "unsaid", "moved"])
def test_a_file_arrives_whole(server, tmp_path, place):
    target = tmp_path / "new" / "folder" / "a.bin"
    assert fetch_file(f"{server.address}/{place}", target, sha256=SHA256.upper()) == target
    assert target.read_bytes() == CONTENT
    assert files_in(tmp_path) == [target]


def test_progress_is_reported(server, tmp_path):
    seen = []
    with listening(lambda *step: seen.append(step)):
        fetch_file(f"{server.address}/file/a.bin?version=1", tmp_path / "a", sha256=SHA256)
    assert [what for what, _, _ in seen] == ["downloading a.bin"] * len(seen)
    assert len(seen) >= 3
    assert seen[-1][1:] == (len(CONTENT), len(CONTENT))
    with listening(lambda *step: seen.append(step)):
        fetch_file(f"{server.address}/unsaid", tmp_path / "a", sha256=SHA256)
    assert seen[-1] == ("downloading unsaid", len(CONTENT), None)


@pytest.mark.parametrize(
    ("place", "error", "reason"),
    [
        ("short", FileError, "the connection broke after 3072000 of 3073000 bytes"),
        ("short-chunks", FileError, "the connection broke after 0 bytes"),
        ("nonsense", FileError, "no HTTP at all"),
        ("gone", FileError, "the server says 404 Not Found"),
        ("page", DataError, "is a web page, not a file"),
        ("secret-page", DataError, "is a web page, not a file"),
        ("moved-away", FileError, "redirects to http://192.0.2.1/file, which is not allowed"),
        ("moved-to-https", FileError, "redirects to https://127.0.0.1/file, which is not"),
        ("moved-to-a-file", FileError, "file:///etc/hostname' is not allowed"),
    ],
)
@pytest.mark.filterwarnings("ignore::mastgp.DownloadWarning")
def test_what_fails_is_explained_and_leaves_an_older_file(server, tmp_path, place, error, reason):
    target = tmp_path / "a.bin"
    target.write_bytes(b"older")
    url = f"{server.address}/{place}"
    with pytest.raises(error) as caught:
        fetch_file(url, target, sha256=SHA256)
    assert url in str(caught.value)
    assert reason in str(caught.value)
    assert "nothing was kept" in str(caught.value)
    assert target.read_bytes() == b"older"
    assert files_in(tmp_path) == [target]


def test_another_content_is_refused(server, tmp_path):
    with pytest.raises(DataError, match=f"/file has changed: its SHA-256 is {SHA256}, not 00"):
        fetch_file(f"{server.address}/file", tmp_path / "a", sha256="00" * 32)
    assert files_in(tmp_path) == []


@pytest.mark.parametrize("place", ["file", "unsaid"])
def test_too_large_a_file_is_refused(server, tmp_path, place):
    url = f"{server.address}/{place}"
    with pytest.raises(FileError, match="more than 3071999 bytes, the most that is allowed"):
        fetch_file(url, tmp_path / "a", sha256=SHA256, most_bytes=len(CONTENT) - 1)
    assert files_in(tmp_path) == []
    fetch_file(url, tmp_path / "a", sha256=SHA256, most_bytes=len(CONTENT))


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/a", "http://127.0.0.1.example.org/a", "http://localhost.org/a",
        "ftp://127.0.0.1/a", "file:///etc/hostname", "data:,a", "a.csv", "http://[::1", "",
    ],
)  # fmt: skip
def test_other_addresses_are_refused_before_anything_is_asked(url, tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "build_opener", None)
    with pytest.raises(FileError, match="only https addresses are allowed; nothing was kept"):
        fetch_file(url, tmp_path / "a", sha256=SHA256)


@pytest.mark.filterwarnings("ignore::mastgp.DownloadWarning")
@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.2", "localhost", "[::1]"])
def test_this_machine_needs_no_https(host, tmp_path, monkeypatch):
    """Nobody listens at this port, which is found out only by asking."""
    monkeypatch.setattr(downloads, "PAUSE", 0.0)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://{host}:{unused.getsockname()[1]}/a"
        with pytest.raises(FileError, match=r"refused|unreachable|assign|supported"):
            fetch_file(url, tmp_path / "a", sha256=SHA256)
    assert files_in(tmp_path) == []


def test_a_proxy_is_not_asked_for_this_machine(server, tmp_path, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://192.0.2.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert (
        fetch_file(f"{server.address}/file", tmp_path / "a", sha256=SHA256).read_bytes() == CONTENT
    )


@pytest.mark.filterwarnings("ignore::mastgp.DownloadWarning")
def test_a_silent_server_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "PAUSE", 0.0)
    monkeypatch.setattr(downloads, "TIMEOUT", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/a"
        with pytest.raises(FileError, match=f"cannot download {url}: .*timed out"):
            fetch_file(url, tmp_path / "a", sha256=SHA256)


def test_a_folder_that_cannot_be_made(server, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot create the folder"):
        fetch_file(f"{server.address}/file", tmp_path / "file" / "folder" / "a", sha256=SHA256)


def test_a_broken_connection_is_tried_again(server, tmp_path):
    with pytest.warns(DownloadWarning) as said:
        fetch_file(f"{server.address}/breaks-twice", tmp_path / "a", sha256=SHA256)
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert len(server.asked) == 3
    first, second = (str(entry.message) for entry in said)
    assert "the connection broke after 1000 of 3072000 bytes" in first
    assert first.endswith("trying again (2 of 3)")
    assert second.endswith("trying again (3 of 3)")


def test_a_busy_server_is_asked_again(server, tmp_path):
    with pytest.warns(DownloadWarning, match="503"):
        fetch_file(f"{server.address}/busy-once", tmp_path / "a", sha256=SHA256)
    assert (tmp_path / "a").read_bytes() == CONTENT


@pytest.mark.filterwarnings("ignore::mastgp.DownloadWarning")
def test_it_is_not_tried_for_ever(server, tmp_path):
    with pytest.raises(FileError, match="the connection broke"):
        fetch_file(f"{server.address}/short", tmp_path / "a", sha256=SHA256)
    assert len(server.asked) == 3


@pytest.mark.parametrize("place", ["gone", "page", "moved-away"])
def test_what_will_not_change_is_asked_once(server, tmp_path, place):
    with pytest.raises((FileError, DataError)):
        fetch_file(f"{server.address}/{place}", tmp_path / "a", sha256=SHA256)
    assert len(server.asked) == 1


def test_a_checksum_must_be_given(server, tmp_path):
    with pytest.raises(TypeError, match="sha256"):
        fetch_file(f"{server.address}/file", tmp_path / "a")
    assert server.asked == []


@pytest.mark.parametrize("place", ["file", "moved"])
def test_a_file_arrives_by_https(secure, tmp_path, place):
    fetch_file(f"{secure.address}/{place}", tmp_path / "a", sha256=SHA256)
    assert (tmp_path / "a").read_bytes() == CONTENT


def test_https_never_becomes_http(secure, tmp_path):
    with pytest.raises(FileError, match=r"redirects to http://127\.0\.0\.1.*not allowed"):
        fetch_file(f"{secure.address}/moved-to-http", tmp_path / "a", sha256=SHA256)
    assert files_in(tmp_path) == []


def test_a_server_that_nobody_vouches_for_is_refused(secure, tmp_path, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(FileError, match="CERTIFICATE_VERIFY_FAILED"):
        fetch_file(f"{secure.address}/file", tmp_path / "a", sha256=SHA256)
    assert secure.asked == []
