"""The surrogate inside the page: its numbers, and what is drawn before it answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...models.estimator import MultiFidelityRegressor
from ..export.predictor import encoded, predictor_document
from ..export.reader import predict
from ..levels import category_of, centre_of, swing, values_along
from .compact import compact, size_of
from .sensitivity import uniform_inputs, values_at

Array = NDArray[np.float64]

#: Multiplications that a browser may be asked for when it factorises the matrices of a page.
MOST_WORK = 4e9
#: Bytes of the factors that it may have to keep.
MOST_MEMORY = 200e6
#: Bytes that the numbers of all models may have in a page, which has six million at most.
MOST_BYTES = 5.5e6
#: Arrays of a process with an entry for each draw.
OF_EACH_DRAW = {
    "weights",
    "loadings",
    "lengthscales",
    "noises",
    "means",
    "warps",
    "slopes",
    "corrections",
    "factor_vars",
}
#: Places where a predictor with fewer draws is compared with the model itself.
_COMPARED = 32
#: Points of a curve and, in each direction, of a map.
_POINTS, _GRID = 41, 17


def processes_of(node: Any) -> list[dict[str, Any]]:
    """All processes of a predictor's document, which share their arrays with it."""
    if isinstance(node, dict):
        own = [node] if node.get("kind") in ("process", "inducing") else []
        return own + [found for value in node.values() for found in processes_of(value)]
    if isinstance(node, list):
        return [found for value in node for found in processes_of(value)]
    return []


def work_of(document: dict[str, Any]) -> tuple[float, float, float]:
    """What a predictor takes: multiplications to prepare it, bytes, kernel values for a mean."""
    sizes = [
        (len(own["weights"]), len(own["X"]), len(own["kernels"]), own["kind"] == "process")
        for own in processes_of(document["predictor"])
    ]
    return (
        sum(k * n**3 / 6.0 for k, n, _, exact in sizes if exact),
        sum(k * n * n * 4.0 for k, n, _, _ in sizes),
        sum(float(k * n * c) for k, n, c, _ in sizes),
    )


def predictor_work(model: MultiFidelityRegressor) -> tuple[float, float, float]:
    """The same for a model; nothing is known of those that cannot be exported."""
    if "export" not in model.abilities:
        return 0.0, 0.0, 0.0
    return work_of(predictor_document(model))


def live_document(
    model: MultiFidelityRegressor, room: float | None = None
) -> tuple[dict[str, Any] | None, str | None]:
    """The predictor for the page, and what readers must know about it.

    Where a browser cannot do it there is no predictor. Where it would take too long some draws of
    the hyperparameters are left out, and how far that changes predictions is measured.

    Parameters
    ----------
    model : fitted estimator
    room : float, optional
        Bytes that are left for it in the page; by default all.
    """
    if "export" not in model.abilities:
        return None, (
            f"This page cannot compute {model.label} of these data: its predictions are not only "
            "made of Gaussian processes of this package."
        )
    document = predictor_document(model)
    note = None
    work, memory, _ = work_of(document)
    share = min(MOST_WORK / max(work, 1.0), MOST_MEMORY / memory)
    if share < 1.0:
        n_draws = _n_draws(document)
        thinned(document, share)
        work, memory, _ = work_of(document)
        if work > MOST_WORK or memory > MOST_MEMORY:
            return None, "The model has too many points to be computed in a page."
        note = _about_thinning(model, document, n_draws)
    written = compact(encoded(document))
    size = size_of(written)
    if size > (MOST_BYTES if room is None else room):
        return None, (
            f"The numbers of this model take {size / 1e6:.1f} MB, for which the page has no room. "
            "'mast export' writes them down."
        )
    return written, note


def _n_draws(document: dict[str, Any]) -> int:
    return sum(len(own["weights"]) for own in processes_of(document["predictor"]))


