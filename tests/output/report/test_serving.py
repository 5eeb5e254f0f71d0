"""The live page of a study: for this machine only, and nothing but the page."""

from __future__ import annotations

from http.client import HTTPConnection
from threading import Thread

import pytest

from mastgp.output.report.serving import page_server


@pytest.fixture
def address():
    server = page_server(lambda: "<p>now</p>", 0)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_address
    server.shutdown()
    server.server_close()
    thread.join()


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


def test_other_names_are_refused(address):
    assert asked(address, host="evil.example")[0] == 403
