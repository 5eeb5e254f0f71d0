"""What a blend must be when it comes from a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from .. import stored
from ..data.dataset import Dataset
from ..gp.restoring import check_weights
from ..storage.check_state import check_held_out
from .verdict import FidelityVerdict

#: Most members that a blend of a file may have.
MOST_MEMBERS = 100


def check_blend_state(state: Any, data: Dataset) -> None:
    """Check members, weights, held-out checks, verdict and calibration against the data."""
    needed = ("fidelities", "weights", "candidates", "checked", "held_out", "verdict")
    stored.mapping(state, "the blend", needed)
    _check_fidelities(state["fidelities"], data)
    _check_rows(state.get("rows"), state["fidelities"])
    weights = stored.mapping(state["weights"], "the weights")
    stored.sequence(list(weights), "the weights", most=MOST_MEMBERS)
    values = [stored.number(weight, "a weight", low=0.0) for weight in weights.values()]
    check_weights(np.array(values, dtype=float), len(weights))
    stored.mapping(weights, "the weights", stored.mapping(state["candidates"], "the members"))
    n = len(data.top.y)
    for checked in stored.mapping(state["checked"], "the held-out checks").values():
        check_held_out(checked)
    if state["held_out"] is not None:
        check_held_out(state["held_out"], n)
    _check_verdict(state["verdict"])
    stored.number(state.get("spread", 1.0), "the spread", low=1e-12, high=1e12)
    # Files of format 4 and before have it here.
    stored.number(state.get("calibration", 1.0), "the calibration", low=1e-12, high=1e12)


def _check_fidelities(names: Sequence[Any], data: Dataset) -> None:
    known = [fidelity.name for fidelity in data.fidelities]
    stored.sequence(names, "the fidelities of the blend", most=len(known))
    if not set(names) <= set(known) or known[-1] not in names:
        raise stored.DamagedError("the fidelities of the blend are not those of the data")


def _check_rows(rows: Any, names: Sequence[str]) -> None:
    """Check which rows of each fidelity took part; earlier files do not say."""
    if rows is None:
        return
    stored.mapping(rows, "the rows of the blend", names)
    for own in rows.values():
        stored.array(own, "the rows of the blend", (stored.ANY,), low=0, whole=True)


def _check_verdict(entries: Any) -> None:
    for entry in stored.sequence(entries, "the verdict", most=MOST_MEMBERS):
        names = [field.name for field in fields(FidelityVerdict)]
        stored.mapping(entry, "a verdict", ("name", "word", "sentence"))
        for name, value in entry.items():
            if name in ("name", "word", "sentence"):
                stored.text(value, f"the {name} of a verdict")
            elif name not in names:
                raise stored.DamagedError(f"a verdict has {name!r}, which is unknown")
