"""Writing files whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from .errors import FileError

_LONGEST_NAME = 255


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
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
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
        temporary.unlink(missing_ok=True)


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
    if not target.name:
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
