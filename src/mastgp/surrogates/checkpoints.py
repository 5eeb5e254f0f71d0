"""Pretrained weights of in-context learners: where they are looked for, and how to get them.

Nothing here imports the learners' packages, and nothing but :func:`download` uses the network.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from ..errors import DataError, FileError, MissingExtraError, listed
from ..files import atomic_write
from ..progress import report

#: Seconds without an answer after which a download is given up.
_TIMEOUT = 60
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Weights:
    """The weights of one learner.

    Attributes
    ----------
    name, package : str
        As in ``MAST(surrogate=name)``, and what is imported.
    title : str
        What its authors call it.
    filename : str
    variable : str
        Environment variable with the file, or with the folder that has it.
    folders : callable
        Gives the learner's cache folders, which are looked at last; downloads go to the first.
    url : str
    licence, licence_url : str
    """

    name: str
    package: str
    title: str
    filename: str
    variable: str
    folders: Callable[[], list[Path]]
    url: str
    licence: str
    licence_url: str


def _environment(variable: str) -> str:
    return os.environ.get(variable, "").strip()


def _cache() -> Path:
    return Path(_environment("XDG_CACHE_HOME") or Path.home() / ".cache")


def _tabpfn_folders() -> list[Path]:
    """TabPFN's cache folder, as its package finds it."""
    given = _environment("TABPFN_MODEL_CACHE_DIR")
    if given:
        return [Path(given)]
    if sys.platform == "darwin":
        return [Path.home() / "Library" / "Caches" / "tabpfn"]
    if sys.platform == "win32" and _environment("APPDATA"):
        return [Path(_environment("APPDATA")) / "tabpfn"]
    return [_cache() / "tabpfn"]


def _tabicl_folders() -> list[Path]:
    """A folder of our own, then Hugging Face's cache, where TabICL's package keeps its weights."""
    home = Path(_environment("HF_HOME") or _cache() / "huggingface")
    hub = Path(_environment("HF_HUB_CACHE") or home / "hub")
    return [_cache() / "tabicl", *sorted(hub.glob("models--jingang--TabICL/snapshots/*"))]


WEIGHTS = {
    weights.name: weights
    for weights in (
        Weights(
            name="tabpfn",
            package="tabpfn",
            title="TabPFN v2",
            filename="tabpfn-v2-regressor.ckpt",
            variable="TABPFN_MODEL_PATH",
            folders=_tabpfn_folders,
            url="https://huggingface.co/Prior-Labs/TabPFN-v2-reg/resolve/main/"
            "tabpfn-v2-regressor.ckpt",
            licence="Prior Labs License: Apache 2.0 with an additional attribution requirement "
            "(weights newer than v2 are for non-commercial use only)",
            licence_url="https://huggingface.co/Prior-Labs/TabPFN-v2-reg/blob/main/LICENSE.txt",
        ),
        Weights(
            name="tabicl",
            package="tabicl",
            title="TabICL v2",
            filename="tabicl-regressor-v2-20260212.ckpt",
            variable="TABICL_MODEL_PATH",
            folders=_tabicl_folders,
            url="https://huggingface.co/jingang/TabICL/resolve/main/"
            "tabicl-regressor-v2-20260212.ckpt",
            licence="BSD 3-Clause",
            licence_url="https://huggingface.co/jingang/TabICL",
        ),
    )
}


def weights_of(name: str) -> Weights:
    """Find the weights of a learner by its name."""
    if name not in WEIGHTS:
        raise DataError(f"unknown learner {name!r}; choose one of {listed(WEIGHTS)}")
    return WEIGHTS[name]


def check_installed(weights: Weights) -> None:
    """Raise an error with the command that installs a learner's package, if it is missing."""
    if find_spec(weights.package) is None:
        raise MissingExtraError(
            f"surrogate {weights.name!r} needs {weights.package!r}; install it with "
            "'pip install \"mastgp[icl]\"'"
        )


def check_ready(weights: Weights) -> None:
    """Raise an error that says what is missing: the package, or its weights."""
    check_installed(weights)
    find_checkpoint(weights)


