"""What tests share besides fixtures."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from mastgp.gp import GaussianProcess

COSTS = {"coarse": 1.0, "fine": 10.0}


def truth(X):
    """The expensive response of :func:`pair`."""
    return np.sin(5 * X[:, 0]) + X[:, 1] ** 2


def pair(rng, cheap, n_cheap=40, n_dear=12):
    """Expensive points of `truth`, and cheap ones of another function."""
    X1, X2 = rng.random((n_cheap, 2)), rng.random((n_dear, 2))
    X = np.concatenate([X1, X2])
    y = np.concatenate([cheap(X1), truth(X2)])
    return X, y, np.array(["coarse"] * n_cheap + ["fine"] * n_dear)


def three_levels(rng, sizes=(16, 11, 7)):
    """X, y and labels of fidelities a, b and c that are not nested."""
    X = rng.random((sum(sizes), 2))
    labels = np.repeat(["a", "b", "c"], sizes)
    y = truth(X) + np.select([labels == "a", labels == "b"], [X[:, 0] - 0.3, 0.3 * X[:, 1]], 0.0)
    return X, y, labels


def nonlinear_pair(rng):
    """The benchmark of Perdikaris et al. (2017): high is a nonlinear function of low."""
    low = np.linspace(0, 1, 50)
    high = np.sort(rng.choice(low, 14, replace=False))

    def f_low(x):
        return np.sin(8 * np.pi * x)

    def f_high(x):
        return (x - np.sqrt(2)) * f_low(x) ** 2

    X = np.concatenate([low, high])[:, None]
    y = np.concatenate([f_low(low), f_high(high)])
    return X, y, ["coarse"] * 50 + ["fine"] * 14, f_high


def labelled(*tables):
    """One table of several (name, X, y)."""
    X = np.concatenate([X for _, X, _ in tables])
    y = np.concatenate([y for _, _, y in tables])
    return X, y, np.concatenate([[name] * len(y) for name, _, y in tables])


def numeric_gradient(function, Q, step=1e-5):
    """Central differences of an array-valued function at the rows of Q, shape (n, d)."""
    columns = [
        (function(Q + step * e) - function(Q - step * e)) / (2 * step) for e in np.eye(Q.shape[1])
    ]
    return np.column_stack(columns)


def seen_by(process: GaussianProcess) -> tuple[Any, Any]:
    """Inputs and targets, in the target's units, that a process of one group was fitted to."""
    state = process.get_state()
    return state["X"], state["y_mean"][0] + state["y_scale"][0] * state["y"]


def snapshot(value: Any, _above: tuple[int, ...] = ()) -> Any:
    """Everything that an object holds, as plain data that can be compared."""
    if id(value) in _above:
        return "above"
    above = (*_above, id(value))
    if isinstance(value, np.ndarray):
        return ("array", str(value.dtype), value.shape, value.tobytes())
    if isinstance(value, dict):
        return {key: snapshot(entry, above) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [snapshot(entry, above) for entry in value]
    if isinstance(value, types.FunctionType | type) or not hasattr(value, "__dict__"):
        return repr(value)
    return (type(value).__name__, snapshot(vars(value), above))


def attribute_names(value: Any, _seen: set[int] | None = None) -> set[str]:
    """Names of all attributes of an object, and of the package's objects inside it."""
    seen = set() if _seen is None else _seen
    if id(value) in seen:
        return set()
    seen.add(id(value))
    if isinstance(value, dict):
        return set().union(*(attribute_names(entry, seen) for entry in value.values()))
    if isinstance(value, list | tuple):
        return set().union(*(attribute_names(entry, seen) for entry in value))
    if not type(value).__module__.startswith("mastgp"):
        return set()
    own = getattr(value, "__dict__", {})
    return set(own) | attribute_names(own, seen)
