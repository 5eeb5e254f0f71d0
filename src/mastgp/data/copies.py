"""Cheap rows that are copies of expensive ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import CopiesWarning, listed, warn
from .dataset import Dataset
from .fidelities import Fidelity
from .places import place_labels


def without_copies(data: Dataset) -> Dataset:
    """Leave out cheap rows that repeat an expensive one, target included: they say nothing new.

    A single copy may be chance, as where both responses are zero in a corner. It stays.
    """
    copies = {f.name: _copies(f, data) for f in data.cheaper}
    copied = [name for name, mask in copies.items() if mask.any()]
    if not copied:
        return data
    warn(
        f"rows of fidelity {listed(copied)} are copies of {data.top.name!r} rows, target "
        "included, and are left out",
        CopiesWarning,
    )
    kept = [f.subset(~copies[f.name]) if f.name in copied else f for f in data.cheaper]
    return replace(data, fidelities=(*(f for f in kept if len(f.y)), data.top))


def _copies(fidelity: Fidelity, data: Dataset) -> NDArray[np.bool_]:
    """Which rows of a cheap fidelity are rows of the top one, unless it is only one."""
    top = data.top
    place = place_labels(np.concatenate([data.unit(top), data.unit(fidelity)]))
    pairs = list(zip(place.tolist(), [*top.y.tolist(), *fidelity.y.tolist()], strict=True))
    expensive = set(pairs[: len(top.y)])
    copies = np.array([pair in expensive for pair in pairs[len(top.y) :]], dtype=bool)
    return copies if copies.sum() > 1 else np.zeros(len(copies), dtype=bool)
