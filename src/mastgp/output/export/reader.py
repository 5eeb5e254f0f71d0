"""Predict from an exported predictor. NumPy is all it takes: copy this file where you need it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from math import erf, sqrt
from typing import Any

import numpy as np

Members = list[tuple[Any, Any, Any, Any]]  # weight, mean, variance and transformation of each


def read(text: str) -> Any:
    """The document in a JSON text, with arrays."""

    def array(own: dict[str, Any]) -> Any:
        raw = base64.b64decode(own.get("float64", ""))
        return np.frombuffer(raw, "<f8").reshape(own["shape"]) if "float64" in own else own

    return json.loads(text, object_hook=array)


def kernel(name: str, R: Any) -> Any:
    """Correlation at scaled squared distances R."""
    s = np.sqrt(5 * R)
    rough = (1 + s + s**2 / 3) * np.exp(-s)
    return {"rbf": np.exp(-R / 2), "matern52": rough, "constant": 1.0}[name]


def draws(p: dict[str, Any], U: Any, below: Any = None) -> Iterator[tuple[Any, Any, Any, None]]:
    """Weight, mean and variance of each draw of a process at unit-cube points U.

    Where the process is what a multiple of `below` leaves, the factor's uncertainty is added.
    """
    points, n = np.vstack([p["X"], U]), len(p["X"])
    groups = np.append(p["groups"], np.full(len(U), p["group"])).astype(int)
    levels = {c["column"]: c for c in p["categories"]}
    for k, weight in enumerate(p["weights"]):
        squares, K = [], np.zeros((len(points), len(points)))
        for i, u in enumerate(points.T):
            a, b = p["warps"][k, :, i]
            log_u = np.log(np.where((u > 0) & (u < 1), u, 0.5))
            z = np.where((u > 0) & (u < 1), -np.expm1(b * np.log(-np.expm1(a * log_u))), u)[:, None]
            if i in levels:
                own = np.hstack([levels[i]["positions"][k], np.diag(levels[i]["apart"][k] ** 0.5)])
                z = own[np.rint(u * (len(own) - 1)).astype(int)]
            squares.append(((z[:, None] - z) ** 2).sum(2))
        for name, load, widths in zip(
            p["kernels"], p["loadings"][k], p["lengthscales"][k], strict=True
        ):
            R = sum(square / width**2 for square, width in zip(squares, widths, strict=True))
            K += np.outer(load[groups], load[groups]) * kernel(name, R)
        mean, known = posterior(p, k, K, groups)
        prior, scale = K.diagonal()[n:], p["y_scale"]
        mean = p["y_mean"] + scale * (mean + p["means"][k, p["group"]])
        variance = np.maximum(prior - known, 1e-13 * prior) * scale**2 + p.get("extra", 0.0)
        if below is not None:
            left = below - scale * (p["slopes"][k] @ K[:n, n:])
            mean = mean + p["corrections"][k] * left
            variance = variance + p["factor_vars"][k] * left**2
        yield weight, mean, variance, None


def posterior(p: dict[str, Any], k: int, K: Any, groups: Any) -> tuple[Any, Any]:
    """Mean, and variance that is known, from covariances of all points, those of p first."""
    n = len(p["X"])
    if p["kind"] == "inducing":
        triangle = np.zeros((n, n))
        triangle[np.tril_indices(n)] = p["known"]
        return p["solved"] @ K[:n, n:], ((triangle @ K[:n, n:]) ** 2).sum(0)
    L = np.linalg.cholesky(K[:n, :n] + np.diag(p["noise"] + p["noises"][k, groups[:n]]))
    v = np.linalg.solve(L, K[:n, n:])
    r = np.linalg.solve(L, p["y"] - p["means"][k, groups[:n]])
    return r @ v, (v**2).sum(0)


def members(node: dict[str, Any], U: Any) -> Members:
    """The normal distributions that a node's prediction is a mixture of."""
    kind = node["kind"]
    if kind in ("process", "inducing"):
        return list(draws(node, U))
    if kind == "levels":
        return levels(node, U)
    if kind == "blend":
        parts = zip(node["shares"], node["members"], strict=True)
        return [(share * w, *rest) for share, part in parts for w, *rest in members(part, U)]
    if kind == "transformed":
        return [(w, m, v, node["response"]) for w, m, v, _ in members(node["of"], U)]
    if kind == "dilated":
        return dilated(members(node["of"], U), node["factor"])
    if kind == "fused":
        found = [moments(members(part, U)) for part in node["members"]]
        precision = [1 / (v + floor) for (_, v), floor in zip(found, node["floors"], strict=True)]
        mean = sum(p * m for p, (m, _) in zip(precision, found, strict=True)) / sum(precision)
        return [(1.0, mean, 1 / sum(precision), None)]
    return stages(node, U)


def levels(node: dict[str, Any], U: Any) -> Members:
    """Levels of which each is a factor times the one below, plus something of its own."""
    mean = var = 0.0
    for factor, level in zip([0.0, *node["factors"]], node["below"], strict=False):
        m, v = moments(members(level, U))
        mean, var = m + factor * mean, v + factor**2 * var
    last = node["factors"][-1]
    found = draws(node["of"], U, mean)
    return [(w, m + last * mean, v + last**2 * var, None) for w, m, v, _ in found]


