"""Surrogates as plain data, for files.

A file can choose one of the classes named here, and nothing else. No module is imported by a name
that a file gives.
"""

from __future__ import annotations

import math
from importlib import import_module
from os import PathLike, fspath
from typing import Any

import numpy as np

from ..errors import MastError, ModelFileError
from .gp import GP
from .incontext import TabICL, TabPFN
from .regressors import FromQuantiles, FromSpread, FromStd

_OURS = {cls.__name__: cls for cls in (GP, FromStd, FromSpread, FromQuantiles, TabPFN, TabICL)}
#: Classes of scikit-learn that a file may name, by module.
_SKLEARN = {
    "sklearn.gaussian_process": ("GaussianProcessRegressor",),
    "sklearn.gaussian_process.kernels": (
        "CompoundKernel",
        "ConstantKernel",
        "DotProduct",
        "ExpSineSquared",
        "Exponentiation",
        "Matern",
        "Product",
        "RBF",
        "RationalQuadratic",
        "Sum",
        "WhiteKernel",
    ),
    "sklearn.linear_model": ("ARDRegression", "BayesianRidge", "QuantileRegressor"),
    "sklearn.ensemble": (
        "BaggingRegressor",
        "ExtraTreesRegressor",
        "GradientBoostingRegressor",
        "HistGradientBoostingRegressor",
        "RandomForestRegressor",
    ),
    "sklearn.tree": ("DecisionTreeRegressor", "ExtraTreeRegressor"),
}
_MODULES = {name: module for module, names in _SKLEARN.items() for name in names}


def describe(value: Any) -> Any:
    """Turn a surrogate, a sequence of them, or one of their parameters into plain data."""
    if value is None or isinstance(value, str | bool | int | np.ndarray):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, np.generic):
        return describe(value.item())
    if isinstance(value, list | tuple):
        return [describe(entry) for entry in value]
    if isinstance(value, PathLike):
        return fspath(value)
    name = type(value).__name__
    if _class_named(name) is not type(value):
        raise MastError(f"a model made with a {name} cannot be written to a file")
    parameters = value.get_params(deep=False)
    return {"class": name, "parameters": {key: describe(v) for key, v in parameters.items()}}


def build(description: Any) -> Any:
    """Build what :func:`describe` turned into plain data."""
    if isinstance(description, list):
        return tuple(build(entry) for entry in description)
    if not isinstance(description, dict):
        return description
    cls = _class_named(description["class"])
    if cls is None:
        raise ModelFileError(
            f"the file names a surrogate {description['class']!r}, unknown to this version"
        )
    return cls(**{key: build(entry) for key, entry in description["parameters"].items()})


def _class_named(name: str) -> Any:
    if name in _OURS:
        return _OURS[name]
    return getattr(import_module(_MODULES[name]), name) if name in _MODULES else None
