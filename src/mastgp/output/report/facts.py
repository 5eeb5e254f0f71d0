"""What a report says of a model, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from ...check.heldout import HeldOut, held_out
from ...check.validation import ALONE, records, validate
from ...data.dataset import Dataset
from ...errors import MastWarning, silenced
from ...models.estimator import MultiFidelityRegressor
from ...models.trust import TrustedPoints
from ...progress import report
from ..levels import category_of, values_along
from ..summary import summarise
from .live import first_view, live_document, predictor_work, starting_point
from .sensitivity import Indices, sobol_indices, uniform_inputs, values_at

Array = NDArray[np.float64]

#: Points of the calibration curve.
_SHARES = 101
#: Points at which the uncertainty is looked for, by the multiplications that one takes.
_MOST_PLACES, _FEWEST_PLACES, _PLACES_BUDGET = 1024, 128, 2e9
#: Parts into which a numeric input is cut for its profile of uncertainty.
_PARTS = 12
#: Most uncertain places that are listed.
_LISTED = 3
#: Two of them are at least this far apart in the unit cube, per input.
_APART = 0.25
#: Points of a fidelity that a page holds, for its pictures.
MOST_POINTS = 1_500
#: Significant digits of what is drawn only.
_DIGITS = 7


@dataclass(frozen=True)
class Advice:
    """Which runs to do next.

    Attributes
    ----------
    runs : sequence of mastgp.Suggestion
    why_none : str or None
        Why there are none.
    """

    runs: Sequence[Any] = ()
    why_none: str | None = None


@dataclass(frozen=True)
class Entry:
    """One model of one target in a report.

    Attributes
    ----------
    name : str
        What the model is called in the page.
    model : fitted estimator
    facts : dict
        Its summary, as ``mast show`` prints it.
    validation : list of dict
        Rows of the held-out check, the model's own first; empty where nothing can be held out.
    checked : HeldOut or None
    indices : Indices or None
    unsure : dict
        Profiles of the uncertainty, and the places where it is largest.
    page : dict
        What the page's script needs.
    advice : Advice
        Which runs to do next.
    """

    name: str
    model: MultiFidelityRegressor
    facts: dict[str, Any]
    validation: list[dict[str, Any]]
    checked: HeldOut | None
    indices: Indices | None
    unsure: dict[str, Any]
    page: dict[str, Any]
    advice: Advice

    @property
    def data(self) -> Dataset:
        """What the model was fitted to."""
        return self.model.training_data_

    @property
    def alone(self) -> dict[str, Any] | None:
        """The held-out check of the expensive points alone, where there is one."""
        if not (self.data.cheaper and self.model.uses_cheap_data):
            return None
        return next((row for row in self.validation if row["model"] == ALONE), None)


STEPS = ("checking it on held-out points", "drawing slices", "computing Sobol indices")


def entry_of(
    name: str,
    model: MultiFidelityRegressor,
    advice: Advice | None = None,
    room: float | None = None,
) -> Entry:
    """Gather everything that a page says of a model; it has so many bytes left for its numbers."""
    report(STEPS[0], 0, len(STEPS))
    with silenced(MastWarning):
        checked, validation = _checked(model)
    report(STEPS[1], 1, len(STEPS))
    page = _page(name, model, checked) | dict(
        zip(("document", "whyNot"), live_document(model, room), strict=True)
    )
    report(STEPS[2], 2, len(STEPS))
    indices = sobol_indices(model, predictor_work(model)[2])
    unsure = _unsure(model)
    report(STEPS[2], len(STEPS), len(STEPS))
    page["unsure"] = {"profiles": unsure["profiles"]}
    facts = summarise(model)
    runs = Advice() if advice is None else advice
    return Entry(name, model, facts, validation, checked, indices, unsure, page, runs)


def _checked(model: MultiFidelityRegressor) -> tuple[HeldOut | None, list[dict[str, Any]]]:
    """Held-out predictions and the table of their scores; none with one expensive place."""
    data = model.training_data_
    if data.places(data.top).max() == 0:
        return None, []
    rows = records(validate(model))
    return held_out(model), rows


def _page(name: str, model: MultiFidelityRegressor, checked: HeldOut | None) -> dict[str, Any]:
    """What the script of the page needs."""
    data = model.training_data_
    return {
        "name": name,
        "target": model.target_name_ or "y",
        "unit": data.units.get(model.target_name_ or ""),
        "predicts": data.top.name,
        "log": model.is_logarithmic,
        "inputs": [_input(data, i) for i in range(len(data.feature_names))],
        "start": starting_point(model),
        "first": first_view(model),
        "reach": _reach(data),
        "points": _points(data),
        "heldOut": None if checked is None else held_out_facts(checked),
        "trust": [_trust(own) for own in model.trusted_points()],
    }


def _trust(points: TrustedPoints) -> dict[str, Any]:
    """Trust in points of a cheap fidelity, or in some of very many."""
    kept = some_of(len(points.trust))
    return {
        "name": points.name,
        "nearest": short(points.nearest[kept]),
        "trust": short(points.trust[kept]),
    }


def some_of(n: int) -> NDArray[np.intp]:
    """Which of n points a page holds: all, or of very many some that are spread over the rows."""
    if n <= MOST_POINTS:
        return np.arange(n)
    return np.unique(np.linspace(0, n - 1, MOST_POINTS).round().astype(np.intp))


def _input(data: Dataset, i: int) -> dict[str, Any]:
    """An input: its range or levels, and those of the expensive points."""
    values, category = data.top.X[:, i], category_of(data, i)
    own: dict[str, Any] = {
        "name": data.feature_names[i],
        "unit": data.units.get(data.feature_names[i]),
        "low": float(data.box.low[i]),
        "high": float(data.box.high[i]),
        "varies": bool(data.box.varies[i]),
        "integer": i in data.integers,
        "log": i in data.box.logs,
        "topLow": float(values.min()),
        "topHigh": float(values.max()),
    }
    if category is not None:
        seen = set(category.labels(values))
        own["levels"] = list(category.levels)
        own["topLevels"] = [level for level in category.levels if level in seen]
    return own


def _reach(data: Dataset) -> float:
    """Distance from an expensive point to the next one, where that is largest: beyond is far."""
    from scipy.spatial.distance import cdist

    kept = some_of(len(data.top.y))
    U = data.unit(data.top)[kept]
    apart = cdist(U, U, "sqeuclidean")
    for category in data.categories:
        column = data.top.X[kept, category.column]
        apart += (
            np.not_equal.outer(column, column)
            - np.subtract.outer(U[:, category.column], U[:, category.column]) ** 2
        )
    apart[apart <= 1e-18] = np.inf
    nearest = np.sqrt(apart.min(axis=1) / U.shape[1])
    finite = nearest[np.isfinite(nearest)]
    return float(finite.max()) if len(finite) else 1e9


def _points(data: Dataset) -> list[dict[str, Any]]:
    """Points of every fidelity, the cheapest first, levels by number; some of very many."""
    kept = {fidelity.name: some_of(len(fidelity.y)) for fidelity in data.fidelities}
    return [
        {
            "name": fidelity.name,
            "top": fidelity is data.top,
            "X": [short(row) for row in fidelity.X[kept[fidelity.name]]],
            "y": short(fidelity.y[kept[fidelity.name]]),
        }
        for fidelity in data.fidelities
    ]


def held_out_facts(checked: HeldOut) -> dict[str, Any]:
    """Held-out predictions with their intervals, and the calibration curve."""
    shares, n = np.linspace(0.0, 1.0, _SHARES), len(checked.y)
    return {
        "y": checked.y.tolist(),
        "mean": checked.mean.tolist(),
        "low": checked.interval95[0].tolist(),
        "high": checked.interval95[1].tolist(),
        "calibration": {
            "promised": short(shares),
            "observed": short([checked.coverage(share) for share in shares]),
            "chanceLow": short(binom.ppf(0.05, n, shares).clip(0.0) / n),
            "chanceHigh": short(binom.ppf(0.95, n, shares).clip(0.0) / n),
        },
    }


def _unsure(model: MultiFidelityRegressor) -> dict[str, Any]:
    """Where predictions are uncertain: on average along each input, and the worst places."""
    data = model.training_data_
    affordable = _PLACES_BUDGET / max(predictor_work(model)[1], 1.0)
    n = int(2 ** np.floor(np.log2(np.clip(affordable, _FEWEST_PLACES, _MOST_PLACES))))
    U = uniform_inputs(model, n)
    mean, var = model.moments_unit(U, False)
    std = model.calibration_ * np.sqrt(var)
    X = values_at(data, U)
    return {
        "profiles": [_profile(data, i, X[:, i], std) for i in range(X.shape[1])],
        "places": [_place(model, X[k], mean[k], std[k]) for k in _worst(U, std)],
        "mean_std": float(std.mean()),
        "spread": float(mean.std()),
    }


def _profile(data: Dataset, i: int, values: Array, std: Array) -> dict[str, Any]:
    """Mean standard deviation along an input."""
    category = category_of(data, i)
    if category is not None or len(values_along(data, i, _PARTS)) <= _PARTS:
        at = values_along(data, i, _PARTS) if category is None else np.arange(len(category.levels))
        nearest = np.abs(values[:, None] - at).argmin(axis=1)
    else:
        edges = data.box.spaced(i, 2 * _PARTS + 1)
        at, edges = edges[1::2], edges[::2]
        nearest = np.clip(np.searchsorted(edges, values) - 1, 0, _PARTS - 1)
    known = [k for k in range(len(at)) if (nearest == k).any()]
    return {
        "x": [float(at[k]) for k in known],
        "std": short([std[nearest == k].mean() for k in known]),
    }


def _worst(U: Array, std: Array) -> list[int]:
    """Numbers of the most uncertain points that are not too near to each other."""
    found: list[int] = []
    for k in np.argsort(-std, kind="stable"):
        away = [np.sqrt(np.mean((U[k] - U[other]) ** 2)) for other in found]
        if not away or min(away) >= _APART:
            found.append(int(k))
        if len(found) == _LISTED:
            break
    return found


def _place(model: MultiFidelityRegressor, x: Array, mean: float, std: float) -> dict[str, Any]:
    data = model.training_data_
    inputs: dict[str, Any] = {}
    for i, name in enumerate(data.feature_names):
        category = category_of(data, i)
        inputs[name] = float(x[i]) if category is None else category.levels[round(x[i])]
    return {"inputs": inputs, "mean": float(mean), "std": float(std)}


def short(values: Any) -> list[float]:
    """Numbers with as many digits as a picture needs."""
    return [float(f"{value:.{_DIGITS}g}") for value in np.asarray(values, dtype=float)]