def stages(node: dict[str, Any], U: Any) -> Members:
    """Processes of which each is told what those before it predict."""
    mean = var = np.zeros(len(U))
    for i, stage in enumerate(node["stages"]):
        inputs = U
        if i:
            reach, scaling = node["reach"] * np.sqrt(var), node["appended"][i - 1]
            told = {"mean": mean, "std": np.sqrt(var), "variance": var}
            told |= {"low": mean - reach, "high": mean + reach}
            columns = np.array([told[name] for name in node["columns"]]).T
            inputs = np.hstack([U, (columns - scaling["low"]) / scaling["span"]])
        m, v = moments(members(stage, inputs))
        mean, var = m + node["adds_means"] * mean, v + node["adds_variances"] * var
    return [(1.0, mean, var, None)]


def forward(response: Any, y: Any) -> Any:
    """The transformation of a response."""
    if response is None:
        return y
    with np.errstate(divide="ignore"):
        if response["kind"] == "log":
            return np.log(np.maximum(y, 0.0))
        if response["kind"] == "bounded":
            share = (y - response["low"]) / (response["high"] - response["low"])
            return np.log(np.clip(share, 0.0, 1.0)) - np.log1p(-np.clip(share, 0.0, 1.0))
        p, u = response["power"], (y - response["centre"]) / response["scale"]
        return _power(np.maximum(u, 0.0), p) - _power(np.maximum(-u, 0.0), 2.0 - p)


def _power(u: Any, p: float) -> Any:
    return np.expm1(p * np.log1p(u)) / p if p else np.log1p(u)


def backward(response: Any, z: Any) -> Any:
    """Its inverse."""
    if response is None:
        return z
    z = np.clip(z, -np.inf if response["kind"] == "log" else -300.0, response["largest"])
    if response["kind"] == "log":
        return np.exp(z)
    if response["kind"] == "bounded":
        return response["low"] + (response["high"] - response["low"]) / (1.0 + np.exp(-z))
    up, down = (
        np.exp(np.log1p(p * np.maximum(side, 0.0)) / p) if p else np.exp(np.maximum(side, 0.0))
        for p, side in ((response["power"], z), (2.0 - response["power"], -z))
    )
    return response["centre"] + response["scale"] * (up - down)


def moments(parts: Members) -> tuple[Any, Any]:
    """Mean and variance of a mixture, of which some members may be transformed."""
    first = second = 0.0
    for w, m, v, response in parts:
        if response is None:
            one, two = m, v + m**2
        elif response["kind"] == "log":
            one, two = backward(response, m + v / 2), backward(response, 2 * (m + v))
        else:
            y = [backward(response, m + node * np.sqrt(v)) for node in response["nodes"]]
            one, two = (response["node_weights"] @ np.array(y) ** power for power in (1, 2))
        first, second = first + w * one, second + w * two
    return first, np.maximum(second - first**2, 0.0)


def dilated(parts: Members, factor: float) -> Members:
    """Members `factor` times as wide, and as far from the mean of those of their kind."""
    kinds = [r and (r["kind"], r.get("power")) for _, _, _, r in parts]
    wider = []
    for (w, m, v, r), kind in zip(parts, kinds, strict=True):
        same = [part for part, own in zip(parts, kinds, strict=True) if own == kind]
        centre = sum(p[0] * p[1] for p in same) / sum(p[0] for p in same)
        wider.append((w, centre + factor * (m - centre), factor**2 * v, r))
    return wider


def quantile(parts: Members, q: float, z: float) -> Any:
    """Value below which the share q lies; z is the same quantile of a standard normal."""
    ends = [backward(r, m + z * np.sqrt(v)) for _, m, v, r in parts]
    low, high = np.min(ends, axis=0), np.max(ends, axis=0)
    below = np.vectorize(lambda x: 0.5 + 0.5 * erf(x / sqrt(2)))
    for _ in range(60):
        middle = (low + high) / 2
        share = sum(w * below((forward(r, middle) - m) / np.sqrt(v)) for w, m, v, r in parts)
        low, high = np.where(share < q, middle, low), np.where(share < q, high, middle)
    return (low + high) / 2


def to_unit(own: dict[str, Any], values: Any) -> Any:
    """Values of an input, scaled to [0, 1] over its range."""
    low, high, x = own["low"], own["high"], np.asarray(values, float)
    if not high > low:
        return np.full(len(x), 0.5)
    if own.get("log"):
        low, high, x = np.log(low), np.log(high), np.log(x)
    return np.clip((x - low) / (high - low), -1e6, 1e6)


def predict(document: dict[str, Any], X: Any) -> tuple[Any, Any, Any, Any]:
    """Mean, standard deviation, ends of the 95 % interval at rows of inputs; levels by number."""
    U = np.column_stack(
        [
            to_unit(own, column)
            for own, column in zip(document["inputs"], zip(*X, strict=True), strict=True)
        ]
    )
    parts = members(document["predictor"], U)
    mean, variance = moments(parts)
    wide = dilated(parts, document["calibration"])
    ends = quantile(wide, 0.025, -1.959963984540054), quantile(wide, 0.975, 1.959963984540054)
    return (mean, document["calibration"] * np.sqrt(variance), *ends)
