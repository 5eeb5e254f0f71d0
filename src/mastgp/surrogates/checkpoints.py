"""Checkpoints: files with the pretrained weights of in-context learners.

This module says where a checkpoint is looked for and how to get it. It never imports a learner's
package. Only :func:`download` uses the network.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .. import libraries
from ..errors import DataError, FileError, listed


@dataclass(frozen=True)
class Checkpoint:
    """The file of pretrained weights that a learner's authors published.

    Attributes
    ----------
    name : str
        Name of the learner, as in ``MAST(surrogate=name)``.
    package : str
        Package of the learner, as in ``import package``.
    title : str
        What its authors call it.
    filename : str
        Usual name of the file.
    variable : str
        Environment variable with the path of the file, or of the folder that has it.
    folders : callable
        Returns the learner's cache folders. They are searched last. Downloads go to the first.
    url : str
        Where the file is published, in a revision that cannot change.
    sha256 : str
        Checksum of the published file.
    size : int
        Its bytes.
    licence, licence_url : str
        Under which licence, and where that can be read.
    """

    name: str
    package: str
    title: str
    filename: str
    variable: str
    folders: Callable[[], list[Path]]
    url: str
    sha256: str
    size: int
    licence: str
    licence_url: str


def _environment(variable: str) -> str:
    return os.environ.get(variable, "").strip()


def _cache() -> Path:
    return Path(_environment("XDG_CACHE_HOME") or Path.home() / ".cache")


def _tabpfn_folders() -> list[Path]:
    """Return TabPFN's cache folder, as its own package finds it."""
    given = _environment("TABPFN_MODEL_CACHE_DIR")
    if given:
        return [Path(given)]
    if sys.platform == "darwin":
        return [Path.home() / "Library" / "Caches" / "tabpfn"]
    if sys.platform == "win32" and _environment("APPDATA"):
        return [Path(_environment("APPDATA")) / "tabpfn"]
    return [_cache() / "tabpfn"]


def _tabicl_folders() -> list[Path]:
    """Return a folder of our own, then Hugging Face's cache, which TabICL's package uses."""
    home = Path(_environment("HF_HOME") or _cache() / "huggingface")
    hub = Path(_environment("HF_HUB_CACHE") or home / "hub")
    return [_cache() / "tabicl", *sorted(hub.glob("models--jingang--TabICL/snapshots/*"))]


CHECKPOINTS = {
    checkpoint.name: checkpoint
    for checkpoint in (
        Checkpoint(
            name="tabpfn",
            package="tabpfn",
            title="TabPFN v2",
            filename="tabpfn-v2-regressor.ckpt",
            variable="TABPFN_MODEL_PATH",
            folders=_tabpfn_folders,
            url="https://huggingface.co/Prior-Labs/TabPFN-v2-reg/resolve/"
            "4972a65a1b30806315c6f92499959ffbfc69a673/tabpfn-v2-regressor.ckpt",
            sha256="2ab5a07d5c41dfe6db9aa7ae106fc6de898326c2765be66505a07e2868c10736",
            size=44_390_977,
            licence="Prior Labs License: Apache 2.0 with an additional attribution requirement "
            "(weights newer than v2 are for non-commercial use only)",
            licence_url="https://huggingface.co/Prior-Labs/TabPFN-v2-reg/blob/main/LICENSE.txt",
        ),
        Checkpoint(
            name="tabicl",
            package="tabicl",
            title="TabICL v2",
            filename="tabicl-regressor-v2-20260212.ckpt",
            variable="TABICL_MODEL_PATH",
            folders=_tabicl_folders,
            url="https://huggingface.co/jingang/TabICL/resolve/"
            "4dcd344ece2c00be9e831fdd35bed57b5ad83e19/tabicl-regressor-v2-20260212.ckpt",
            sha256="0db9cb538f114e79026bf08f45f41ad8dd7ad2de2aaca9a5ca8cd3bd9748ae7a",
            size=114_324_594,
            licence="BSD 3-Clause",
            licence_url="https://huggingface.co/jingang/TabICL",
        ),
    )
}


def checkpoint_of(name: str) -> Checkpoint:
    """Find the checkpoint of a learner by the learner's name."""
    if name not in CHECKPOINTS:
        raise DataError(f"unknown learner {name!r}; choose one of {listed(CHECKPOINTS)}")
    return CHECKPOINTS[name]