def find_checkpoint(
    weights: Weights,
    given: str | os.PathLike[str] | None = None,
    *,
    filename: str | None = None,
    sha256: str | None = None,
) -> Path:
    """Find a file of weights on this machine.

    Parameters
    ----------
    weights : Weights
    given : path, optional
        The file, or the folder that has it. Nothing else is looked at, unless a certain file is
        asked for by `sha256`: it may have moved.
    filename : str, optional
        Name of the file, if not the usual one.
    sha256 : str, optional
        Checksum that the file must have.

    Returns
    -------
    Path
        Absolute.
    """
    filename = filename or weights.filename
    places = _places(weights, given, everywhere=sha256 is not None)
    found = [path for place in places if (path := _file_at(place, filename)) is not None]
    if not found:
        raise FileError(_how_to_get(weights, filename, given))
    for path in found:
        if sha256 is None or checksum(path) == sha256:
            return path.resolve()
    raise FileError(
        f"{found[0]} is not the file that this model was fitted with: their contents differ; "
        f"put the {filename} with SHA-256 {sha256} there, or set {weights.variable} to it"
    )


def has_checkpoint(weights: Weights) -> bool:
    """Whether a learner's weights are on this machine."""
    try:
        find_checkpoint(weights)
    except FileError:
        return False
    return True


def _places(weights: Weights, given: str | os.PathLike[str] | None, everywhere: bool) -> list[Path]:
    """Files or folders to look at, in order."""
    variable = _environment(weights.variable)
    places = [Path(place) for place in (given, variable) if place]
    if everywhere:
        return [*places, *weights.folders()]
    return places[:1] or weights.folders()


def _file_at(place: Path, filename: str) -> Path | None:
    path = place / filename if place.is_dir() else place
    return path if path.is_file() else None


def _how_to_get(weights: Weights, filename: str, given: str | os.PathLike[str] | None) -> str:
    folder = weights.folders()[0]
    looked = given if given is not None else _environment(weights.variable) or folder
    return (
        f"{weights.title} needs its weights, which are not at {looked}: put the file {filename} "
        f"in {folder}, set {weights.variable} to it, or run "
        f"'mast icl download {weights.name}'; licence of {weights.filename}: {weights.licence}, "
        f"{weights.licence_url}"
    )


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    status = path.stat()
    return _checksum(str(path), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=16)
def _checksum(path: str, modified: int, size: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def licence_notice(weights: Weights) -> str:
    """What whoever downloads weights must know and agree to first."""
    return (
        f"{weights.title}: {weights.filename}\n"
        f"  from     {weights.url}\n"
        f"  to       {weights.folders()[0] / weights.filename}\n"
        f"  licence  {weights.licence}\n"
        f"           {weights.licence_url}"
    )


def download(weights: Weights, agree: Callable[[str], bool]) -> Path:
    """Fetch a learner's weights into its cache folder.

    Parameters
    ----------
    weights : Weights
    agree : callable
        Gets :func:`licence_notice` and says whether its reader agrees. Without agreement nothing
        is sent or written.

    Returns
    -------
    Path
        The file; one that is there already is left as it is.
    """
    target = weights.folders()[0] / weights.filename
    if target.exists():
        return target
    if not agree(licence_notice(weights)):
        raise DataError(f"the licence of {weights.title} was not accepted: nothing was downloaded")
    content = _fetch(weights.url, f"downloading {weights.filename}")
    target.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(target) as file:
        file.write(content)
    return target


def _fetch(url: str, what: str) -> bytes:
    """Content of a web address, whole."""
    from http.client import HTTPException
    from urllib.request import urlopen

    content = bytearray()
    try:
        with urlopen(url, timeout=_TIMEOUT) as answer:
            expected = int(answer.headers.get("Content-Length") or 0)
            while chunk := answer.read(_CHUNK):
                content += chunk
                report(what, len(content), expected or None)
    except (OSError, HTTPException) as error:
        raise FileError(f"cannot download {url}: {error}") from error
    if len(content) < expected:
        raise FileError(
            f"cannot download {url}: the connection broke after {len(content)} of {expected} bytes"
        )
    return bytes(content)
