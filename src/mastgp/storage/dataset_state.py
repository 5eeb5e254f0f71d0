"""A data set as plain values and arrays, for files."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import Any

import numpy as np

from ..data.dataset import Box, Dataset, Fidelity
from ..data.fidelities import Ranking
from ..data.levels import Category


def dataset_state(data: Dataset) -> dict[str, Any]:
    """A data set as plain values and arrays."""
    state = {
        "fidelities": [
            {"name": f.name, "X": f.X, "y": f.y, "noise_var": f.noise_var, "rows": f.rows}
            for f in data.fidelities
        ],
        "hierarchy": asdict(data.ranking),  # what it was called in the first format
        "box": {"low": data.box.low, "high": data.box.high},
        "feature_names": list(data.feature_names),
        "feature_names_given": data.feature_names_given,
        "target_name": data.target_name,
    }
    if data.categories:
        state["categories"] = [asdict(category) for category in data.categories]
    if data.integers:
        state["integers"] = list(data.integers)
    return state


def restored_dataset(state: dict[str, Any]) -> Dataset:
    """Inverse of :func:`dataset_state`."""
    ranking = state["hierarchy"]
    return Dataset(
        fidelities=tuple(Fidelity(**entry) for entry in state["fidelities"]),
        ranking=Ranking(**{**ranking, "names": tuple(ranking["names"])}),
        box=Box(**state["box"]),
        feature_names=tuple(state["feature_names"]),
        target_name=state.get("target_name"),
        feature_names_given=state.get("feature_names_given", False),
        categories=tuple(
            Category(**{**entry, "levels": tuple(entry["levels"])})
            for entry in state.get("categories", ())
        ),
        integers=tuple(state.get("integers", ())),
    )


def data_hash(data: Dataset) -> str:
    """SHA-256 of names, levels, inputs, targets and known noise."""
    digest = hashlib.sha256("\0".join(data.feature_names).encode())
    for category in data.categories:
        digest.update("\0".join([category.name, *category.levels]).encode())
    for fidelity in data.fidelities:
        digest.update(fidelity.name.encode())
        for array in (fidelity.X, fidelity.y, fidelity.noise_var):
            if array is not None:
                digest.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
    return digest.hexdigest()
