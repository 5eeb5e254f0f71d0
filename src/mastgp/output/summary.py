"""What a fitted model is, as plain data that can be printed or written as JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from ..auto.surrogate import AutoSurrogate
from ..gp import GaussianProcess
from ..models.cokriging import CoKriging
from ..models.estimator import MultiFidelityRegressor
from ..models.mast import MAST
from ..models.single import SingleFidelity

if TYPE_CHECKING:
    import pandas as pd

#: Parameters that describe the data or the run, not the method.
_NOT_OPTIONS = frozenset({"costs", "order", "exponents", "noise_std", "bounds", "random_state"})


def summarise(model: MultiFidelityRegressor) -> dict[str, Any]:
    """Describe a fitted model: its data, what it learned, and how the fits went."""
    data = model.training_data_
    ranking = data.ranking
    noise = _noise(model)
    facts: dict[str, Any] = {
        "method": type(model).__name__,
        "label": model._label,
        "target": model.target_name_,
        "predicts": data.top.name,
        "costs_assumed": ranking.costs_assumed,
        "fidelities": [
            {
                "name": fidelity.name,
                "points": len(fidelity.y),
                "cost": ranking.costs.get(fidelity.name),
                "noise_std": noise.get(fidelity.name),
                "noise_known": fidelity.noise_var is not None,
            }
            for fidelity in data.fidelities
        ],
        "inputs": [
            {
                "name": name,
                "low": float(data.box.low[i]),
                "high": float(data.box.high[i]),
                "expensive_points": [
                    float(v) for v in (data.top.X[:, i].min(), data.top.X[:, i].max())
                ],
            }
            for i, name in enumerate(data.feature_names)
        ],
        "options": {
            name: value if isinstance(value, str | int | float | None) else repr(value)
            for name, value in model.get_params(deep=False).items()
            if name not in _NOT_OPTIONS
        },
    }
    if isinstance(model, MAST):
        _add_trust(facts, model)
        if isinstance(model.final_, GaussianProcess):
            _add_process(facts, model.final_)
        facts["fits"] = _reports(model.processes_)
    elif isinstance(model, CoKriging):
        _add_process(facts, model.process_)
        facts["factors"] = [float(factor) for factor in model.rho_]
        facts["fits"] = _reports({"of all fidelities": model.process_})
    elif isinstance(model, AutoSurrogate):
        facts["validation"] = records(model.validation_)
        facts["verdict"] = [asdict(entry) for entry in model.verdict_.entries]
        facts["weights"] = model.weights_
    return facts


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a table; what is not a finite number becomes None."""
    return [
        {
            str(key): None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in row.items()
        }
        for row in table.to_dict(orient="records")
    ]


def _noise(model: MultiFidelityRegressor) -> dict[str, float]:
    """Noise standard deviation of each fidelity, as far as the model knows it."""
    data = model.training_data_
    if isinstance(model, MAST):
        learned = {name: stage.noise_var for name, stage in model.stage1_.items()}
        given = {fidelity.name: fidelity.noise_var for fidelity in data.fidelities}
        either = {name: given[name] if var is None else var for name, var in learned.items()}
        variances = {name: var for name, var in either.items() if var is not None}
    elif isinstance(model, CoKriging):
        modelled = model._modelled(data)
        ends = np.cumsum([len(fidelity.y) for fidelity in modelled])
        parts = np.split(model.process_.noise_var, ends[:-1])
        variances = {f.name: part for f, part in zip(modelled, parts, strict=True)}
    else:
        alone = isinstance(model, SingleFidelity) and model.which == "cheapest"
        modelled_one = data.fidelities[0] if alone else data.top
        variances = {modelled_one.name: np.array(model.noise_var_)}
    variances |= {f.name: f.noise_var for f in data.fidelities if f.noise_var is not None}
    return {name: float(np.sqrt(np.mean(var))) for name, var in variances.items()}


def _add_trust(facts: dict[str, Any], model: MAST) -> None:
    """What became of the cheap points."""
    by_name = {entry["name"]: entry for entry in facts["fidelities"]}
    for part in model.augmentations_:
        weights = part.trust.weight
        by_name[part.fidelity.name] |= {
            "exponent": model.training_data_.ranking.exponents[part.fidelity.name],
            "trust": {
                "min": float(weights.min()),
                "mean": float(weights.mean()),
                "max": float(weights.max()),
            },
        }


def _add_process(facts: dict[str, Any], process: GaussianProcess) -> None:
    """Lengthscales and warp of the GP that predicts."""
    parameters = process.parameters
    for i, row in enumerate(facts["inputs"]):
        row["lengthscale"] = float(process.lengthscales[i])
        if process.model.warp:
            row["warp"] = [float(parameters.warp_a[i]), float(parameters.warp_b[i])]


def _reports(processes: dict[str, GaussianProcess]) -> dict[str, Any]:
    return {
        name: asdict(process.report)
        for name, process in processes.items()
        if process.report is not None
    }
