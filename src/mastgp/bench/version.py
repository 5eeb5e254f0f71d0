"""Which code computed a result: the package's version and a fingerprint of what computes it.

The fingerprint of a method covers the sources that its numbers depend on: the module of its class
and all that it imports of the package, and the benchmark's problems, draws and scores. Comments,
docstrings, messages, commands and files are not part of it, nor are the tools for thousands of
rows, which no experiment has. So a change of ``mfk`` leaves the results of all other methods valid.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from .. import __version__
from ..methods import METHODS
from .closure import bare_source, closure
from .experiments import BASELINE
from .strategies import STRATEGIES

#: Version of results that say nothing of the code that computed them.
UNKNOWN = "unknown"

PACKAGE = Path(__file__).parents[1]
#: What every result depends on: its data, and how it is scored.
_COMMON = ("bench/draws", "bench/problems", "bench/protocol", "check/scores")
#: What every search depends on besides.
_OF_SEARCHES = ("bench/tasks", "bench/sources")
#: Beginnings of names of modules that find, read, write and say things. No number comes from them:
#: benchmarks hand arrays to methods, and the files of real data are checked by their hashes.
_LEFT_OUT = (
    *("__init__", "cli/", "output/", "storage/", "bench/report/", "bench/datasets"),
    *("errors", "progress", "lazy", "libraries", "methods", "registry", "downloads"),
    *("files", "stored", "clusters", "threads", "processes"),
    *("data/tables", "data/mappings", "data/streams", "data/origin", "data/suspicion"),
    *("surrogates/checkpoints", "models/writing"),
)
#: What models fidelities of very many rows, and what only that needs.
_OF_MANY_ROWS = (
    *("surrogates/many/", "models/two_step"),
    *("gp/bound", "gp/inducing", "gp/neighbours", "gp/sums", "gp/vecchia"),
)
#: Other people's methods are called from here. They share what our estimators have in common, and
#: do not use what these need for our own methods.
_PEERS = "baselines/"
_SHARED = "models/"


@cache
def code_version(method: str) -> str:
    """Version of the package and fingerprint of a method's sources, as ``0.1.0+5f3a9c21``.

    Parameters
    ----------
    method : str
        A method, the yardstick, or a strategy of a search. Of one that this package does not have
        the fingerprint covers the benchmark alone.
    """
    return f"{__version__}+{fingerprint(method)[:8]}"


def fingerprint(method: str, package: Path = PACKAGE) -> str:
    """SHA-256 of what computes a method's numbers, in the sources of a package.

    Names of the modules, their texts without comments and docstrings, and the options that make
    a method of its class count.
    """
    digest = hashlib.sha256(_options(method).encode() + b"\0")
    for name, path in sources(method, package).items():
        digest.update(name.encode() + b"\0" + bare_source(path).encode() + b"\0")
    return digest.hexdigest()


def sources(method: str, package: Path = PACKAGE) -> dict[str, Path]:
    """Files that a method's numbers depend on, by the names of their modules."""
    roots = _roots(method)
    of_peers = any(root.startswith(_PEERS) for root in roots)
    return closure(package, [*_COMMON, *roots], partial(_is_followed, of_peers))


def _is_followed(of_peers: bool, importing: str, imported: str) -> bool:
    if imported.startswith((*_LEFT_OUT, *_OF_MANY_ROWS)):
        return False
    return not (of_peers and importing.startswith(_SHARED))


def _roots(method: str) -> list[str]:
    """Modules that a method, the yardstick or a strategy begins with."""
    if method == BASELINE:
        return ["models/single"]
    if method in METHODS:
        package, *parts = METHODS[method].path.partition(":")[0].split(".")
        return ["/".join(parts)] if package == PACKAGE.name else []
    if method in STRATEGIES:
        chosen = STRATEGIES[method]
        models = _roots(chosen.option) if chosen.option in METHODS else []
        return [*_OF_SEARCHES, f"bench/strategies/{chosen.module}", *models]
    return []


def _options(method: str) -> str:
    """The class of a method, or the function of a strategy, and its options, as text."""
    if method in METHODS:
        chosen = METHODS[method]
        return f"{chosen.path} {sorted(chosen.options.items())}"
    if method in STRATEGIES:
        return f"{STRATEGIES[method].function} {STRATEGIES[method].option}"
    return ""


def version_of(record: Mapping[str, Any]) -> str:
    """Version of the code that computed a stored result; older stores do not have it."""
    return str(record.get("version", UNKNOWN))


def code_of(version: str) -> str:
    """The fingerprint in a version: results that share it come from the same code.

    >>> code_of("0.1.0+5f3a9c21") == code_of("0.2.0+5f3a9c21")
    True
    """
    return version.partition("+")[2] or version
