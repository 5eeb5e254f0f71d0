"""A Gaussian process as plain numbers, from which any program can predict.

Only what was learned is written out: hyperparameters, points and targets. Whoever predicts builds
the covariance matrix and factorises it again. That is a thousand times smaller than the factors,
and takes a fraction of a second in any language. Inducing points do not know their rows any more,
so of them the factor is written out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .ensemble import ProcessEnsemble
from .inducing import InducingProcess
from .model import Model
from .observations import noise_of
from .parameters import Hyperparameters
from .process import GaussianProcess

Array = NDArray[np.float64]


def plain_process(posterior: GaussianProcess | ProcessEnsemble, group: int = 0) -> dict[str, Any]:
    """A group's latent function as a mixture over the draws of a process; one alone is a draw.

    Parameters
    ----------
    posterior : GaussianProcess or ProcessEnsemble
    group : int

    Returns
    -------
    dict
        With n points, d inputs, c components, g groups and k draws: `X` (n, d), `y` (n,), `groups`
        (n,) and `noise` (n,), zero where it is learned; `kernels`, c names; `group`, `y_mean`,
        `y_scale`; and of each draw `weights` (k,), `loadings` (k, c, g), `lengthscales` (k, c, d),
        `noises` (k, g), zero where it is known, `means` (k, g), `warps` (k, 2, d) and
        `categories`. Uncertain means are components with the kernel "constant".
    """
    draws, weights = _draws_of(posterior)
    first = draws[0]
    state, model = first.get_state(), first.model
    return {
        "kind": "process",
        "kernels": _kernels(model),
        "X": state["X"],
        "y": state["y"],
        "groups": state["groups"].astype(float),
        "noise": _given_noise(first),
        "group": group,
        "y_mean": float(first.y_mean[group]),
        "y_scale": float(first.y_scale[group]),
        "weights": weights,
        "loadings": np.array([_loadings(model, draw.parameters) for draw in draws]),
        "lengthscales": np.array([_lengthscales(model, draw.parameters) for draw in draws]),
        "noises": np.array([_learned_noise(draw) for draw in draws]),
        "means": np.array([draw.group_means for draw in draws]),
        "warps": np.array([_warp(model, draw.parameters) for draw in draws]),
        "categories": _categories(draws),
    }


def plain_inducing(process: InducingProcess, group: int = 0) -> dict[str, Any]:
    """A group's latent function of a process by inducing points.

    Returns
    -------
    dict
        The entries of :func:`plain_process` that say what covariances are, with the m inducing
        points as `X` and one draw. With k the covariances with these points the mean is `solved`
        (m,) times k. The variance is what is known, the sum of squares of T k, less than that of
        the prior. `known` has the lower triangle of T row by row, m (m + 1) / 2 numbers.
    """
    model, parameters = process.model, process.parameters
    return {
        "kind": "inducing",
        "kernels": _kernels(model),
        "X": process.basis.points.X,
        "groups": process.basis.points.groups.astype(float),
        "solved": process.solution.weights,
        "known": process.known_triangle(),
        "group": group,
        "y_mean": float(process.y_mean[group]),
        "y_scale": float(process.y_scale[group]),
        "weights": np.ones(1),
        "loadings": _loadings(model, parameters)[None],
        "lengthscales": _lengthscales(model, parameters)[None],
        "means": process.solution.beta[None],
        "warps": _warp(model, parameters)[None],
        "categories": [],
    }


def in_other_units(node: dict[str, Any], mean: float, scale: float, extra: float) -> dict[str, Any]:
    """A node of a process in units of which one is `scale`, from `mean` on.

    Parameters
    ----------
    node : dict
    mean, scale : float
    extra : float
        A variance that is added, in the units of the node.
    """
    return {
        **node,
        "y_mean": mean + scale * node["y_mean"],
        "y_scale": scale * node["y_scale"],
        "extra": scale**2 * extra,
    }


def widened(node: dict[str, Any], factor: float) -> dict[str, Any]:
    """A node of a process with its variance times `factor` and the same mean.

    All covariances and all noise grow by the factor.
    """
    wider = {**node, "loadings": np.sqrt(factor) * node["loadings"]}
    if node["kind"] == "inducing":
        grown = {"solved": node["solved"] / factor, "known": node["known"] / np.sqrt(factor)}
    else:
        grown = {name: factor * node[name] for name in ("noise", "noises")}
    return wider | grown


def _kernels(model: Model) -> list[str]:
    """Names of the components' kernels; uncertain means are constants."""
    kernels = [component.kernel for component in model.components]
    return kernels + ["constant"] * len(_loadings_of_means(model))


def _draws_of(posterior: GaussianProcess | ProcessEnsemble) -> tuple[list[GaussianProcess], Array]:
    """Draws and weights; draws without any weight are left out."""
    if isinstance(posterior, GaussianProcess):
        return [posterior], np.ones(1)
    kept = np.flatnonzero(posterior.weights > 0.0)
    return [posterior.processes[i] for i in kept], posterior.weights[kept]


def _loadings_of_means(model: Model) -> Array:
    """Loadings of the groups on their uncertain means, one row for each mean."""
    if model.means == "profiled":
        return np.empty((0, model.n_groups))
    own = np.eye(model.n_groups) if model.means == "own" else np.ones((1, model.n_groups))
    return np.sqrt(model.mean_var) * own


def _loadings(model: Model, parameters: Hyperparameters) -> Array:
    """Loadings of the groups on all components, times the components' standard deviations."""
    scales = np.sqrt(parameters.scales)[:, None]
    return np.vstack([scales * parameters.loadings(model), _loadings_of_means(model)])


def _lengthscales(model: Model, parameters: Hyperparameters) -> Array:
    """Lengthscales of all components; those of constants are 1."""
    of_means = np.ones((len(_loadings_of_means(model)), model.n_inputs))
    return np.vstack([parameters.lengthscales, of_means])


def _given_noise(process: GaussianProcess) -> Array:
    """Known noise variance of every observation in standardised units, 0 where it is learned."""
    data = process.objective.data
    if data.noise_var is None:
        return np.zeros(len(data.y))
    return np.where(np.isnan(data.noise_var), 0.0, noise_of(process.parameters, data))


def _learned_noise(draw: GaussianProcess) -> Array:
    """Learned noise variance of every group, 0 where it is known, and what keeps K regular."""
    learned = np.zeros(draw.model.n_groups)
    data = draw.objective.data
    unknown = data.groups if data.noise_var is None else data.groups[np.isnan(data.noise_var)]
    groups = np.unique(unknown)
    if draw.parameters.noise_var.size:
        learned[groups] = draw.parameters.noise_var[groups]
    return learned + draw.jitter


def _warp(model: Model, parameters: Hyperparameters) -> Array:
    """The warp's a and b of every input; both are 1 where nothing is warped."""
    warp = np.ones((2, model.n_inputs))
    if model.warp:
        categorical = [category.column for category in model.categories]
        columns = np.setdiff1d(np.arange(model.n_inputs), categorical)
        warp[:, columns] = parameters.warp_a, parameters.warp_b
    return warp


def _categories(draws: Sequence[GaussianProcess]) -> list[dict[str, Any]]:
    """Of each categorical input its column, and where its levels are in each draw."""
    embedding = draws[0].objective.embedding
    if embedding is None:
        return []
    places = [list(embedding.places(d.parameters.positions, d.parameters.apart)) for d in draws]
    return [
        {
            "column": category.column,
            "positions": np.array([own[i][0] for own in places]),
            "apart": np.array([own[i][1] for own in places]),
        }
        for i, category in enumerate(draws[0].model.categories)
    ]
