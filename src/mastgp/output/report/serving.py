"""A study's page, live: a server on this machine only, which reads and never runs anything."""

from __future__ import annotations

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: Addresses that only this machine can reach.
LOOPBACK = "127.0.0.1"
#: Names by which a browser on this machine asks; others may be a site that plays tricks with names.
_HOSTS = ("127.0.0.1", "localhost")


def page_server(page: Callable[[], str], port: int) -> ThreadingHTTPServer:
    """A server of one page on the loopback address; port 0 takes any that is free.

    Parameters
    ----------
    page : callable
        What returns the page, now.
    port : int
    """

    class Handler(BaseHTTPRequestHandler):
        """Answers one request for the page; everything else is refused."""

        server_version, sys_version = "mast", ""

        def do_GET(self) -> None:
            """Send the page."""
            host = (self.headers.get("Host") or "").rsplit(":", 1)[0]
            if host not in _HOSTS:
                self._send(403, "this page is for this machine only")
            elif self.path != "/":
                self._send(404, "there is one page here: /")
            else:
                self._send(200, page())

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

    return ThreadingHTTPServer((LOOPBACK, port), Handler)
