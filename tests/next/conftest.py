from __future__ import annotations

import numpy as np
import pytest

from mastgp.models import CoKriging, SingleFidelity, TransformedResponse
from next.fitted import COSTS, MIXED_COSTS, bowl_data, mixed_frame


@pytest.fixture(scope="package")
def optimum_model():
    """Co-kriging at the optimum: one Gaussian process of two fidelities."""
    return CoKriging(costs=COSTS, inference="map", bounds=[[0, 1], [0, 1]]).fit(*bowl_data())


@pytest.fixture(scope="package")
def drawn_model():
    """Co-kriging with draws of the hyperparameters."""
    model = CoKriging(costs=COSTS, n_draws=6, bounds=[[0, 1], [0, 1]])
    return model.fit(*bowl_data())


@pytest.fixture(scope="package")
def log_model():
    """Draws of a model of the logarithm."""
    X, y, labels = bowl_data()
    inner = CoKriging(costs=COSTS, n_draws=3, bounds=[[0, 1], [0, 1]])
    return TransformedResponse(inner).fit(X, np.exp(y), labels)


@pytest.fixture(scope="package")
def single_model():
    """A Gaussian process of the expensive points alone."""
    return SingleFidelity(costs=COSTS, bounds=[[0, 1], [0, 1]]).fit(*bowl_data())


@pytest.fixture(scope="package")
def mixed_model():
    """Numbers, whole numbers and a category."""
    frame, y, labels = mixed_frame()
    model = CoKriging(costs=MIXED_COSTS, inference="map", bounds={"x": (0.0, 1.0), "n": (1, 6)})
    return model.fit(frame, y, labels, categorical=["kind"], integer=["n"])
