"""A data set as plain values and arrays, for files."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import Any

import numpy as np

from .. import stored
from ..data.dataset import Box, Dataset, Fidelity
from ..data.fidelities import Ranking
from ..data.levels import Category
from ..errors import listed
from ..gp.observations import LARGEST_TARGET
from ..stored import ANY


def dataset_state(data: Dataset) -> dict[str, Any]:
    """A data set as plain values and arrays."""
    state = {
        "fidelities": [
            {
                "name": f.name,
                "X": f.X,
                "y": f.y,
                "noise_var": f.noise_var,
                "rows": f.rows,
                **({} if f.total is None else {"total": f.total}),
            }
            for f in data.fidelities
        ],
        "hierarchy": asdict(data.ranking),  # what it was called in the first format
        "box": {"low": data.box.low, "high": data.box.high},
        "feature_names": list(data.feature_names),
        "feature_names_given": data.feature_names_given,
        "target_name": data.target_name,
        "units": dict(data.units),
    }
    if data.categories:
        state["categories"] = [asdict(category) for category in data.categories]
    if data.box.logs:
        state["box"]["logs"] = list(data.box.logs)  # type: ignore[index]
    if data.integers:
        state["integers"] = list(data.integers)
    return state


def restored_dataset(state: dict[str, Any]) -> Dataset:
    """Inverse of :func:`dataset_state`, once everything is checked."""
    _check(state)
    ranking = state["hierarchy"]
    return Dataset(
        fidelities=tuple(Fidelity(**entry) for entry in state["fidelities"]),
        ranking=Ranking(**{**ranking, "names": tuple(ranking["names"])}),
        box=Box(state["box"]["low"], state["box"]["high"], tuple(state["box"].get("logs", ()))),
        feature_names=tuple(state["feature_names"]),
        target_name=state.get("target_name"),
        feature_names_given=state.get("feature_names_given", False),
        units=state.get("units", {}),
        categories=tuple(
            Category(**{**entry, "levels": tuple(entry["levels"])})
            for entry in state.get("categories", ())
        ),
        integers=tuple(state.get("integers", ())),
    )


def _check(state: Any) -> None:
    """Check what a file says of a data set."""
    stored.mapping(state, "the data set", ("fidelities", "hierarchy", "box", "feature_names"))
    features = _distinct(state["feature_names"], "the names of inputs")
    d = stored.number(len(features), "the number of inputs", low=1)
    for entry in stored.sequence(state["fidelities"], "the fidelities"):
        _check_fidelity(entry, d)
    names = _distinct([entry["name"] for entry in state["fidelities"]], "the names of fidelities")
    stored.number(len(names), "the number of fidelities", low=1)
    _check_ranking(state["hierarchy"], names)
    box = stored.mapping(state["box"], "the box", ("low", "high"))
    low = stored.array(box["low"], "the lower bounds", (d,))
    high = stored.array(box["high"], "the upper bounds", (d,))
    if (high < low).any():
        raise stored.DamagedError("an upper bound is below the lower one")
    with np.errstate(over="ignore"):
        stored.array(high - low, "the widths of the bounds", (d,))
    _check_logs(box, features, state["fidelities"])
    if state.get("target_name") is not None:
        stored.text(state["target_name"], "the target's name")
    if not isinstance(state.get("feature_names_given", False), bool):
        raise stored.DamagedError("feature_names_given is neither true nor false")
    _check_kinds(state, features)


def _check_logs(box: Any, features: list[str], fidelities: Any) -> None:
    """Check what a file says of inputs on a logarithmic scale."""
    logs = stored.sequence(box.get("logs", []), "the log inputs")
    columns = [_column(value, "a log input", features) for value in logs]
    if len(set(columns)) < len(columns):
        raise stored.DamagedError("an input is a log input twice")
    for column in columns:
        lowest = min(box["low"][column], *(entry["X"][:, column].min() for entry in fidelities))
        stored.number(float(lowest), f"the lowest {features[column]!r}", low=5e-324)


def _check_kinds(state: Any, features: list[str]) -> None:
    """Check what a file says of categorical and whole-number inputs."""
    categories = stored.sequence(state.get("categories", []), "the categories")
    for entry in categories:
        stored.mapping(entry, "a category", ("column", "name", "levels"), more=False)
        column = _column(entry["column"], "a category's column", features)
        if stored.text(entry["name"], "a category's name") != features[column]:
            raise stored.DamagedError(f"category {entry['name']!r} is not the input {column}")
        levels = _distinct(entry["levels"], f"the levels of {entry['name']!r}")
        stored.number(len(levels), f"the number of levels of {entry['name']!r}", low=1)
        for fidelity in state["fidelities"]:
            what = f"{entry['name']!r} of {fidelity['name']!r}"
            codes = stored.array(
                fidelity["X"][:, column], what, (ANY,), low=0.0, high=len(levels) - 1.0
            )
            if (codes != np.rint(codes)).any():
                raise stored.DamagedError(f"{what} has values that are no codes of levels")
    integers = stored.sequence(state.get("integers", []), "the whole-number inputs")
    columns = [_column(value, "a whole-number input", features) for value in integers]
    columns += [entry["column"] for entry in categories]
    if {entry["column"] for entry in categories} & set(state["box"].get("logs", ())):
        raise stored.DamagedError("a categorical input cannot be a log input")
    if len(set(columns)) < len(columns):
        raise stored.DamagedError("an input is categorical or whole-number twice")


def _column(value: Any, what: str, features: list[str]) -> int:
    column: int = stored.number(value, what, low=0, high=len(features) - 1, whole=True)
    return column


def _check_fidelity(entry: Any, d: int) -> None:
    stored.mapping(entry, "a fidelity", ("name", "X", "y", "noise_var", "rows"))
    if others := sorted(set(entry) - {"name", "X", "y", "noise_var", "rows", "total"}):
        raise stored.DamagedError(f"a fidelity has {listed(others)}, which is unknown")
    name = stored.text(entry["name"], "a fidelity's name")
    n = len(stored.array(entry["X"], f"X of {name!r}", (ANY, d)))
    stored.number(n, f"the number of points of {name!r}", low=1)
    stored.array(entry["y"], f"y of {name!r}", (n,), low=-LARGEST_TARGET, high=LARGEST_TARGET)
    if entry["noise_var"] is not None:
        what, most = f"noise_var of {name!r}", LARGEST_TARGET**2
        stored.array(entry["noise_var"], what, (n,), low=0.0, high=most * (1.0 + 1e-9))
    stored.array(entry["rows"], f"rows of {name!r}", (n,), low=0, whole=True)
    if "total" in entry:
        stored.number(entry["total"], f"the number of rows of {name!r}", low=n, whole=True)


def _check_ranking(ranking: Any, names: list[str]) -> None:
    needed = ("names", "costs", "exponents")
    stored.mapping(ranking, "the ranking", needed)
    ranked = _distinct(ranking["names"], "the names in the ranking")
    if [name for name in ranked if name in names] != names or ranked[-1] != names[-1]:
        raise stored.DamagedError("the ranking is not that of the fidelities")
    costs = stored.mapping(ranking["costs"], "the costs", ranked if ranking["costs"] else ())
    exponents = stored.mapping(ranking["exponents"], "the exponents", ranked[:-1], more=False)
    for what, values in (("a cost", costs), ("an exponent", exponents)):
        for value in values.values():
            stored.number(value, what, low=0.0)


def _distinct(names: Any, what: str) -> list[str]:
    """Names, each of which occurs once."""
    found = [stored.text(name, what) for name in stored.sequence(names, what)]
    if len(set(found)) < len(found):
        raise stored.DamagedError(f"{what} are not distinct")
    return found


def data_hash(data: Dataset) -> str:
    """SHA-256 of names, levels, inputs, targets and known noise."""
    digest = hashlib.sha256("\0".join(data.feature_names).encode())
    for category in data.categories:
        digest.update("\0".join([category.name, *category.levels]).encode())
    if data.box.logs:
        digest.update(f"logs {data.box.logs}".encode())
    for fidelity in data.fidelities:
        digest.update(fidelity.name.encode())
        for array in (fidelity.X, fidelity.y, fidelity.noise_var):
            if array is not None:
                digest.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
    return digest.hexdigest()