def check_installed(checkpoint: Checkpoint) -> None:
    """Raise an error with the command that installs a learner's package, if it is missing."""
    libraries.check_installed(f"surrogate {checkpoint.name!r}", checkpoint.package, extra="icl")


def check_ready(checkpoint: Checkpoint) -> None:
    """Raise an error that says what is missing: the learner's package, or its checkpoint."""
    check_installed(checkpoint)
    find_checkpoint(checkpoint)


def find_checkpoint(
    checkpoint: Checkpoint,
    given: str | os.PathLike[str] | None = None,
    *,
    filename: str | None = None,
    sha256: str | None = None,
) -> Path:
    """Find a checkpoint on this machine.

    Parameters
    ----------
    checkpoint : Checkpoint
    given : path, optional
        The file, or the folder that has it. Other places are searched only if `sha256` asks for
        a certain file, because that file may have moved.
    filename : str, optional
        Name of the file, if not the usual one.
    sha256 : str, optional
        Checksum that the file must have.

    Returns
    -------
    Path
        Absolute path of the file.
    """
    filename = filename or checkpoint.filename
    places = _places(checkpoint, given, everywhere=sha256 is not None)
    found = [path for place in places if (path := _file_at(place, filename)) is not None]
    if not found:
        raise FileError(_how_to_get(checkpoint, filename, given))
    for path in found:
        if sha256 is None or checksum(path) == sha256:
            return path.resolve()
    raise FileError(
        f"{found[0]} is not the file that this model was fitted with: their contents differ; "
        f"put the {filename} with SHA-256 {sha256} there, or set {checkpoint.variable} to it"
    )


def find_checkpoint_of(name: str) -> Path:
    """Find the checkpoint of a learner by the learner's name, or say how to get it."""
    return find_checkpoint(checkpoint_of(name))


def _places(
    checkpoint: Checkpoint, given: str | os.PathLike[str] | None, everywhere: bool
) -> list[Path]:
    """Return the files or folders to search, in order."""
    variable = _environment(checkpoint.variable)
    places = [Path(place) for place in (given, variable) if place]
    if everywhere:
        return [*places, *checkpoint.folders()]
    return places[:1] or checkpoint.folders()


def _file_at(place: Path, filename: str) -> Path | None:
    path = place / filename if place.is_dir() else place
    return path if path.is_file() else None


def _how_to_get(checkpoint: Checkpoint, filename: str, given: str | os.PathLike[str] | None) -> str:
    folder = checkpoint.folders()[0]
    looked = given if given is not None else _environment(checkpoint.variable) or folder
    return (
        f"{checkpoint.title} needs its weights, which are not at {looked}: put the file {filename} "
        f"in {folder}, set {checkpoint.variable} to it, or run 'mast icl download "
        f"{checkpoint.name}'; licence of {checkpoint.filename}: {checkpoint.licence}, "
        f"{checkpoint.licence_url}"
    )


def checksum(path: Path) -> str:
    """Compute the SHA-256 of a file. It is remembered until the file changes."""
    status = path.stat()
    return _checksum(str(path), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=16)
def _checksum(path: str, modified: int, size: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def licence_notice(checkpoint: Checkpoint) -> str:
    """Say what a user must know and agree to before a download."""
    return (
        f"{checkpoint.title}: {checkpoint.filename}\n"
        f"  from     {checkpoint.url}\n"
        f"  to       {checkpoint.folders()[0] / checkpoint.filename}\n"
        f"  licence  {checkpoint.licence}\n"
        f"           {checkpoint.licence_url}"
    )


def download(checkpoint: Checkpoint, agree: Callable[[str], bool]) -> Path:
    """Fetch a learner's checkpoint into its cache folder.

    Parameters
    ----------
    checkpoint : Checkpoint
    agree : callable
        Gets the text of :func:`licence_notice` and returns whether the user agrees. Without
        agreement nothing is sent or written.

    Returns
    -------
    Path
        The file. A file that is there already is left as it is.
    """
    from ..downloads import fetch_file

    target = checkpoint.folders()[0] / checkpoint.filename
    if target.exists():
        return target
    if not agree(licence_notice(checkpoint)):
        raise DataError(
            f"the licence of {checkpoint.title} was not accepted: nothing was downloaded"
        )
    return fetch_file(checkpoint.url, target, sha256=checkpoint.sha256, most_bytes=checkpoint.size)
