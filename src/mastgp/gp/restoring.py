"""What the state of a process must be when it comes from a file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import stored
from ..stored import ANY
from .categorical import n_learned, n_positions
from .layout import (
    APART_BOUNDS,
    FACTOR_BOUNDS,
    LENGTHSCALE_BOUNDS,
    NOISE_BOUNDS,
    POSITION_BOUNDS,
    SCALE_BOUNDS,
    WARP_BOUNDS,
)
from .model import Model
from .observations import LARGEST_TARGET

#: Standardised values beyond this are those of no fit.
_LARGEST = 1e12
#: Standardised targets come from numbers up to the largest, and were divided by no less than this.
_LEAST_SCALE = 1e-16 / LARGEST_TARGET
#: Hyperparameters at a bound may miss it by rounding, relative to their size.
_ROUNDING = 1e-9
#: Most draws of hyperparameters that a file may hold.
MOST_DRAWS = 1_000


def check_process_state(model: Model, state: Any) -> None:
    """Check what :meth:`GaussianProcess.get_state` returned, against the model it is of."""
    needed = ("parameters", "X", "y", "groups", "noise_var", "y_mean", "y_scale", "report")
    stored.mapping(state, "the process", needed)
    X = stored.array(
        state["X"], "X", (ANY, model.n_inputs), low=-LARGEST_TARGET, high=LARGEST_TARGET
    )
    n = len(X)
    stored.number(n, "the number of points", low=1)
    stored.check_memory(n)
    _check_levels(model, X)
    stored.array(state["y"], "y", (n,), low=-_LARGEST, high=_LARGEST)
    stored.array(state["groups"], "groups", (n,), low=0, high=model.n_groups - 1, whole=True)
    if state["noise_var"] is not None:
        stored.array(state["noise_var"], "noise_var", (n,), low=0.0, missing=model.learn_noise)
    elif not model.learn_noise:
        raise stored.DamagedError("the noise is neither learned nor given")
    largest, shape = 10.0 * LARGEST_TARGET, (model.n_groups,)  # differences may be larger
    stored.array(state["y_mean"], "y_mean", shape, low=-largest, high=largest)
    stored.array(state["y_scale"], "y_scale", shape, low=_LEAST_SCALE, high=largest)
    check_parameters(model, state["parameters"])
    if state["report"] is not None:
        _check_report(state["report"])


def _check_levels(model: Model, X: NDArray[Any]) -> None:
    """Check that categorical inputs hold levels: k / (n_levels - 1)."""
    for category in model.categories:
        what = f"column {category.column} of X"
        last = category.n_levels - 1
        codes = stored.array(X[:, category.column] * last, what, (len(X),), low=-1e-6)
        if (abs(codes - np.rint(codes)) > 1e-6).any() or codes.max() > last + 1e-6:
            raise stored.DamagedError(f"{what} has values that are no levels of its input")


def check_parameters(model: Model, parameters: Any) -> None:
    """Check hyperparameters against the model they are of, and the bounds of every fit."""
    d, n_components = model.n_inputs, len(model.components)
    n_noises = model.n_groups if model.learn_noise else 0
    warped = model.n_numeric if model.warp else 0
    shapes: dict[str, tuple[tuple[int, ...], tuple[float, float]]] = {
        "lengthscales": ((n_components, d), LENGTHSCALE_BOUNDS),
        "scales": ((n_components,), SCALE_BOUNDS),
        "factors": ((model.n_factors,), FACTOR_BOUNDS),
        "noise_var": ((n_noises,), NOISE_BOUNDS),
        "warp_a": ((warped,), WARP_BOUNDS),
        "warp_b": ((warped,), WARP_BOUNDS),
    }
    if learned := n_learned(model.categories):
        shapes["positions"] = ((n_positions(model.categories),), POSITION_BOUNDS)
        shapes["apart"] = ((learned,), APART_BOUNDS)
    stored.mapping(parameters, "the hyperparameters", shapes, more=False)
    for name, (shape, (low, high)) in shapes.items():
        slack = _ROUNDING * abs(low)
        stored.array(parameters[name], name, shape, low=low - slack, high=high * (1.0 + _ROUNDING))


def check_draws(model: Model, n_points: int, state: Any) -> None:
    """Check draws of hyperparameters and their weights."""
    stored.mapping(state, "the draws", ("weights", "parameters"), more=False)
    draws = stored.sequence(state["parameters"], "the draws", most=MOST_DRAWS)
    stored.number(len(draws), "the number of draws", low=1)
    stored.check_memory(n_points, len(draws))
    check_weights(state["weights"], len(draws))
    for draw in draws:
        check_parameters(model, draw)


def check_weights(weights: Any, n: int) -> None:
    """Check weights of a mixture: not negative, and of sum one."""
    found = stored.array(weights, "weights", (n,), low=0.0, high=1.0 + 1e-9)
    if abs(found.sum() - 1.0) > 1e-6:
        raise stored.DamagedError(f"weights have the sum {found.sum():g}, not 1")


def _check_report(report: Any) -> None:
    stored.mapping(report, "the report", ("objective", "log_likelihood", "start"))
    for name in ("objective", "log_likelihood"):
        stored.number(report[name], name)
    for name in ("start", "message"):
        stored.text(report.get(name, ""), name)
    for name in ("iterations", "evaluations"):
        stored.number(report.get(name, 0), name, low=0, whole=True)
    stored.number(report.get("jitter", 0.0), "jitter", low=0.0)
    for name in stored.sequence(report.get("at_bounds", []), "at_bounds"):
        stored.text(name, "at_bounds")
    for value in stored.mapping(report.get("objectives", {}), "objectives").values():
        stored.number(value, "objectives")
