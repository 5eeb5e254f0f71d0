"""Ask the package registry which of the locked packages have known vulnerabilities: ``make audit``.

    python perf/audit.py

Every package of requirements-dev.lock is asked for at the registry that pip uses. Those with known
vulnerabilities are printed with the versions that mend them, and the end is 1. Where the registry
does not answer such questions, as many mirrors do not, that is said and nothing is checked.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

LOCK = Path(__file__).parents[1] / "requirements-dev.lock"
SECONDS = 20.0

#: Answers what the registry knows of a package and version; None where it knows no such thing.
Ask = Callable[[str, str], dict[str, Any] | None]


class SilentError(Exception):
    """The registry does not answer."""


def locked(text: str) -> dict[str, str]:
    """Versions by name of package."""
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==([^\s;+]+)", text, re.MULTILINE))


def registry() -> str:
    """Address of the registry that pip uses, without its list of packages."""
    from pip._internal.configuration import Configuration
    from pip._internal.models.index import PyPI

    configuration = Configuration(isolated=False)
    configuration.load()
    given = dict(configuration.items()).get("global.index-url")
    return re.sub(r"/simple/?$", "", str(given)) if given else f"{PyPI.url.rstrip('/')}"


def asking(base: str) -> Ask:
    """A function that asks a registry."""

    def ask(name: str, version: str) -> dict[str, Any] | None:
        try:
            with urlopen(f"{base}/pypi/{name}/{version}/json", timeout=SECONDS) as answer:
                return json.load(answer)
        except HTTPError as error:
            if error.code == 404:
                return None
            raise SilentError(f"it answers {error.code}") from error
        except (URLError, OSError, ValueError) as error:
            raise SilentError(str(error)) from error

    return ask


def vulnerabilities(name: str, version: str, ask: Ask) -> list[str] | None:
    """What is known of a package, a line each; None where the registry does not know it."""
    answer = ask(name, version)
    if answer is None or "vulnerabilities" not in answer:
        return None
    standing = [entry for entry in answer["vulnerabilities"] if not entry.get("withdrawn")]
    mended = [", ".join(entry.get("fixed_in") or ["no version yet"]) for entry in standing]
    return [
        f"{name} {version}: {entry.get('id')}, mended in {versions}"
        for entry, versions in zip(standing, mended, strict=True)
    ]


def audit(packages: dict[str, str], ask: Ask) -> int:
    """Print what is known; return the exit code."""
    try:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda item: vulnerabilities(*item, ask), packages.items()))
    except SilentError as error:
        print(f"Skipped: the registry does not say which packages are vulnerable ({error}).")
        return 0
    known = [lines for lines in found if lines is not None]
    if not known:
        print("Skipped: the registry does not say which packages are vulnerable.")
        return 0
    bad = [line for lines in known for line in lines]
    for line in bad:
        print(line)
    print(f"{len(bad)} known vulnerabilities in {len(known)} of {len(packages)} packages asked for")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(audit(locked(LOCK.read_text(encoding="utf-8")), asking(registry())))
