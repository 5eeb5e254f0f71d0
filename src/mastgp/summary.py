"""What a fitted model is, as plain data that can be printed or written as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from .mast import MAST


def summarise(model: MAST) -> dict[str, Any]:
    """Describe a fitted model: its data, what it learned, and how the fits went."""
    data = model.training_data_
    hierarchy = data.hierarchy
    trust = {part.fidelity.name: part.trust for part in model.augmentations_}
    fidelities = []
    for fidelity in data.fidelities:
        entry: dict[str, Any] = {
            "name": fidelity.name,
            "points": len(fidelity.y),
            "cost": hierarchy.costs.get(fidelity.name),
            "noise_std": float(np.sqrt(np.mean(model.stage1_[fidelity.name].noise_var))),
            "noise_known": fidelity.noise_var is not None,
        }
        if fidelity.name in trust:
            entry["exponent"] = hierarchy.exponents[fidelity.name]
            weights = trust[fidelity.name].weight
            entry["trust"] = {
                "min": float(weights.min()),
                "mean": float(weights.mean()),
                "max": float(weights.max()),
            }
        fidelities.append(entry)
    return {
        "method": type(model).__name__,
        "target": model.target_name_,
        "predicts": data.top.name,
        "costs_assumed": hierarchy.costs_assumed,
        "fidelities": fidelities,
        "inputs": _inputs(model),
        "options": {
            name: value if isinstance(value, str | None) else repr(value)
            for name, value in model.get_params(deep=False).items()
            if name in ("metric", "radius", "weight", "warp", "surrogate")
        },
        "fits": {
            name: asdict(process.report)
            for name, process in model.processes_.items()
            if process.report is not None
        },
    }


def _inputs(model: MAST) -> list[dict[str, Any]]:
    data, final = model.training_data_, model.final_
    warped = model.final_.model.warp
    rows = []
    for i, name in enumerate(data.feature_names):
        row: dict[str, Any] = {
            "name": name,
            "low": float(data.box.low[i]),
            "high": float(data.box.high[i]),
            "expensive_points": [
                float(v) for v in (data.top.X[:, i].min(), data.top.X[:, i].max())
            ],
            "lengthscale": float(final.lengthscales[i]),
        }
        if warped:
            row["warp"] = [float(final.parameters.warp_a[i]), float(final.parameters.warp_b[i])]
        rows.append(row)
    return rows
