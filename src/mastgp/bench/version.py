"""Which code computed a result: the package's version and a fingerprint of its sources."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from .. import __version__

#: Version of results that say nothing of the code that computed them.
UNKNOWN = "unknown"

_PACKAGE = Path(__file__).parents[1]
#: Folders of the package that show results and do not compute them.
_SHOWS_ONLY = ("cli", "output", "bench/report")


@cache
def code_version() -> str:
    """Version of the package and fingerprint of the sources that compute, as ``0.1.0+5f3a9c21``."""
    return f"{__version__}+{fingerprint(_PACKAGE)[:8]}"


def fingerprint(package: Path) -> str:
    """SHA-256 of the paths and contents of a package's Python files that compute.

    Files in `cli`, `output` and `bench/report` are left out, as they only show results.
    """
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if not name.startswith(tuple(f"{folder}/" for folder in _SHOWS_ONLY)):
            digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def version_of(record: Mapping[str, Any]) -> str:
    """Version of the code that computed a stored result; older stores do not have it."""
    return str(record.get("version", UNKNOWN))
