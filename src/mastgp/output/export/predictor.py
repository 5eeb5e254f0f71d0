"""A model's predictor as one document of plain numbers, and as JSON.

The format is described in the guide, "A predictor for other programs". The report page, the C file
and the FMU are made of the same document.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from ... import __version__
from ...data.dataset import Dataset
from ...errors import DataError
from ...estimators import check_is_fitted
from ...models.estimator import MultiFidelityRegressor
from ...models.facts import tools_of
from .folding import folded

FORMAT = "mastgp-predictor"
VERSION = 1


def predictor_document(model: MultiFidelityRegressor) -> dict[str, Any]:
    """All that is needed to predict with a fitted model, as plain values and arrays.

    Parameters
    ----------
    model : fitted estimator
        Of the engine's Gaussian processes: a model of forests or networks has no such form.
    """
    check_is_fitted(model)
    check_exportable(model)
    data = model.training_data_
    return {
        "format": FORMAT,
        "version": VERSION,
        "made_by": f"mastgp {__version__}",
        "target": {
            "name": model.target_name_ or "y",
            "unit": data.units.get(model.target_name_ or ""),
        },
        "predicts": data.top.name,
        "inputs": [_input(data, i) for i in range(len(data.feature_names))],
        "calibration": float(model.calibration_),
        "predictor": folded(model.plain_predictor(), data.categories, len(data.feature_names)),
    }


def check_exportable(model: MultiFidelityRegressor) -> None:
    """Refuse a model whose predictions are not made of the engine's Gaussian processes."""
    if "export" not in model.abilities:
        if tools_of(model.facts()):
            raise DataError(
                f"{model.label} of so many rows cannot be exported: rows must be modelled by "
                "inducing points or an exact GP, in MAST by an exact GP. 'mast show' says by what "
                "they are. Use 'mast predict', or fit fewer rows"
            )
        raise DataError(
            f"{model.label} cannot be exported: its predictions are not made of Gaussian "
            "processes of this package. Use 'mast predict', or fit with --method auto"
        )


def _input(data: Dataset, i: int) -> dict[str, Any]:
    """An input: its name, unit, and the range that is mapped to [0, 1]."""
    name = data.feature_names[i]
    own: dict[str, Any] = {
        "name": name,
        "unit": data.units.get(name),
        "low": float(data.box.low[i]),
        "high": float(data.box.high[i]),
    }
    own |= {"integer": True} if i in data.integers else {}
    own |= {"log": True} if i in data.box.logs else {}
    levels = next((c.levels for c in data.categories if c.column == i), None)
    return own if levels is None else {**own, "levels": list(levels)}


def encoded(value: Any) -> Any:
    """The same with every array as its shape and its bytes, which JSON can hold."""
    if isinstance(value, dict):
        return {key: encoded(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [encoded(entry) for entry in value]
    if isinstance(value, np.ndarray):
        raw = np.ascontiguousarray(value, dtype="<f8").tobytes()
        return {"shape": list(value.shape), "float64": base64.b64encode(raw).decode()}
    return value


def predictor_json(model: MultiFidelityRegressor) -> str:
    """The document as JSON text."""
    return json.dumps(encoded(predictor_document(model)), allow_nan=False)
