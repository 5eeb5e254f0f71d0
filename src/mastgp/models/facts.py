"""Facts about Gaussian processes that several methods tell of themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..gp import GaussianProcess

Array = NDArray[np.float64]


def noise_facts(variances: Mapping[str, Array]) -> dict[str, float]:
    """Noise standard deviation of each fidelity, from the variances of its observations."""
    return {name: float(np.sqrt(np.mean(var))) for name, var in variances.items()}


def input_facts(process: GaussianProcess) -> list[dict[str, Any]]:
    """Lengthscale and warp of every input, as the GP that predicts has learned them."""
    parameters = process.parameters
    rows: list[dict[str, Any]] = [{"lengthscale": float(value)} for value in process.lengthscales]
    categorical = [category.column for category in process.model.categories]
    if process.model.warp:
        numeric = [row for i, row in enumerate(rows) if i not in categorical]
        for row, a, b in zip(numeric, parameters.warp_a, parameters.warp_b, strict=True):
            row["warp"] = [float(a), float(b)]
    return rows


def fit_reports(processes: Mapping[str, GaussianProcess]) -> dict[str, Any]:
    """Reports of the fits, by what each GP models."""
    return {
        name: asdict(process.report)
        for name, process in processes.items()
        if process.report is not None
    }
