"""Surrogates as plain data, for files.

A file can choose one of the classes named here, and nothing else. No module is imported by a name
that a file gives.
"""

from __future__ import annotations

import math
import os
from importlib import import_module
from os import PathLike, fspath
from typing import Any

import numpy as np

from .. import stored
from ..errors import MastError, ModelFileError
from ..stored import ANY
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


#: Most trees or repetitions that a surrogate of a file may ask for, nested ones multiplied.
MOST_REPEATS = 10_000
#: Parameters that say how often something is done, with the most that is allowed of each.
_REPEATS = {"n_estimators": MOST_REPEATS, "max_iter": MOST_REPEATS, "n_restarts_optimizer": 100}
#: Largest size of any other whole number but seeds, and most surrogates inside surrogates.
_LARGEST, _DEEPEST, _MOST_ENTRIES = 1_000_000, 8, 100


def check_costs(description: Any, repeats: int = 1, depth: int = 0) -> None:
    """Refuse a description that would cost more time or memory than anybody means.

    Both writing and reading a file ask for this, so that whatever is written can be read.
    """
    if depth > _DEEPEST:
        raise stored.DamagedError("surrogates are nested too deeply")
    if isinstance(description, list):
        for entry in stored.sequence(description, "a list of surrogates", most=_MOST_ENTRIES):
            check_costs(entry, repeats, depth + 1)
    elif isinstance(description, np.ndarray):
        stored.array(description, "an array", [ANY] * description.ndim, infinite=True)
    elif isinstance(description, dict):
        stored.mapping(description, "a surrogate", ("class", "parameters"), more=False)
        parameters = stored.mapping(description["parameters"], "the parameters")
        for name, value in parameters.items():
            repeats *= _checked_cost(name, value, repeats)
        for value in parameters.values():
            check_costs(value, repeats, depth + 1)


def _checked_cost(name: str, value: Any, repeats: int) -> int:
    """How often something is done because of a parameter."""
    if isinstance(value, bool) or not isinstance(value, int) or name == "random_state":
        return 1
    if name not in _REPEATS:
        stored.number(value, name, low=-_LARGEST, high=_LARGEST)
        return 1
    stored.number(value, name, low=0, high=max(1, _REPEATS[name] // repeats), whole=True)
    return max(1, value)


def _modest(name: str, value: Any) -> Any:
    """A parameter of a file, with no more processes than this machine has cores."""
    if name == "n_jobs" and isinstance(value, int):
        return min(value, os.cpu_count() or 1)
    if name == "verbose" and value:
        return 0
    # Where a checkpoint was on another machine says nothing of where it may be opened here.
    return None if name == "checkpoint" else value


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
    parameters.pop("checkpoint", None)  # a path of this machine is nobody else's business
    return {"class": name, "parameters": {key: describe(v) for key, v in parameters.items()}}


def build(description: Any) -> Any:
    """Build what :func:`describe` turned into plain data, unless it costs too much."""
    check_costs(description)
    return _built(description)


def _built(description: Any) -> Any:
    if isinstance(description, list):
        return tuple(_built(entry) for entry in description)
    if not isinstance(description, dict):
        return description
    cls = _class_named(description["class"])
    if cls is None:
        raise ModelFileError(
            f"the file names a surrogate {description['class']!r}, unknown to this version"
        )
    parameters = description["parameters"].items()
    return cls(**{key: _modest(key, _built(entry)) for key, entry in parameters})


def _class_named(name: str) -> Any:
    if name in _OURS:
        return _OURS[name]
    return getattr(import_module(_MODULES[name]), name) if name in _MODULES else None