def _about_thinning(model: MultiFidelityRegressor, document: dict[str, Any], n_draws: int) -> str:
    """How far values of a thinned predictor are from the model's own."""
    U = uniform_inputs(model, _COMPARED)
    mean, std, _, _ = predict(document, values_at(model.training_data_, U))
    own_mean, own_var = model.moments_unit(U, False)
    own_std = model.calibration_ * np.sqrt(own_var)
    off = float(np.max(np.abs(mean - own_mean) / own_std))
    wide = float(np.max(np.abs(std / own_std - 1.0)))
    return (
        f"To be quick, this page uses {_n_draws(document)} of the {n_draws} draws of the model's "
        f"hyperparameters. At {_COMPARED} places its mean is at most {off:.2g} standard deviations "
        f"off, and its standard deviation at most {wide:.0%}. 'mast predict' uses all."
    )


def thinned(document: dict[str, Any], share: float) -> None:
    """Keep the heaviest draws of every process, about a share of them, one at least."""
    for own in processes_of(document["predictor"]):
        k = max(1, int(share * len(own["weights"])))
        kept = np.sort(np.argsort(-own["weights"], kind="stable")[:k])
        for name in OF_EACH_DRAW & own.keys():
            own[name] = own[name][kept]
        own["weights"] = own["weights"] / own["weights"].sum()
        for category in own["categories"]:
            category["positions"] = category["positions"][kept]
            category["apart"] = category["apart"][kept]


def starting_point(model: MultiFidelityRegressor) -> list[Any]:
    """Where the sliders stand at first: the middle of the expensive points, as users know it."""
    data = model.training_data_
    return [_shown(model, i, value) for i, value in enumerate(centre_of(data))]


def _shown(model: MultiFidelityRegressor, i: int, value: float) -> Any:
    category = category_of(model.training_data_, i)
    return float(value) if category is None else category.levels[round(value)]


def first_view(model: MultiFidelityRegressor) -> dict[str, Any]:
    """Values at the starting point, slices and a map through it."""
    centre = centre_of(model.training_data_)
    return {
        "value": _values(model, centre[None])[0],
        "slices": [_slice(model, i, centre) for i in range(len(centre))],
        "grid": _grid(model, centre),
    }


def _values(model: MultiFidelityRegressor, X: Array) -> list[list[float]]:
    """Mean, standard deviation and ends of the 95 % interval at points in the user's units."""
    U = model.training_data_.box.to_unit(X)
    mean, var = model.moments_unit(U, False)
    low, high = model.predictive_unit(U).interval(0.95)
    std = model.calibration_ * np.sqrt(var)
    rows: list[list[float]] = np.column_stack([mean, std, low, high]).tolist()
    return rows


def _slice(model: MultiFidelityRegressor, i: int, centre: Array) -> dict[str, Any]:
    values = values_along(model.training_data_, i, _POINTS)
    line = np.tile(centre, (len(values), 1))
    line[:, i] = values
    return {"x": [_shown(model, i, v) for v in values], "values": _values(model, line)}


def _grid(model: MultiFidelityRegressor, centre: Array) -> dict[str, Any] | None:
    """The mean over the two inputs along which it varies most; None where there is only one."""
    varying = np.flatnonzero(model.training_data_.box.varies)
    if len(varying) < 2:
        return None
    strongest = sorted(varying, key=lambda i: -swing(model, int(i)))[:2]
    i, j = sorted(int(column) for column in strongest)
    across, up = (values_along(model.training_data_, k, _GRID) for k in (i, j))
    points = np.tile(centre, (len(across) * len(up), 1))
    points[:, j], points[:, i] = (part.ravel() for part in np.meshgrid(up, across, indexing="ij"))
    mean = model.mean_unit(model.training_data_.box.to_unit(points)).reshape(len(up), len(across))
    return {
        "i": i,
        "j": j,
        "x": [_shown(model, i, v) for v in across],
        "y": [_shown(model, j, v) for v in up],
        "mean": mean.tolist(),
    }
