"""Files: what is a name and what is a path, and writing whole or not at all.

A file is written under a temporary name, ``.mastgp-`` and 16 hexadecimal digits, beside its place.
The writer holds a lock on it as long as it lives. So the next save in the same folder can tell the
remains of a killed process from the work of a living one, and removes the remains.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from .errors import DataError, FileError

if sys.platform != "win32":  # there files are whole or not there, but remains are not removed
    import fcntl

_LONGEST_NAME = 255
#: Temporary names, and nothing else, match this.
_TEMPORARY = re.compile(r"\.mastgp-[0-9a-f]{16}\.tmp")


def name_and_path(argument: str) -> tuple[str, str]:
    """Divide what a user typed into the name of a fidelity and the path of its file.

    ``NAME=PATH`` is both. A path alone is named after its file. An equals sign may also be part
    of a path: a name has no ``/``, and a file that exists as it was typed is meant as a path.
    Where both readings are files that exist, neither is chosen.

    Examples
    --------
    >>> name_and_path("fine=results/run.csv"), name_and_path("results/run.csv")
    (('fine', 'results/run.csv'), ('run', 'results/run.csv'))
    >>> name_and_path("results/n=3/run.csv")
    ('run', 'results/n=3/run.csv')
    """
    name, equals, path = argument.partition("=")
    if not equals or not name or "/" in name or os.sep in name:
        return Path(argument).stem, argument
    if not os.path.lexists(argument):
        return name, path
    if path and os.path.lexists(path):
        raise DataError(
            f"{argument} may be the file of that name, or {path} with the name {name!r}: both "
            f"exist. Write ./{argument} for the first, {name}=./{path} for the second"
        )
    return Path(argument).stem, argument


def is_same_file(first: str | os.PathLike[str], second: str | os.PathLike[str]) -> bool:
    """Whether two paths lead to one file: by another spelling, a link, or a hard link."""
    try:
        return os.path.samefile(first, second)
    except (OSError, ValueError):  # one of them does not exist
        return os.path.realpath(first) == os.path.realpath(second)


def check_is_no_input(output: str, inputs: Iterable[str]) -> None:
    """Refuse to write to one of the files that are read."""
    for path in inputs:
        if is_same_file(output, path):
            raise FileError(f"{output} is one of the files to read; write to another one")


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing that appears under its name only once it is complete.

    If the ``with`` block raises an error, nothing is kept and an older file stays as it was.

    Parameters
    ----------
    path : path
        Name of the file. Its folder must exist. A link is followed to the file it points to.
    """
    check_can_write(path)
    target = Path(os.path.realpath(path))  # through a link, to the file itself
    remove_remains(target.parent)
    temporary: Path | None = None
    try:
        file, temporary = _new_temporary(target.parent)
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if target.exists():
                shutil.copymode(target, temporary)
            os.replace(temporary, target)
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _new_temporary(folder: Path) -> tuple[IO[bytes], Path]:
    """Open a temporary file in a folder, locked until it is closed, which a kill does too."""
    while True:
        path = folder / f".mastgp-{secrets.token_hex(8)}.tmp"
        file = open(path, "xb")  # noqa: SIM115 - the caller closes it
        if sys.platform == "win32":
            return file, path
        with suppress(OSError):  # some file systems of networks know no locks
            fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_nlink:
            return file, path
        file.close()  # another save took it for remains before it was locked


def _is_dead(descriptor: int) -> bool:
    """Whether no living process has locked a file."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def remove_remains(folder: str | os.PathLike[str]) -> None:
    """Remove temporary files of killed saves from a folder.

    Only ordinary files of this user whose names are ours are looked at, and only those that no
    living process has locked are removed.
    """
    if sys.platform == "win32":
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _TEMPORARY.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                _remove_if_dead(entry.path)


def _remove_if_dead(path: str) -> None:
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            if os.fstat(descriptor).st_uid == os.getuid() and _is_dead(descriptor):
                os.unlink(path)
        finally:
            os.close(descriptor)


def make_folder(path: str | os.PathLike[str]) -> None:
    """Create a folder and those above it, unless they exist; raise a clear error otherwise."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot create the folder {path}: {error.strerror or error}") from error


def check_can_write(path: str | os.PathLike[str]) -> None:
    """Raise a clear error if a file could not be written, before work is done for it."""
    reason = _obstacle(Path(path))
    if reason is not None:
        raise FileError(f"cannot write {str(path) or repr('')}: {reason}")


def _obstacle(target: Path) -> str | None:
    """Why a file cannot be written, or None."""
    folder = target.parent
    if not target.name or "\0" in str(target):
        return "it is not a file name"
    if not folder.is_dir():
        return f"the folder {folder} does not exist; create it first"
    if len(os.fsencode(target.name)) > _LONGEST_NAME:
        return "the name is too long"
    if target.is_dir():
        return "it is a folder"
    if target.exists() and not target.is_file():
        return "it is not an ordinary file"
    if not os.access(folder, os.W_OK) or (target.exists() and not os.access(target, os.W_OK)):
        return "no permission to write there"
    return None
