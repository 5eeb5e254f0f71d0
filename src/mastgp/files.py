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
    """Open a file that appears under its name only once it is complete."""
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
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def check_can_write(path: str | os.PathLike[str]) -> None:
    """Raise a clear error if a file could not be written, before work is done for it."""
    target = Path(path)
    folder = target.parent
    if not target.name:
        raise FileError(f"cannot write {str(path)!r}: it is not a file name")
    if not folder.is_dir():
        raise FileError(
            f"cannot write {target}: the folder {folder} does not exist; create it first"
        )
    if len(os.fsencode(target.name)) > _LONGEST_NAME:
        raise FileError(f"cannot write {target}: the name is too long")
    if target.is_dir():
        raise FileError(f"cannot write {target}: it is a folder")
    if target.exists() and not target.is_file():
        raise FileError(f"cannot write {target}: it is not an ordinary file")
    if not os.access(folder, os.W_OK) or (target.exists() and not os.access(target, os.W_OK)):
        raise FileError(f"cannot write {target}: no permission to write there")
