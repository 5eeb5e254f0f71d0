"""Opening a study: a new file of what the user gave, or an old one that agrees with it."""

from __future__ import annotations

import getpass
import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..data.fidelities import fidelity_name
from ..errors import DataError, FileError, listed, unknown
from ..methods import method as find_method
from .definition import Definition, define
from .pools import Pool, pool_of
from .store import Store


def who() -> str:
    """Who asks: user, machine and process."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user without a name
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}:{os.getpid()}"


def created(
    path: Path, inputs: Any, costs: Any, target: Any, candidates: Any, options: dict[str, Any]
) -> Store:
    """Make the file of a new study."""
    pool = None if candidates is None else _pool(candidates, inputs, costs, target)
    if pool is not None:
        inputs = pool.inputs
    needed = {"inputs": inputs, "costs": costs, "target": target}
    if missing := [name for name, value in needed.items() if value is None]:
        if len(missing) == len(needed):
            raise FileError(f"there is no study {path}; 'mast study new' or Study(...) makes one")
        raise DataError(f"a new study needs {listed(missing)}")
    definition = define(inputs, costs, target, **options)
    find_method(definition.method).check_ready()
    if pool is None:
        return Store.create(path, definition)
    if pool.known and len(definition.targets) > 1:
        raise DataError(
            f"the candidates have results in column {listed(pool.known)}, but the study has the "
            f"targets {listed(definition.targets)}; leave these columns out, and add the results"
        )
    results = pool.results(definition.target)
    return Store.create(path, definition, pool.candidates, results, who())


def _pool(candidates: Any, inputs: Any, costs: Any, target: Any) -> Pool:
    """The candidates; columns that are called like fidelities or targets are no inputs."""
    fidelities = [fidelity_name(name) for name in costs] if isinstance(costs, Mapping) else []
    targets = [target] if isinstance(target, str) else list(target or [])
    return pool_of(candidates, inputs, fidelities, targets)


def options_of(known: Definition) -> dict[str, Any]:
    """What a study was begun with, besides inputs, costs and targets."""
    return {
        "goal": known.goal,
        "budget": known.budget,
        "constraints": known.constraints,
        "method": known.method,
        "scouting": known.scouting,
        "random_state": known.random_state,
    }


def check_same(path: Path, known: Definition, wanted: Definition) -> None:
    """Refuse to open a study as something that it is not."""
    same = replace(wanted, budget=known.budget)
    if same != known:
        names = ("domain", "costs", "targets", "goal", "constraints", "method", "scouting")
        differing = [n for n in (*names, "random_state") if getattr(same, n) != getattr(known, n)]
        shown = ["inputs" if name == "domain" else name for name in differing]
        raise DataError(
            f"{path} is a study with other {listed(shown)}; leave that out to open it, or give the "
            "new study another name"
        )


def seconds_of(given: Any, costs: Mapping[str, float]) -> dict[str, float]:
    """Seconds by fidelity, of one number for all or of a mapping."""
    if given is None:
        return {}
    limits = dict(given) if isinstance(given, Mapping) else dict.fromkeys(costs, given)
    for name, seconds in limits.items():
        if name not in costs:
            raise unknown("fidelity", name, costs)
        if not float(seconds) > 0.0:
            raise DataError(f"the time limit of {name!r} is {seconds!r}; it must be above zero")
    return {name: float(seconds) for name, seconds in limits.items()}


def fidelities_of(given: Sequence[Any], costs: Mapping[str, float]) -> list[str]:
    """Names of fidelities that may be asked for; each must be one of the study's."""
    if isinstance(given, str):
        raise DataError(f"allow must be a list of fidelities, as [{given!r}]")
    names = [fidelity_name(label) for label in given]
    if not names:
        raise DataError("allow names no fidelity; leave it out to allow all")
    for name in names:
        if name not in costs:
            raise unknown("fidelity", name, costs)
    return names


def at_least(value: int, least: int, what: str) -> int:
    """Refuse what is no whole number, or too small."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise DataError(f"{what} is {value!r}; it must be a whole number, {least} or more")
    return value
