"""What a fitted model is, as plain data that can be printed or written as JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.origin import origin_state
from ..gp.layout import NOISE_BOUNDS
from ..models.estimator import MultiFidelityRegressor
from ..storage.dataset_state import data_hash

if TYPE_CHECKING:
    from ..data.dataset import Dataset, Fidelity
    from ..data.levels import Category

#: Parameters that describe the data or the run, not the method.
_NOT_OPTIONS = frozenset({"costs", "order", "exponents", "noise_std", "bounds", "random_state"})
#: Facts that are told of fidelities and inputs, not of the model as a whole.
_DISTRIBUTED = frozenset({"noise", "fidelities", "inputs"})


def summarise(model: MultiFidelityRegressor) -> dict[str, Any]:
    """Describe a fitted model: its data, what it learned, and how the fits went."""
    data, facts = model.training_data_, model.facts()
    return {
        "method": type(model).__name__,
        "label": model.label,
        "target": model.target_name_,
        "unit": data.units.get(model.target_name_ or ""),
        "predicts": data.top.name,
        "costs_assumed": data.ranking.costs_assumed,
        "fidelities": _fidelities(data, facts),
        "inputs": _inputs(data, facts.get("inputs", [])),
        "options": _options(model),
        "origin": {**origin_state(model.origin_), "data_sha256": data_hash(data)},
        **{key: value for key, value in facts.items() if key not in _DISTRIBUTED},
    }


def _fidelities(data: Dataset, facts: dict[str, Any]) -> list[dict[str, Any]]:
    """One row per fidelity, cheapest first: its data, and what the model says of it."""
    noise = {**facts.get("noise", {}), **_known_noise(data)}
    own = facts.get("fidelities", {})
    return [
        {
            "name": fidelity.name,
            "points": fidelity.n_rows,
            "cost": data.ranking.costs.get(fidelity.name),
            "noise_std": noise.get(fidelity.name),
            "noise_known": fidelity.noise_var is not None,
            "noise_at_floor": _at_floor(noise.get(fidelity.name), fidelity, data),
            **own.get(fidelity.name, {}),
        }
        for fidelity in data.fidelities
    ]


def _at_floor(noise_std: float | None, fidelity: Fidelity, data: Dataset) -> bool:
    """Whether noise was learned and is as small as can be, so that the data show none.

    A GP's noise has a floor relative to the spread of its targets. Joint models of several
    fidelities may share one spread.
    """
    if noise_std is None or fidelity.noise_var is not None:
        return False
    floors = [math.sqrt(NOISE_BOUNDS[0]) * data.scale_of(f.y) for f in data.fidelities]
    return any(math.isclose(noise_std, floor, rel_tol=1e-3) for floor in floors)


def _known_noise(data: Dataset) -> dict[str, float]:
    return {
        f.name: float(np.sqrt(np.mean(f.noise_var)))
        for f in data.fidelities
        if f.noise_var is not None
    }


def _inputs(data: Dataset, own: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per input: its ranges, and what the model says of it."""
    categories = {category.column: category for category in data.categories}
    rows = [
        _levels(data, categories[i]) if i in categories else _range(data, i, name)
        for i, name in enumerate(data.feature_names)
    ]
    learned = zip(rows, own or [{}] * len(rows), data.box.varies, strict=True)
    return [
        {**row, **(facts if varies else dict.fromkeys(facts))}  # of a constant nothing is learned
        for row, facts, varies in learned
    ]


def _range(data: Dataset, i: int, name: str) -> dict[str, Any]:
    """A numeric input: its range, and that of the expensive points."""
    values = data.top.X[:, i]
    return {
        "name": name,
        "unit": data.units.get(name),
        "low": float(data.box.low[i]),
        "high": float(data.box.high[i]),
        "expensive_points": [float(values.min()), float(values.max())],
        **({"integer": True} if i in data.integers else {}),
        **({"log": True} if i in data.box.logs else {}),
    }


def _levels(data: Dataset, category: Category) -> dict[str, Any]:
    """A categorical input: its levels, and which of them the expensive points have."""
    seen = set(category.labels(data.top.X[:, category.column]))
    return {
        "name": category.name,
        "unit": data.units.get(category.name),
        "levels": list(category.levels),
        "expensive_levels": [level for level in category.levels if level in seen],
    }


def _options(model: MultiFidelityRegressor) -> dict[str, Any]:
    return {
        name: value if isinstance(value, str | int | float | None) else repr(value)
        for name, value in model.get_params(deep=False).items()
        if name not in _NOT_OPTIONS
    }
