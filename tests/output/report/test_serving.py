"""The live page of a study: for this machine only, and nothing but the page."""

from __future__ import annotations

from contextlib import contextmanager
from http.client import HTTPConnection
from socket import create_connection
from threading import Thread

import pytest

from mastgp.errors import FileError, ModelFileError
from mastgp.output.report import serving
from mastgp.output.report.serving import page_server


@contextmanager
def served(page, every=0.0):
    server = page_server(page, 0, every)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_address
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def address():
    with served(lambda: "<p>now</p>") as found:
        yield found


def asked(address, method="GET", path="/", host=None):
    connection = HTTPConnection(*address, timeout=10)
    headers = {} if host is None else {"Host": host}
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    content = answer.read().decode()
    connection.close()
    return answer.status, content


def test_it_is_on_the_loopback_address_and_sends_the_page(address):
    assert address[0] == "127.0.0.1"
    assert asked(address) == (200, "<p>now</p>")
    assert asked(address, host="localhost:80")[0] == 200


@pytest.mark.parametrize("path", ["/etc/passwd", "/../../etc/passwd", "/?run=1"])
def test_nothing_else_is_there(address, path):
    assert asked(address, path=path)[0] == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_can_be_sent_to_it(address, method):
    assert asked(address, method)[0] == 501


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:1@evil.example", "localhost.evil"])
def test_other_names_are_refused(address, host):
    assert asked(address, host=host)[0] == 403


def test_what_is_wrong_with_a_study_is_said_in_the_browser(capfd):
    def page():
        raise ModelFileError("a.study is damaged")

    with served(page) as address:
        assert asked(address) == (500, "a.study is damaged")
    with served(lambda: 1 / 0) as address:
        assert asked(address)[0] == 500
    assert capfd.readouterr() == ("", "")


def test_many_visitors_cost_one_page():
    made = []

    def page():
        made.append(1)
        return "<p>now</p>"

    with served(page, every=60.0) as address:
        assert [asked(address)[0] for _ in range(5)] == [200] * 5
    assert len(made) == 1


def test_who_says_nothing_is_not_waited_for(monkeypatch, capfd):
    monkeypatch.setattr(serving, "_PATIENCE", 0.2)
    with served(lambda: "") as address, create_connection(address, timeout=30) as silent:
        silent.sendall(b"GET / HT")
        assert silent.recv(10) == b""
    assert capfd.readouterr() == ("", "")


def test_a_port_that_is_taken_is_named(address):
    with pytest.raises(FileError, match="cannot use port"):
        page_server(lambda: "", address[1])
