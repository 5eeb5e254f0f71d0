"""Arrays, frames and options as nobody would give them, to ``mastgp.fit`` and its models."""

from __future__ import annotations

import numpy as np
import pandas as pd
from cases import Defect, attempted, check_predictions, chosen, quiet

import mastgp

METHODS = ("mast", "hf-only", "lf-only", "ar1-map", "recursive", "fire", "miso", "reification")
ODD = (np.nan, np.inf, -np.inf, 1e308, -1e308, 1e-308, 0.0, 5e-324, 1e16)
NAMES = ("coarse", "fine", "", "a b", "x" * 300, "Grüße", "nan", "0", "1.0", "=", "\n")


def prepare(folder):
    return folder


def case(rng, folder):
    tables, costs, options = _problem(rng)
    method = chosen(rng, METHODS)
    model, refused = attempted(lambda: mastgp.fit(tables, costs, method=method, **options))
    if refused:
        return f"refused, {refused}"
    d = model.n_features_in_
    n = int(rng.integers(1, 6))
    box = model.training_data_.box
    with np.errstate(over="ignore"):
        Q = box.low + rng.random((n, d)) * box.widths * chosen(rng, (1.0, 1.0, 1.5, 100.0))
    Q = np.where(np.isfinite(Q), Q, box.low)
    Q = pd.DataFrame(Q, columns=model.feature_names_in_) if _named(model) else Q
    check_predictions(model, Q, n)
    if rng.random() < 0.3:
        _check_file(model, Q, folder / "api.mast")
        return "right, also from a file"
    bad = np.array(Q, dtype=float)
    bad[0, 0] = chosen(rng, ODD[:3])
    _, refused = attempted(lambda: model.predict(bad))
    if not refused:
        raise Defect("a query that is no number was answered")
    return "right"


def _named(model):
    return hasattr(model, "feature_names_in_")


def _check_file(model, Q, path):
    model.save(path)
    with quiet():
        again, expected = mastgp.load(path).predict(Q, True), model.predict(Q, True)
    if not np.array_equal(again, expected):
        raise Defect("a model from a file predicts something else")


def _problem(rng):
    d = int(chosen(rng, (1, 1, 2, 3, 6)))
    n_levels = int(chosen(rng, (1, 2, 2, 2, 3)))
    names = [f"f{i}" for i in range(n_levels)]
    if rng.random() < 0.15:
        names = list(rng.choice(NAMES, n_levels))
    tables = {name: _table(rng, d, i) for i, name in enumerate(names)}
    costs = {name: 10.0**i for i, name in enumerate(tables)}
    options = {}
    if rng.random() < 0.25:
        costs, options = _odd_options(rng, costs, d)
    return tables, costs, options


def _table(rng, d, level):
    n = int(chosen(rng, (1, 2, 3, 5, 8, 15, 25)) if rng.random() < 0.97 else 0)
    X = rng.random((n, d)) * chosen(rng, (1.0, 1.0, 1e-6, 1e6, 1e150)) + chosen(rng, (0.0, 1e3))
    y = np.sin(5 * X[:, 0]) + level + 0.1 * rng.standard_normal(n)
    y = y * chosen(rng, (1.0, 1.0, 1e-9, 1e9, 1e150, 0.0))
    for values in (X, y):
        if values.size and rng.random() < 0.08:
            values.flat[int(rng.integers(values.size))] = chosen(rng, ODD)
    if n > 1 and rng.random() < 0.15:
        X[1] = X[0]
    if n and rng.random() < 0.1:
        X[:, int(rng.integers(d))] = 3.0
    return _dressed(rng, X, y)


def _dressed(rng, X, y):
    kind = chosen(rng, ("array", "array", "list", "frame", "object", "short", "deep", "noise"))
    if kind == "list":
        return X.tolist(), y.tolist()
    if kind == "frame":
        return pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]), pd.Series(y)
    if kind == "object":
        return X.astype(object), y.astype(object)
    if kind == "short" and rng.random() < 0.3:
        return X, y[:-1]
    if kind == "deep" and rng.random() < 0.3:
        return X[None], y
    if kind == "noise":
        return X, y, chosen(rng, (0.1, 0.0, -1.0, np.nan, 1e200))
    return X, y


def _odd_options(rng, costs, d):
    value = chosen(rng, (0.0, -1.0, np.nan, np.inf, "1", None, 1e300, True))
    which = chosen(rng, ("cost", "no costs", "order", "bounds", "noise_std", "seed", "nonsense"))
    names = list(costs)
    if which == "cost":
        return {**costs, chosen(rng, names): value}, {}
    if which == "no costs":
        return None, {}
    if which == "order":
        return None, {"order": chosen(rng, (names, names[::-1], names + names, [], "ab"))}
    if which == "bounds":
        low, high = rng.normal(size=2) * chosen(rng, (1.0, 1e9))
        return costs, {"bounds": chosen(rng, ({"x0": (low, high)}, [(low, high)] * d, "x", 3))}
    if which == "noise_std":
        return costs, {"noise_std": {names[0]: value}}
    if which == "seed":
        return costs, {"random_state": chosen(rng, (0, 2**32 - 1))}
    return costs, {"nonsense": value}
