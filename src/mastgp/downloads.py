"""Fetching a file from the web: checked and whole, or not at all.

Only addresses that start with ``https:`` are allowed. The one exception is a server on this
machine (``http://127.0.0.1``, ``http://[::1]`` or ``http://localhost``): nobody can listen to or
change what it sends. A redirect must keep the scheme of the address that was asked for. Whatever
is fetched must have the SHA-256 that the caller knows beforehand. A connection that breaks is
tried again, from the beginning.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPMessage, HTTPResponse
from ipaddress import ip_address
from pathlib import Path
from ssl import SSLError
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from .errors import DataError, DownloadWarning, FileError, warn
from .files import atomic_write, make_folder
from .progress import report

#: Largest file that is fetched unless the caller says otherwise, in bytes.
MOST_BYTES = 2 * 1024**3
#: Seconds without an answer after which a download is given up.
TIMEOUT = 60.0
#: How often a connection may break, and seconds to wait after it did so the first time.
ATTEMPTS, PAUSE = 3, 2.0
#: What servers answer that are only busy.
_BUSY = (429, 500, 502, 503, 504)
#: Bytes that are read at a time.
_CHUNK = 1 << 20
#: How web pages begin, in lower case.
_PAGE_STARTS = (b"<!doctype html", b"<html")


def fetch_file(
    url: str,
    target: str | os.PathLike[str],
    *,
    sha256: str,
    most_bytes: int = MOST_BYTES,
) -> Path:
    """Fetch a file. It appears under its name only once it is complete and checked.

    Parameters
    ----------
    url : str
        An ``https`` address, or an ``http`` address of this machine.
    target : path
        Where the file goes. Its folder is created if it does not exist.
    sha256 : str
        Checksum that the content must have, in hexadecimal digits.
    most_bytes : int
        Larger files are refused.

    Returns
    -------
    Path
        The target.

    Raises
    ------
    FileError
        The address is not allowed, the transfer failed or stopped early, three times in a row,
        the file is too large, or it cannot be written.
    DataError
        Something else was sent than the file: a web page, or content of another checksum.
    """
    target = Path(target)
    if not _is_allowed(url):
        raise _failure(url, "only https addresses are allowed")
    for attempt in range(1, ATTEMPTS):
        try:
            return _fetch_once(url, target, sha256, most_bytes)
        except _BrokenError as error:
            warn(f"{error}; trying again ({attempt + 1} of {ATTEMPTS})", DownloadWarning)
            time.sleep(PAUSE * attempt)
    return _fetch_once(url, target, sha256, most_bytes)


def _fetch_once(url: str, target: Path, sha256: str, most_bytes: int) -> Path:
    """Fetch a file, or raise an error that says what went wrong."""
    with _answer(url) as answer:
        _check_size(url, _announced_size(answer) or 0, most_bytes)
        make_folder(target.parent)
        with atomic_write(target) as file:
            found = _copy(answer, file, url, most_bytes)
            if found != sha256.lower():
                raise DataError(
                    f"{url} has changed: its SHA-256 is {found}, not {sha256}; nothing was kept"
                )
    return target


def _is_allowed(url: str) -> bool:
    """Whether an address is https, or http on this machine."""
    try:
        parts = urlsplit(url)
        return parts.scheme == "https" or (parts.scheme == "http" and _is_here(parts.hostname))
    except ValueError:  # it is no address at all
        return False


def _is_here(host: str | None) -> bool:
    """Whether a host is this machine."""
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:  # a name, not a number
        return False


class _SafeRedirects(HTTPRedirectHandler):
    """Follows a redirect only to an address that is allowed and has the same scheme."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """Check the new address before anything is asked of it."""
        if not _is_allowed(newurl) or urlsplit(newurl).scheme != req.type:
            fp.close()
            raise _failure(req.full_url, f"it redirects to {newurl}, which is not allowed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


@contextmanager
def _answer(url: str) -> Iterator[HTTPResponse]:
    """Ask for an address, and close the connection at the end."""
    handlers: list[Any] = [_SafeRedirects()]
    if _is_here(urlsplit(url).hostname):
        handlers.append(ProxyHandler({}))  # another machine's proxy cannot reach this one
    try:
        answer = build_opener(*handlers).open(url, timeout=TIMEOUT)
    except HTTPError as error:
        error.close()
        busy = error.code in _BUSY
        raise _failure(url, f"the server says {error.code} {error.reason}", busy) from error
    except URLError as error:
        untrusted = isinstance(error.reason, SSLError)
        raise _failure(url, str(error.reason), not untrusted) from error
    except FileError:
        raise
    except (OSError, HTTPException, ValueError) as error:
        broken = isinstance(error, ConnectionError | TimeoutError)
        raise _failure(url, str(error) or type(error).__name__, broken) from error
    with answer:
        yield answer


def _announced_size(answer: HTTPResponse) -> int | None:
    """Size of the file as the server announces it, if it does."""
    announced = answer.headers.get("Content-Length", "")
    return int(announced) if announced.isdigit() else None


def _copy(answer: HTTPResponse, file: IO[bytes], url: str, most_bytes: int) -> str:
    """Write the content to a file and return its SHA-256."""
    what = f"downloading {Path(urlsplit(url).path).name}"
    total, done, digest = _announced_size(answer), 0, hashlib.sha256()
    while chunk := _read(answer, url, done):
        if done == 0:
            _check_is_no_page(url, answer, chunk)
        done += len(chunk)
        _check_size(url, done, most_bytes)
        digest.update(chunk)
        file.write(chunk)
        report(what, done, total)
    if total is not None and done < total:
        raise _failure(url, f"the connection broke after {done} of {total} bytes", broken=True)
    return digest.hexdigest()


def _read(answer: HTTPResponse, url: str, done: int) -> bytes:
    """Read the next part of the content; empty at its end."""
    try:
        return answer.read(_CHUNK)
    except (OSError, HTTPException) as error:
        raise _failure(url, f"the connection broke after {done} bytes: {error}", True) from error


def _check_size(url: str, size: int, most_bytes: int) -> None:
    if size > most_bytes:
        raise _failure(url, f"it has more than {most_bytes} bytes, the most that is allowed")


def _check_is_no_page(url: str, answer: HTTPResponse, start: bytes) -> None:
    """Refuse a web page: what a sign-in or an error looks like where a file should be."""
    said = answer.headers.get_content_type() in ("text/html", "application/xhtml+xml")
    if said or start.lstrip().lower().startswith(_PAGE_STARTS):
        raise DataError(
            f"{url} is a web page, not a file; nothing was kept. Open it in a browser to see what "
            "the server wants"
        )


class _BrokenError(FileError):
    """A connection broke, or the server is busy: another attempt may succeed."""


def _failure(url: str, reason: str, broken: bool = False) -> FileError:
    kind = _BrokenError if broken else FileError
    return kind(f"cannot download {url}: {reason}; nothing was kept")
