"""Models of every kind that can be written out, with points to compare them at."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pandas as pd

from mastgp import MAST, AutoSurrogate
from mastgp.errors import MastWarning
from mastgp.gp.responses import Bounded, YeoJohnson
from mastgp.models import CoKriging, TransformedResponse
from mastgp.models.fire import FIRE
from mastgp.models.fusion import Reification
from mastgp.models.recursive import Recursive
from mastgp.models.single import SingleFidelity
from mastgp.surrogates import GP

ORDER = ["coarse", "fine"]
LOW, WIDTH = np.array([5.0, 0.0, 0.0]), np.array([2.0, 1.0, 1.0])


def response(X):
    return np.exp(np.sin(3 * X[:, 0]) + X[:, 1] ** 2) + X[:, 2]


#: How each kind is built; those that begin with "levels" have a categorical input, and those that
#: name "many rows" too many cheap points for an exact process.
BUILDERS = {
    "ar1": lambda: CoKriging(order=ORDER),
    "ar1, calibrated": lambda: CoKriging(order=ORDER, structure="shared-bias", calibrate=True),
    "matern": lambda: CoKriging(order=ORDER, kernel="matern52", warp=None, inference="map"),
    "mast": lambda: MAST(order=ORDER, calibrate=True),
    "mast, no noise": lambda: MAST(
        order=ORDER, surrogate=GP(kernel="matern52"), noise_std={"fine": 0}
    ),
    "fire": lambda: FIRE(order=ORDER),
    "recursive": lambda: Recursive(order=ORDER),
    "reification": lambda: Reification(order=ORDER),
    "hf-only": lambda: SingleFidelity(order=ORDER),
    "log": lambda: TransformedResponse(CoKriging(order=ORDER)),
    "power": lambda: TransformedResponse(
        CoKriging(order=ORDER, inference="map", calibrate=True), YeoJohnson(0.5, 3.0, 2.0)
    ),
    "bounded": lambda: TransformedResponse(CoKriging(order=ORDER), Bounded(-1.0, 30.0)),
    "auto": lambda: AutoSurrogate(order=ORDER, random_state=0),
    "auto, calibrated": lambda: AutoSurrogate(order=ORDER, calibrate=True, random_state=0),
    "many rows": lambda: CoKriging(order=ORDER),
    "many rows, auto": lambda: AutoSurrogate(order=ORDER, random_state=0),
    "levels": lambda: CoKriging(order=ORDER),
    "levels, exchangeable": lambda: CoKriging(order=ORDER, categories="exchangeable"),
    "levels, mast": lambda: MAST(order=ORDER),
    "levels, many rows": lambda: CoKriging(order=ORDER),
}


def inputs(rng, n, levels):
    X = pd.DataFrame(LOW + WIDTH * rng.random((n, 3)), columns=["x", "y", "z"])
    if levels:
        X["alloy"] = np.array(["al", "st", "ti"])[rng.integers(0, 3, n)]
    return X


@cache
def fitted(name):
    rng, levels = np.random.default_rng(5), name.startswith("levels")
    many = "many rows" in name
    counts = [6000, 20] if many else [26, 11]
    X = inputs(rng, sum(counts), levels)
    labels = np.repeat(ORDER, counts)
    y = response(X.to_numpy()[:, :3].astype(float)) + np.where(labels == "fine", 0.0, 0.3 * X["x"])
    if levels:
        y = y + (X["alloy"] == "al")
    if many:
        y = y + 0.3 * rng.standard_normal(len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MastWarning)
        return BUILDERS[name]().fit(
            X, pd.Series(np.asarray(y, float), name="drag"), fidelity=labels
        )


def queries(name, n=200):
    """Points in and somewhat outside the box."""
    X = inputs(np.random.default_rng(9), n, name.startswith("levels"))
    X["x"] = 6.0 + 1.1 * (X["x"] - 6.0)
    return X


def predicted(model, X):
    """Mean, standard deviation and ends of the 95 % interval, shape (n, 4)."""
    mean, std = model.predict(X, return_std=True)
    return np.column_stack([mean, std, *model.predict_interval(X)])


def coded(X):
    """The same points with the numbers of levels."""
    X = X.copy()
    if "alloy" in X:
        X["alloy"] = X["alloy"].map({"al": 0, "st": 1, "ti": 2})
    return X.to_numpy(dtype=float)
