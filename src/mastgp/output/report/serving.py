"""A study's page, live: a server on this machine only, which reads and never runs anything."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any

from ...errors import FileError, MastError

#: Addresses that only this machine can reach.
LOOPBACK = "127.0.0.1"
#: Names by which a browser on this machine asks; others may be a site that plays tricks with names.
_HOSTS = re.compile(r"(127\.0\.0\.1|localhost)(:\d+)?")
#: Seconds that a browser has for its request.
_PATIENCE = 10.0


class PageServer(ThreadingHTTPServer):
    """A server that says nothing of visitors who hang up."""

    def handle_error(self, *_: Any) -> None:
        """Say nothing: the terminal belongs to the study."""


class Kept:
    """A page that is made by one visitor at a time, and kept for those who come soon after.

    Making it costs a fit, and any page in a browser of this machine can ask for it.

    Parameters
    ----------
    page : callable
        What returns the page, now.
    seconds : float
        How long it is kept.
    """

    def __init__(self, page: Callable[[], str], seconds: float) -> None:
        self._page, self._seconds, self._lock = page, seconds, Lock()
        self._answer, self._until = (0, ""), float("-inf")

    def answer(self) -> tuple[int, str]:
        """Status and text: the page, or why there is none."""
        with self._lock:
            if time.monotonic() >= self._until:
                self._answer = self._made()
                self._until = time.monotonic() + self._seconds
            return self._answer

    def _made(self) -> tuple[int, str]:
        try:
            return 200, self._page()
        except MastError as error:
            return 500, str(error)
        except Exception as error:
            return 500, f"something unexpected happened ({type(error).__name__}: {error})"


def page_server(page: Callable[[], str], port: int, every: float = 0.0) -> ThreadingHTTPServer:
    """A server of one page on the loopback address; port 0 takes any that is free.

    Parameters
    ----------
    page : callable
        What returns the page, now.
    port : int
    every : float
        Seconds for which a page is kept.
    """
    kept = Kept(page, every)

    class Handler(BaseHTTPRequestHandler):
        """Answers one request for the page; everything else is refused."""

        server_version, sys_version, timeout = "mast", "", _PATIENCE

        def do_GET(self) -> None:
            """Send the page."""
            if not _HOSTS.fullmatch(self.headers.get("Host") or ""):
                self._send(403, "this page is for this machine only")
            elif self.path != "/":
                self._send(404, "there is one page here: /")
            else:
                self._send(*kept.answer())

        def _send(self, status: int, text: str) -> None:
            content = text.encode("utf-8", "replace")
            self.send_response(status)
            kind = "text/html" if status == 200 else "text/plain"
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("X-Frame-Options", "DENY")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Say nothing: the terminal belongs to the study."""

    try:
        return PageServer((LOOPBACK, port), Handler)
    except OSError as error:
        raise FileError(
            f"cannot use port {port} of this machine: {error.strerror or error}; --port 0 takes a "
            "free one"
        ) from error
